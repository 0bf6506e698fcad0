"""inference-interval=0 runs few inferences in a still scene, reports new objects without delay, and is deterministic."""
import os
import tempfile
import unittest

from streams import Gst, MessageCollector

RATE = 30


class AdaptiveInference(unittest.TestCase):
    """Plays back recorded detections, so that no network is needed and timing does not matter."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "found.txt")

    def write(self, frames, first=1):
        """Writes one object at a fixed position from frame `first` on."""
        with open(self.file, "w", encoding="utf-8") as file:
            file.writelines(f"{frame},-1,40,60,50,80,0.9\n" for frame in range(first, frames + 1))

    def play(self, pattern, frames, *properties):
        """Returns the results of all frames and the statistics."""
        said = MessageCollector()
        pipeline = Gst.parse_launch(
            f"videotestsrc num-buffers={frames} pattern={pattern} ! video/x-raw,format=I420,width=320,height=240,framerate={RATE}/1"
            f" ! swiftodt name=odt detector=recorded detections-file={self.file} updates=every-frame draw=false"
            f" strategy=every-frame {' '.join(properties)} ! fakesink name=end")
        pipeline.set_state(Gst.State.PLAYING)
        try:
            while not said.ended and not said.errors and (message := pipeline.get_bus().timed_pop(20 * Gst.SECOND)) is not None:
                said.hear(message)
            stats = pipeline.get_by_name("odt").get_property("stats")
        finally:
            pipeline.set_state(Gst.State.NULL)
        self.assertEqual([str(problem[0].message) for problem in said.errors + said.warnings], [])
        return [one.to_string() for one in said.structures if one.get_name() == "swiftodt"], stats

    def test_inference_interval_grows_in_still_scene(self):
        self.write(300)
        messages, stats = self.play("gradient", 300, "inference-interval=0")
        looks = {name: stats.get_value("inferences").get_value(name) for name in ("start", "tentative", "refresh", "motion", "drift", "interval")}
        # Inferences at the first frame, and after 1, 3 and 4 seconds without a change.
        self.assertEqual(looks, {"start": 1, "tentative": 0, "refresh": 3, "motion": 0, "drift": 0, "interval": 0})
        self.assertEqual(stats.get_value("detections"), 4)
        self.assertEqual(len(messages), 300)
        # The object of the first frame is reported in all frames.
        self.assertTrue(all("tracking-id" in message for message in messages))

    def test_new_object_is_reported_without_delay(self):
        """Motion triggers an inference: an object that appears at frame 61 is reported within 0.2 seconds."""
        self.write(150, first=61)
        first = {}
        for interval in (1, 0):
            messages, stats = self.play("ball", 150, f"inference-interval={interval}")
            first[interval] = next(number for number, message in enumerate(messages) if "tracking-id" in message)
        self.assertGreater(first[1], 59)
        self.assertLessEqual(first[0] - first[1], 0.2 * RATE + 1)
        self.assertLess(stats.get_value("detections"), 75)
        self.assertGreater(stats.get_value("inferences").get_value("motion"), 0)

    def test_results_are_deterministic(self):
        self.write(120, first=31)
        results = [self.play("ball", 120, "inference-interval=0", ahead)[0] for ahead in ("look-ahead=0", "look-ahead=8")]
        self.assertEqual(results[0], results[1])


if __name__ == "__main__":
    unittest.main()
