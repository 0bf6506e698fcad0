"""Pipelines/package: its packages and archive are complete, work without this checkout and uninstall. clean_roots.py tests them in clean
systems (Tests/run packages)."""
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from streams import DATA, ROOT, command, installed_models

ODT = f"{ROOT}/.build/tool/odt"
TOOLS = [tool for tool in ("dpkg-buildpackage", "dh", "dh_python3", "dh_bash-completion") if not shutil.which(tool)]
MODELS = all(map(installed_models, ("detector", "salient", "classifier")))
WHEELS = glob.glob(os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "swiftodt/downloads/openvino-*.whl"))
FAST = {"DPKG_DEB_COMPRESSOR_TYPE": "gzip", "DPKG_DEB_COMPRESSOR_LEVEL": "1"}


def setUpModule():
    global folder
    folder = unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="packages "))
    made = command("Pipelines/package", "--out", folder, *(["--no-debian"] if TOOLS else []), *([] if MODELS else ["--no-models"]),
                   seconds=300, **FAST)
    assert made.returncode == 0, made.stdout + made.stderr


def subcommands():
    return re.findall(r"^  ([a-z]+) ", subprocess.run([ODT, "--help"], capture_output=True, text=True).stdout, re.MULTILINE)


def package(name):
    return glob.glob(f"{folder}/{name}_*.deb")[0]


def asked(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@unittest.skipIf(TOOLS, f"{', '.join(TOOLS)} not installed")
class Packages(unittest.TestCase):
    def test_packages_contain_expected_files(self):
        listed = {name: asked("dpkg-deb", "--contents", package(name))
                  for name in ["gstreamer1.0-swiftodt", "swiftodt-tools", "python3-swiftodt", *(["swiftodt-models"] if MODELS else [])]}
        self.assertRegex(listed["gstreamer1.0-swiftodt"], r"\./usr/lib/[a-z0-9_]+-linux-gnu/gstreamer-1.0/libgstswiftodt.so\n")
        for path in ("bin/odt", "share/swiftodt/fetch-runtime", "share/swiftodt/models/catalogue.json", "bin/swiftodt-bus-to-json -> ",
                     "share/bash-completion/completions/odt", "share/zsh/vendor-completions/_odt", "share/fish/vendor_completions.d/odt.fish", "share/doc/swiftodt-tools/examples/watch.conf", *(f"share/man/man1/odt-{name}.1.gz" for name in subcommands())):
            self.assertIn("./usr/" + path, listed["swiftodt-tools"])
        self.assertIn("lib/systemd/system/swiftodt-watch.service", listed["swiftodt-tools"])
        self.assertIn("dist-packages/swiftodt/__init__.py", listed["python3-swiftodt"])
        if MODELS:
            # The models that setup installs, not further ones that somebody fetched.
            packed = re.findall(r"/usr/share/swiftodt/models/(\w+)\.json", listed["swiftodt-models"])
            for purpose in ("detector", "salient", "classifier"):
                self.assertTrue(set(packed) & set(installed_models(purpose)), (purpose, packed))
        for name, text in listed.items():
            self.assertIn(f"share/doc/{name}/copyright", text)
            self.assertNotIn("__pycache__", text)
            self.assertNotIn("/usr/local", text)

    def test_dependencies_exist_in_both_releases(self):
        """Debian 13 and Ubuntu renamed some libraries, so the packages must depend on either name."""
        for name in ("gstreamer1.0-swiftodt", "swiftodt-tools"):
            depends = asked("dpkg-deb", "--field", package(name), "Depends")
            self.assertRegex(depends, r"libglib2\.0-0 \([^)]*\) \| libglib2\.0-0t64 \(")
            self.assertRegex(depends, r"libturbojpeg0 \([^)]*\) \| libturbojpeg \(")
            self.assertIn("libgstreamer1.0-0", depends)
        version = asked(ODT, "--version").split()[1]
        self.assertEqual(asked("dpkg-deb", "--field", package("swiftodt-tools"), "Version").strip(), version)

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_finds_no_error(self):
        said = command("lintian", "--allow-root", "--fail-on", "error", *glob.glob(f"{folder}/*.deb"))
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)


class Archive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="an archive "))
        subprocess.run(["tar", "-xzf", *glob.glob(f"{folder}/*.tar.gz"), "-C", place], check=True)
        cls.unpacked, = glob.glob(f"{place}/swiftodt-*")

    def setUp(self):
        self.home = self.enterContext(tempfile.TemporaryDirectory(prefix="a home "))
        self.environment = dict(
            HOME=self.home, XDG_DATA_HOME="", XDG_CACHE_HOME=f"{self.home}/.cache", GST_PLUGIN_PATH="", SWIFTODT_MODEL_PATH="",
            GST_REGISTRY=f"{self.home}/registry.bin", PATH=f"{self.home}/.local/bin:{os.environ['PATH']}")

    def run_there(self, *words, code=0, **environment):
        said = command("/usr/bin/env", f"--chdir={self.home}", *words, **self.environment | environment)
        self.assertEqual(said.returncode, code, said.stdout + said.stderr)
        return said.stdout + said.stderr

    def files(self, *folders):
        return sorted(os.path.relpath(os.path.join(here, name), self.home) for top in folders
                      for here, _, names in os.walk(f"{self.home}/{top}") for name in names)

    def test_archive_installs_works_and_uninstalls(self):
        self.run_there("sh", "-c", 'cp -r "$0" unpacked && unpacked/install && rm -r unpacked', self.unpacked)
        self.assertIn(f"{self.home}/.local/share/gstreamer-1.0/plugins", self.run_there("gst-inspect-1.0", "swiftodt"))
        self.assertIn('"detections": 20', self.run_there("swiftodt-bus-to-json", *"videotestsrc num-buffers=20 pattern=ball ! swiftodt"
                                                         " detector=motion ! fakesink".split()))
        self.assertIn("swiftodt-live-camera", self.run_there("swiftodt-live-camera", "--help"))
        self.assertIn("not installed", self.run_there("odt", "models", "list"))
        self.assertIn("/.local/lib/python3", self.run_there("/usr/bin/python3", "-c", "import swiftodt; print(swiftodt.__file__)"))
        findings = {one["part"]: one for one in json.loads(self.run_there(
            "odt", "doctor", "--json", code=1, SWIFTODT_OPENVINO="/nowhere"))["findings"]}
        self.assertEqual(findings["plugin"]["verdict"], "fine")
        self.assertIn('run "odt setup"', findings["runtime"]["detail"])
        if MODELS:
            self.assertIn(f"intact, {self.home}/.local/share/swiftodt/models/", findings["salient"]["detail"])
        # odt models quantise installs its packages there.
        os.makedirs(f"{self.home}/.local/share/swiftodt/quantise-3.11/nncf")
        for name in ("quantise-3.11/.stamp", "quantise-3.11/nncf/__init__.py"):
            open(f"{self.home}/.local/share/swiftodt/{name}", "w", encoding="ascii").close()
        # The user's own models stay.
        with open(f"{self.home}/.local/share/swiftodt/models/mine.onnx", "w", encoding="ascii") as file:
            file.write("mine")
        self.run_there(f"{self.home}/.local/share/swiftodt/install", "--uninstall")
        self.assertEqual(self.files(".local"), [".local/share/swiftodt/models/mine.onnx"])

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_named_line_makes_zsh_find_completion(self):
        said = self.run_there(f"{self.unpacked}/install")
        line, = re.findall(r"before compinit in ~/\.zshrc: (.*)", said)
        script = "%s; autoload -Uz compinit; compinit -u -D; print $_comps[odt]"
        self.assertEqual(self.run_there("zsh", "-fc", script % line).strip(), "_odt")
        self.assertEqual(self.run_there("zsh", "-fc", script % "true").strip(), "")

    def test_second_installation_removes_obsolete_files_and_uninstallation_keeps_changed_ones(self):
        """Obsolete are files and links that only the previous version had. One name is a prefix of a remaining file's name."""
        self.run_there(f"{self.unpacked}/install")
        share = f"{self.home}/.local/share/swiftodt"
        old, link, changed = f"{share}/summ", f"{self.home}/.local/bin/swiftodt-old", f"{share}/summary"
        with open(old, "w", encoding="ascii") as file:
            file.write("old")
        os.symlink("../share/swiftodt/gone", link)
        with open(f"{share}/installed-files", "a", encoding="ascii") as file:
            file.write(f"{hashlib.sha256(b'old').hexdigest()} {old}\nlink {link}\n")
        self.run_there(f"{self.unpacked}/install")
        self.assertFalse(os.path.exists(old))
        self.assertFalse(os.path.lexists(link))
        self.assertTrue(os.path.exists(changed))
        with open(changed, "a", encoding="ascii") as file:
            file.write("\n")
        self.assertIn(f"left {changed}", self.run_there(f"{self.unpacked}/install", "--uninstall"))
        self.assertEqual(self.files(".local"), [os.path.relpath(changed, self.home)])
        self.assertIn("nothing is installed", self.run_there(f"{self.unpacked}/install", "--uninstall", code=1))

    def test_custom_prefix(self):
        """odt finds the plugin of its own prefix, which GStreamer does not search."""
        prefix = f"{self.home}/opt/some where"
        said = self.run_there(f"{self.unpacked}/install", "--prefix", prefix)
        self.assertIn(f"GST_PLUGIN_PATH={prefix}/lib/gstreamer-1.0", said)
        findings = {one["part"]: one for one in json.loads(self.run_there(
            f"{prefix}/bin/odt", "doctor", "--json", code=1, SWIFTODT_OPENVINO="/nowhere"))["findings"]}
        self.assertIn(f"{prefix}/lib/gstreamer-1.0/libgstswiftodt.so", findings["plugin"]["detail"])
        if MODELS:
            self.assertIn(f"{prefix}/share/swiftodt/models", findings["detector"]["detail"])
        self.run_there(f"{self.unpacked}/install", "--prefix", prefix, "--uninstall")
        self.assertEqual(self.files("opt", ".local"), [])

    def test_all_users_can_read_an_installation_outside_home(self):
        with tempfile.TemporaryDirectory() as outside:
            self.run_there("/bin/sh", "-c", 'umask 077; cp -r "$0" private && private/install --prefix "$1/opt"', self.unpacked, outside)
            self.assertEqual(asked("find", f"{outside}/opt", "(", "-type", "d", "!", "-perm", "-go=rx", "-o", "!", "-perm", "-go=r", ")"), "")
            self.assertTrue(os.access(f"{outside}/opt/bin/odt", os.X_OK))

    def test_folders_of_the_environment_must_be_absolute(self):
        self.run_there(f"{self.unpacked}/install", XDG_DATA_HOME="relative")
        self.assertEqual(self.files("relative"), [])
        self.assertIn(".local/share/gstreamer-1.0/plugins/libgstswiftodt.so", self.files(".local"))

    def test_missing_libraries_are_named(self):
        """The installer names the packages of missing libraries before it copies a file."""
        os.mkdir(f"{self.home}/bin")
        with open(f"{self.home}/bin/ldd", "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nprintf '\\tlibpango-1.0.so.0 => not found\\n\\tlibturbojpeg.so.0 => not found\\n'\n")
        os.chmod(f"{self.home}/bin/ldd", 0o755)
        said = self.run_there(f"{self.unpacked}/install", code=1, PATH=f"{self.home}/bin:{os.environ['PATH']}")
        self.assertRegex(said, "apt install libpango-1.0-0 libturbojpeg")
        self.assertEqual(self.files(".local"), [])

    def test_every_library_has_its_package(self):
        """The installer names the package of every required library."""
        with open(f"{self.unpacked}/install", encoding="utf-8") as file:
            known = set(re.findall(r"lib[a-z0-9.+-]+\.so\.[0-9]+", file.read()))
        needed = set()
        for path in (f"{self.unpacked}/bin/odt", f"{self.unpacked}/lib/libgstswiftodt.so"):
            needed |= set(re.findall(r"NEEDED.*\[(lib[^]]+)\]", asked("readelf", "-d", path)))
        self.assertEqual({name for name in needed if not name.startswith(("libc.", "libm."))} - known, set())

    def test_relocated_data_is_read_only(self):
        for path in (f"{self.unpacked}/bin/odt", f"{self.unpacked}/lib/libgstswiftodt.so"):
            self.assertIn("GNU_RELRO", asked("readelf", "-lW", path))
            self.assertRegex(asked("readelf", "-dW", path), r"FLAGS_1\).*NOW")

    @unittest.skipUnless(WHEELS and MODELS, "the runtime's wheel is not in the download folder")
    def test_setup_installs_runtime(self):
        """From the archive alone to a working network."""
        self.run_there(f"{self.unpacked}/install")
        os.makedirs(f"{self.home}/.cache/swiftodt/downloads")
        for wheel in WHEELS:
            os.symlink(wheel, f"{self.home}/.cache/swiftodt/downloads/{os.path.basename(wheel)}")
        self.run_there("odt", "setup", "--all-devices")
        # A fetched model is not in the archive's list of installed files.
        for name in glob.glob(f"{DATA}/models/ssd_mobilenet_v2.*"):
            shutil.copy(name, f"{self.home}/.local/share/swiftodt/models")
        self.assertTrue(glob.glob(f"{self.home}/.local/share/swiftodt/openvino/*intel_gpu_plugin.so") or os.uname().machine != "x86_64")
        findings = {one["part"]: one for one in json.loads(self.run_there("odt", "doctor", "--json"))["findings"]}
        self.assertEqual(findings["network"]["verdict"], "fine")
        self.run_there(f"{self.unpacked}/install", "--uninstall")
        self.assertEqual(self.files(".local"), [])


class Manual(unittest.TestCase):
    def test_man_pages_match_help(self):
        with tempfile.TemporaryDirectory() as pages:
            command("Pipelines/packaging/man-pages", "--odt", ODT, "--version", "1", "--out", pages)
            for name in subcommands():
                with open(f"{pages}/odt-{name}.1", encoding="utf-8") as file:
                    page = file.read().replace("\\", "")
                page = page.replace("(aq", "'")
                # Without XDG_DATA_HOME, so that the help text does not contain the user's own folder.
                said = asked("env", "-u", "XDG_DATA_HOME", ODT, name, "--help")
                for line in re.findall(r"^  (-.*?)(?:  .*)?$", said, re.MULTILINE):
                    for option in re.findall(r"(?:^|, )(--?[a-z-]+)", line):
                        self.assertRegex(page, rf"\n\.B (.*, )?{option}\b", name)
                # No paths of the machine on which the pages were built.
                for place in (ROOT, os.path.expanduser("~")):
                    self.assertNotRegex(page, rf"(?<![\w/~}}]){re.escape(place)}\b")
                words = {kind: set(re.findall(r"\w+", text.lower()))
                         for kind, text in (("said", said), ("page", page), ("here", f"usage {ODT} {os.path.expanduser('~')}"))}
                self.assertEqual(words["said"] - words["page"] - words["here"], set(), name)


class Completion(unittest.TestCase):
    def completed(self, *words):
        """Returns the completions of bash for these words; the last one is incomplete."""
        script = (f'source "{ROOT}/Pipelines/packaging/odt.bash-completion"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));'
                  ' _odt; printf "%s\\n" "${COMPREPLY[@]}"')
        return asked("bash", "--norc", "-c", script, "bash", ODT, *words).split()

    def zsh(self, *words):
        """Returns what the function for zsh offers for these words."""
        script = ('compadd() { while [ "$1" != -- ]; do shift; done; shift; print -l -- "$@"; }; _files() { print FILES; };'
                  f' words=("$@"); CURRENT=$#; source "{ROOT}/Pipelines/packaging/odt.zsh-completion"')
        return asked("zsh", "-f", "-c", script, "zsh", ODT, *words).split()

    def fish(self, line):
        script = f'source "{ROOT}/Pipelines/packaging/odt.fish-completion"; complete -C "{line}"'
        return [word.split("\t")[0] for word in asked("env", f"PATH={os.path.dirname(ODT)}:{os.environ['PATH']}", "fish", "--no-config", "-c", script).splitlines()]

    @unittest.skipUnless(shutil.which("zsh"), "needs zsh")
    def test_zsh_offers_the_same_as_bash(self):
        for words in ([""], ["models", ""], ["detect", "-"], ["watch", "--"], ["models", "fetch", "-"], ["annotate", "--container", ""], ["bench", ""]):
            self.assertEqual(sorted(self.zsh(*words)), sorted(self.completed(*words)) if words[-1] in ("", "-") else self.completed(words[0], "-"), words)
        self.assertEqual(self.zsh("detect", "a"), ["FILES"])

    @unittest.skipUnless(shutil.which("fish"), "needs fish")
    def test_fish_offers_the_same_as_bash(self):
        for words in (["dete"], ["models", "f"], ["detect", "-"], ["watch", "--cli"], ["models", "fetch", "--s"], ["annotate", "--container", "m"]):
            self.assertEqual(sorted(self.fish(" ".join(["odt", *words]))), sorted(self.completed(*words)), words)

    def test_subcommands_are_completed(self):
        self.assertEqual(self.completed(""), [*subcommands(), "--help", "--version"])
        self.assertEqual(self.completed("dete"), ["detect"])
        self.assertEqual(self.completed("models", ""), ["list", "use", "fetch", "quantise", "verify", "show"])
        self.assertIn("motion", self.completed("bench", "m"))
        # This is an option of another subcommand.
        self.assertNotIn("--store", self.completed("detect", "-"))
        self.assertIn("--sha256", self.completed("models", "fetch", "--s"))

    def test_every_option_is_completed(self):
        """An option that is missing in --help is also missing in the manual page."""
        offered = {option for name in subcommands() for option in self.completed(name, "-")}
        offered |= set(self.completed("models", "quantise", "-")) | set(self.completed("-"))
        for path in glob.glob(f"{ROOT}/Sources/odt/**/*.swift", recursive=True):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            read = set(re.findall(r'"(--?[a-z-]+)"', " ".join(re.findall(r"(?:valued|flags): \[([^]]*)\]", text))))
            # Options that a configuration file may contain are listed without dashes.
            names = re.findall(r"static let (?:names|valued|flags): Set<String> = (?:Set\()?\[([^]]*)\]", text)
            read |= {"--" + name for name in re.findall(r'"([a-z-]+)"', " ".join(names))}
            # The doctor calls itself with --try.
            self.assertEqual(read - offered - {"--try", "--try-runtime"}, set(), path)
