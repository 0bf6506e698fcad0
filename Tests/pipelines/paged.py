"""odt watch with its web page, for tests of that page."""
import http.client
import json
import re
import socket
import time
import unittest

from streams import encoded
from watching import Watch, Watching

try:
    import ctypes
    ctypes.CDLL("libsoup-3.0.so.0")
    HAS_SOUP = True
except OSError:
    HAS_SOUP = False
ZONES = ('[{"name": "floor", "kind": "zone", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]},'
         ' {"name": "middle", "kind": "line", "points": [[0.5, 0], [0.5, 1]]}]')
# A coder with one key frame per second.
KEYS = "x264enc speed-preset=ultrafast key-int-max=25"
needs_soup = unittest.skipUnless(HAS_SOUP, "needs libsoup (Debian's libsoup-3.0-0)")


class Paged(Watching):
    """Starts odt watch --page and sends requests to it."""

    def serve(self, *words, page="0", frames=3000, names=("cam",), coder="x264enc speed-preset=ultrafast", clip=None,
              **environment):
        """Watches a clip, by default a moving ball, in real time until the test ends."""
        clip = clip or encoded(frames, coder)
        watch = Watch("--page", page, "--zones", ZONES, *words, *(f"{name}={clip}" for name in names), **environment)
        self.addCleanup(watch.__exit__)
        deadline = time.monotonic() + 60
        while not any("the page is at" in text for text in watch.complaints):
            self.assertLess(time.monotonic(), deadline, watch.complaints)
            self.assertIsNone(watch.program.poll(), watch.complaints)
            time.sleep(0.02)
        self.said = next(text for text in watch.complaints if "the page is at" in text)
        self.port = int(re.search(r"http://\S+:(\d+)/", self.said)[1])
        return watch

    def get(self, path, method="GET", host=None, **headers):
        """Returns status, headers and body of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.addCleanup(connection.close)
        # Disable http.client's validation, so that invalid paths are sent.
        connection._validate_path = lambda path: None
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=headers | ({"Host": host} if host else {}))
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def ask(self, path, **headers):
        status, headers, body = self.get(path, **headers)
        self.assertEqual((status, headers["Content-Type"]), (200, "application/json"), body)
        return json.loads(body)

    def connect(self, path=None):
        """Opens a socket to the page, and sends a request if a path is given."""
        one = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.addCleanup(one.close)
        if path:
            one.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return one

    def pictures(self, connection, count):
        """Returns the first JPEG pictures of a multipart stream."""
        with connection.makefile("rb") as file:
            head = b"".join(iter(file.readline, b"\r\n"))
            self.assertIn(b"multipart/x-mixed-replace; boundary=odt-picture", head)
            found = []
            while len(found) < count:
                self.assertEqual(file.readline(), b"--odt-picture\r\n")
                part = b"".join(iter(file.readline, b"\r\n"))
                found.append(file.read(int(re.search(rb"Content-Length: (\d+)", part)[1])))
                self.assertEqual(file.readline(), b"\r\n")
            return found

    def until(self, wanted, seconds=60):
        """Calls `wanted` until it returns a true value."""
        deadline = time.monotonic() + seconds
        while not (found := wanted()):
            self.assertLess(time.monotonic(), deadline, "the condition never became true")
            time.sleep(0.1)
        return found
