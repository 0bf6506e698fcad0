"""The cameras' page."""

from __future__ import annotations

import hmac
import http.server
import json
import secrets
import socket
import threading
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

DOCUMENT = Path(__file__).with_name("page.html")
# What it has in common with the pages that odt makes.
SHARED = Path(__file__).resolve().parents[4] / "CShims" / "CPages" / "Shared"
COOKIE = "swiftodt-fleet"


class PageError(Exception):
    """Why there can be no page; in a sentence."""


class Page:
    """Serves `status` as a page and as /api/cameras: to this machine alone, or, with another address, to those who have the token."""

    def __init__(self, address: str, status: Callable[[], Any], token_file: Path | None = None) -> None:
        """
        address: PORT or HOST:PORT, a port of 0 for one that is free.
        """
        host, port = _split(address)
        is_loopback = host in ("127.0.0.1", "::1", "localhost")
        token = _token(token_file) if token_file else None if is_loopback else secrets.token_urlsafe(24)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

        try:
            self._server = Server((host, port), _handler(status, token, is_loopback))
        except OSError as error:
            raise PageError(f"--page: nothing can be served at {address}: {error.strerror or error}") from None
        shown = f"[{host}]" if ":" in host else socket.gethostname() if host == "0.0.0.0" else host
        query = "" if token is None else f"?token={'...' if token_file else token}"
        self.port = int(self._server.server_address[1])
        self.url = f"http://{shown}:{self.port}/{query}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Serves no more."""
        self._server.shutdown()
        self._server.server_close()


def _document() -> str:
    text = DOCUMENT.read_text(encoding="utf-8")
    for mark, name in (("/* colours */", "colours.css"), ("/* elements */", "elements.js")):
        text = text.replace(mark, (SHARED / name).read_text(encoding="utf-8"))
    return text


def _split(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise PageError(f"--page: '{port}' is no port: say 8080, or 0.0.0.0:8080 for other machines, too")
    return host, int(port)


def _token(file: Path) -> str:
    try:
        if not file.exists():
            file.touch(0o600)
            file.write_text(secrets.token_urlsafe(24) + "\n", encoding="ascii")
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError) as error:
        raise PageError(f"--page-token-file: {file} cannot be used: {error}") from None
    if len(token) < 16:
        raise PageError(f"--page-token-file: the token in {file} is shorter than 16 letters")
    return token


def _handler(status: Callable[[], Any], token: str | None, is_loopback: bool) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        # Who says nothing for so long is let go.
        timeout = 10

        def do_GET(self) -> None:  # noqa: N802
            parts = urlsplit(self.path)
            if is_loopback and not self._is_asked_by_name():
                return self._answer(421, "text/plain", b"this page is at localhost or 127.0.0.1\n")
            if token is not None and not self._is_known(parse_qs(parts.query).get("token", [""])[0]):
                return self._answer(403, "text/plain", b"the address of this page has a token in it, which was printed at the start\n")
            if parts.path == "/":
                return self._answer(200, "text/html; charset=utf-8", _document().encode())
            if parts.path == "/api/cameras":
                return self._answer(200, "application/json", json.dumps(status(), ensure_ascii=False).encode())
            return self._answer(404, "text/plain", b"there are / and /api/cameras\n")

        def _is_asked_by_name(self) -> bool:
            """Not by one that somebody's page has led here."""
            name = urlsplit(f"//{self.headers.get('Host', '')}").hostname
            return name in ("localhost", "127.0.0.1", "::1")

        def _is_known(self, given: str) -> bool:
            assert token is not None
            cookies = SimpleCookie()
            try:
                cookies.load(self.headers.get("Cookie", ""))
            except CookieError:
                cookies.clear()
            kept = cookies[COOKIE].value if COOKIE in cookies else ""
            return any(hmac.compare_digest(one.encode(), token.encode()) for one in (given, kept))

        def _answer(self, code: int, kind: str, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'")
            if code == 200 and token is not None:
                self.send_header("Set-Cookie", f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
