"""Helpers of the fleet tests: the environment if it is installed, Ray on loopback, and comparison of messages."""
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
needs_fleet = unittest.skipUnless(IS_THERE, "the fleet's environment is missing; Pipelines/fleet/environment/make --tests installs it")
RUN = os.path.join(ROOT, "Pipelines", "fleet", "run")
# Keeps Ray on loopback, in a cluster and in the programs that join it.
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_raylet_start_wait_time_s": "300", "RAY_worker_register_timeout_seconds": "300"}
if IS_THERE:
    # Appended to sys.path, so that the other tests of this process get Debian's packages.
    site.addsitedir(PACKAGES[0])


def facts(path):
    """Returns the lines of a file of messages without the timing statistics."""
    with open(path) as lines:
        return [line for line in lines if '"message": "stats"' not in line and '"inferences":' not in line]


def family(number):
    """Returns the ids of a process and of all its descendants."""
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
    """Returns the addresses on which these processes listen, in the hexadecimal host byte order of /proc/net."""
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
