"""Builds the container image and uses it with a read-only root file system. Takes minutes and needs root and a network, so it runs only
with Tests/run packages."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from streams import DATA, ROOT
from test_deployment import free_port, text as read, yaml

MISSING = [tool for tool in ("buildah", "mmdebstrap") if not shutil.which(tool)]
PODMAN = shutil.which("podman") and shutil.which("runc")
TAG = "swiftodt-test"
LIMIT = 450_000_000
# The container's root is read-only; /data and /tmp are not. The image's environment is repeated, because buildah run has no --read-only.
INSIDE = r"""
mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys"
mount -t tmpfs tmpfs "$0/tmp" && mount -t tmpfs tmpfs "$0/dev" && mknod -m 666 "$0/dev/null" c 1 3 && mknod -m 666 "$0/dev/urandom" c 1 9
mount --bind "$1" "$0/data"
exec chroot --userspec=65532:65532 "$0" env -i HOME=/data XDG_CACHE_HOME=/data/cache GST_PLUGIN_PATH=/usr/local/lib/swiftodt \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt PATH=/usr/local/bin:/usr/bin:/bin sh -c 'cd /data && exec "$@"' sh "${@:2}"
"""


@unittest.skipUnless(os.geteuid() == 0, "needs root to make a base image")
@unittest.skipIf(MISSING, f"{', '.join(MISSING)} not installed")
class Container(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="container-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.environment = dict(os.environ, BUILDAH_ISOLATION="chroot", STORAGE_DRIVER="vfs")
        cls.buildah("--version")
        made = subprocess.run([f"{ROOT}/Pipelines/container/build", "--make-base", "--with", "buildah", "--tag", TAG], env=cls.environment,
                              capture_output=True, text=True, timeout=1500, check=False)
        assert made.returncode == 0, made.stdout[-3000:] + made.stderr[-3000:]
        container = cls.buildah("from", "--pull-never", f"localhost/{TAG}").strip()
        cls.addClassCleanup(lambda: (cls.buildah("rm", container), cls.buildah("rmi", TAG, f"{TAG}-base")))
        cls.root = cls.buildah("mount", container).strip()
        cls.data = os.path.join(cls.folder.name, "data")
        os.mkdir(cls.data)
        os.chown(cls.data, 65532, 65532)

    @classmethod
    def buildah(cls, *words):
        return subprocess.run(["buildah", *words], env=cls.environment, stdout=subprocess.PIPE, text=True, timeout=300, check=True).stdout

    def inside(self, *words):
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-ec", INSIDE, self.root, self.data, *words],
                              capture_output=True, text=True, timeout=300, check=False)

    def test_image_has_at_most_450_megabytes(self):
        size = sum(os.lstat(os.path.join(folder, name)).st_size for folder, _, names in os.walk(self.root) for name in names)
        self.assertLess(size, LIMIT)

    def test_image_has_licences(self):
        """Of the base image, of added packages, of a generated file, and of swiftodt with its models."""
        for name in ("libc6/copyright", "libgstreamer1.0-0/copyright", "gstreamer1.0-libav/copyright", "fonts-dejavu-core/copyright", "ca-certificates/copyright"):
            self.assertTrue(os.path.exists(f"{self.root}/usr/share/doc/{name}"), name)
        for name in ("LICENSE", "copyright", "swiftodt-models.copyright"):
            self.assertTrue(os.path.exists(f"{self.root}/usr/local/share/doc/swiftodt/{name}"), name)

    def test_root_file_system_is_read_only(self):
        self.assertIn("Read-only", self.inside("touch", "/usr/local/x").stderr)

    def test_installation_is_complete(self):
        completed = self.inside("odt", "doctor")
        self.assertEqual(completed.returncode, 0, completed.stdout + completed.stderr)
        self.assertIn("Nothing is missing.", completed.stdout)

    def test_video_is_annotated(self):
        shutil.copy(f"{DATA}/videos/bikes.mp4", self.data)
        completed = self.inside("odt", "annotate", "bikes.mp4", "out.mp4")
        self.assertEqual(completed.returncode, 0, completed.stdout + completed.stderr)
        self.assertRegex(completed.stdout + completed.stderr, "wrote out.mp4: 250 frames, [1-9]")

    @unittest.skipUnless(yaml, "needs python3-yaml")
    def test_health_check_of_compose_succeeds(self):
        """odt watch with the configuration of compose.yaml and a file as camera. The health check runs in the image, too."""
        shutil.copy(f"{DATA}/videos/bikes.mp4", self.data)
        ports = {name: free_port() for name in ("8080", "9464")}
        configuration = re.sub("mqtt=.*", "", read("watch.conf"))
        for pattern, value in ((r"rtsp://\S+", "/data/bikes.mp4"), ("/run/secrets/token", "/data/token"),
                               (r"0\.0\.0\.0:(\d+)", lambda found: f"127.0.0.1:{ports[found[1]]}")):
            configuration, count = re.subn(pattern, value, configuration)
            self.assertTrue(count, pattern)
        with open(f"{self.data}/watch.conf", "w", encoding="utf-8") as file:
            file.write(configuration)
        check, = yaml.safe_load(read("compose.yaml"))["services"]["swiftodt"]["healthcheck"]["test"][3:]
        check = check.replace("$$", "$").replace("/9464", f"/{ports['9464']}")
        completed = self.inside("bash", "-c", "odt watch --config /data/watch.conf & watch=$!;"
                           f" until bash -c {shlex.quote(check)} 2>/dev/null; do kill -0 $watch || exit 1; done; kill $watch && wait $watch")
        self.assertEqual(completed.returncode, 0, completed.stdout + completed.stderr)
        self.assertTrue(os.listdir(f"{self.data}/video/front"))

    @unittest.skipUnless(PODMAN and yaml, "podman, runc or python3-yaml is not installed")
    def test_podman_runs_image_with_options_of_compose(self):
        """With its own image store, and with limits that need no privilege."""
        podman = ["podman", "--storage-driver=vfs", "--root", f"{self.folder.name}/podman", "--runroot", f"{self.folder.name}/run",
                  "--runtime=runc", "--cgroup-manager=cgroupfs"]
        archive = f"{self.folder.name}/image.tar"
        self.buildah("push", "--quiet", TAG, f"docker-archive:{archive}:localhost/{TAG}:latest")
        subprocess.run([*podman, "load", "--quiet", "--input", archive], check=True, capture_output=True, timeout=300)
        service = yaml.safe_load(read("compose.yaml"))["services"]["swiftodt"]
        options = ["--rm", "--read-only", *(f"--cap-drop={name}" for name in service["cap_drop"]), *(f"--tmpfs={path}" for path in service["tmpfs"]),
                   *(f"--security-opt={option.split(':')[0]}" for option in service["security_opt"]), "--ulimit=nofile=1024:1024",
                   "--ulimit=nproc=1024:1024", "--network=none", f"--volume={self.data}:/data"]
        completed = subprocess.run([*podman, "run", *options, f"localhost/{TAG}", "--version"], capture_output=True, text=True, timeout=120, check=False)
        if completed.returncode in (125, 126):
            self.skipTest(f"podman starts no container here: {completed.stderr.strip()}")
        self.assertRegex(completed.stdout, r"^odt \d+\.")
        completed = subprocess.run([*podman, "run", *options, f"localhost/{TAG}", "doctor"], capture_output=True, text=True, timeout=120, check=False)
        self.assertIn("Nothing is missing.", completed.stdout, completed.stderr)


if __name__ == "__main__":
    unittest.main()
