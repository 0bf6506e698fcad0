"""The known-answer test: if a network does not give the answer in its manifest, that is an error, or a warning for a default network."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from streams import DATA, ROOT, installed_models, needs_detector

ODT = os.path.join(ROOT, ".build", "tool", "odt")
MODELS = pathlib.Path(DATA, "models")
FRAMES = "videotestsrc num-buffers=3 ! swiftodt "


def catalogue():
    """Returns the manifests of this checkout's catalogue by model."""
    with open(os.path.join(ROOT, "Pipelines", "models", "catalogue.json"), encoding="utf-8") as file:
        return {model["name"]: model["manifest"] for model in json.load(file)["models"]}


@needs_detector
class KnownAnswer(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in os.listdir(MODELS):
            os.symlink(MODELS / name, self.folder / name)
        self.manifests = {name: self.manifest(name, answers) for name, answers in catalogue().items() if (MODELS / f"{name}.json").exists()}
        self.detector, self.salient = installed_models("detector")[0], installed_models("salient")[0]

    def manifest(self, name, about):
        """Replaces an installed manifest and returns the new one."""
        with open(MODELS / f"{name}.json", encoding="utf-8") as file:
            about = {**about, "files": json.load(file)["files"]}
        (self.folder / f"{name}.json").unlink()
        (self.folder / f"{name}.json").write_text(json.dumps(about))
        return about

    def spoil(self, name):
        """Makes a manifest expect an object that is not in the reference picture."""
        for answer in self.manifests[name]["known-answers"]:
            answer["objects"][0] = {"label": "giraffe", "score": 0.9, "box": [200, 200, 100, 100]}
        (self.folder / f"{name}.json").write_text(json.dumps(self.manifests[name]))

    def play(self, properties, **environment):
        return subprocess.run(
            ["gst-launch-1.0", "-m", *FRAMES.split(), *properties.split(), "!", "fakesink"], capture_output=True, text=True, timeout=60,
            env={**os.environ, "SWIFTODT_MODEL_PATH": str(self.folder), **environment})

    def examine(self, **environment):
        done = subprocess.run([ODT, "doctor", "--json"], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "SWIFTODT_MODEL_PATH": str(self.folder), **environment})
        return {finding["part"]: finding for finding in json.loads(done.stdout)["findings"]}, done.returncode

    def test_each_default_model_gives_its_known_answer(self):
        # Also with instructions without bfloat16.
        for instructions in ("ALL", "AVX512_CORE"):
            with self.subTest(instructions):
                found, _ = self.examine(ONEDNN_MAX_CPU_ISA=instructions)
                self.assertEqual(found["self-test"]["verdict"], "fine", found["self-test"])
                for name in (self.detector, self.salient, "efficientnet_lite3"):
                    self.assertIn(name, found["self-test"]["detail"])
        # Saliency networks run on video in another size, so there is no known-answer test.
        self.assertNotIn("known-answer", self.play("detector=salient").stdout)

    def test_a_wrong_answer_of_a_network_that_was_asked_for_is_an_error(self):
        self.spoil(self.detector)
        for properties in ("detector=neural", f"model-file={self.detector}"):
            with self.subTest(properties):
                done = self.play(properties)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("fails its known-answer test on CPU: it does not find the giraffe at 200,200", done.stderr)
                self.assertIn("odt setup", done.stderr)

    def test_a_wrong_answer_of_the_default_network_is_a_warning(self):
        self.spoil(self.detector)
        done = self.play("")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("GstMessageWarning", done.stdout)
        self.assertIn("detector=motion", done.stdout)
        self.assertIn("known-answer test", done.stdout)

    def test_a_wrong_answer_of_the_classifier_is_a_warning(self):
        self.spoil("efficientnet_lite3")
        done = self.play("classify=true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("known-answer test", done.stdout)
        self.assertIn("instead of giraffe", done.stdout)
        self.assertNotEqual(self.play("classify=true classifier-file=efficientnet_lite3").returncode, 0)

    def test_doctor_shows_a_wrong_answer(self):
        self.spoil(self.salient)
        found, code = self.examine()
        self.assertEqual((found["self-test"]["verdict"], code), ("missing", 1))
        self.assertIn(f"{self.salient}.onnx fails its known-answer test", found["self-test"]["detail"])

    def test_doctor_shows_that_no_answer_is_known(self):
        del self.manifests[self.salient]["known-answers"]
        (self.folder / f"{self.salient}.json").write_text(json.dumps(self.manifests[self.salient]))
        found, _ = self.examine()
        self.assertEqual(found["self-test"]["verdict"], "limited")
        self.assertIn(self.salient, found["self-test"]["detail"])


if __name__ == "__main__":
    unittest.main()
