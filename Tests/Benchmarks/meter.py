"""Measures a program that processes frames: frames per second, CPU milliseconds per frame, peak memory in megabytes, and milliseconds
from the start of the process to the first frame.

The element's player and the peers' program share this module, so that both are measured in the same way.
"""
import os
import resource
import threading
import time


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def resident():
    """Returns the resident memory of this process in megabytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def age():
    """Returns the seconds since this process started."""
    with open("/proc/self/stat") as file:
        begun = int(file.read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")
    return time.clock_gettime(time.CLOCK_BOOTTIME) - begun


class Meter:
    """Counts frames. The rate is measured from the last frame of the warm-up on."""

    def __init__(self, frames, warm_up=60):
        self.frames, self.warm_up = frames, warm_up
        self.count, self.first, self.begun = 0, None, None
        # Each stream has its own thread.
        self.lock = threading.Lock()

    def frame(self):
        """Counts a frame. Returns whether it was the last measured one."""
        with self.lock:
            self.count += 1
            if self.count == 1:
                self.first = age()
            if self.count == self.warm_up:
                self.begun = (time.monotonic(), cpu())
            if self.count == self.warm_up + self.frames:
                self.tell()
            return self.count >= self.warm_up + self.frames

    def tell(self):
        seconds, used = time.monotonic() - self.begun[0], cpu() - self.begun[1]
        count = self.count - self.warm_up
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"fps {count / seconds:.1f} cpu-ms {used / count * 1000:.2f} memory-mb {memory:.0f} "
              f"first-ms {self.first * 1000:.0f}", flush=True)
