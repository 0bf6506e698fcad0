"""Errors have a helpful text, and invalid input does not crash the element."""
import json
import os
import tempfile
import unittest

from streams import ball, command, needs_detector, run


class Errors(unittest.TestCase):
    """Bad properties and missing parts."""

    def fails(self, properties, *words):
        said = run(f"{ball(5)} ! swiftodt {properties} ! fakesink", seconds=30)
        self.assertEqual(len(said.errors), 1, f"{properties}: {said.errors}")
        text = f"{said.errors[0][0].message} {said.errors[0][1]}"
        for word in words:
            self.assertIn(word, text)

    def file(self, name, content):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_missing_model_is_an_error(self):
        self.fails("detector=neural model-file=/nowhere/model.onnx", "/nowhere/model.onnx")
        self.fails("model-file=/nowhere/model.onnx", "/nowhere/model.onnx")

    def test_invalid_model_is_an_error(self):
        for name in ("broken.onnx", "broken.tflite", "broken.xml", "broken.pb"):
            for content in (b"", b"not a model", os.urandom(4096)):
                with self.subTest(name, length=len(content)):
                    path = self.file(name, content)
                    self.fails(f"detector=neural model-file={path}", path)

    def test_missing_label_file_is_an_error(self):
        self.fails("detector=neural label-file=/nowhere/labels.txt", "/nowhere/labels.txt")

    def test_missing_classifier_is_an_error(self):
        self.fails("detector=motion classify=true classifier-file=/nowhere/classifier.tflite",
                   "/nowhere/classifier.tflite")

    @needs_detector
    def test_named_model_has_no_fallback(self):
        self.fails("label-file=/nowhere/labels.txt", "/nowhere/labels.txt")
        self.fails("device=NONSENSE", "NONSENSE", "device=CPU")
        self.fails("detector=motion classify=true classifier-label-file=/nowhere/labels.txt", "/nowhere/labels.txt")

    @needs_detector
    def test_late_load_failure_is_an_error(self):
        """After a decoder the element learns late whether the stream is live, after a latency query has already been answered."""
        with tempfile.TemporaryDirectory() as folder:
            video = f"{folder}/ball.avi"
            self.assertEqual(run(f"{ball(10)} ! jpegenc ! avimux ! filesink location={video}").errors, [])
            said = run(f"filesrc location={video} ! decodebin ! swiftodt detector=neural device=NONSENSE ! fakesink", seconds=60)
        self.assertEqual(len(said.errors), 1, said.errors)
        self.assertIn("NONSENSE", f"{said.errors[0][0].message} {said.errors[0][1]}")

    def warns(self, properties, *words):
        said = run(f"{ball(5)} ! swiftodt {properties} ! fakesink", seconds=30)
        self.assertEqual((len(said.warnings), said.errors), (1, []), f"{properties}: {said.warnings}")
        for word in words:
            self.assertIn(word, said.warnings[0][0].message)

    def test_unknown_placeholders_warn(self):
        self.warns('detector=motion label-format="{label} {speed} {id}"', "{speed}", "{confidence}")
        self.warns("detector=motion label-allowlist=person", "label-allowlist", "detector=neural")

    @needs_detector
    def test_unknown_labels_warn(self):
        self.warns("detector=neural label-allowlist=face", "no label face", "bicycle")
        said = run(f"{ball(5)} ! swiftodt detector=neural label-allowlist=\"Person, dog\" ! fakesink", seconds=30)
        self.assertEqual(said.warnings, [])

    @needs_detector
    def test_misspelled_label_is_answered_with_the_nearest_one(self):
        said = run(f"{ball(5)} ! swiftodt detector=neural label-allowlist=\"person, persn\" label-denylist=dogg ! fakesink", seconds=30)
        ((warning, detail),) = said.warnings
        self.assertIn("no label dogg, persn", warning.message)
        self.assertIn("did you mean dog, person?", warning.message)
        self.assertNotIn("bicycle", warning.message + (detail or ""))
        self.warns('detector=neural label-allowlist="face, persn"', "no label face, persn", "did you mean person? It has person, bicycle")

    @needs_detector
    def test_unknown_label_of_zone_warns(self):
        zone = {"name": "door", "kind": "line", "points": [[0, 0], [1, 1]], "labels": ["persn"]}
        self.warns(f"detector=neural zones={json.dumps(json.dumps([zone]))}", "no label persn", "zones", "did you mean person?")

    def test_contradictory_areas_warn(self):
        said = run(f"{ball(5)} ! swiftodt detector=motion min-area=0.5 max-area=0.1 ! fakesink")
        self.assertTrue(said.warnings or said.errors)


class Missing(unittest.TestCase):
    """Without runtime and models the default detector falls back to motion and the warning names the remedy."""

    def test_auto_falls_back_to_motion(self):
        if os.path.exists("/usr/local/share/swiftodt"):
            self.skipTest("swiftodt is installed for all users on this machine")
        with tempfile.TemporaryDirectory() as home:
            said = command("gst-launch-1.0", "-m", *f"{ball()} ! swiftodt ! fakesink".split(),
                           HOME=home, XDG_DATA_HOME=home, SWIFTODT_MODEL_PATH="")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("Pipelines/setup", said.stdout + said.stderr)
        self.assertIn("tracking-id", said.stdout)
