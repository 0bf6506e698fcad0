"""What tests of fleets need: the environment, if it is installed, Ray on loopback, and the content of messages."""
import glob
import os
import site
import sys
import unittest

from streams import ROOT

ENVIRONMENT = os.path.join(ROOT, ".build", "fleet")
PYTHON = os.path.join(ENVIRONMENT, "bin", "python")
PACKAGES = glob.glob(os.path.join(ENVIRONMENT, "lib", "python%d.%d" % sys.version_info[:2], "site-packages"))
IS_THERE = bool(PACKAGES) and os.path.exists(os.path.join(ENVIRONMENT, ".stamp"))
needs_fleet = unittest.skipUnless(IS_THERE, "no environment for fleets: Pipelines/fleet/environment/make --tests makes it")
RUN = os.path.join(ROOT, "Pipelines", "fleet", "run")
# Keeps Ray on loopback, in a cluster and in the programs that join it.
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_raylet_start_wait_time_s": "300", "RAY_worker_register_timeout_seconds": "300"}
if IS_THERE:
    # Behind what Debian has: other tests of this process find what they found.
    site.addsitedir(PACKAGES[0])


def facts(path):
    """The messages without the element's figures of time at the end."""
    with open(path) as lines:
        return [line for line in lines if '"message": "stats"' not in line and '"detection-latency-p50"' not in line]


def family(number):
    """The ids of a process and of all its descendants."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(name)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    found = {number}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def listening(processes):
    """The addresses at which these processes listen, as in /proc/net: hexadecimal words in the byte order of the host."""
    sockets = set()
    for number in processes:
        for link in glob.glob(f"/proc/{number}/fd/*"):
            try:
                sockets.add(os.readlink(link))
            except OSError:
                continue
    found = set()
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}", encoding="ascii") as file:
            for words in (line.split() for line in file.readlines()[1:]):
                if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                    found.add(words[1].split(":")[0])
    return found
