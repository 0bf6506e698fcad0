"""odt watch --economy decodes only key frames of calm cameras, and all frames during activity and for viewers of the page."""
import os
import subprocess
import unittest

from paged import needs_soup
from streams import Gst, encoded, needs_detector
from test_alarms import PARTS, SCENE
from test_gate import needs
from test_metrics import MetricsReader, needs_parser
from test_record import frames
from watching import Camera, Watch, Watching, events, has, needs_server, results

CALM, MOVING = "smpte75", "ball"
RATE = 20


class CalmCamera(Camera):
    """A camera that sends a still picture until `show` selects another pattern."""

    def __init__(self, encoder="x264enc speed-preset=ultrafast tune=zerolatency", payloader="rtph264pay", distance=RATE):
        super().__init__()
        self.factory.set_launch(
            f"( videotestsrc name=ball pattern={CALM} is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate={RATE}/1"
            f" ! {encoder} key-int-max={distance} ! {payloader} name=pay0 config-interval=1 )")

    def show(self, pattern):
        for media in self.media:
            media.get_element().get_by_name("ball").set_property("pattern", pattern)


@needs("x264enc", "h264parse", "avdec_h264")
class Files(Watching):

    def setUp(self):
        super().setUp()
        self.file = self.still("x264enc key-int-max=25")

    def still(self, coder):
        return encoded(250, coder, pattern=CALM)

    def analysed(self, *words):
        """Returns the number of frames that the element processed, and the printed errors."""
        said, errors = self.watch("--set=updates=every-frame", "--picture-alarm=off", *words)
        return sum(line["message"] == "swiftodt" for line in said), errors

    def test_key_frames_of_calm_video_are_decoded(self):
        count, _ = self.analysed("--economy", f"cam={self.file}")
        # Two key-frame distances until the gate closes, and the rest of the last one at the end.
        self.assertTrue(50 < count < 125, count)
        self.assertEqual(self.analysed("--economy", f"cam={self.file}")[0], count)
        self.assertEqual(self.analysed("--set=inference-interval=0", f"cam={self.file}")[0], count)

    def test_gate_needs_adaptive_inference(self):
        self.assertEqual(self.analysed(f"cam={self.file}"), (250, ""))
        self.assertEqual(self.analysed("--set=inference-interval=0", "--gate=off", f"cam={self.file}")[0], 250)
        count, errors = self.analysed("--gate=auto", f"cam={self.file}")
        self.assertEqual(count, 250)
        self.assertIn("cam: gate=auto has no effect without inference-interval=0: use economy", errors)

    def test_original_recording_is_complete(self):
        count, _ = self.analysed("--economy", "--record", self.path("video"), f"cam={self.file}")
        self.assertLess(count, 125)
        [segment] = self.segments()
        self.assertEqual(frames(segment), 250)

    def test_annotated_recording_needs_all_frames(self):
        count, errors = self.analysed("--economy", "--record", self.path("video"), "--record-annotated", f"cam={self.file}")
        self.assertEqual(count, 250)
        self.assertIn("cam: all frames are decoded and the gate is not used, because --record-annotated records all frames", errors)
        [segment] = self.segments()
        self.assertEqual(frames(segment), 250)

    def segments(self):
        folder = self.path("video/cam")
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]

    @needs("x265enc", "h265parse", "avdec_h265")
    def test_h265(self):
        count, _ = self.analysed("--economy", f"cam={self.still('x265enc speed-preset=ultrafast key-int-max=25 ! h265parse')}")
        self.assertLess(count, 125)

    def test_other_codecs_are_decoded_completely_with_one_note(self):
        count, errors = self.analysed("--economy", f"cam={self.still('jpegenc')}")
        self.assertEqual(count, 250)
        self.assertEqual(errors.count("cam: all frames are decoded: the gate needs H.264 or H.265"), 1)

    def test_redaction_needs_all_frames(self):
        count, errors = self.analysed("--economy", "--set=box-style=blur", f"cam={self.file}")
        self.assertEqual(count, 250)
        self.assertIn("cam: all frames are decoded: redaction needs all frames", errors)

    def test_configuration_chooses_for_each_camera(self):
        for options, common, own, words, is_gated in (
                ("economy=true", "", "", (), True), ("", "economy=true", "", (), True), ("", "", "economy=true", (), True),
                ("economy=true", "", "economy=false", (), False), ("", "inference-interval=0", "", (), True),
                ("gate=off", "inference-interval=0", "", (), False), ("gate=off", "inference-interval=0", "gate=auto", (), True),
                ("", "inference-interval=0", "gate=auto", ("--gate=off",), False), ("", "", "", ("--economy",), True)):
            with self.subTest(options=options, common=common, own=own, words=words):
                with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
                    file.write(f"[watch]\n{options}\n[cameras]\n{common}\n[camera cam]\nsource={self.file}\n{own}\n")
                self.assertEqual(self.analysed("--config", self.path("watch.conf"), *words)[0] < 125, is_gated)

    def test_contradictions_are_errors(self):
        for words, sentence in (
                (("--cpus=0",), "--cpus must be a whole number from 1 to 1,024, not '0'"),
                (("--gate=maybe",), "--gate: use auto or off, not 'maybe'"),
                (("--economy", "--gate=off"), "economy includes the gate, and gate=off excludes it"),
                (("--economy", "--set=inference-interval=2"), "economy includes inference-interval=0, and another inference-interval is set")):
            with self.subTest(words=words):
                self.assertIn(sentence, self.watch(*words, f"cam={self.file}", code=2)[1])
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(f"[camera cam]\nsource={self.file}\ngate=shut\n")
        self.assertIn("watch.conf:3: gate: use auto or off, not 'shut'", self.watch("--config", self.path("watch.conf"), code=2)[1])

    def test_alarms_about_the_picture_are_those_of_full_decoding(self):
        rate, sources = 4, {"scene": "noise=alls=9:allf=t", "frozen": "null", "shifted": "noise=alls=9:allf=t"}
        shift = {"shifted": 95}
        filters = [
            f"color=black:s=160x120:r={rate}:d={seconds}[p{number}]" if name == "black" else
            f"nullsrc=s=160x120:r={rate}:d={seconds},geq=lum='{SCENE.replace('X', f'(X+{shift.get(name, 0)})')}':cb=128:cr=128,"
            f"{sources[name]}[p{number}]" for number, (name, seconds) in enumerate(PARTS)]
        joined = "".join(f"[p{number}]" for number in range(len(PARTS))) + f"concat=n={len(PARTS)}[out]"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-filter_complex", ";".join([*filters, joined]), "-map", "[out]", "-pix_fmt", "yuv420p",
                        "-c:v", "libx264", "-crf", "10", "-g", str(rate), self.path("film.mkv")], check=True, stdin=subprocess.DEVNULL)

        def alarms(gate):
            said, _ = self.watch("--set=inference-interval=0", f"--gate={gate}", "--picture-alarm=5", f"cam={self.path('film.mkv')}")
            return [(line["event"], line.get("reason")) for line in said if line["message"] == "swiftodt-alarm"]

        expected = alarms("off")
        self.assertIn(("covered", None), expected)
        self.assertEqual(alarms("auto"), expected)


@needs_server
@needs_soup
@needs_parser
@needs("x264enc", "h264parse", "avdec_h264")
class Cameras(MetricsReader):

    def begin(self, camera, *words):
        watch = Watch("--economy", "--picture-alarm=off", *words, f"cam={camera.address}")
        self.addCleanup(watch.__exit__)
        self.listen(watch, "the page is" if "--page=0" in words else "metrics are")
        return watch

    def is_open(self, expected):
        found = self.metrics().get("swiftodt_gate_open")
        return found is not None and found.samples[0].value == expected

    def test_calm_camera_is_not_lost_and_activity_opens_the_gate(self):
        # Key frames are rarer than the time after which a camera counts as lost.
        camera = CalmCamera(distance=3 * RATE)
        watch = self.begin(camera, "--metrics=0", "--timeout=2")
        self.until(lambda: self.is_open(0))
        passed, received = (self.value(f"swiftodt_{name}_total") for name in ("gate_frames_passed", "frames_received"))
        self.until(lambda: self.value("swiftodt_gate_frames_dropped_total") > 5 * RATE)
        self.assertLess(self.value("swiftodt_gate_frames_passed_total") - passed, (self.value("swiftodt_frames_received_total") - received) / 10)
        self.assertEqual(events(watch.said), [("connected", 1)])
        self.assertLess(self.value("swiftodt_frame_age_seconds"), 1)
        camera.show(MOVING)
        watch.wait(lambda said: any(line["message"] == "swiftodt-track" and line["event"] == "begin" for line in said))
        self.until(lambda: self.value("swiftodt_gate_openings_total", camera="cam", reason="activity") > 0)
        camera.show(CALM)
        self.until(lambda: self.is_open(0))
        # Each analysed frame is counted with its delay since its arrival.
        # A busy machine drops frames of a live camera.
        self.assertLess(self.value("swiftodt_frames_dropped_total"), RATE)
        self.assertGreater(self.value("swiftodt_frame_latency_seconds_count", family="swiftodt_frame_latency_seconds"), 2 * RATE)
        # No frames at all are a loss, also while the gate is calm.
        camera.fall_silent()
        watch.wait(has("lost"))
        self.assertEqual(watch.end(), 0)

    def test_viewer_opens_the_gate_and_it_closes_afterwards(self):
        camera = CalmCamera(distance=3 * RATE)
        watch = self.begin(camera, "--page=0", "--set=updates=every-frame")
        self.until(lambda: self.is_open(0))
        # More than a second of frames is kept.
        passed = self.value("swiftodt_gate_frames_passed_total")
        self.until(lambda: self.value("swiftodt_gate_frames_passed_total") > passed)
        received = self.value("swiftodt_frames_received_total")
        self.until(lambda: self.value("swiftodt_frames_received_total") > received + 1.2 * RATE)
        viewer = self.connect("/live/cam.mjpg")
        self.assertEqual(len(self.pictures(viewer, 15)), 15)
        self.until(lambda: self.is_open(1))
        self.assertEqual(self.value("swiftodt_gate_openings_total", reason="application"), 1)
        self.assertGreater(self.value("swiftodt_gate_delay_seconds"), 1)
        # The kept frames are analysed, too, and have the times of their arrival.
        found = results(watch.said, "cam")[-2 * RATE:]
        times = [line["timestamp"] for line in found]
        # A busy machine drops frames of a live camera; without the kept frames, more than a second would be missing.
        self.assertTrue(all(later - earlier < Gst.SECOND / 2 for earlier, later in zip(times, times[1:])), times)
        offsets = [line["utc-time"] - line["timestamp"] for line in found]
        self.assertLess(max(offsets) - min(offsets), 0.5 * Gst.SECOND)
        viewer.close()
        self.until(lambda: self.is_open(0))
        # A single picture opens the gate as well.
        status, _, picture = self.get("/snapshot/cam.jpg")
        self.assertEqual((status, picture[:2]), (200, b"\xff\xd8"))
        self.assertEqual(watch.end(), 0)

    @needs_detector
    def test_cameras_take_turns_on_limited_processors(self):
        cameras = [CalmCamera() for _ in range(4)]
        # The cameras need inference on each frame, more than one processor can do.
        watch = Watch("--cpus=1", "--set=detector=neural", "--picture-alarm=off", "--metrics=0",
                      *(f"cam{number}={camera.address}" for number, camera in enumerate(cameras)))
        self.addCleanup(watch.__exit__)
        self.listen(watch)

        def turns():
            return [self.value("swiftodt_inference_turns_total", camera=f"cam{number}") for number in range(4)]

        self.until(lambda: "swiftodt_inference_turns" in self.metrics() and min(turns()) > 20)
        start = turns()
        self.until(lambda: sum(turns()) - sum(start) > 200)
        shares = [end - begin for begin, end in zip(start, turns())]
        self.assertGreater(min(shares) * 2, max(shares), shares)
        self.assertGreater(self.value("swiftodt_inference_wait_seconds_total"), 0)
        self.assertEqual(watch.end(), 0)

    def test_changed_configuration_removes_the_gate(self):
        camera = CalmCamera()

        def configure(line):
            with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
                file.write(f"[cameras]\ninference-interval=0\n[camera cam]\nsource={camera.address}\n{line}\n")

        configure("gate=auto")
        with Watch("--metrics=0", "--picture-alarm=off", "--config", self.path("watch.conf")) as watch:
            self.listen(watch)
            self.until(lambda: self.is_open(0))
            configure("gate=off")
            watch.program.send_signal(1)
            watch.wait(has("connected", session=2))
            self.until(lambda: self.value("swiftodt_frames_processed_total") > 3 * RATE)
            self.assertNotIn("swiftodt_gate_open", self.metrics())
            self.assertEqual(watch.end(), 0)


if __name__ == "__main__":
    unittest.main()
