"""A program that exits while its pipeline plays neither crashes nor hangs, for each way to exit and any number of networks. Its exit code
is its own. Tests/Benchmarks/exits/run repeats this for each model."""
import concurrent.futures
import os
import shutil
import subprocess
import tempfile
import unittest

import exits
from streams import needs_detector

DETECT = "videotestsrc ! swiftodt updates=every-frame detector=neural "
ONE = DETECT + "! fakesink"
THREE = f"{ONE} {DETECT} mode=single-image ! fakesink videotestsrc ! swiftodt updates=every-frame detector=salient ! fakesink"

# Threads other than the main thread register exit handlers 30 ms late, as on a busy machine.
LATE_REGISTRATION = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
int on_exit(void (*function)(int, void *), void *argument) {
    int (*next)(void (*)(int, void *), void *) = dlsym(RTLD_NEXT, "on_exit");
    if (gettid() != getpid()) usleep(30000);
    return next(function, argument);
}
"""


@needs_detector
class Exit(unittest.TestCase):
    def leave(self, how, pipeline, *environments):
        """Runs the program once in each environment, two at a time."""
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            results = threads.map(lambda environment: exits.run(how, pipeline, **environment), environments)
        for environment, result in zip(environments, results):
            with self.subTest(how=how, pipeline=pipeline, **environment):
                self.assertEqual(result.returncode, exits.STATUS[how], result.stderr[-2000:])

    def test_every_way_to_exit_keeps_the_exit_code(self):
        for how in ("end", "exception", "sys.exit", "exit() in a thread"):
            self.leave(how, ONE, exits.INSTRUCTIONS[1])
        self.leave("end", ONE, {})
        self.leave("exit() in a fork", ONE, {})

    def test_exit_with_several_networks(self):
        self.leave("exit() in a thread", THREE, *exits.INSTRUCTIONS)

    def test_exit_with_every_instruction_set(self):
        for properties in ("mode=single-image", "look-ahead=1 multiple-objects=true classify=true"):
            self.leave("exit()", f"{DETECT} {properties} ! fakesink", exits.INSTRUCTIONS[1])

    def test_numpy_imported_before_gstreamer(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("NumPy is not installed (Debian: python3-numpy)")
        for how in ("exit() in a thread", "sys.exit"):
            self.leave(how, ONE, {"IMPORT": "numpy"})

    def test_exit_during_start(self):
        # With an empty cache the network is compiled, which exit() waits for. The runtime's libraries are loaded before the pipeline plays.
        with tempfile.TemporaryDirectory() as folder:
            self.leave("at once", ONE, *({"XDG_CACHE_HOME": f"{folder}/{pause}", "PAUSE": str(pause / 1000)} for pause in range(0, 30, 4)))

    def test_exit_during_start_with_late_exit_handlers(self):
        compiler = shutil.which("cc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("needs a C compiler")
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "late.so")
            subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=LATE_REGISTRATION, text=True, check=True)
            self.leave("at once", ONE, *({"LD_PRELOAD": library, "PAUSE": str(pause / 10)} for pause in range(1, 9)))


if __name__ == "__main__":
    unittest.main()
