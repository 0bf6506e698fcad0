"""odt watch --page: its responses, its access control, and that viewers do not slow the cameras down."""
import contextlib
import http.client
import os
import re
import shutil
import socket
import stat
import time
import unittest

from paged import Paged, needs_soup
from streams import command
from watching import Footprint, ODT, results

# Counts the idle sources that are created and released by calls from outside of GLib. Calls inside GLib are not intercepted.
SOURCES = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_uintptr_t sources[100000];
static atomic_int made, released;
void *g_idle_source_new(void) {
    void *(*next)(void) = dlsym(RTLD_NEXT, "g_idle_source_new");
    void *source = next();
    if (made < 100000) sources[made++] = (atomic_uintptr_t)source;
    return source;
}
void g_source_unref(void *source) {
    void (*next)(void *) = dlsym(RTLD_NEXT, "g_source_unref");
    for (int i = 0; i < made; i++)
        if (sources[i] == (atomic_uintptr_t)source) { sources[i] = 0; released++; break; }
    next(source);
}
__attribute__((destructor)) static void report(void) { fprintf(stderr, "idle sources: %d made, %d released\\n", made, released); }\n"""


@needs_soup
class Responses(Paged):
    """The page's responses, and errors for all other requests."""

    def test_api_returns_cameras_and_events(self):
        self.serve(names=("cam", "caf\u00e9"))
        self.assertRegex(self.said, r"the page is at http://127\.0\.0\.1:\d+/\n")
        cameras = lambda: self.ask("/api/cameras")["cameras"]
        camera = self.until(lambda: next((one for one in cameras() if one["objects"] and one["zones"]), None))
        self.assertEqual([one["name"] for one in cameras()], ["cam", "caf\u00e9"])
        self.assertEqual((camera["state"], camera["width"], camera["height"]), ("connected", 320, 240))
        self.assertEqual([(zone["name"], zone["kind"]) for zone in camera["zones"]], [("floor", "zone"), ("middle", "line")])
        (ball,) = camera["objects"]
        self.assertEqual((ball["id"], ball["label"]), (1, ""))
        self.assertLess(abs(ball["since"] / 1000 - time.time()), 120)
        # `since` selects the newer events.
        events = self.until(lambda: [event for event in self.ask("/api/events")["events"] if event["event"] == "cross"] and
                            self.ask("/api/events")["events"])
        self.assertEqual([event["number"] for event in events], list(range(1, len(events) + 1)))
        kinds = {(event["kind"], event["event"]) for event in events if event["camera"] == "cam"}
        self.assertLessEqual({("camera", "connected"), ("track", "begin"), ("zone", "enter")}, kinds)
        self.assertEqual(self.ask(f"/api/events?since={len(events) - 2}")["events"][:2], events[-2:])
        counts = self.ask("/api/counts/caf%C3%A9")
        self.assertEqual((counts["name"], max(filter(None, counts["objects"])), max(filter(None, counts["zones"][0]["counts"]))), ("caf\u00e9", 1, 1))
        self.assertEqual(len(counts["zones"][1]["in"]), len(counts["zones"][1]["out"]))
        for path in ("/snapshot/cam.jpg", "/snapshot/caf%c3%a9.jpg"):
            status, headers, picture = self.get(path)
            self.assertEqual((status, headers["Content-Type"], picture[:3], picture[-2:]), (200, "image/jpeg", b"\xff\xd8\xff", b"\xff\xd9"))
        pictures = self.pictures(self.connect("/live/cam.mjpg"), 4)
        self.assertEqual({picture[:3] + picture[-2:] for picture in pictures}, {b"\xff\xd8\xff\xff\xd9"})
        self.assertEqual(len(set(pictures)), 4)

    def test_live_pictures_begin_with_a_new_picture(self):
        """A picture that was made for an earlier snapshot is not sent, because it can lack a later redaction."""
        self.serve("--set=box-style=blur")
        _, _, old = self.get("/snapshot/cam.jpg")
        time.sleep(1)
        self.assertNotIn(old, self.pictures(self.connect("/live/cam.mjpg"), 2))

    def test_other_paths_are_not_found(self):
        """Unknown paths, queries and methods get an error status, and no path leads to a file."""
        self.serve()
        for path in ("/etc/passwd", "/../../../../etc/passwd", "/snapshot/../../../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                     "/snapshot/..%2f..%2f..%2fetc%2fpasswd", "/snapshot/%2e%2e.jpg", "/live/nobody.mjpg", "/live/cam.jpg", "/snapshot/cam.mjpg",
                     "/snapshot/cam", "/snapshot/", "/api", "/api/", "/api/cameras/", "//", "/index.html", "/%00", "/%zz", "/api/counts/nobody",
                     "/api/counts/cam/more", "/snapshot/cam.jpg%00", "/snapshot/" + "a" * 5000):
            with self.subTest(path):
                status, _, body = self.get(path)
                self.assertIn(status, (400, 404))
                self.assertNotIn(b"root:", body)
        for query in ("since=-1", "since=x", "since=99999999999999999999"):
            self.assertEqual(self.get("/api/events?" + query)[0], 400)
        self.assertEqual(self.ask("/api/events?since=1000000")["events"], [])
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"):
            status, headers, _ = self.get("/", method=method)
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"))
        status, headers, body = self.get("/", method="HEAD")
        self.assertEqual((status, body, int(headers["Content-Length"]) > 10000), (200, b"", True))
        self.assertEqual(self.get("/live/cam.mjpg", method="HEAD")[0], 200)
        self.assertEqual(self.get("/api/cameras", Range="bytes=0-3")[0], 200)

    def test_page_loads_no_external_resources(self):
        self.serve()
        _, headers, page = self.get("/")
        policy = headers["Content-Security-Policy"]
        for rule in ("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
            self.assertIn(rule, policy)
        nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", policy)[1]
        self.assertIn(f'<script nonce="{nonce}">'.encode(), page)
        self.assertNotIn(nonce.encode(), self.get("/")[2])
        self.assertIsNone(re.search(rb"https?://(?!www\.w3\.org/2000/svg)", page))
        self.assertEqual([headers[name] for name in ("Cache-Control", "X-Content-Type-Options", "Cross-Origin-Resource-Policy", "Referrer-Policy")],
                         ["no-store", "nosniff", "same-origin", "no-referrer"])

    def test_large_requests_are_rejected(self):
        """The server stops reading them or discards their data, and continues to work."""
        self.serve()
        self.assertEqual(self.get("/", method="POST", Content_Length="0")[0], 405)
        one = self.connect()
        one.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc")
        self.assertIn(b" 413 ", one.recv(100))
        for text in (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"y" * 1000 + b"\r\n", b"\0" * 1000, b"GET /" + b"x" * 1000):
            one = self.connect()
            one.settimeout(10)
            sent, answer = 0, b""
            try:
                for _ in range(20_000):
                    one.sendall(text.replace(b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"") if sent else text)
                    sent += len(text)
                answer = one.recv(1000)
            except (ConnectionError, TimeoutError):
                pass
            self.assertTrue(sent < 20_000_000 or b" 400 " in answer, (sent, answer[:50]))
            self.assertEqual(self.get("/api/cameras")[0], 200)


@needs_soup
class Authorization(Paged):
    """Access is free on this machine for requests with a local host name, and needs a token from other machines."""

    def test_foreign_host_names_are_rejected(self):
        """Protects against DNS rebinding, where a foreign host name resolves to 127.0.0.1."""
        self.serve()
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1.evil.example", "localhost.evil.example", "1270.0.0.1", "127.0.0", "[::2]"):
            self.assertIn(self.get("/api/cameras", host=host)[0], (400, 403), host)
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1:9000", "127.1.2.3", "[::1]:8080"):
            self.assertEqual(self.get("/api/cameras", host=host)[0], 200, host)

    def test_remote_access_needs_token(self):
        self.serve(page="0.0.0.0:0")
        token = re.search(r"/\?token=([0-9a-f]{32})", self.said)[1]
        status, _, body = self.get("/api/cameras")
        self.assertEqual((status, b"token" in body), (403, True))
        for wrong in ("", "x", token[:-1], token + "0", token.upper() + "x", token[:-1] + ("0" if token[-1] != "0" else "1")):
            self.assertEqual(self.get("/?token=" + wrong)[0], 403)
        status, headers, _ = self.get("/?token=" + token)
        cookie = headers["Set-Cookie"]
        self.assertEqual(status, 200)
        for word in ("HttpOnly", "SameSite=Lax", "Path=/"):
            self.assertIn(word, cookie)
        cookie = cookie.split(";")[0]
        self.assertEqual(self.get("/api/cameras", Cookie=cookie)[0], 200)
        self.assertEqual(self.get("/snapshot/cam.jpg", Cookie=f"other=1; {cookie}; more=2")[0], 200)
        self.assertEqual(self.get("/api/cameras", Cookie=cookie, host="watch.example.org")[0], 200)
        # An outdated cookie is deleted.
        status, headers, _ = self.get("/api/cameras", Cookie=cookie[:-1])
        self.assertEqual((status, "Max-Age=0" in headers["Set-Cookie"]), (403, True))
        statuses = [self.get(f"/?token={number}")[0] for number in range(30)]
        self.assertEqual((statuses[0], statuses[-1]), (403, 429))
        self.assertEqual(statuses, sorted(statuses))
        # A valid cookie or token still works from a blocked address, such as the address of a proxy.
        self.assertEqual(self.get("/api/cameras", Cookie=cookie)[0], 200)
        self.assertEqual(self.get("/?token=" + token)[0], 200)
        self.assertEqual(self.get("/?token=wrong")[0], 429)

    def wrong_tokens(self, **headers):
        """Tries 21 wrong tokens, one more than an address may try, and returns the statuses."""
        return [self.get(f"/?token={number}", **headers)[0] for number in range(21)]

    def test_wrong_tokens_are_counted_by_the_address_that_a_trusted_proxy_forwards(self):
        self.serve("--page-trusted-proxy", "::1,127.0.0.0/8,10.0.0.1", page="0.0.0.0:0")
        self.assertEqual(self.wrong_tokens(X_Forwarded_For="192.0.2.1")[-1], 429)
        self.assertEqual(self.get("/?token=x", X_Forwarded_For="192.0.2.2")[0], 403)
        # The last address before those of trusted proxies counts; addresses before it may be forged.
        self.assertEqual(self.get("/?token=x", X_Forwarded_For="192.0.2.2, 192.0.2.1, 10.0.0.1")[0], 429)
        self.assertEqual(self.get("/?token=x", X_Forwarded_For="192.0.2.1, 192.0.2.3")[0], 403)
        self.assertEqual(self.get("/?token=x", X_Forwarded_For="nonsense")[0], 403)

    def test_page_behind_a_trusted_proxy_needs_a_token(self):
        """The proxy forwards requests of other machines to the loopback address."""
        self.serve("--page-trusted-proxy", "127.0.0.1")
        self.assertEqual(self.get("/api/cameras")[0], 403)
        self.assertIn("?token=", self.said)

    def test_page_without_token_refuses_forwarded_requests(self):
        """A reverse proxy on this machine would make the cameras public. Probes still get an answer."""
        self.serve()
        for headers in ({"X_Forwarded_For": "192.0.2.1"}, {"X_Forwarded_Host": "watch.example.org"}, {"Forwarded": "for=192.0.2.1"}, {"Via": "1.1 proxy"}):
            with self.subTest(headers):
                status, _, body = self.get("/api/cameras", **headers)
                self.assertEqual((status, b"--page-trusted-proxy" in body), (403, True), body)
                self.assertIn(self.get("/healthz", **headers)[2], (b"ok\n", b"failing\n"))

    def test_a_forwarded_address_counts_for_nothing_without_a_trusted_proxy(self):
        self.serve(page="0.0.0.0:0")
        self.assertEqual(self.wrong_tokens(X_Forwarded_For="192.0.2.1")[-1], 429)
        self.assertEqual(self.get("/?token=x", X_Forwarded_For="192.0.2.2")[0], 429)

    def test_token_is_read_from_file(self):
        file = self.path("token")
        watch = self.serve("--page-token-file", file)
        self.assertIn(f"with the token in {file}", self.said)
        self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o600)
        with open(file, encoding="ascii") as text:
            token = text.read().strip()
        self.assertNotIn(token, self.said)
        self.assertEqual(self.get("/api/cameras")[0], 403)
        self.assertEqual(self.get("/api/cameras?token=" + token)[0], 200)
        watch.wait(lambda said: results(said, "cam"))
        self.assertEqual(watch.end(), 0, watch.complaints)
        self.serve("--page-token-file", file)
        self.assertEqual(self.get("/api/cameras?token=" + token)[0], 200)
        for text in ("", "short", "x" * 300, "two words of which each is long", "\u00e9" * 20, "a&b=cccccccccccccccccc"):
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            said = command(ODT, "watch", "--page", "0", "--page-token-file", file, "x.mkv")
            self.assertEqual((said.returncode, "one word of 16 to 256" in said.stderr), (1, True), said.stderr)

    def test_invalid_address_is_an_error(self):
        clip = self.clip(frames=5)
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        port = taken.getsockname()[1]
        for page, code, sentence in (
                (str(port), 1, f"another program uses 127.0.0.1:{port}"), ("192.0.2.1:0", 2, "this machine has no address 192.0.2.1"),
                ("nowhere.invalid:8080", 2, "not an address of this machine"), ("", 2, "is not a port"), ("http", 2, "is not a port"), ("65536", 2, "is not a port"),
                ("-1", 2, "is not a port"), (":8080", 2, "0.0.0.0:8080"), ("::1", 2, "brackets"), ("::1:8080", 2, "brackets"), ("[::1]", 2, "brackets")):
            with self.subTest(page):
                said = command(ODT, "watch", f"--page={page}", clip)
                self.assertEqual((said.returncode, said.stdout), (code, ""), said.stderr)
                self.assertIn(sentence, said.stderr)
        for proxy in ("localhost", "127.0.0.1/33", "::1/129", "127.0.0.1,", "10.0.0/8", "10.0.0.0/x"):
            with self.subTest(proxy):
                said = command(ODT, "watch", "--page=0", "--page-trusted-proxy", proxy, clip)
                self.assertEqual((said.returncode, "not an IP address or network" in said.stderr), (2, True), said.stderr)
        said = command(ODT, "watch", "--page-token-file", self.path("token"), clip)
        self.assertEqual((said.returncode, "needs --page" in said.stderr), (2, True))

    def test_missing_libsoup_disables_page_only(self):
        with open(self.path("libsoup-3.0.so.0"), "w", encoding="ascii") as file:
            file.write("no library")
        clip = self.clip(frames=5)
        said = command(ODT, "watch", "--page=0", clip, LD_LIBRARY_PATH=self.folder)
        self.assertEqual((said.returncode, "apt install libsoup-3.0-0" in said.stderr), (1, True), said.stderr)
        self.assertEqual(command(ODT, "watch", "--set=detector=motion", clip, LD_LIBRARY_PATH=self.folder).returncode, 0)

    @unittest.skipUnless(os.path.exists("/proc/net/if_inet6"), "no IPv6 here")
    def test_ipv6_address(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 loopback here")
        self.serve(page="[::1]:0")
        self.assertRegex(self.said, r"http://\[::1\]:\d+/\n")
        connection = http.client.HTTPConnection("::1", self.port, timeout=30)
        self.addCleanup(connection.close)
        connection.request("GET", "/api/cameras")
        self.assertEqual(connection.getresponse().status, 200)


@needs_soup
class ManyConnections(Paged):
    """Viewers and idle connections do not affect the cameras."""

    def test_stalled_clients_do_not_slow_the_watch(self):
        """With fifty stalled clients every frame is analysed, memory does not grow, and a client that reads gets pictures."""
        watch = self.serve(frames=150)
        crowd = [self.connect("/live/cam.mjpg") for _ in range(50)]
        reader = self.connect("/live/cam.mjpg")
        self.pictures(reader, 5)
        before = Footprint(watch.program.pid).resident
        watch.wait(lambda said: len(results(said, "cam")) > 120)
        self.assertLess(Footprint(watch.program.pid).resident - before, 30)
        self.assertEqual(watch.program.wait(60), 0)
        watch.wait(lambda said: said[-1].get("event") == "ended")
        self.assertEqual([line["timestamp"] for line in results(watch.said, "cam")], [40_000_000 * n for n in range(150)])
        del crowd

    def test_pictures_are_made_only_for_viewers(self):
        """Without viewers no JPEG is encoded."""
        def made():
            return sum("jpegenc" in text and "handle_frame" in text for text in watch.complaints)
        watch = self.serve(GST_DEBUG="jpegenc:7", GST_DEBUG_NO_COLOR="1")
        watch.wait(lambda said: len(results(said, "cam")) > 20)
        self.assertEqual(made(), 0)
        self.assertEqual(self.get("/snapshot/cam.jpg")[0], 200)
        self.until(lambda: made())
        one = self.connect("/live/cam.mjpg")
        self.pictures(one, 3)
        one.close()
        # Encoding stops when the server notices the closed connection.
        def is_quiet():
            count = made()
            seen = len(results(watch.said, "cam"))
            watch.wait(lambda said: len(results(said, "cam")) > seen + 15)
            return made() == count
        self.until(is_quiet)

    def test_connection_limit(self):
        """Beyond 128 connections with a request the server answers 503, until some are closed."""
        self.serve()
        crowd = []
        for _ in range(128):
            crowd.append(self.connect("/live/cam.mjpg"))
            self.assertIn(b" 200 ", crowd[-1].recv(100))
        self.assertIn(b" 503 ", self.connect().recv(100))
        for one in crowd:
            one.close()
        self.until(lambda: self.get("/api/cameras")[0] == 200)

    def test_connections_without_a_request_do_not_block_the_page(self):
        """Neither silent connections nor those with an incomplete request."""
        self.serve()
        crowd = [self.connect() for _ in range(300)]
        for one in crowd:
            with contextlib.suppress(OSError):
                one.sendall(b"G")
        begun = time.monotonic()
        self.assertEqual(self.get("/api/cameras")[0], 200)
        self.assertLess(time.monotonic() - begun, 5)

    def test_connection_ends_after_response(self):
        """Every response, also an error, has the header `Connection: close`. The server leaks no file descriptor."""
        watch = self.serve()
        # The first request for a picture starts the encoder.
        self.assertEqual(self.get("/snapshot/cam.jpg")[0], 200)
        before = Footprint(watch.program.pid).descriptors
        for path, expected in [("/api/cameras", 200), ("/nothing", 404), ("/api/events?since=x", 400)] * 10:
            status, headers, _ = self.get(path)
            self.assertEqual((status, headers["Connection"]), (expected, "close"))
        # Connections that the client closes first.
        for _ in range(10):
            self.connect("/snapshot/cam.jpg").close()
            self.connect().close()
        self.until(lambda: Footprint(watch.program.pid).descriptors <= before)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_waking_the_server_leaks_no_sources(self):
        """Each picture wakes the server with a GLib source. A preloaded library counts the sources that are not released."""
        with open(self.path("sources.c"), "w", encoding="ascii") as file:
            file.write(SOURCES)
        said = command("cc", "-shared", "-fPIC", "-o", self.path("sources.so"), self.path("sources.c"))
        self.assertEqual(said.returncode, 0, said.stderr)
        watch = self.serve(LD_PRELOAD=self.path("sources.so"))
        self.pictures(self.connect("/live/cam.mjpg"), 10)
        self.assertEqual(watch.end(), 0, watch.complaints)
        (counts,) = (line for line in watch.complaints if line.startswith("idle sources: "))
        made, released = map(int, re.findall(r"\d+", counts))
        self.assertGreater(made, 8)
        self.assertEqual(released, made)

    def test_watch_ends_with_open_viewers(self):
        watch = self.serve()
        one = self.connect("/live/cam.mjpg")
        self.pictures(one, 1)
        self.assertEqual(watch.end(seconds=30), 0, watch.complaints)


if __name__ == "__main__":
    unittest.main()
