"""odt watch --page serves recordings, their events and their boxes."""
import os
import sqlite3
import unittest

from paged import KEYS, Paged, needs_soup


@needs_soup
class Recordings(Paged):

    def record(self, *words, **options):
        watch = self.serve("--record", self.path("video"), "--record-minutes=0.02", *words, frames=1000, coder=KEYS, **options)
        return watch, self.until(lambda: [one["file"] for one in self.ask("/api/recordings/cam")["segments"] if one["isFinished"]])[0]

    def part(self, path, words):
        status, headers, body = self.get(path, Range=words)
        return status, headers["Content-Range"], body

    def test_parts_of_files(self):
        _, file = self.record()
        path = f"/recordings/cam/{file}"
        with open(self.path(f"video/cam/{file}"), "rb") as video:
            whole = video.read()
        size = len(whole)
        status, headers, body = self.get(path)
        self.assertEqual((status, headers["Content-Type"], headers["Accept-Ranges"], body), (200, "video/x-matroska", "bytes", whole))
        self.assertEqual(self.part(path, "bytes=10-19"), (206, f"bytes 10-19/{size}", whole[10:20]))
        self.assertEqual(self.part(path, f"bytes={size - 5}-"), (206, f"bytes {size - 5}-{size - 1}/{size}", whole[-5:]))
        self.assertEqual(self.part(path, "bytes=-7"), (206, f"bytes {size - 7}-{size - 1}/{size}", whole[-7:]))
        self.assertEqual(self.part(path, f"bytes={size}-"), (416, f"bytes */{size}", b""))
        self.assertEqual(self.get(path, "HEAD", Range="bytes=10-19")[0], 200)
        for invalid in ("bytes=5-2", "bytes=0-1,3-4", "bytes=", "items=0-1", "bytes=a-b"):
            self.assertEqual(self.part(path, invalid), (200, None, whole), invalid)

    def test_only_finished_recordings_are_served(self):
        _, file = self.record()
        with open(self.path("secret.mkv"), "w", encoding="ascii") as secret:
            secret.write("secret")
        link = file.replace("Z.mkv", "Z_9.mkv")
        os.symlink(self.path("secret.mkv"), self.path(f"video/cam/{link}"))
        part = next(one["file"] for one in self.ask("/api/recordings/cam")["segments"] if not one["isFinished"]).replace(".mkv", ".part.mkv")
        for path in (f"cam/{link}", "cam/..%2F..%2Fsecret.mkv", "cam/../../secret.mkv", f"other/{file}", "cam/secret.mkv", f"cam/{file}%00", f"cam/{part}",
                     f"cam/{file.replace('.mkv', '.jpg')}", "cam/", "cam", f"..%2Fcam/{file}"):
            with self.subTest(path):
                self.assertIn(self.get(f"/recordings/{path}")[0], (400, 404))
                self.assertIn(self.get(f"/api/recordings/{path}/x" if path == "cam" else f"/api/recordings/{path}")[0], (200,) if path == f"cam/{link}" else (400, 404))
        self.assertEqual(self.get("/api/recordings/cam/boxes?from=0&to=1")[0], 404)

    def test_token_is_required(self):
        with open(self.path("token"), "w", encoding="ascii") as token:
            token.write("a" * 32)
        os.chmod(self.path("token"), 0o600)
        self.serve("--record", self.path("video"), "--page-token-file", self.path("token"), frames=1000, coder=KEYS)
        for path in ("/recordings/cam/x.mkv", "/api/recordings/cam"):
            self.assertEqual(self.get(path)[0], 403)

    def test_boxes_of_a_recording(self):
        # A segment that ends before the first detection has no rows in the database, so the segments are longer here.
        _, file = self.record("--store", self.path("watch.sqlite"), "--record-minutes=0.05")
        details = self.until(lambda: (one := self.ask(f"/api/recordings/cam/{file}")).get("session") and one)
        self.assertAlmostEqual(details["length"], 3, delta=1.5)
        # Recording precedes detection, so the boxes arrive after the recording has ended.
        period = f"from={int(details['began'])}&to={int(details['ended'])}&session={int(details['session'])}"
        found = self.until(lambda: len((one := self.ask(f"/api/recordings/cam/boxes?{period}"))["boxes"]) > 1 and one)
        last = found["boxes"][-1][0]
        with sqlite3.connect(self.path("watch.sqlite")) as store:
            rows = store.execute("SELECT time, x_min FROM box WHERE time BETWEEN ? AND ? ORDER BY time", (details["began"], last)).fetchall()
        self.assertEqual([(box[0], round(box[5] * 10_000)) for box in found["boxes"]], rows)
        for query in ("from=0", "from=0&to=999999999", "from=-1&to=1", "from=2&to=1", "from=a&to=b"):
            self.assertEqual(self.get(f"/api/recordings/cam/boxes?{query}")[0], 400, query)

    def test_recordings_without_redaction_are_not_shown(self):
        """Only recordings with the redaction that the camera has now are served."""
        watch, sharp = self.record()
        watch.end()
        redaction = ("--record-annotated", "--set", "box-style=pixelate")
        watch, _ = self.record(*redaction)
        for path in ("/recordings/cam/", "/api/recordings/cam/"):
            self.assertEqual(self.get(path + sharp)[0], 403)
        # A recording of the first program that began after `sharp` is sharp, too.
        shown = self.until(lambda: [one["file"] for one in self.ask("/api/recordings/cam")["segments"] if one["isFinished"] and self.get("/recordings/cam/" + one["file"])[0] == 200])
        for file in shown:
            with open(self.path(f"video/cam/{file}"), "rb") as video:
                self.assertIn(b"redacted with box-style=pixelate;", video.read(4096))
        watch.end()
        self.record("--record-annotated", "--set", "box-style=blur")
        self.assertEqual(self.get("/recordings/cam/" + shown[0])[0], 403)


if __name__ == "__main__":
    unittest.main()
