"""As much of MQTT 3.1.1 as it takes to publish something exactly once."""

from __future__ import annotations

import os
import select
import socket
import ssl
import time
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import category
from urllib.parse import unquote, urlsplit

CONNECT, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP, PINGREQ, PINGRESP, DISCONNECT = 1, 2, 3, 4, 5, 6, 7, 12, 13, 14
REFUSALS = {1: "speaks no MQTT 3.1.1", 2: "refuses the name of the client", 3: "is not ready yet", 4: "refuses user or password",
            5: "does not let this user in"}  # fmt: skip
# Seconds of silence after which the broker is asked whether it is still there; after twice as many it is not.
KEEPALIVE = 15
# Seconds that connecting may take, and that the network may take for a packet.
PATIENCE = 5.0


class BrokerError(Exception):
    """The broker is not there, or does not want to; in a sentence."""


@dataclass(frozen=True)
class Broker:
    """Where it is, how to be let in, and what all topics begin with."""

    host: str
    port: int
    topic: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    uses_tls: bool = False
    authority: str | None = None
    certificate: str | None = None
    key: str | None = None

    @classmethod
    def named(cls, address: str, **more: str | None) -> Broker:
        """From mqtt[s]://[USER[:PASSWORD]@]HOST[:PORT]/TOPIC.

        Raises ValueError, without the password.
        """
        parts = urlsplit(address)
        topic = unquote(parts.path).strip("/")
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or not topic or set(topic) & set("+#\0") or topic.startswith("$"):
            raise ValueError("the address of a broker is written mqtt[s]://[USER[:PASSWORD]@]HOST[:PORT]/TOPIC")
        uses_tls = parts.scheme == "mqtts"
        port = parts.port or (8883 if uses_tls else 1883)
        user, password = (unquote(word) if word else None for word in (parts.username, parts.password))
        return cls(parts.hostname, port, topic, user, more.pop("password", None) or password, uses_tls, **more)

    @property
    def name(self) -> str:
        """As sentences name it."""
        return f"{self.host}:{self.port}"


class Answer(NamedTuple):
    """What the broker has said of a packet."""

    kind: int
    packet: int


class Connection:
    """One connection to a broker. It belongs to one thread, and raises BrokerError once it is gone."""

    def __init__(self, broker: Broker, client: str, is_new: bool, will: tuple[str, bytes] | None = None) -> None:
        """
        is_new: the broker forgets what it knew of this client, and will forget it again; else it keeps what is half said.
        will: what is published, and kept, where the client dies.
        """
        self.broker = broker
        self._text = bytearray()
        try:
            self._socket = self._connect()
        except ssl.SSLError as error:
            raise BrokerError(f"the broker at {broker.name} cannot be trusted ({error.reason}): mqtt-ca names the authority that signed for it") from None
        except OSError as error:
            raise BrokerError(f"the broker at {broker.name} is not there: {error.strerror or error}") from None
        self._said = self._heard = time.monotonic()
        self._is_asked = False
        try:
            self._send(CONNECT << 4, _introduction(broker, client, is_new, will))
            # Whether the broker knows this client's half-said things.
            self.is_continued = self._welcome()
        except BrokerError:
            self.close()
            raise

    def publish(self, topic: str, payload: bytes, quality: int, packet: int, is_kept: bool = False, is_again: bool = False) -> None:
        """Quality 0 needs no packet's number, 1 is acknowledged by PUBACK, 2 by PUBREC, and `release` then ends it."""
        number = packet.to_bytes(2, "big") if quality else b""
        self._send(PUBLISH << 4 | is_again << 3 | quality << 1 | is_kept, _text(topic.encode()) + number + payload)

    def release(self, packet: int) -> None:
        """It is on record here that the broker has the packet: from now on it may pass it on, and forget its number."""
        self._send(PUBREL << 4 | 2, packet.to_bytes(2, "big"))

    def answers(self, patience: float) -> list[Answer]:
        """What has come, waiting for it a little."""
        # What TLS has decoded already the system does not know of.
        is_here = isinstance(self._socket, ssl.SSLSocket) and self._socket.pending() > 0
        is_here = is_here or bool(select.select([self._socket], [], [], patience)[0])
        now = time.monotonic()
        if is_here:
            self._receive()
            self._heard, self._is_asked = now, False
        # What is published with quality 0 nobody answers: either side's silence counts.
        elif now - min(self._said, self._heard) > KEEPALIVE / 2 and not self._is_asked:
            self._send(PINGREQ << 4, b"")
            self._is_asked = True
        elif now - self._heard > 2 * KEEPALIVE:
            raise BrokerError(f"the broker at {self.broker.name} does not answer any more")
        found = []
        while (packet := self._packet()) is not None:
            kind, body = packet
            if kind in (PUBACK, PUBREC, PUBCOMP) and len(body) >= 2:
                found.append(Answer(kind, int.from_bytes(body[:2], "big")))
        return found

    def leave(self) -> None:
        """Says good-bye, after which the will is not published."""
        try:
            self._send(DISCONNECT << 4, b"")
        except BrokerError:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Goes without a word."""
        self._socket.close()

    def _connect(self) -> socket.socket:
        plain = socket.create_connection((self.broker.host, self.broker.port), PATIENCE)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self.broker.uses_tls:
            return plain
        context = ssl.create_default_context(cafile=self.broker.authority)
        if self.broker.certificate:
            context.load_cert_chain(self.broker.certificate, self.broker.key)
        return context.wrap_socket(plain, server_hostname=self.broker.host)

    def _welcome(self) -> bool:
        end = time.monotonic() + PATIENCE
        while (packet := self._packet()) is None:
            self._receive()
            if time.monotonic() > end:
                raise BrokerError(f"the broker at {self.broker.name} does not answer")
        kind, body = packet
        if kind != CONNACK or len(body) != 2:
            raise BrokerError(f"what is at {self.broker.name} is no broker")
        if body[1]:
            raise BrokerError(f"the broker at {self.broker.name} {REFUSALS.get(body[1], f'refuses ({body[1]})')}")
        return bool(body[0] & 1)

    def _send(self, first: int, body: bytes) -> None:
        try:
            self._socket.sendall(bytes([first]) + _length(len(body)) + body)
        except OSError as error:
            raise self._lost(error) from None
        self._said = time.monotonic()

    def _receive(self) -> None:
        try:
            text = self._socket.recv(1 << 16)
        except OSError as error:
            raise self._lost(error) from None
        if not text:
            raise self._lost(OSError(0, "it has closed the connection"))
        self._text += text

    def _lost(self, error: OSError) -> BrokerError:
        return BrokerError(f"the broker at {self.broker.name} is gone: {error.strerror or error}")

    def _packet(self) -> tuple[int, bytes] | None:
        """The next whole packet of what has come."""
        length, begin = 0, 1
        for place in range(4):
            if len(self._text) <= 1 + place:
                return None
            byte = self._text[1 + place]
            length |= (byte & 127) << 7 * place
            begin = 2 + place
            if byte < 128:
                break
        if len(self._text) < begin + length:
            return None
        kind, body = self._text[0] >> 4, bytes(self._text[begin : begin + length])
        del self._text[: begin + length]
        return kind, body


def password_of(file: str | None) -> str | None:
    """The first line of a file, or what the environment has, as odt watch takes it. Raises OSError or ValueError."""
    if file is None:
        return os.environ.get("SWIFTODT_MQTT_PASSWORD") or None
    with open(file, encoding="utf-8") as lines:
        password = lines.readline().rstrip("\r\n")
    if not password:
        raise ValueError(f"the first line of {file} has no password")
    return password


def level(name: str) -> str:
    """A name as one level of a topic, as odt watch writes it."""
    return "".join("".join(f"%{byte:02X}" for byte in sign.encode()) if sign in "+#/%" or category(sign) == "Cc" else sign for sign in name)


def _introduction(broker: Broker, client: str, is_new: bool, will: tuple[str, bytes] | None) -> bytes:
    flags, more = is_new << 1, _text(client.encode())
    if will:
        # Kept, and acknowledged.
        flags |= 0x04 | 1 << 3 | 1 << 5
        more += _text(will[0].encode()) + _text(will[1])
    if broker.user is not None:
        flags |= 0x80
        more += _text(broker.user.encode())
        if broker.password is not None:
            flags |= 0x40
            more += _text(broker.password.encode())
    return _text(b"MQTT") + bytes([4, flags]) + KEEPALIVE.to_bytes(2, "big") + more


def _text(text: bytes) -> bytes:
    return len(text).to_bytes(2, "big") + text


def _length(number: int) -> bytes:
    found = bytearray()
    while True:
        number, low = number >> 7, number & 127
        found.append(low | (128 if number else 0))
        if not number:
            return bytes(found)
