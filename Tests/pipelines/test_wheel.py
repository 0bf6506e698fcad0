"""Pipelines/package --wheel: pip installs the wheel into a fresh virtual environment, in which Python and odt find plugin and runtime."""
import base64
import csv
import glob
import hashlib
import io
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zipfile

from streams import BIKES, DATA, ROOT, command, needs_detector

ODT = f"{ROOT}/.build/tool/odt"
PIP = subprocess.run(["/usr/bin/python3", "-c", "import pip, venv"], capture_output=True, check=False).returncode == 0
TRACKING = "\n".join((
    "import sys, swiftodt",
    "seen = set()",
    "with swiftodt.track(sys.argv[1]) as video:",
    "    for number, (frame, objects) in enumerate(video):",
    "        seen |= {item.name for item in objects}",
    "        if number == 100:",
    "            break",
    "print(swiftodt.__file__, sorted(name for name in seen if name))"))


def setUpModule():
    global wheel, folder
    temporary = tempfile.TemporaryDirectory(prefix="wheel ")
    unittest.addModuleCleanup(temporary.cleanup)
    folder = temporary.name
    made = command("Pipelines/package", "--wheel", "--out", folder, seconds=300)
    assert made.returncode == 0, made.stdout + made.stderr
    wheel, = glob.glob(f"{folder}/*")


class Contents(unittest.TestCase):
    def setUp(self):
        self.archive = self.enterContext(zipfile.ZipFile(wheel))
        self.version = subprocess.run([ODT, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.info = f"swiftodt-{self.version}.dist-info"

    def test_record_lists_all_files_with_hash_and_size(self):
        rows = list(csv.reader(io.StringIO(self.archive.read(f"{self.info}/RECORD").decode())))
        self.assertEqual(sorted(row[0] for row in rows), sorted(self.archive.namelist()))
        for name, digest, size in rows:
            data = self.archive.read(name)
            expected = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            self.assertEqual([digest, size], ["", ""] if name.endswith("/RECORD") else [expected, str(len(data))], name)

    def test_metadata(self):
        machine = os.uname().machine
        self.assertEqual(os.path.basename(wheel), f"swiftodt-{self.version}-py3-none-linux_{machine}.whl")
        about = self.archive.read(f"{self.info}/WHEEL").decode()
        self.assertIn("Root-Is-Purelib: false\n", about)
        self.assertIn(f"Tag: py3-none-linux_{machine}\n", about)
        about = self.archive.read(f"{self.info}/METADATA").decode()
        for line in (f"Version: {self.version}", "License-Expression: Apache-2.0", "Requires-Python: >=3.10", "Requires-Dist: openvino>=2023.1",
                     'Requires-Dist: pandas; extra == "pandas"'):
            self.assertIn(f"\n{line}\n", about)
        for name in re.findall("License-File: (.*)", about):
            self.assertIn(f"{self.info}/licenses/{name}", self.archive.namelist())

    def test_programs_are_executable_and_use_environments_python(self):
        for name in ("bin/odt", "share/swiftodt/fetch-models", "share/swiftodt/fetch-runtime"):
            self.assertEqual(self.archive.getinfo(f"swiftodt/native/{name}").external_attr >> 16 & 0o111, 0o111, name)
        self.assertTrue(self.archive.read("swiftodt/native/share/swiftodt/fetch-models").startswith(b"#!/usr/bin/env python3\n"))


def make_environment(path, *options):
    """Makes a virtual environment. Its own pip would take seconds to install."""
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", *options, path], check=True, timeout=120)


def pip(environment, *words):
    subprocess.run(["/usr/bin/python3", "-m", "pip", "--python", environment, "--quiet", *words], check=True, timeout=120)


@unittest.skipUnless(PIP, "no python3-pip")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.environment = pathlib.Path(folder, "environment")
        # The bindings of GStreamer belong to the system. The runtime on this machine takes the place of the package openvino.
        make_environment(cls.environment, "--system-site-packages")
        pip(cls.environment, "install", "--no-index", "--no-deps", wheel)
        cls.packages = next(cls.environment.glob("lib/python3*/site-packages"))
        (cls.packages / "openvino").mkdir()
        (cls.packages / "openvino/libs").symlink_to(f"{DATA}/openvino")

    def setUp(self):
        self.home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="a home ")))
        (self.home / "data/swiftodt").mkdir(parents=True)
        if os.path.exists(f"{DATA}/models"):
            (self.home / "data/swiftodt/models").symlink_to(f"{DATA}/models")
        self.variables = {"HOME": self.home, "XDG_DATA_HOME": self.home / "data", "XDG_CACHE_HOME": f"{folder}/cache", "GST_PLUGIN_PATH": "",
                          "GST_REGISTRY": self.home / "registry.bin", "PYTHONPATH": "", "PATH": f"{self.environment}/bin:/usr/bin:/bin"}

    def run_there(self, *words, code=0, **variables):
        said = command("/usr/bin/env", f"--chdir={self.home}", *words,
                       **{name: str(value) for name, value in (self.variables | variables).items()})
        self.assertIn(said.returncode, {0, 1} if code is None else {code}, said.stdout + said.stderr)
        return said.stdout + said.stderr

    def test_odt_runs_with_plugin_of_wheel(self):
        version = subprocess.run([ODT, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.run_there("odt", "--version"), version)
        self.assertIn(f"{self.packages}/swiftodt/native/lib/gstreamer-1.0/libgstswiftodt.so", self.run_there("odt", "doctor", code=None))

    def test_setup_uses_python_of_environment_that_is_not_activated(self):
        program = self.packages / "swiftodt/native/share/swiftodt/fetch-models"
        self.addCleanup(program.write_bytes, program.read_bytes())
        program.write_text("#!/bin/sh\ncommand -v python3\n")
        self.assertIn(f"{self.environment}/bin/python3\n", self.run_there(self.environment / "bin/odt", "setup", PATH="/usr/bin:/bin"))

    @needs_detector
    def test_python_tracks_video_with_runtime_of_environment(self):
        said = self.run_there("python", "-c", TRACKING, BIKES)
        self.assertIn(f"{self.packages}/swiftodt/__init__.py [", said)
        self.assertIn("'person'", said)

    def test_documented_pipeline_finds_plugin_of_wheel(self):
        """The program of docs/python.md that makes a pipeline itself."""
        programs = re.findall(r"```python\n(.*?)```", pathlib.Path(ROOT, "docs/python.md").read_text(encoding="utf-8"), re.DOTALL)
        program, = (text for text in programs if "parse_launch" in text)
        self.assertRegex(self.run_there("python", "-c", program), r"\[\(\d+, \d+, \d+, \d+\)\]")

    def test_runtime_of_environment_is_found(self):
        said = self.run_there("odt", "doctor", "--json", code=None)
        self.assertNotIn("was not found", said)
        (self.packages / "openvino").rename(self.packages / "elsewhere")
        self.addCleanup((self.packages / "elsewhere").rename, self.packages / "openvino")
        self.assertIn("OpenVINO was not found", self.run_there("odt", "doctor", "--json", code=None))

    def test_missing_bindings_name_their_packages(self):
        said = self.run_there("python", "-I", "-S", "-c", f"import sys; sys.path.append({str(self.packages)!r}); import swiftodt;"
                              " swiftodt.track('x')", code=1)
        self.assertIn("apt-get install python3-gi python3-gst-1.0, and create a virtual environment with --system-site-packages", said)

    def test_missing_system_library_names_packages(self):
        """A plugin that needs a library that no system has."""
        plugin = self.packages / "swiftodt/native/lib/gstreamer-1.0/libgstswiftodt.so"
        original = plugin.read_bytes()
        self.addCleanup(plugin.write_bytes, original)
        plugin.unlink()
        plugin.write_bytes(original.replace(b"libgstvideo-1.0.so.0", b"libgstvideo-1.0.so.9"))
        said = self.run_there("odt", "--version", code=1)
        self.assertRegex(said, r"^odt: the wheel needs GStreamer.*libgstvideo-1\.0\.so\.9.*apt-get install gstreamer1\.0-plugins-base")
        self.assertNotIn("Traceback", said)
        said = self.run_there("python", "-c", "import swiftodt; swiftodt.track(pipeline='videotestsrc')", code=1)
        self.assertIn("swiftodt.errors.Error: the wheel needs GStreamer", said)

    def test_uninstall_leaves_no_file(self):
        copy = pathlib.Path(self.home, "environment")
        make_environment(copy)
        before = {path for path in copy.rglob("*") if "__pycache__" not in path.parts}
        pip(copy, "install", "--no-index", "--no-deps", wheel)
        pip(copy, "uninstall", "--yes", "swiftodt")
        self.assertEqual({path for path in copy.rglob("*") if "__pycache__" not in path.parts}, before)


if __name__ == "__main__":
    unittest.main()
