"""odt watch --record writes segments that survive crashes, within a size limit."""
import os
import resource
import signal
import subprocess
import time
import unittest

from streams import command
from watching import CodedCamera, ODT, Watch, Watching, events, held, needs_server, results


class Recording(Watching):
    """Segments are complete or play up to the interruption, and the size limit holds."""

    def segments(self, camera="cam"):
        """Returns the names of the segments, the oldest first."""
        try:
            return sorted(os.listdir(self.path(f"video/{camera}")))
        except FileNotFoundError:
            return []

    def frames(self, name, camera="cam"):
        """Returns the number of frames of a segment, which must decode without errors."""
        said = command("ffmpeg", "-v", "error", "-i", self.path(f"video/{camera}/{name}"), "-f", "framemd5", "-")
        # A truncated segment may end with a partial frame.
        complaints = [line for line in said.stderr.splitlines() if "File ended prematurely" not in line]
        self.assertEqual((said.returncode, complaints), (0, []), name)
        return sum(not line.startswith("#") for line in said.stdout.splitlines())

    def record(self, *words):
        return (f"--record={self.path('video')}", "--record-minutes=0.01", "--quiet", *words)

    def test_file_is_recorded_in_segments(self):
        """H.264 is copied: the segments have the same packets, and none is lost between them."""
        clip = self.clip(frames=100, coder="x264enc speed-preset=ultrafast key-int-max=10")
        self.watch(*self.record(f"cam={clip}"))
        names = self.segments()
        # A segment ends before the first key frame after 0.6 seconds.
        self.assertEqual([self.frames(name) for name in names], [20, 20, 20, 20, 20])
        for name in names:
            self.assertRegex(name, r"^cam-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(_\d)?\.mkv$")
        recorded = {line for name in names for line in self.packets(self.path(f"video/cam/{name}"))}
        self.assertEqual(recorded, set(self.packets(clip)))

    def packets(self, path):
        said = command("ffmpeg", "-v", "error", "-i", path, "-c", "copy", "-f", "framemd5", "-")
        return [line.split(",")[5] for line in said.stdout.splitlines() if not line.startswith("#")]

    def test_other_codecs_are_encoded(self):
        """Other codecs are encoded, also with an odd size. With annotations, every codec is."""
        clip = self.clip("ball.avi", frames=50, coder="jpegenc", muxer="avimux", size="321,height=241")
        self.watch(*self.record(f"cam={clip}", "--record-minutes=1"))
        self.assertEqual([self.frames(name) for name in self.segments()], [50])
        clip = self.clip()
        self.watch(*self.record(f"drawn={clip}", "--record-minutes=1", "--record-annotated"))
        name, = self.segments("drawn")
        self.assertEqual(self.frames(name, "drawn"), 50)
        self.assertNotEqual(self.pictures(clip), self.pictures(self.path(f"video/drawn/{name}")))

    def pictures(self, path):
        """Returns the number of green pixels, the colour of boxes, in the last frame."""
        said = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-vf", "format=rgb24", "-f", "rawvideo", "-"],
                              capture_output=True, check=True).stdout[-320 * 240 * 3:]
        return sum(abs(said[at] - said[at + 1]) > 60 or abs(said[at] - said[at + 2]) > 60 for at in range(0, len(said), 3)) > 100

    @needs_server
    def test_kill_keeps_written_frames(self):
        """kill -9: finished segments are complete, the current one plays, and the next watch renames it."""
        camera = CodedCamera()
        words = self.record(f"cam={camera.address}")
        with Watch(*words) as watch:
            self.wait(lambda: len(self.segments()) > 3 and ".part." in self.segments()[-1]
                      and os.path.getsize(self.path(f"video/cam/{self.segments()[-1]}")) > 4000, watch)
            watch.end(signal.SIGKILL)
        names = self.segments()
        self.assertEqual([".part." in name for name in names], [False] * (len(names) - 1) + [True])
        self.assertTrue(all(self.frames(name) > 0 for name in names))
        with Watch(*words) as watch:
            self.wait(lambda: len(self.segments()) > len(names) + 1, watch)
            self.assertIn(names[-1].replace(".part", ""), self.segments())
            self.assertEqual(watch.end(), 0, watch.complaints)
        self.assertFalse([name for name in self.segments() if ".part." in name])
        self.assertTrue(all(self.frames(name) > 0 for name in self.segments()))

    def wait(self, wanted, watch, seconds=90):
        deadline = time.monotonic() + seconds
        while not wanted():
            self.assertLess(time.monotonic(), deadline, (self.segments(), watch.complaints))
            time.sleep(0.05)

    @needs_server
    def test_reconnect_begins_segment(self):
        camera = CodedCamera()
        with Watch(*self.record(f"cam={camera.address}", "--record-minutes=9", "--retry=0.2")) as watch:
            self.wait(lambda: self.segments(), watch)
            for count in (2, 3):
                camera.end()
                self.wait(lambda count=count: len(self.segments()) == count, watch)
                self.assertEqual([".part." in name for name in self.segments()], [False] * (count - 1) + [True])
            self.assertEqual(watch.end(), 0)

    @needs_server
    def test_full_disk_does_not_stop_watch(self):
        """A full disk is reported once, and the watch continues. A file size limit replaces the full disk."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        camera = CodedCamera()
        with Watch(f"--record={self.path('video')}", f"cam={camera.address}", prepare=limit) as watch:
            watch.wait(lambda said: "cannot record" in "".join(watch.complaints))
            before = len(results(watch.said, "cam"))
            watch.wait(lambda said: len(results(said, "cam")) > before + 40)
            # Abandoned segments must hold no open file and no lock, which would prevent their deletion.
            self.assertEqual([name for name in held(watch.program.pid) if ".mkv" in name], [])
            self.assertEqual(watch.end(), 0, watch.complaints)
            self.assertEqual([event for event, _ in events(watch.said)], ["connected", "ended"])
            self.assertEqual(len([line for line in watch.complaints if "cannot record" in line]), 1, watch.complaints)
        for name in self.segments():
            self.assertGreater(self.frames(name), 5)

    @needs_server
    def test_unfinished_segments_get_their_names_when_recording_resumes(self):
        camera, unlimited = CodedCamera(), resource.RLIM_INFINITY
        with Watch(f"--record={self.path('video')}", f"cam={camera.address}",
                   prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, unlimited))) as watch:
            watch.complaint("cannot record")
            failed, = self.segments()
            self.assertIn(".part.", failed)
            resource.prlimit(watch.program.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
            watch.complaint("recording resumed")
            self.wait(lambda: failed.replace(".part", "") in self.segments(), watch)
            self.assertEqual(watch.end(), 0, watch.complaints)

    @needs_server
    def test_size_limit_is_enforced(self):
        """The oldest segments are deleted. Files of other origin stay, regardless of their names."""
        os.makedirs(self.path("video/cam"))
        foreign = self.path("video/cam/cam-2020-01-01T00-00-00Z.mkv")
        with open(foreign, "wb") as file:
            file.write(bytes(5000))
        cameras = [CodedCamera(), CodedCamera()]
        with Watch("--record-size=1M", *self.record("--record-days=0.001", f"cam={cameras[0].address}", f"other={cameras[1].address}"),
                   ) as watch:
            self.wait(lambda: len(self.segments()) > 3 and len(self.segments("other")) > 3, watch)
            self.assertEqual(watch.end(), 0, watch.complaints)
        for camera in ("cam", "other"):
            for name in self.segments(camera):
                path = self.path(f"video/{camera}/{name}")
                if path != foreign:
                    # Enlarge the segments.
                    with open(path, "r+b") as file:
                        os.posix_fallocate(file.fileno(), 0, 200_000)
        before = set(self.segments() + self.segments("other"))
        with Watch("--record-size=1M", *self.record(f"cam={cameras[0].address}")) as watch:
            self.wait(lambda: len(set(self.segments()) - before) > 1, watch)
            self.assertEqual(watch.end(), 0, watch.complaints)
        left = [path for camera in ("cam", "other") for path in map(
            lambda name, camera=camera: self.path(f"video/{camera}/{name}"), self.segments(camera)) if path != foreign]
        self.assertLess(sum(os.stat(path).st_blocks * 512 for path in left), 1 << 20)
        self.assertGreater(len(left), 2)
        self.assertTrue(os.path.exists(foreign))

    @needs_server
    def test_a_second_watch_is_refused_where_another_records_the_same_camera(self):
        """Two watches would rename and replace each other's segments. Another camera may be recorded in the same folder."""
        camera = CodedCamera()
        os.makedirs(self.path("elsewhere"))
        os.symlink(self.path("video"), self.path("elsewhere/link"))
        with Watch(*self.record(f"cam={camera.address}")) as watch:
            self.wait(lambda: len(self.segments()) > 1, watch)
            before = self.segments()
            for folder in ("video", "elsewhere/link"):
                said = command(ODT, "watch", f"--record={self.path(folder)}", f"cam={camera.address}", seconds=30)
                self.assertEqual((said.returncode, said.stdout), (1, ""), said.stderr)
                self.assertIn(f"another odt watch uses the folder {self.path(folder)}/cam: ", said.stderr)
                self.assertIn("--record DIR", said.stderr)
            with Watch(*self.record(f"other={camera.address}")) as other:
                # A watch that has ended before its first result has not reached the camera.
                self.wait(lambda: len(self.segments("other")) > 1, other)
                self.assertEqual(other.end(), 0, other.complaints)
            self.assertEqual(watch.end(), 0, watch.complaints)
        self.assertEqual([name for name in before if ".part." not in name and name not in self.segments()], [])
        # The lock of a killed watch is released.
        with Watch(*self.record(f"cam={camera.address}")) as watch:
            self.wait(lambda: len(self.segments()) > len(before), watch)
            watch.end(signal.SIGKILL)
        before = self.segments()
        with Watch(*self.record(f"cam={camera.address}")) as watch:
            self.wait(lambda: len(self.segments()) > len(before) + 1, watch)
            self.assertEqual(watch.end(), 0, watch.complaints)

    def test_invalid_options_are_errors(self):
        clip = self.clip()
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        for words, sentence, code in (
                (["--record-days=3"], "--record-days", 2), (["--record-size=10", f"--record={self.path('a')}"], "at least 1M", 2),
                ([f"--record={self.path('file/a')}"], "cannot create the folder", 1), ([f"--json={clip}"], "is an input", 2),
                ([f"--record={self.path('a')}", "--record-encoder=abacus"], "unknown encoder", 2)):
            with self.subTest(words):
                said = command(ODT, "watch", clip, *words)
                self.assertEqual((said.returncode, said.stdout), (code, ""), said.stderr)
                self.assertIn(sentence, said.stderr)


if __name__ == "__main__":
    unittest.main()
