"""The programs in Pipelines and the tool odt report invalid input in one sentence."""
import json
import os
import re
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as tree

from streams import ROOT, ball, command

GOOD = '{"message": "swiftodt", "running-time": 0, "objects": [{"tracking-id": 1, "label": "a"}]}'
TOOL = f"{ROOT}/.build/tool/odt"


class Programs(unittest.TestCase):
    """Invalid command lines and files."""

    def refuses(self, code, text, *words, **environment):
        said = command(*words, **environment)
        self.assertEqual(said.returncode, code, said.stdout + said.stderr)
        self.assertIn(text, said.stderr)
        self.assertNotIn("Traceback", said.stderr)

    def test_boxes_of_windows_files_are_read(self):
        """Line ends are CR and LF."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/boxes.txt", "w", newline="", encoding="ascii") as file:
                file.write("1 1 9 9 one.png\r\n1 1 9 9 two.png\r\n")
            said = command(TOOL, "classify", "--boxes", f"{folder}/boxes.txt")
            self.assertEqual(said.returncode, 4)
            self.assertIn("one.png cannot be read", said.stderr)

    def test_invalid_pipeline_is_an_error(self):
        self.refuses(1, "--nonsense", "Pipelines/bus-to-json", "--nonsense")

    def test_missing_arguments_and_files_are_errors(self):
        self.refuses(2, "Usage: Pipelines/live-camera", "Pipelines/live-camera", "-n")
        self.refuses(2, "Usage: Pipelines/bus-to-json", "Pipelines/bus-to-json", "-o")
        self.refuses(2, "Usage: Pipelines/with-plugin", "Pipelines/with-plugin")
        self.refuses(1, "/nowhere.mp4", "Pipelines/demo", "/nowhere.mp4")
        self.refuses(1, "/nowhere/x", "Pipelines/bus-to-json", "-o", "/nowhere/x", "fakesrc", "!", "fakesink")

    def test_missing_bindings_are_named(self):
        """In a Python without python3-gi, --help works."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "gi.py"), "w", encoding="ascii") as file:
                file.write("raise ImportError\n")
            for name, words in (("bus-to-json", ["fakesrc", "!", "fakesink"]), ("rtp-loopback", ["1"])):
                self.refuses(1, "install Debian's python3-gi and python3-gst-1.0", f"Pipelines/{name}", *words, PYTHONPATH=folder)
                said = command(f"Pipelines/{name}", "--help", PYTHONPATH=folder)
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                self.assertIn(f"Usage: Pipelines/{name}", said.stdout)

    def test_summary_rejects_missing_and_invalid_files(self):
        self.refuses(1, "/nowhere/x.jsonl", "Pipelines/summary", "/nowhere/x.jsonl")
        self.refuses(1, "README.md", "Pipelines/summary", "README.md")

    def test_summary_rejects_invalid_lines(self):
        """Valid JSON that is no message is an error. An incomplete last line, as after kill -9, is ignored."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.jsonl")

            def given(text):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)

            for line in ("null", "[]", "7", '{"message": "swiftodt"}', '{"message": "swiftodt", "json": "["}', "\0",
                         '{"message": "swiftodt", "running-time": 0, "objects": [1]}', "[" * 100_000,
                         '{"message": "swiftodt", "running-time": 0, "objects": [{"tracking-id": []}]}'):
                with self.subTest(line[:60]):
                    given(line + "\n")
                    self.refuses(1, "x.jsonl is no file of messages", "Pipelines/summary", path)
            given(GOOD + "\n" + GOOD[:40])
            said = command("Pipelines/summary", path)
            self.assertEqual((said.returncode, said.stdout.splitlines()[0]), (0, "1 result, 1 object at most at once"))
            given(GOOD + "\n\n")
            self.assertEqual(command("Pipelines/summary", path).returncode, 0)
            # An object with the state "lost" is no longer there.
            lost = '{"message": "swiftodt", "running-time": 0, "objects": [{"tracking-id": 1, "state": "lost"}]}'
            given(lost + "\n")
            self.assertEqual(command("Pipelines/summary", path).stdout.splitlines()[0], "1 result, 0 objects at most at once")
        self.refuses(1, "cannot be read", "Pipelines/summary", ROOT)

    def test_summary_omits_unknown_times(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.jsonl")
            for times, expected in ((["null", "5000000000", "null"], "from 5.00 s to 5.00 s"), (["null"], "at an unknown time")):
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(GOOD.replace('"running-time": 0', f'"running-time": {time}') + "\n" for time in times)
                self.assertEqual(command("Pipelines/summary", path).stdout.splitlines()[-1], f"  #1 a: {expected}")

    def test_user_under_sudo_is_the_owner_of_the_checkout(self):
        """After sudo -i, root has its own checkout."""
        for owner, user in (("somebody", "somebody\n"), ("root", "")):
            with tempfile.TemporaryDirectory() as folder:
                for name, text in (("id", "0"), ("stat", owner)):
                    with open(f"{folder}/{name}", "w", opener=lambda *words: os.open(*words, 0o755), encoding="ascii") as file:
                        file.write(f"#!/bin/sh\necho {text}\n")
                said = command("Pipelines/setup", "--print-user", SUDO_USER="somebody", PATH=f"{folder}:{os.environ['PATH']}")
                self.assertEqual((said.returncode, said.stdout), (0, user), said.stderr)

    def test_summary_of_json_messages(self):
        """The nested JSON of message-format=json gives the same summary."""
        with tempfile.TemporaryDirectory() as folder:
            heard = {}
            for form in ("structure", "json", "structure+json"):
                path = os.path.join(folder, form)
                said = command("Pipelines/bus-to-json", "-o", path, "videotestsrc", "num-buffers=60", "pattern=ball", "!",
                               "swiftodt", "detector=motion", f"message-format={form}", "!", "fakesink")
                self.assertEqual(said.returncode, 0, said.stderr)
                heard[form] = command("Pipelines/summary", path).stdout
        self.assertIn("1 object tracked", heard["structure"])
        self.assertEqual(set(heard.values()), {heard["structure"]})

    def test_closed_pipe_ends_program(self):
        """A closed pipe (`| head`) ends the programs silently. A full disk is an error."""
        endless = "videotestsrc ! swiftodt detector=motion updates=every-frame ! fakesink"
        for words in (f"Pipelines/bus-to-json {endless}", "Pipelines/live-camera", "Pipelines/fetch-models --list"):
            with self.subTest(words):
                # The pipe is closed from the beginning, so that even a short output fails.
                said = command("/bin/bash", "-c", f"set -o pipefail; {{ sleep 0.3; {words}; }} | true",
                               DISPLAY="", WAYLAND_DISPLAY="")
                self.assertEqual(said.returncode, 141, said.stderr)
                self.assertNotIn("Traceback", said.stderr)
        self.refuses(1, "No space left", "/bin/sh", "-c", f"Pipelines/bus-to-json {endless} >/dev/full")
        self.refuses(1, "Bad file descriptor", "/bin/sh", "-c", f"Pipelines/bus-to-json {endless} >&-")

    def test_a_file_does_not_replace_a_closed_standard_error(self):
        """An opened file must not get the descriptor number of the standard error, to which GStreamer writes."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines")
            said = command("/bin/sh", "-c", f"Pipelines/bus-to-json -o {path} {ball(20)} ! swiftodt detector=motion ! fakesink <&- >&- 2>&-",
                           GST_DEBUG="4")
            self.assertEqual(said.returncode, 0)
            with open(path, encoding="utf-8") as file:
                self.assertEqual({line[0] for line in file}, {"{"})
        self.refuses(1, "No space left", "/bin/sh", "-c", "Pipelines/summary --help >/dev/full")

    def test_failed_pipeline_keeps_earlier_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.write("earlier")
            self.refuses(1, "nonsense", "Pipelines/bus-to-json", "-o", path, "nonsense", "!", "fakesink")
            self.refuses(1, "/nowhere", "Pipelines/bus-to-json", "-o", path, "filesrc", "location=/nowhere", "!", "fakesink")
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "earlier")

    def test_programs_find_plugin(self):
        """Every program finds the plugin in any working directory, without with-plugin."""
        with tempfile.TemporaryDirectory() as folder:
            for words in (["bus-to-json", *"videotestsrc num-buffers=9 ! swiftodt detector=motion ! fakesink".split()],
                          ["live-camera", "-n", "9"], ["rtp-loopback", "1"],
                          ["with-plugin", "gst-inspect-1.0", "swiftodt"]):
                with self.subTest(words):
                    said = command("/usr/bin/env", "--unset=GST_PLUGIN_PATH", "--chdir=/", f"{ROOT}/Pipelines/{words[0]}", *words[1:],
                                   GST_REGISTRY=f"{folder}/registry.bin")
                    self.assertEqual(said.returncode, 0, said.stderr)

    def test_bus_to_json_prints_unknown_times_as_null(self):
        said = command("Pipelines/bus-to-json", *"videotestsrc num-buffers=1 ! swiftodt mode=single-image detector=motion ! fakesink".split())
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIsNone(json.loads(said.stdout.splitlines()[0])["utc-time"])
        self.assertNotIn("18446744073709551615", said.stdout)

    def test_odt_options_are_validated(self):
        self.refuses(2, "usage", TOOL)
        self.refuses(2, "'nonsense'.", TOOL, "nonsense")
        self.refuses(2, "unknown subcommand 'anotate'; did you mean 'annotate'?", TOOL, "anotate", "in.mp4")
        self.refuses(2, "--nonsense", TOOL, "detect", "--nonsense")
        self.refuses(2, "FILE", TOOL, "models", "show")
        self.refuses(1, "odt models list", TOOL, "models", "show", "nonsense")

    def test_help_of_subcommand(self):
        self.assertEqual(command(TOOL, "help", "annotate").stdout, command(TOOL, "annotate", "--help").stdout)
        self.assertIn("usage: odt <subcommand>", command(TOOL, "help").stdout)

    def test_unknown_option_is_answered_with_the_nearest_one(self):
        self.refuses(2, "unknown option '--jsn'; did you mean '--json'?", TOOL, "annotate", "--jsn", "-", "in.mp4")
        self.refuses(2, "unknown option '--nonsense'.", TOOL, "annotate", "--nonsense", "in.mp4")

    def test_property_given_as_an_option_is_answered_with_set(self):
        for command_ in ("annotate", "watch", "detect"):
            self.refuses(2, "--set max-objects=VALUE", TOOL, command_, "--max-objects", "3", "in.mp4", GST_PLUGIN_PATH=f"{ROOT}/.build/plugin")
        self.refuses(2, "--set model-file=VALUE", TOOL, "annotate", "--model", "x", "in.mp4", GST_PLUGIN_PATH=f"{ROOT}/.build/plugin")

    def test_unknown_property_is_answered_with_the_nearest_one(self):
        with tempfile.TemporaryDirectory() as folder:
            video = os.path.join(folder, "in.mkv")
            with open(video, "w", encoding="ascii") as file:
                file.write("no video")
            for setting, sentence in (("max-object=3", "swiftodt has no property 'max-object'; did you mean 'max-objects'?"),
                                      ("nonsense=3", "swiftodt has no property 'nonsense': gst-inspect-1.0"), ("draw", "'draw' is not NAME=VALUE")):
                self.refuses(2, sentence, TOOL, "annotate", "--set", setting, "--json", "-", video)

    def test_missing_picture_is_reported_before_the_network_is_loaded(self):
        for subcommand in ("detect", "classify"):
            said = command(TOOL, subcommand, "--model", "nonsense", "/nowhere.png")
            self.assertEqual((said.returncode, said.stderr.count("\n")), (4, 1), said.stderr)
            self.assertIn("/nowhere.png", said.stderr)

    def test_missing_model_for_pictures_has_the_exit_code_of_the_machine(self):
        for subcommand in ("detect", "classify"):
            self.refuses(3, "no_such_model", TOOL, subcommand, "--model", "no_such_model", f"{ROOT}/docs/annotated.jpg")

    def test_detect_names_the_option_for_videos(self):
        with tempfile.TemporaryDirectory() as folder:
            video = os.path.join(folder, "in.mp4")
            with open(video, "wb") as file:
                file.write(b"\0\0\0\x18ftypmp42")
            self.refuses(1, "in.mp4 is a video: use --detections FILE", TOOL, "detect", video)

    def test_unwritable_output_is_an_error(self):
        self.refuses(1, "No space left", "/bin/sh", "-c", f"{TOOL} models list >/dev/full")
        self.refuses(1, "No space left", "/bin/sh", "-c", f"echo 1,-1,1,1,9,9,1 | {TOOL} track --detections - -o -"
                     " >/dev/full")

    def test_odt_binary_size_is_bounded(self):
        """A static Foundation would multiply the size."""
        self.assertLess(os.path.getsize(TOOL), 16 << 20)

    def test_with_plugin_finds_the_python_package_and_odt(self):
        said = command("/usr/bin/env", "--unset=PYTHONPATH", f"{ROOT}/Pipelines/with-plugin", "/usr/bin/python3", "-c",
                       "import shutil, swiftodt; print(swiftodt.__file__, shutil.which('odt'))")
        self.assertEqual(said.stdout.split(), [f"{ROOT}/Pipelines/python/swiftodt/__init__.py", TOOL], said.stderr)

    def test_programs_run_through_symlinks(self):
        with tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, "plugin")
            os.symlink(f"{ROOT}/Pipelines/with-plugin", link)
            said = command(link, "printenv", "GST_PLUGIN_PATH")
            self.assertTrue(said.stdout.startswith(f"{ROOT}/.build/plugin"), said.stdout + said.stderr)


class TestPrograms(unittest.TestCase):
    """Tests/summary, Tests/install and the search of Pipelines/setup for a Swift toolchain."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def test_summary_groups_skipped_tests_by_reason(self):
        cases = [("A", "one", ""), ("A", "two", "<skipped>no broker</skipped>"), ("B", "three", "<skipped>no browser</skipped>"),
                 ("B", "four", "<skipped>no broker</skipped>"), ("B", "five", '<failure message="1 != 2"/>'), ("C", "six", "<skipped/>")]
        self.write("x.xml", "<testsuites><testsuite>" + "".join(
            f'<testcase classname="{kind}" name="{name}">{outcome}</testcase>' for kind, name, outcome in cases) + "</testsuite></testsuites>")
        self.write("steps", "passed setup\n")
        said = command("Tests/summary", self.folder)
        self.assertEqual(said.returncode, 1, said.stderr)
        self.assertEqual(said.stdout.splitlines(), [
            "", "failed: B.five: 1 != 2", "skipped 2: no broker", "    A.two, B.four", "skipped 1: no browser", "    B.three",
            "skipped 1: no reason given", "    C.six", "2 passed, 1 failed, 4 skipped"])

    def test_summary_counts_printed_tests_without_report(self):
        """Swift 6.0 writes no report. A report is used where it exists."""
        self.write("unit.swift-test", "\n".join([
            "◇ Test one() started.", "✔ Test one() passed after 0.001 seconds.", '✔ Test "two words" passed after 0.1 seconds.',
            "✘ Test three(_:) failed after 0.2 seconds with 1 issue.", '➜ Test four() skipped: "no model"', "✔ Suite Names passed after 1 seconds.",
            "✘ Test run with 4 tests failed after 1.2 seconds with 1 issue."]))
        self.write("steps", "passed setup\nskipped swift format lint: needs Swift 6.3\n")
        self.assertEqual(command("Tests/summary", self.folder).stdout.splitlines(), [
            "", "failed: three(_:)", "skipped 1: needs Swift 6.3", "    swift format lint", "skipped 1: no model", "    four()",
            "3 passed, 1 failed, 2 skipped"])
        self.write("unit-swift-testing.xml", "<testsuites><testcase classname='A' name='one'/></testsuites>")
        self.assertEqual(command("Tests/summary", self.folder).stdout.splitlines()[-1], "2 passed, 0 failed, 1 skipped")

    def test_skips_of_classes_and_subtests_are_reported(self):
        self.write("test_skips.py", "import unittest\nclass Whole(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n"
                   "        raise unittest.SkipTest('no camera')\n    def test_one(self):\n        pass\n"
                   "class Parts(unittest.TestCase):\n    def test_two(self):\n        for part in range(2):\n"
                   "            with self.subTest(part):\n                self.skipTest('no model')\n")
        said = command("/usr/bin/python3", "Tests/pipelines", "test_skips", f"{self.folder}/x.xml", PYTHONPATH=self.folder)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertEqual(sorted(case.text for case in tree.parse(f"{self.folder}/x.xml").iter("skipped")), ["no camera", "no model", "no model"])

    def test_newest_swift_toolchain_is_used(self):
        for folder, said in [("new", "Swift version 99.10 (a)"), ("old", "Swift version 6.1-dev (a)"), ("other", "python-swiftclient 4.5.0")]:
            os.makedirs(f"{self.folder}/{folder}")
            self.write(f"{folder}/swift", f"#!/bin/sh\necho '{said}'\n", 0o755)

        def found(folder, **environment):
            return command("Pipelines/setup", "--print-swift", PATH=f"{self.folder}/{folder}:{os.environ['PATH']}", **environment).stdout.strip()
        self.assertEqual(found("new"), f"{self.folder}/new/swift")
        self.assertNotEqual(found("other"), f"{self.folder}/other/swift")
        self.assertEqual(found("new", SWIFT=f"{self.folder}/old/swift"), f"{self.folder}/old/swift")
        for chosen in ("/nowhere/swift", f"{self.folder}/other/swift"):
            said = command("Pipelines/setup", "--print-swift", SWIFT=chosen)
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertIn(f"SWIFT={chosen} is no Swift compiler that runs", said.stderr)

    def installed(self, *, root, present, absent=()):
        """Runs Tests/install in a minimal checkout, with fake system programs that log their arguments."""
        os.makedirs(f"{self.folder}/Tests")
        shutil.copy(f"{ROOT}/Tests/install", f"{self.folder}/Tests/install")
        self.write("asked", "")
        os.makedirs(f"{self.folder}/bin")
        self.write("bin/id", f"#!/bin/sh\necho {0 if root else 1000}\n", 0o755)
        self.write("bin/sudo", "#!/bin/sh\nexit 1\n", 0o755)
        self.write("bin/dpkg-query", '#!/bin/sh\nfor last; do :; done\ncase " ' + " ".join(present) + ' " in *" $last "*) printf "ii " ;; *) exit 1 ;; esac\n', 0o755)
        refuse = "".join(f'case " $* " in *" {name} "*) exit 100 ;; esac\n' for name in absent)
        self.write("bin/apt-get", f'#!/bin/sh\necho "apt-get $*" >>{self.folder}/asked\n{refuse}', 0o755)
        said = command(f"{self.folder}/Tests/install", PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        self.assertEqual(said.returncode, 0, said.stderr)
        with open(f"{self.folder}/asked", encoding="utf-8") as file:
            return file.read().splitlines(), said.stderr

    def test_install_adds_missing_packages(self):
        asked, said = self.installed(root=True, present=PACKAGES[2:])
        self.assertEqual([line.split("--no-install-recommends")[-1].split() for line in asked if " install " in line], [PACKAGES[:2]], said)

    def test_install_continues_without_unavailable_packages(self):
        asked, said = self.installed(root=True, present=PACKAGES[3:], absent=PACKAGES[1:2])
        self.assertEqual([line.split("--no-install-recommends")[-1].split() for line in asked if " install " in line],
                         [PACKAGES[:3], *([name] for name in PACKAGES[:3])])
        self.assertIn(f"{PACKAGES[1]} is not installed", said)

    def test_install_without_root_names_missing_packages(self):
        asked, said = self.installed(root=False, present=PACKAGES[1:])
        self.assertEqual(asked, [])
        self.assertIn(f"without root these are not installed: {PACKAGES[0]}", said)


with open(f"{ROOT}/Tests/install", encoding="utf-8") as script:
    PACKAGES = re.search(r"^packages=\((.*?)\)$", script.read(), re.MULTILINE | re.DOTALL)[1].split()
