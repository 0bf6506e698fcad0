"""odt doctor reports complete installations as complete and names missing parts of others."""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import unittest

from streams import ROOT, installed_models, on_terminal

ODT = f"{ROOT}/.build/tool/odt"
DATA = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share") / "swiftodt"
# Without the runtime, odt doctor compiles no network.
NO_RUNTIME = {"SWIFTODT_OPENVINO": "/nowhere"}


def examined(**environment):
    """Returns the findings by part. An empty text unsets an environment variable."""
    whole = {name: value for name, value in (os.environ | environment).items() if value != ""}
    said = subprocess.run([ODT, "doctor", "--json"], capture_output=True, text=True, timeout=120, env=whole)
    findings = json.loads(said.stdout)["findings"]
    missing = [finding["part"] for finding in findings if finding["verdict"] == "missing"]
    assert said.returncode == (1 if missing else 0), (said.returncode, missing)
    assert all(finding["remedy"] for finding in findings if finding["verdict"] != "fine"), findings
    return {finding["part"]: finding for finding in findings}


class Doctor(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        # A separate plugin registry, so that this test does not change another one.
        self.registry = {"GST_REGISTRY": str(self.folder / "registry.bin")}

    def odt_elsewhere(self):
        """Returns a copy of the tool without a plugin in its build folder."""
        shutil.copy(ODT, self.folder / "odt")
        return str(self.folder / "odt")

    def test_installed_parts_are_fine(self):
        found = examined()
        self.assertEqual(found["GStreamer"]["verdict"], "fine")
        self.assertEqual(found["plugin"]["verdict"], "fine")
        self.assertIn("libgstswiftodt.so", found["plugin"]["detail"])
        self.assertEqual(found["encoders"]["verdict"], "fine")
        self.assertIn("H.264", found["decoders"]["detail"])
        if (DATA / "models").is_dir() and (DATA / "openvino").is_dir():
            for part in ("runtime", "detector", "salient", "classifier", "network"):
                self.assertEqual(found[part]["verdict"], "fine", found[part])

    def test_home_folder_of_account_is_used_without_variable(self):
        found = examined(**NO_RUNTIME, HOME="", XDG_DATA_HOME="", XDG_CACHE_HOME="", XDG_CONFIG_HOME="")
        self.assertNotIn("no home folder", json.dumps(found))
        if pwd.getpwuid(os.geteuid()).pw_dir == os.environ.get("HOME"):
            self.assertEqual(found["cache"], examined(**NO_RUNTIME, XDG_DATA_HOME="", XDG_CACHE_HOME="", XDG_CONFIG_HOME="")["cache"])

    def test_text_output_names_remedies(self):
        said = subprocess.run([ODT, "doctor"], capture_output=True, text=True, timeout=120,
                              env=os.environ | NO_RUNTIME)
        self.assertEqual(said.returncode, 1)
        self.assertIn("missing  runtime", said.stdout)
        self.assertIn('run "odt setup" (in a checkout Pipelines/setup)', said.stdout)
        self.assertTrue(said.stdout.endswith("Missing: runtime.\n"), said.stdout[-200:])

    def test_verdicts_have_colors_on_terminals(self):
        for environment, green, red in (({}, "\x1b[32mfine     \x1b[0m", "\x1b[31mmissing  \x1b[0m"), ({"NO_COLOR": "1"}, "fine     ", "missing  "),
                                        ({"TERM": "dumb"}, "fine     ", "missing  ")):
            code, shown = on_terminal(ODT, "doctor", **NO_RUNTIME, **environment)
            self.assertEqual(code, 1)
            self.assertIn(f"{green}GStreamer", shown)
            self.assertIn(f"{red}runtime", shown)
            self.assertEqual("\x1b" in shown, environment == {})

    def test_missing_runtime_is_reported(self):
        found = examined(**NO_RUNTIME)
        self.assertEqual(found["runtime"]["verdict"], "missing")
        self.assertIn("/nowhere", found["runtime"]["detail"])
        self.assertEqual(found["runtime"]["remedy"], "without it only detector=motion, upstream, tensors and recorded work")
        self.assertNotIn("network", found)

    @unittest.skipUnless(shutil.which("cc"), "needs a C compiler")
    def test_runtime_that_crashes_is_reported(self):
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", self.folder / "libopenvino_c.so"], check=True, text=True,
                       input="#include <stdlib.h>\n__attribute__((constructor)) static void begin(void) { abort(); }\n")
        found = examined(SWIFTODT_OPENVINO=str(self.folder))
        self.assertEqual((found["runtime"]["verdict"], found["runtime"]["detail"]), ("missing", "loading it crashes with signal 6, so a file is damaged"))
        self.assertIn("run Pipelines/setup to install it", found["runtime"]["remedy"])
        self.assertNotIn("network", found)

    def test_own_model_needs_no_manifest_of_the_catalogue(self):
        if not installed_models("salient"):
            self.skipTest("the models are not installed")
        for ending in (".onnx", ".json"):
            shutil.copy(DATA / "models" / f"{installed_models('salient')[0]}{ending}", self.folder / f"own{ending}")
        manifest = json.loads((self.folder / "own.json").read_text())
        manifest["files"] = {"own.onnx": entry for entry in manifest["files"].values()}
        (self.folder / "own.json").write_text(json.dumps(manifest))
        found = examined(SWIFTODT_MODEL=str(self.folder / "own.onnx"))["detector"]
        self.assertEqual(found["verdict"], "fine", found)
        self.assertIn("own, intact", found["detail"])

    def test_missing_chosen_model_is_named_with_the_origin_of_the_choice(self):
        (self.folder / "swiftodt").mkdir()
        choices = self.folder / "swiftodt/models.json"
        choices.write_text('{"classifier": "absent"}')
        found = examined(XDG_CONFIG_HOME=str(self.folder), SWIFTODT_MODEL="nosuch", **NO_RUNTIME)
        for part, name, origin, remedy in (("detector", "nosuch", "SWIFTODT_MODEL makes it", "unset SWIFTODT_MODEL"),
                                           ("classifier", "absent", f"{choices} makes it", "odt models use --best")):
            self.assertEqual(found[part]["verdict"], "missing")
            self.assertIn(f"there is no model file {name}", found[part]["detail"])
            self.assertIn(origin, found[part]["detail"])
            self.assertIn(remedy, found[part]["remedy"])

    def test_missing_and_damaged_models_are_reported(self):
        empty = examined(XDG_DATA_HOME=str(self.folder))
        for part in ("detector", "salient", "classifier"):
            self.assertEqual(empty[part]["verdict"], "missing")
        if not installed_models("salient"):
            self.skipTest("the models are not installed")
        models = self.folder / "models"
        shutil.copytree(DATA / "models", models)
        with open(models / f"{installed_models('salient')[0]}.onnx", "r+b") as file:
            file.seek(1_000_000)
            file.write(b"damage")
        found = examined(SWIFTODT_MODEL_PATH=str(models), **NO_RUNTIME)
        self.assertEqual(found["salient"]["verdict"], "missing")
        self.assertIn(".onnx is damaged", found["salient"]["detail"])
        self.assertEqual(found["detector"]["verdict"], "fine")

    def look(self, odt, **environment):
        said = subprocess.run([odt, "doctor", "--json"], capture_output=True, text=True, timeout=120,
                              env=os.environ | self.registry | environment)
        return {finding["part"]: finding for finding in json.loads(said.stdout)["findings"]}

    def test_setup_runs_no_programs_of_other_folders(self):
        """Other users can create a folder beside that of the program, for example in /tmp."""
        (self.folder / "Pipelines").mkdir()
        for name in ("fetch-runtime", "fetch-models"):
            (self.folder / "Pipelines" / name).write_text("#!/bin/sh\necho foreign\n")
            (self.folder / "Pipelines" / name).chmod(0o755)
        (self.folder / "deep/er").mkdir(parents=True)
        shutil.copy(ODT, self.folder / "deep/er/odt")
        said = subprocess.run([self.folder / "deep/er/odt", "setup"], capture_output=True, text=True, timeout=60)
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        self.assertIn("cannot find fetch-runtime", said.stderr)

    def test_missing_plugin_is_reported(self):
        found = self.look(self.odt_elsewhere(), GST_PLUGIN_PATH=str(self.folder), XDG_DATA_HOME=str(self.folder))
        self.assertEqual(found["plugin"]["verdict"], "missing")
        self.assertIn(str(self.folder), found["plugin"]["detail"])

    def test_plugin_load_error_is_reported(self):
        """A file that is no library: GStreamer blacklists it silently, also the second time. (A truncated library could crash the
        processes that load it, GStreamer's scanner and the program itself.)"""
        (self.folder / "libgstswiftodt.so").write_bytes(b"no library" * 1000)
        odt = self.odt_elsewhere()
        for _ in range(2):
            found = self.look(odt, GST_PLUGIN_PATH=str(self.folder), XDG_DATA_HOME=str(self.folder))
            self.assertEqual(found["plugin"]["verdict"], "missing")
            self.assertIn("cannot be loaded", found["plugin"]["detail"])
            self.assertIn("invalid ELF header", found["plugin"]["detail"])
            self.assertIn("libgstswiftodt.so", found["plugin"]["detail"])

    def test_missing_gstreamer_plugins_are_reported(self):
        """Of GStreamer's plugins only coreelements is installed."""
        system = subprocess.run(["pkg-config", "--variable=pluginsdir", "gstreamer-1.0"], capture_output=True, text=True)
        core = pathlib.Path(system.stdout.strip()) / "libgstcoreelements.so"
        if not core.exists():
            self.skipTest("GStreamer's plugins are not in pkg-config's pluginsdir")
        shutil.copy(core, self.folder)
        found = self.look(ODT, GST_PLUGIN_SYSTEM_PATH_1_0=str(self.folder), **NO_RUNTIME)
        self.assertEqual(found["plugin"]["verdict"], "fine")
        self.assertEqual(found["decoders"]["verdict"], "missing")
        self.assertEqual(found["encoders"]["verdict"], "missing")
        self.assertIn("gstreamer1.0-libav", found["decoders"]["remedy"])

    def test_missing_fonts_are_reported(self):
        config = self.folder / "fonts.conf"
        config.write_text(f'<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>{self.folder}</dir></fontconfig>')
        found = examined(FONTCONFIG_FILE=str(config), **NO_RUNTIME)
        self.assertEqual(found["fonts"]["verdict"], "missing")

    def test_unwritable_cache_is_reported(self):
        blocked = self.folder / "file"
        blocked.write_text("no folder")
        found = examined(XDG_CACHE_HOME=str(blocked), **NO_RUNTIME)
        self.assertEqual(found["cache"]["verdict"], "limited")
        self.assertIn(str(blocked), found["cache"]["detail"])

    def test_unknown_arguments_are_errors(self):
        said = subprocess.run([ODT, "doctor", "everything"], capture_output=True, text=True, timeout=30)
        self.assertEqual(said.returncode, 2)
        self.assertIn("everything", said.stderr)
