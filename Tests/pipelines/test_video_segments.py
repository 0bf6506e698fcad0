"""odt detect on parts of a video: the joined recordings equal that of one pass, or the mismatch is detected."""
import json
import os
import subprocess
import tempfile
import unittest
import zipfile

from streams import BIKES, ROOT, needs_detector, needs_video

ODT = os.path.join(ROOT, ".build", "tool", "odt")


def encoded(path, *words):
    """Writes two seconds of the street scene, scaled down, with other encoding options."""
    subprocess.run(["ffmpeg", "-v", "error", "-ss", "4", "-t", "2", "-i", BIKES, "-an", "-s", "320x136", *words, path], check=True, timeout=60)
    return path


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def odt(self, *words, code=0, limit=None, **environment):
        """Returns standard output, or after a failure standard error. `limit` is the maximum size of files in KiB."""
        limited = ["/bin/bash", "-c", f'ulimit -f {limit}; exec "$@"', "limited"] if limit else []
        done = subprocess.run([*limited, ODT, "detect", *words], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                              env=os.environ | environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def recording(self, video, *words):
        """Returns the lines of the recording, and the JSON on standard output."""
        file = os.path.join(self.folder, "found.jsonl")
        said = self.odt(video, "--detections", file, "--set", "threads=1", *words)
        with open(file) as lines:
            text = lines.read().splitlines()
        os.remove(file)
        return text, json.loads(said) if said else None

    def parts(self, video, length):
        """Returns the joined lines of all parts, and for each cut whether the two parts match."""
        cuts = json.loads(self.odt(video, "--cuts", str(length)))["cuts"]
        times = [None, *cuts, None]
        joined, fits, before = [], [], None
        for start, end in zip(times, times[1:]):
            words = [word for name, time in (("--from", start), ("--to", end)) if time is not None for word in (name, f"{time / 1e9:.9f}")]
            lines, seen = self.recording(video, *words)
            self.assertEqual(json.loads(lines[-1])["frames"], seen["frames"])
            joined += lines[:-1] if not joined else lines[1:-1]
            if before is not None:
                count = min(len(before["behind"]), len(seen["first"]))
                fits.append(before["behind"][:count] == seen["first"][:count])
            before = seen
        return joined, fits

    @needs_detector
    def test_segments_equal_whole_video(self):
        """B-frames and uneven frame times: cuts neither drop nor change frames."""
        video = encoded(os.path.join(self.folder, "uneven.mkv"), "-vf", r"select='not(mod(n\,3))+lt(mod(n\,25)\,10)'", "-fps_mode", "vfr",
                        "-c:v", "libx264", "-preset", "veryfast", "-x264-params", "keyint=8:bframes=3:open-gop=1")
        whole, said = self.recording(video)
        self.assertIsNone(said)
        joined, fits = self.parts(video, 0.6)
        self.assertGreaterEqual(len(fits), 2)
        self.assertTrue(all(fits))
        self.assertEqual(joined, whole[:-1])

    @needs_detector
    def test_mismatching_segment_is_detected(self):
        """AVI has no presentation times, so that B-frames get other times after a seek."""
        video = encoded(os.path.join(self.folder, "old.avi"), "-c:v", "mpeg4", "-g", "12", "-bf", "2")
        whole, _ = self.recording(video)
        joined, fits = self.parts(video, 0.6)
        self.assertNotEqual(joined, whole[:-1])
        self.assertFalse(all(fits))

    def test_invalid_options_are_errors(self):
        for word, words in (("--cuts", ["--cuts", "1", "--detections", "x.jsonl"]),
                            ("leave out --zoom", ["--detections", "x.jsonl", "--salient", "--zoom", "auto"]),
                            ("zoom=auto depends on earlier frames", ["--detections", "x.jsonl", "--set", "zoom=auto", "--from", "1"]),
                            ("detector=motion depends on earlier frames", ["--detections", "x.jsonl", "--set", "detector=motion", "--to", "1"]),
                            ("inference-interval=7 depends on earlier frames", ["--detections", "x.jsonl", "--every", "7", "--from", "1"]),
                            ("inference-interval=4 depends on earlier frames", ["--detections", "x.jsonl", "--set", "inference_interval=4", "--to", "1"]),
                            ("--cuts does not run the detector: leave out --every", ["--cuts", "1", "--every", "7"])):
            with self.subTest(word):
                self.assertIn(word, self.odt("x.mp4", *words, code=2))

    @needs_video
    def test_uncuttable_video_is_one_segment(self):
        """The video has one key frame, at the beginning."""
        video = encoded(os.path.join(self.folder, "one.mp4"), "-c:v", "libx264", "-preset", "ultrafast", "-g", "1000", "-sc_threshold", "0")
        said = json.loads(self.odt(video, "--cuts", "0.5"))
        self.assertEqual(said, {"cuts": [], "duration": 2_000_000_000})

    @needs_video
    def test_missing_decoder_is_named_and_has_its_exit_code(self):
        """Also if the sound can be decoded. A file that is no video has another exit code."""
        silent = encoded(os.path.join(self.folder, "silent.avi"), "-c:v", "mpeg4")
        video = os.path.join(self.folder, "sound.avi")
        subprocess.run(["ffmpeg", "-v", "error", "-i", silent, "-f", "lavfi", "-i", "sine=d=2", "-c:v", "copy", "-c:a", "pcm_s16le", video],
                       check=True, timeout=60)
        for path in (silent, video):
            for words in (["--cuts", "1"], ["--detections", os.path.join(self.folder, "x.jsonl"), "--set", "detector=motion"]):
                with self.subTest(path, words=words):
                    said = self.odt(path, *words, code=4, GST_PLUGIN_FEATURE_RANK="avdec_mpeg4:NONE")
                    self.assertIn("GStreamer has no MPEG-4 Video", said)
        archive = os.path.join(self.folder, "x.mp4")
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("a", "a" * 10_000)
        self.odt(archive, "--cuts", "1", code=1)

    @needs_detector
    def test_limits_of_the_machine_have_their_exit_code(self):
        """A model that is missing and a full disk; a file size limit replaces the full disk."""
        file = os.path.join(self.folder, "x.jsonl")
        said = self.odt(BIKES, "--detections", file, "--model", "no_such_model", code=3)
        self.assertIn("no_such_model", said)
        said = self.odt(BIKES, "--detections", file, "--set", "detector=motion", code=3, limit=1)
        self.assertIn("cannot be written", said)

    def test_invalid_range_is_an_error(self):
        self.assertIn("later than --from", self.odt(BIKES, "--detections", "x", "--from", "3", "--to", "3", code=2))
        self.assertIn("--from needs a video", self.odt("picture.png", "--from", "3", code=2))
        self.assertIn("no such file", self.odt(os.path.join(self.folder, "none.mp4"), "--cuts", "3", code=4))


if __name__ == "__main__":
    unittest.main()
