"""Installs, uses and purges the packages in minimal systems with Debian 12 and 13 that are made from the network, and builds the source
package in the latter.

Takes minutes and needs root, so it runs only with Tests/run packages.
"""
import glob
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from streams import DATA, command

MAKERS = {"mmdebstrap": ["--variant=apt", "--quiet"], "debootstrap": ["--variant=minbase"]}
MAKER = next((name for name in MAKERS if shutil.which(name)), None)
LACKING = [tool for tool in ("dpkg-buildpackage", "dh", "dh_python3", "dh_bash-completion") if not shutil.which(tool)]
# The mirror; without this variable the tool's default.
MIRROR = [os.environ["DEBIAN_MIRROR"]] if os.environ.get("DEBIAN_MIRROR") else []
# The home of the packages' user.
HOME = "/home/somebody"
NAMES = ["gstreamer1.0-swiftodt", "swiftodt-tools", "swiftodt-models", "python3-swiftodt"]
# The mounts are visible only in the command's mount namespace and end with it.
ENTER = ('mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" env -i HOME=%s LANG=C.UTF-8'
         ' PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"') % HOME
PIPELINE = "videotestsrc num-buffers=20 pattern=ball ! swiftodt detector=motion ! fakesink".split()
# Paths that every package installation changes, and the user's files.
CHANGING = ("/var/", f"{HOME}/", "/tmp/", "/packages/", "/etc/ld.so.cache", "/etc/resolv.conf", "/etc/shadow", "/etc/gshadow",
            "/etc/group", "/etc/passwd", "/dev/", "/proc/")


def setUpModule():
    global folder
    if os.geteuid() != 0 or not MAKER or LACKING:
        return
    folder = tempfile.TemporaryDirectory(prefix="roots-")
    unittest.addModuleCleanup(folder.cleanup)
    said = [command("Pipelines/package", "--out", f"{folder.name}/{out}", seconds=600) for out in ("one", "two")]
    assert [one.returncode for one in said] == [0, 0], said


@unittest.skipUnless(os.geteuid() == 0, "needs root to make a root file system")
@unittest.skipUnless(MAKER, "neither mmdebstrap nor debootstrap is installed")
@unittest.skipIf(LACKING, f"{', '.join(LACKING)} not installed")
class CleanRoots(unittest.TestCase):
    def inside(self, *words, code=0, seconds=900):
        said = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c", ENTER, self.root, *words],
                              capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(said.returncode, code, (words, said.stdout[-3000:], said.stderr[-3000:]))
        return said.stdout

    def files(self):
        listed = self.inside("find", "/", "-xdev", "(", "-type", "f", "-o", "-type", "l", ")")
        return {name for name in listed.splitlines() if not name.startswith(CHANGING)}

    def findings(self, code):
        return {one["part"]: one for one in json.loads(self.inside("odt", "doctor", "--json", code=code))["findings"]}

    def test_packages_work_on_debian_12(self):
        self.goes_through("bookworm")

    def test_packages_work_on_debian_13(self):
        self.goes_through("trixie")

    def test_package_build_is_reproducible(self):
        """Two builds of the same content have the same checksums."""
        def sums(out):
            return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in pathlib.Path(folder.name, out).iterdir()}
        self.assertEqual(sums("one"), sums("two"))

    def make_root(self, release, name):
        self.root = f"{folder.name}/{name}"
        done = subprocess.run([MAKER, *MAKERS[MAKER], release, self.root, *MIRROR], capture_output=True, text=True, timeout=900, check=False)
        if done.returncode != 0:
            self.skipTest(f"{release} cannot be installed: {done.stderr[-300:]}")
        shutil.copy("/etc/resolv.conf", f"{self.root}/etc")
        os.makedirs(f"{self.root}{HOME}")
        self.inside("apt-get", "-qq", "update")

    def test_source_package_builds_on_debian_13(self):
        """debian/rules compiles with Debian's Swift; lintian finds no error; the autopkgtest passes with the packages made."""
        self.make_root("trixie", "builder")
        said = command("Pipelines/package", "--source", "--out", f"{self.root}/source")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        source, = glob.glob(f"{self.root}/source/swiftodt_*.dsc")
        source = f"/source/{os.path.basename(source)}"
        self.inside("apt-get", "-qq", "-y", "install", "--no-install-recommends", "dpkg-dev", "lintian", "autopkgtest")
        self.inside("apt-get", "-qq", "-y", "--no-install-recommends", "build-dep", source, seconds=1800)
        self.inside("sh", "-c", f"cd /source && dpkg-source --extract {source} tree && cd tree && dpkg-buildpackage --no-sign", seconds=3000)
        made = os.listdir(f"{self.root}/source")
        for name in ("gstreamer1.0-swiftodt", "gstreamer1.0-swiftodt-dbgsym", "swiftodt-tools", "swiftodt-tools-dbgsym", "python3-swiftodt"):
            self.assertTrue(any(file.startswith(f"{name}_") and file.endswith(".deb") for file in made), (name, made))
        self.assertFalse(any(file.startswith("swiftodt-models_") for file in made), made)
        self.inside("sh", "-c", "lintian --allow-root --fail-on error /source/*.changes")
        self.inside("sh", "-c", "autopkgtest /source/*.deb /source/tree -- null")

    def goes_through(self, release):
        self.make_root(release, release)
        shutil.copytree(f"{folder.name}/one", f"{self.root}/packages")
        # Recommended packages are left out, except those that this test uses: the packages must work with their dependencies alone.
        self.inside("apt-get", "-qq", "-y", "install", "--no-install-recommends", "gstreamer1.0-tools", "fonts-dejavu-core", "python3-pip")
        packages = [f"/packages/{name}" for name in os.listdir(f"{self.root}/packages") if name.endswith(".deb")]
        self.assertEqual(len(packages), len(NAMES))
        # A first installation and purge, so that the dependencies count as present before.
        self.inside("apt-get", "-qq", "-y", "install", "--no-install-recommends", *packages)
        self.is_used()
        self.inside("apt-get", "-qq", "-y", "purge", *NAMES)
        before = self.files()
        self.assertEqual([name for name in before if "swiftodt" in name or "/odt" in name], [])
        self.inside("apt-get", "-qq", "-y", "install", "--no-install-recommends", *packages)
        self.is_used()
        if os.path.exists(f"{self.root}/usr/bin/systemctl"):
            # The service must be enabled explicitly, and purging must remove that, too.
            self.assertEqual(self.inside("systemctl", "is-enabled", "swiftodt-watch", code=1).strip(), "disabled")
            self.inside("systemctl", "enable", "swiftodt-watch")
        # Reinstallation, as an upgrade does it.
        self.inside("apt-get", "-qq", "-y", "--reinstall", "install", "--no-install-recommends", *packages)
        self.inside("apt-get", "-qq", "-y", "purge", *NAMES)
        # The purge must also remove the programs' __pycache__, which is no file of the package.
        self.assertEqual(self.files() ^ before, set())
        self.assertNotIn("swiftodt", self.inside("dpkg-query", "-W", "-f", "${Package}\n"))

    def is_used(self):
        """Runs the commands of a first use."""
        self.assertRegex(self.inside("gst-inspect-1.0", "swiftodt"), r"/lib/[a-z0-9_]+-linux-gnu/gstreamer-1.0/libgstswiftodt.so")
        self.assertIn("tracking-id", self.inside("gst-launch-1.0", "-m", *PIPELINE))
        self.assertRegex(self.inside("odt", "--version"), r"^odt \d+\.")
        self.assertIn('"detections": 20', self.inside("swiftodt-bus-to-json", *PIPELINE))
        self.assertIn("/usr/lib/python3/dist-packages/swiftodt", self.inside("python3", "-c", "import swiftodt; print(swiftodt.__file__)"))
        self.assertIn("gzip", self.inside("sh", "-c", "head -c 2 /usr/share/man/man1/odt-annotate.1.gz | grep -q $(printf '\\037\\213') && echo gzip"))
        self.assertIn("--tracks-csv", self.inside("bash", "-c", "source /usr/share/bash-completion/completions/odt;"
                                                  " COMP_WORDS=(odt annotate --t); COMP_CWORD=2; _odt; echo ${COMPREPLY[@]}"))
        shutil.rmtree(f"{self.root}{HOME}/.local/share/swiftodt", ignore_errors=True)
        lacking = self.findings(1)
        self.assertEqual(lacking["plugin"]["verdict"], "fine")
        for part in ("detector", "salient", "classifier"):
            self.assertIn("/usr/share/swiftodt/models/", lacking[part]["detail"])
        self.assertIn('run "odt setup"', lacking["runtime"]["detail"])
        if os.path.exists(f"{DATA}/openvino"):
            # The copy of the runtime that odt setup would download.
            shutil.copytree(f"{DATA}/openvino", f"{self.root}{HOME}/.local/share/swiftodt/openvino", symlinks=True)
            found = self.findings(1)
            self.assertEqual({part: found[part]["verdict"] for part in ("runtime", "network")}, {"runtime": "fine", "network": "fine"})
            self.assertIn("Runtime and default models are installed", self.inside("odt", "setup"))
