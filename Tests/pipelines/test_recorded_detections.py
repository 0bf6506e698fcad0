"""Recorded detections: playback is bit-identical to detection, and interrupted recordings are usable and can be resumed."""
import hashlib
import json
import os
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from streams import BIKES, DETECTORS, ROOT, Gst, MessageCollector, ball, encoded, needs_detector, run

ODT = os.path.join(ROOT, ".build", "tool", "odt")
SHARED = os.environ.get("SWIFTODT_SHARED") or os.path.join(os.path.dirname(ROOT), "shared")
VTEST = os.path.join(SHARED, "data", "tracking", "MOT15", "PETS09-S2L1", "vtest.avi")


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "found.jsonl")

    def outcome(self, source, *properties):
        """Returns the hash of all frames, and the messages. Messages are read during playback, because a full bus drops some."""
        pictures = hashlib.sha256()
        said, count = MessageCollector(), 0
        pipeline = Gst.parse_launch(f"{source} ! videoconvert ! video/x-raw,format=I420 ! swiftodt {' '.join(properties)} "
                                    "! appsink name=frames sync=false max-buffers=4")
        pipeline.set_state(Gst.State.PLAYING)
        try:
            while (sample := pipeline.get_by_name("frames").emit("try-pull-sample", 60 * Gst.SECOND)) is not None:
                buffer = sample.get_buffer()
                pictures.update(buffer.extract_dup(0, buffer.get_size()))
                count += 1
                while (message := pipeline.get_bus().pop()) is not None:
                    said.hear(message)
            while not said.ended and not said.errors and (message := pipeline.get_bus().timed_pop(10 * Gst.SECOND)) is not None:
                said.hear(message)
        finally:
            pipeline.set_state(Gst.State.NULL)
        problems = [str(problem[0].message) for problem in said.errors + said.warnings]
        harmless = ("inference-interval=0 has no effect with this detector", "zoom has no effect with this detector")
        self.assertEqual([problem for problem in problems if not any(words in problem for words in harmless)], [])
        return count, pictures.hexdigest(), [structure.to_string() for structure in said.structures]

    def same(self, source, *properties):
        detected = self.outcome(source, *properties, f"record-detections={self.file}")
        played = self.outcome(source, *properties, "detector=recorded", f"detections-file={self.file}")
        self.assertEqual(played[:2], detected[:2])
        self.assertEqual(played[2], detected[2])
        return detected

    @needs_detector
    def test_playback_equals_detection(self):
        count, _, messages = self.same(f"filesrc location={BIKES} ! decodebin", "multiple-objects=true",
                                       "max-objects=20", "message-format=structure+json")
        self.assertEqual(count, 250)
        self.assertGreater(len(messages), 250)
        with open(self.file) as file:
            lines = file.read().splitlines()
        self.assertEqual(len(lines), count + 2)
        for word in ('"swiftodt-detections":1', '"detector":"neural"', f'"model":"{DETECTORS[0]}', '"score-floor":0.1', '"width":640',
                     '"labels":["person",'):
            self.assertIn(word, lines[0])
        # Weak detections are recorded, too, so that other thresholds can be applied.
        tried = self.outcome(f"filesrc location={BIKES} ! decodebin", "detector=recorded", "score-threshold=0.3",
                             f"detections-file={self.file}", "multiple-objects=true", "max-objects=20")
        self.assertNotEqual(tried[2], messages)

    @needs_detector
    def test_playback_follows_recorded_frame_choice(self):
        """A recording made with inference-interval=0 lacks frames. Playback must not choose among the rest again."""
        for zoom in ("off", "auto"):
            with self.subTest(zoom=zoom):
                self.same(f"filesrc location={BIKES} ! decodebin", "multiple-objects=true", "max-objects=20",
                          "inference-interval=0", f"zoom={zoom}", "updates=every-frame")
                with open(self.file) as file:
                    self.assertLess(len(file.readlines()), 200)
                os.remove(self.file)

    @needs_detector
    @unittest.skipUnless(os.path.exists(VTEST), "no vtest.avi in ../shared")
    def test_playback_of_long_video_equals_detection(self):
        count, _, messages = self.same(f"filesrc location={VTEST} ! decodebin", "multiple-objects=true", "max-objects=50",
                                       "inference-interval=6", "updates=every-frame", "draw-traces=true")
        self.assertEqual(count, 795)
        self.assertGreater(len(messages), 795)

    def test_every_detector_is_recorded(self):
        """Motion detection depends on earlier frames; single-image mode waits for every result."""
        self.same(ball(60), "detector=motion", "tracking=true", "multiple-objects=true")
        os.remove(self.file)
        self.same(f"{ball(30)} ! identity", "detector=motion", "inference-interval=2", "strategy=every-frame", "look-ahead=4")
        os.remove(self.file)
        # detector=motion analyses every frame, so the interval has no effect on its recording.
        self.same(ball(60), "detector=motion", "inference-interval=0", "multiple-objects=true")

    def launch(self, *words, limit=None):
        def restrict():
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        # ORC would create a file of 64 KB for compiled code, which exceeds the limit.
        return subprocess.Popen(["gst-launch-1.0", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=restrict,
                                env=os.environ | {"ORC_CODE": "backup"})

    def recorded(self, existing, source=ball(90), **options):
        # gst-launch-1.0 may never end after an error at the first frame of a pipeline that prerolls.
        return self.launch(*f"{source} ! swiftodt detector=motion record-detections={self.file} "
                           f"record-existing={existing} ! fakesink async=false".split(), **options)

    def output(self, program, succeeds=True):
        """Waits for the end of a program."""
        said = program.communicate(timeout=60)[0]
        self.assertEqual(program.returncode == 0, succeeds, said)
        return said

    def content(self):
        with open(self.file, "rb") as file:
            return file.read()

    def partial(self, count):
        """Records a video and keeps only the first lines of the recording."""
        self.output(self.recorded("replace"))
        lines = self.content().splitlines(keepends=True)
        with open(self.file, "wb") as file:
            file.writelines(lines[:count])

    def resumed(self, source, **options):
        """Returns the output of a program that resumes the recording with a video, which it must not change."""
        left = self.content()
        said = self.output(self.recorded("resume", source), **options)
        self.assertEqual(self.content(), left)
        return said

    def test_killed_recording_is_used_and_resumed(self):
        self.output(self.recorded("refuse"))
        wanted = self.content()
        os.remove(self.file)
        killed = self.launch("-q", *f"{ball(90)} ! identity sleep-time=20000 ! swiftodt detector=motion "
                             f"record-detections={self.file} ! fakesink".split())
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not os.path.exists(self.file) or self.content().count(b"\n") < 10):
            time.sleep(0.02)
        killed.send_signal(signal.SIGKILL)
        killed.communicate(timeout=60)
        left = self.content()
        self.assertTrue(wanted.startswith(left) and 10 <= left.count(b"\n") < 90)
        said = run(f"{ball(90)} ! swiftodt detector=recorded detections-file={self.file} ! fakesink")
        self.assertEqual(said.errors, [])
        self.assertEqual(["unfinished" in str(warning) for warning in said.warnings][:1], [True])
        # Truncated within different lines.
        for rest in (left, left[:-7], left[:20], b""):
            with open(self.file, "wb") as file:
                file.write(rest)
            self.output(self.recorded("resume"))
            self.assertEqual(self.content(), wanted)
        self.assertIn("is complete", self.output(self.recorded("resume"), succeeds=False))
        self.assertEqual(self.content(), wanted)

    def test_other_video_does_not_continue_a_recording(self):
        for count in (1, 41):
            with self.subTest(lines=count):
                self.partial(count)
                self.assertIn("its first frame differs", self.resumed(ball(90).replace("pattern=ball", "pattern=checkers-8"), succeeds=False))

    def test_shorter_video_does_not_complete_a_recording(self):
        self.partial(41)
        self.assertIn("is not marked as complete", self.resumed(ball(20)))

    def test_full_disk_ends_recording_only(self):
        """Writing beyond the limit of the file size raises SIGXFSZ, which must not end the process."""
        said = self.output(self.recorded("refuse", limit=3000))
        self.assertEqual(said.count("WARNING"), 1, said)
        self.assertIn("cannot be written", said)
        left = self.content()
        self.assertTrue(left.endswith(b"]}\n") and 2000 < len(left) <= 3000)
        self.output(self.recorded("resume"))
        self.assertIn(b'"end":true', self.content())

    def odt(self, *words, **options):
        return subprocess.run([ODT, "detect", *words], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, **options)

    @needs_detector
    def test_odt_records_and_resumes(self):
        video = os.path.join(os.path.dirname(self.file), "in.mkv")
        said = run(f"filesrc location={BIKES} ! decodebin ! identity eos-after=31 ! videorate ! video/x-raw,framerate=10/1 ! videoconvert "
                   f"! x264enc speed-preset=ultrafast ! matroskamux ! filesink location={video}")
        self.assertEqual(said.errors, [])
        whole = self.odt(video, "--detections", self.file)
        self.assertEqual((whole.returncode, whole.stdout), (0, ""))
        self.assertRegex(whole.stderr, r"^odt detect: wrote .*found\.jsonl: \d+ frames, [\d.]+ s\n$")
        wanted = self.content()
        self.assertTrue(wanted.startswith(b'{"swiftodt-detections":1') and b'"end":true' in wanted.splitlines()[-1])
        refused = self.odt(video, "--detections", self.file)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--force", refused.stderr)
        with open(self.file, "wb") as file:
            file.write(wanted[:len(wanted) // 2])
        again = self.odt(video, "--detections", self.file)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("resuming after 0:00:0", again.stderr)
        self.assertEqual(self.content(), wanted)
        forced = self.odt(video, "--detections", self.file, "--force", "--every", "3")
        self.assertEqual(forced.returncode, 0, forced.stderr)
        self.assertEqual(self.content().count(b"\n") - 2, -(-(wanted.count(b"\n") - 2) // 3))
        # An interrupted recording is usable, and is not marked as complete.
        os.remove(self.file)
        process = subprocess.Popen([ODT, "detect", BIKES, "--detections", self.file], stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and (not os.path.exists(self.file) or self.content().count(b"\n") < 6):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        complaint = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn("can be used", complaint)
        self.assertNotIn(b'"end"', self.content())

    def test_odt_names_force_if_a_recording_cannot_be_resumed(self):
        video = encoded(60, "x264enc speed-preset=ultrafast")
        words = [video, "--set=detector=motion", "--detections", self.file]
        self.assertEqual(self.odt(*words).returncode, 0)
        left = self.content()[:-200]
        with open(self.file, "wb") as file:
            file.write(left)
        said = self.odt(*words, "--iou=0.3")
        self.assertEqual(said.returncode, 1, said.stderr)
        self.assertIn("different values of iou-threshold; restore these, or overwrite it with --force\n", said.stderr)
        self.assertNotIn("the same command resumes it", said.stderr)
        said = self.odt(*words, "--iou=0.3", "--force")
        self.assertEqual((said.returncode, "resuming" in said.stderr), (0, False), said.stderr)

    def test_odt_track_reads_recordings(self):
        """odt track gives the same result for a recording and for MOTChallenge's text format."""
        self.output(self.recorded("refuse"))
        lines = [json.loads(line) for line in self.content().splitlines()]
        text = "".join(f"{1 + round(line['time'] * 30 / 1e9)},-1,{box[0]},{box[1]},{box[2]},{box[3]},{box[4]}\n"
                       for line in lines[1:-1] for box in line["detections"])
        told = [subprocess.run([ODT, "track", "--detections", file, "-o", "-", *size], input=text, capture_output=True, text=True,
                               timeout=60) for file, size in ((self.file, ()), ("-", ("--image-size", "320x240")))]
        self.assertEqual([one.returncode for one in told], [0, 0], told)
        self.assertEqual(told[0].stdout, told[1].stdout)
        self.assertGreater(told[0].stdout.count("\n"), 40)
        with open(self.file, "w") as file:
            file.write("{}\n")
        broken = subprocess.run([ODT, "track", "--detections", self.file, "-o", "-"], capture_output=True, text=True, timeout=60)
        self.assertEqual(broken.returncode, 1)
        self.assertIn("is not a recording", broken.stderr)

    def test_odt_detect_reports_errors(self):
        folder = os.path.dirname(self.file)
        with open(os.path.join(folder, "text.mp4"), "w") as file:
            file.write("no video")
        for words, code, word in ((["/nowhere.mp4", "--detections", self.file], 4, "/nowhere.mp4"), (["--detections", self.file], 2, "name a VIDEO"),
                                  ([BIKES, BIKES, "--detections", self.file], 2, "name one VIDEO"), ([BIKES, "--detections", "-"], 2, "file name"),
                                  ([BIKES, "--every", "2"], 2, "--detections"), ([BIKES, "--detections", self.file, "--json"], 2, "--json"),
                                  ([file.name, "--detections", file.name], 2, "is the video"), ([file.name, "--detections", self.file], 1, ""),
                                  ([BIKES, "--detections", file.name, "--force"], 1, "not a recording"),
                                  ([BIKES, "--detections", self.file, "--model", "/nowhere.onnx"], 3, "/nowhere.onnx"),
                                  ([BIKES, "--detections", "/nowhere/at/all"], 3, "/nowhere/at/all")):
            with self.subTest(words):
                said = self.odt(*words)
                self.assertEqual(said.returncode, code, said.stderr)
                self.assertIn(word, said.stderr)
                self.assertTrue(said.stderr.startswith("odt detect: "), said.stderr)
                self.assertFalse(os.path.exists(self.file))
        with open(file.name) as text:
            self.assertEqual(text.read(), "no video")


if __name__ == "__main__":
    unittest.main()
