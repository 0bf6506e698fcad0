"""An MQTT broker, its subscribers, and an unreliable connection to it."""
import os
import shutil
import socket
import struct
import subprocess
import threading
import time
import unittest

from streams import command

BROKER = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
needs_broker = unittest.skipUnless(BROKER and shutil.which("mosquitto_sub"), "needs mosquitto (Debian's mosquitto, mosquitto-clients)")


class Broker:
    """mosquitto on a free port. It can stop and restart at the same address."""

    def __init__(self, folder, *settings, words=()):
        self.folder, self.words = folder, words
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        with open(os.path.join(folder, "broker.conf"), "w", encoding="utf-8") as file:
            file.write("\n".join([f"listener {self.port} 127.0.0.1", "user root", "log_dest none", *settings]) + "\n")
        self.program = None
        self.come()

    def come(self):
        self.program = subprocess.Popen([BROKER, "-c", os.path.join(self.folder, "broker.conf")], stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                try:
                    self.program.wait(0.05)
                except subprocess.TimeoutExpired:
                    continue
                raise AssertionError("the broker does not start")
        raise AssertionError("the broker does not answer")

    def go(self):
        if self.program:
            self.program.terminate()
            self.program.wait(60)
            self.program = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.go()

    def client(self, *words, payload="%p"):
        return ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.port), "-F", f"%t\t%r\t{payload}", *self.words, *words]

    def retained(self, topic="#"):
        """Returns the retained messages by topic. Raises AssertionError if the broker does not send all of them within 30 s."""
        # The broker sends retained messages in the order of the subscriptions. Its version is always retained, and "#" does not match it.
        last, kept = "$SYS/broker/version", {}
        # Hexadecimal, because a picture contains line breaks.
        words = self.client("-t", topic, "-t", last, "--retained-only", "-W", "30", payload="%x")
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as client:
            for line in client.stdout:
                name, is_retained, payload = line.rstrip("\n").split("\t")
                if name == last:
                    client.kill()
                    return kept
                if is_retained == "1":
                    kept[name] = bytes.fromhex(payload).decode(errors="surrogateescape")
            raise AssertionError(f"the broker at {self.address} did not send all retained messages: {client.stderr.read().strip()}, {sorted(kept)}")

    def wait(self, wanted, topic="#", seconds=60):
        """Waits until `wanted`, a function of the retained messages, returns a true value. Returns these messages."""
        deadline = time.monotonic() + seconds
        while not wanted(kept := self.retained(topic)):
            if time.monotonic() > deadline:
                raise AssertionError(f"the broker does not retain the expected messages: {kept}")
            time.sleep(0.1)
        return kept


class UnreliableProxy:
    """A proxy between a program and a broker that can swallow data and break connections."""

    def __init__(self, broker):
        self.broker, self.is_swallowing, self.ends = broker, False, []
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.door.getsockname()[1]}"
        threading.Thread(target=self.welcome, daemon=True).start()

    def welcome(self):
        while True:
            try:
                near = self.door.accept()[0]
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.broker.port))
            self.ends = [near, far]
            for one, other, is_swallowed in ((near, far, True), (far, near, False)):
                threading.Thread(target=self.carry, args=(one, other, is_swallowed), daemon=True).start()

    def carry(self, one, other, is_swallowed):
        try:
            while data := one.recv(1 << 16):
                if not (is_swallowed and self.is_swallowing):
                    other.sendall(data)
        except OSError:
            pass
        self.cut(one, other)
        one.close()

    def cut(self, *ends):
        for end in ends or self.ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.door.close()
        self.cut()


class Listener:
    """Subscribes to topics of the broker with a persistent session, so that the broker queues messages while the subscriber is offline."""

    def __init__(self, broker, topic="#", quality=1):
        self.heard, self.news = [], threading.Condition()
        self.program = subprocess.Popen(
            broker.client("-t", topic, "-q", str(quality), "-c", "-i", "listener", "-t", "hello"), stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        while not self.heard:
            command("mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), "-t", "hello", "-m", "you")
            with self.news:
                self.news.wait_for(lambda: self.heard, 1)

    def read(self):
        for line in self.program.stdout:
            with self.news:
                self.heard.append(line.rstrip("\n").split("\t", 2))
                self.news.notify_all()

    def wait(self, wanted, seconds=30):
        with self.news:
            if not self.news.wait_for(lambda: wanted(self.heard), seconds):
                raise AssertionError(f"the expected message did not arrive: {self.heard[-5:]}")

    def texts(self, topic):
        with self.news:
            return [text for where, _, text in self.heard if where == topic]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()
        self.program.wait()
        self.reader.join()
        self.program.stdout.close()


class ClosingBroker:
    """A broker that accepts and acknowledges messages, but closes its first connections at a given moment:
    - "accept": after accepting the connection, "connect": after receiving CONNECT
    - "connack": after sending CONNACK, "reset": the same with RST in place of FIN
    - ("publish", N): after receiving N PUBLISH packets, without acknowledging them
    - ("ack", N): after acknowledging N PUBLISH packets
    - ("bytes", N): after receiving N bytes behind CONNECT, possibly in the middle of a packet
    - ("mute", 0): never; it acknowledges nothing

    It answers CONNECT when `ready` is set, so that the watch has queued events by then.
    """

    def __init__(self, moment, times=1):
        self.moment, self.left, self.published, self.ready = moment, times, [], threading.Event()
        self.clients, self.farewells = [], 0
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.door.getsockname()[1]}"
        self.thread = threading.Thread(target=self.welcome, daemon=True)
        self.thread.start()

    def welcome(self):
        while True:
            try:
                connection = self.door.accept()[0]
            except OSError:
                return
            moment, self.left = (self.moment if self.left > 0 else None), self.left - 1
            with connection:
                try:
                    self.serve(connection, moment)
                except OSError:
                    pass

    def serve(self, connection, moment):
        if moment == "accept":
            return
        _, body = self.packet(connection)
        self.clients.append(body[12:12 + struct.unpack_from(">H", body, 10)[0]])
        if moment == "connect":
            return
        self.ready.wait(60)
        connection.sendall(b"\x20\x02\0\0")
        if moment == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if moment in ("connack", "reset"):
            return
        kind, most = moment or (None, None)
        if kind == "bytes":
            connection.recv(most, socket.MSG_WAITALL)
            return
        count = 0
        while packet := self.packet(connection):
            head, body = packet
            if head >> 4 == 12:
                connection.sendall(b"\xd0\0")
            self.farewells += head >> 4 == 14
            if head >> 4 != 3:
                continue
            size = struct.unpack_from(">H", body)[0]
            topic, rest = body[2:2 + size].decode(), body[2 + size:]
            if head & 6:
                count += 1
                if (kind, count) == ("publish", most):
                    return
                number, rest = rest[:2], rest[2:]
                if kind not in ("publish", "mute"):
                    self.published.append((topic, rest.decode()))
                    connection.sendall(b"\x40\x02" + number)
                if (kind, count) == ("ack", most):
                    return

    @staticmethod
    def packet(connection):
        """Returns the first byte of the next packet and its body; `None` at the end of the connection."""
        def read(count):
            data = connection.recv(count, socket.MSG_WAITALL) if count else b""
            if len(data) < count:
                raise ConnectionError
            return data

        head, length, shift = read(1)[0], 0, 0
        while True:
            byte = read(1)[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return head, read(length)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.door.shutdown(socket.SHUT_RDWR)
        self.door.close()
        self.thread.join()
