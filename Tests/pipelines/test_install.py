"""Pipelines/setup --install makes a working installation, and --uninstall removes all of it and nothing else."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from streams import DATA, DETECTORS, command, installed_models, needs_detector

IN_NAMESPACE = ["unshare", "--mount", "--propagation", "private", "--map-root-user"]
HAS_NAMESPACES = subprocess.run([*IN_NAMESPACE, "mount", "-t", "tmpfs", "none", "/usr/local"], capture_output=True).returncode == 0
# Installs for all users into an empty /usr/local, with a folder of plugins there, and prints the files and folders that other users cannot read.
FOR_ALL = """mount -t tmpfs none /usr/local
printf '#!/bin/sh\necho /usr/local/lib/plugins\n' >"$HOME/pkg-config"
chmod +x "$HOME/pkg-config"
umask 077
PATH=$HOME:$PATH GST_PLUGIN_SYSTEM_PATH=/usr/local/lib/plugins Pipelines/setup --system --no-packages --no-models --no-build >&2 &&
    find /usr/local -mindepth 1 '(' -type d ! -perm -go=rx -o ! -perm -go=r ')'
"""
# Installs for all users where a Debian package has the plugin, and uninstalls. Prints the messages, the exit code and the plugin's content.
BESIDE_PACKAGE = """mount -t tmpfs none /usr/local
mkdir -p /usr/local/lib/plugins /usr/local/bin
echo plugin of Debian >/usr/local/lib/plugins/libgstswiftodt.so
touch /usr/local/bin/odt
printf '#!/bin/sh
echo /usr/local/lib/plugins
' >"$HOME/pkg-config"
printf '#!/bin/sh
echo "gstreamer1.0-swiftodt:amd64: $2"
' >"$HOME/dpkg-query"
chmod +x "$HOME/pkg-config" "$HOME/dpkg-query"
PATH=$HOME:$PATH
Pipelines/setup --system --no-packages --no-models --no-build 2>&1
echo "exit code $?"
Pipelines/setup --system --uninstall 2>&1
cat /usr/local/lib/plugins/libgstswiftodt.so
"""


class Installation(unittest.TestCase):
    """The home folder is temporary, and its name contains a blank."""

    def test_install_and_uninstall(self):
        with tempfile.TemporaryDirectory(prefix="a home ") as home:
            def run(*words):
                completed = command(*words, seconds=280, HOME=home, XDG_DATA_HOME=f"{home}/.local/share",
                               XDG_CACHE_HOME=f"{home}/.cache", GST_PLUGIN_PATH="", GST_REGISTRY=f"{home}/registry.bin")
                self.assertEqual(completed.returncode, 0, completed.stdout + completed.stderr)
                return completed.stdout

            run("Pipelines/setup", "--install", "--no-packages", "--no-models")
            self.assertIn(home, run("gst-inspect-1.0", "swiftodt"))
            self.assertIn("efficientdet_lite0_int8", run(f"{home}/.local/bin/odt", "models", "list"))
            self.assertIn(home, run("/usr/bin/python3", "-c", "import swiftodt; print(swiftodt.__file__)"))
            # These programs import or read all files that fetching and converting models needs.
            self.assertIn("efficientdet_lite0_int8", run(f"{home}/.local/share/swiftodt/fetch-models", "--list"))
            self.assertIn("--folder", run(f"{home}/.local/share/swiftodt/fetch-runtime", "--help"))
            run("Pipelines/setup", "--uninstall")
            left = [os.path.join(folder, name) for folder, _, names in os.walk(f"{home}/.local") for name in names]
            self.assertEqual(left, [])

    @unittest.skipUnless(HAS_NAMESPACES, "cannot replace /usr/local in a mount namespace")
    def test_all_users_can_read_a_system_installation(self):
        with tempfile.TemporaryDirectory(prefix="a home ") as home:
            os.makedirs(f"{home}/.local/share/swiftodt/openvino", 0o700)
            with open(f"{home}/.local/share/swiftodt/openvino/library", "w", opener=lambda *words: os.open(*words, 0o600), encoding="ascii"):
                pass
            completed = command(*IN_NAMESPACE, "sh", "-c", FOR_ALL, HOME=home, XDG_DATA_HOME="", XDG_CACHE_HOME="", SUDO_USER="", GST_PLUGIN_PATH="", GST_REGISTRY=f"{home}/registry.bin")
            self.assertEqual((completed.returncode, completed.stdout), (0, ""), completed.stderr)
            for name in ("bin/odt", "share/swiftodt/openvino", "share/swiftodt/fetch-models", "lib/plugins/libgstswiftodt.so"):
                self.assertIn(f"installed /usr/local/{name}\n", completed.stderr)

    @unittest.skipUnless(HAS_NAMESPACES, "cannot replace /usr/local in a mount namespace")
    def test_plugin_of_a_package_is_kept(self):
        with tempfile.TemporaryDirectory(prefix="a home ") as home:
            completed = command(*IN_NAMESPACE, "sh", "-c", BESIDE_PACKAGE, HOME=home, XDG_DATA_HOME="", XDG_CACHE_HOME="")
            refusal, code, *rest = completed.stdout.splitlines()
            self.assertIn("belongs to the Debian package gstreamer1.0-swiftodt: keep that one, or remove it first", refusal)
            self.assertEqual([code, *rest], ["exit code 1", "setup: left the plugin, which belongs to the Debian package gstreamer1.0-swiftodt",
                                             "setup: removed /usr/local/bin/odt", "plugin of Debian"])

    def test_uninstall_under_sudo_runs_as_the_user(self):
        with tempfile.TemporaryDirectory(prefix="a home ") as home:
            for name, text in (("id", "echo 0"), ("stat", "echo somebody"), ("sudo", 'echo "$1 $2 ... ${*##*/}"')):
                with open(f"{home}/{name}", "w", opener=lambda *words: os.open(*words, 0o755), encoding="ascii") as file:
                    file.write(f"#!/bin/bash\n{text}\n")
            completed = command("Pipelines/setup", "--uninstall", HOME=home, SUDO_USER="somebody", PATH=f"{home}:{os.environ['PATH']}")
            self.assertEqual(completed.returncode, 0, completed.stderr)
            self.assertRegex(completed.stdout, r"^-u somebody \.\.\. .*setup --uninstall\n$")

    def test_folders_of_the_environment_must_be_absolute(self):
        with tempfile.TemporaryDirectory(prefix="a home ") as home:
            plugin = f"{home}/.local/share/gstreamer-1.0/plugins/libgstswiftodt.so"
            os.makedirs(os.path.dirname(plugin))
            open(plugin, "w", encoding="ascii").close()
            completed = command("Pipelines/setup", "--uninstall", HOME=home, XDG_DATA_HOME="relative", XDG_CACHE_HOME="relative")
            self.assertEqual((completed.returncode, completed.stdout), (0, f"setup: removed {plugin}\n"), completed.stderr)

    def test_home_is_optional(self):
        for words in (("Pipelines/setup", "--no-packages", "--no-models", "--no-build"), ("Pipelines/packaging/install", "--help")):
            completed = command("/usr/bin/env", "--unset=HOME", "--unset=XDG_DATA_HOME", "--unset=XDG_CACHE_HOME", *words)
            self.assertEqual((completed.returncode, completed.stderr), (0, ""))

    @needs_detector
    def test_user_files_are_kept(self):
        """--uninstall keeps the user's own models and videos beside the fetched ones, and fetched models that were changed."""
        salient = installed_models("salient")[0]
        with tempfile.TemporaryDirectory(prefix="a home ") as home:
            data = f"{home}/data/swiftodt"
            for folder in ("models", "videos", "openvino"):
                os.makedirs(f"{data}/{folder}")
            for name in os.listdir(f"{DATA}/models"):
                if name.startswith((f"{DETECTORS[0]}.", f"{salient}.", "catalogue.")):
                    shutil.copy(f"{DATA}/models/{name}", f"{data}/models")
            own = [*sorted(["models/mine.json", "models/mine.onnx", "models/mine.txt", f"models/{salient}.json", f"models/{salient}.onnx"]),
                   "openvino/libopenvino_c.so", "quantise-mine/notes", "videos/holiday.mp4"]
            for folder in ("quantise-3.11", "quantise-mine"):
                os.mkdir(f"{data}/{folder}")
            for name in [*own, "videos/bikes.mp4", "videos/.stamp", "models/wheel_part.py", "quantise-3.11/.stamp", "quantise-3.11/nncf"]:
                if salient not in name:
                    with open(f"{data}/{name}", "w", encoding="ascii") as file:
                        file.write("{}")
            # A changed model: its hash differs from the manifest's.
            with open(f"{data}/models/{salient}.onnx", "ab") as file:
                file.write(b"more")

            def uninstall():
                completed = command("Pipelines/setup", "--uninstall", HOME=home, XDG_DATA_HOME=f"{home}/data", XDG_CACHE_HOME=f"{home}/.cache")
                self.assertEqual(completed.returncode, 0, completed.stdout + completed.stderr)
                return completed.stdout, sorted(os.path.relpath(os.path.join(folder, name), data)
                                           for folder, _, names in os.walk(f"{home}/data") for name in names)

            text, left = uninstall()
            self.assertEqual(left, own, text)
            self.assertIn(f"left {salient}, which has changed since", text)
            self.assertIn(f"{data}/models/mine.onnx", text)
            # A changed manifest also counts as a change.
            shutil.copy(f"{DATA}/models/{salient}.onnx", f"{data}/models")
            with open(f"{data}/models/{salient}.json", encoding="utf-8") as file:
                manifest = json.load(file)
            with open(f"{data}/models/{salient}.json", "w", encoding="utf-8") as file:
                json.dump(manifest | {"score-threshold": 0.3}, file)
            self.assertEqual(uninstall()[1], own)
            with open(f"{data}/models/{salient}.json", "w", encoding="utf-8") as file:
                json.dump(manifest, file)
            self.assertEqual(uninstall()[1], [name for name in own if salient not in name])
