"""The cache of compiled networks: if it cannot be written, is written by two processes at once, or contains folders and FIFOs in place of
files, the stream plays nevertheless, and nothing hangs."""
import glob
import os
import resource
import shutil
import subprocess
import tempfile
import unittest

from streams import DATA, needs_detector

PIPELINE = "videotestsrc num-buffers=3 ! swiftodt detector=neural mode=single-image ! fakesink"


@needs_detector
class Cache(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.home)

    def begin(self, limit=None, **environment):
        environment = {"XDG_CACHE_HOME": self.home, "GST_DEBUG": "swiftodt:4", "GST_DEBUG_NO_COLOR": "1", **environment}
        return subprocess.Popen(
            ["gst-launch-1.0", "-q", *PIPELINE.split()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={name: value for name, value in {**os.environ, **environment}.items() if value is not None},
            preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit is not None else None)

    def said(self, process):
        try:
            text, _ = process.communicate(timeout=50)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail("hangs: " + process.communicate()[0][-2000:])
        self.assertEqual(process.returncode, 0, text[-2000:])
        return text

    def play(self, **how):
        return self.said(self.begin(**how))

    def files(self):
        return sorted(glob.glob(self.home + "/**/*.*", recursive=True))

    def test_cached_network_is_restored(self):
        self.assertIn("not in the cache", self.play())
        self.assertIn("the cache has it", self.play())

    def test_concurrent_processes_share_cache(self):
        for process in (self.begin(), self.begin()):
            self.said(process)
        self.assertIn("the cache has it", self.play())
        self.assertEqual({path.rsplit(".", 1)[1] for path in self.files()}, {"blob", "network"})

    def test_pipes_are_ignored(self):
        self.play()
        names = self.files()
        for path in names:
            os.unlink(path)
            os.mkfifo(path)
        self.assertIn("not in the cache", self.play())
        self.assertIn("the cache has it", self.play())

    def test_file_size_limit_disables_cache(self):
        # SIGXFSZ would end the process. GStreamer's own files are shorter than this limit.
        self.assertIn("cannot store the compiled", self.play(limit=100_000, GST_REGISTRY_UPDATE="no"))
        self.assertEqual(self.files(), [])

    def test_full_disk_disables_cache(self):
        if os.system(f"mount -t tmpfs -o size=1m tmpfs {self.home} 2>/dev/null"):
            self.skipTest("needs the right to mount a small disk (root)")
        self.addCleanup(os.system, f"umount -l {self.home}")
        self.assertIn("cannot store the compiled", self.play())
        self.assertEqual([path for path in self.files() if not path.endswith(".network")], [])
        self.assertIn("not in the cache", self.play())

    def test_unusable_cache_folder_disables_cache(self):
        for place in ("/proc/nowhere", "/dev/null/cache"):
            self.assertIn("not in the cache", self.play(XDG_CACHE_HOME=place))
        # The runtime and the models stay in their usual folder.
        self.play(HOME=None, XDG_CACHE_HOME=None, XDG_DATA_HOME=os.path.dirname(DATA))


if __name__ == "__main__":
    unittest.main()
