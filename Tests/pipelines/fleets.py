"""A fleet of cameras that is watched, and a witness of all that was said."""
import collections
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from archives import PYTHON, needs_fleet  # noqa: F401
from streams import ROOT
from watching import ODT

# What needs no more than Python is tried without the environment, too.
sys.path.insert(0, f"{ROOT}/Pipelines/fleet")

ZONES = json.dumps([{"name": "left", "kind": "zone", "points": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]},
                    {"name": "top", "kind": "zone", "points": [[0, 0], [1, 0], [1, 0.5], [0, 0.5]]},
                    {"name": "middle", "kind": "line", "points": [[0.5, 0], [0.5, 1]]}])


def rows(folder):
    """Those of all tables."""
    said = subprocess.run(
        [PYTHON, "-c", "import sys, json, pyarrow.dataset as d\n"
         "print(json.dumps(d.dataset(sys.argv[1], partitioning='hive', format='parquet').to_table().to_pylist(), default=str))", folder],
        capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def bare(said):
    """An event as odt said it, to be counted."""
    return json.dumps({name: value for name, value in said.items() if name != "id"}, sort_keys=True)


class Witness:
    """Reads what each odt writes as it is written, and keeps what is an event: it knows nothing of how events are told.

    Its odt links the file that it will write to a folder here first, so that not even one that lives for a moment goes unseen.
    """

    PROGRAM = """#!/bin/sh
for word; do
    [ "$before" = --json ] && file=$word
    before=$word
done
: >>"$file"
ln "$file" "{folder}/$$-$(date +%s%N)"
exec "{odt}" "$@"
"""

    def __init__(self, folder):
        self.folder, self.files, self.over = f"{folder}/witness", {}, threading.Event()
        self.is_overtaken = False
        self.odt = f"{folder}/odt"
        os.mkdir(self.folder)
        with open(self.odt, "w", encoding="utf-8") as file:
            file.write(self.PROGRAM.format(folder=self.folder, odt=ODT))
        os.chmod(self.odt, 0o755)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while not self.over.wait(0.05):
            self.look()

    @property
    def environment(self):
        """Of who is to start odt."""
        return {"SWIFTODT_ODT": self.odt, "GST_PLUGIN_PATH": f"{ROOT}/.build/plugin"}

    def look(self):
        for path in set(glob.glob(f"{self.folder}/*")) - set(self.files):
            self.files[path] = [open(path, "rb"), b"", b""]
        for kept in self.files.values():
            # What is torn is put together with what follows.
            text = kept[0].read()
            # Room that was given back before it was read here.
            self.is_overtaken = self.is_overtaken or b"\0" in text
            lines = (kept[2] + text).split(b"\n")
            kept[2] = lines.pop()
            kept[1] += b"".join(line + b"\n" for line in lines if not line.startswith(b'{"message": "swiftodt",'))

    def close(self):
        self.over.set()
        self.thread.join()
        self.look()
        for file, _, _ in self.files.values():
            file.close()

    @property
    def events(self):
        """How often each was said; torn lines are none."""
        counts = collections.Counter()
        for _, text, _ in self.files.values():
            for line in text.split(b"\n"):
                try:
                    counts[bare(json.loads(line))] += 1
                except ValueError:
                    continue
        return counts


# What Ray wants to hear to stay on loopback, be it a cluster or who joins one.
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_raylet_start_wait_time_s": "300", "RAY_worker_register_timeout_seconds": "300"}


class Machines:
    """A Ray cluster on this machine, with nodes that are lost as machines are that lose their power; in their place come others."""

    PROGRAM = """
import sys
from ray.cluster_utils import Cluster
arguments = {"num_cpus": 2, "object_store_memory": 80 << 20}
cluster = Cluster(initialize_head=True, head_node_args=arguments | {"num_cpus": 0, "include_dashboard": False})
nodes = [cluster.add_node(**arguments) for _ in range(int(sys.argv[1]))]
print(cluster.address, flush=True)
for _ in sys.stdin:
    cluster.remove_node(nodes.pop(0), allow_graceful=False)
    nodes.append(cluster.add_node(**arguments))
    print("lost one", flush=True)
cluster.shutdown()
"""

    def __init__(self, count, witness):
        self.scratch = tempfile.mkdtemp(prefix="odt")
        self.program = subprocess.Popen(
            [PYTHON, "-c", self.PROGRAM, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | LOOPBACK | witness.environment | {"RAY_TMPDIR": self.scratch})
        self.address = self.program.stdout.readline().strip()

    def lose_one(self):
        print("lose one", file=self.program.stdin, flush=True)
        self.program.stdout.readline()

    def close(self):
        self.program.stdin.close()
        self.program.wait(120)
        self.program.stdout.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


class FleetWatch:
    """Pipelines/fleet/watch on cameras of its own, whose file can be edited and which can be killed and begun again."""

    def __init__(self, folder, cameras, broker, witness, *words):
        self.folder, self.cameras, self.broker, self.witness = folder, cameras, broker, witness
        self.configuration, self.out = f"{folder}/watch.conf", f"{folder}/out"
        self.words = ["--out", self.out, "--page", "0", "--every", "0.5", "--retry", "1", "--cpus", str(2 / max(8, len(cameras))), *words]
        self.complaints, self.program, self.url = [], None, None
        # Ray's own files: the path of a socket may not be long.
        self.scratch = tempfile.mkdtemp(prefix="odt")
        self.configure(cameras)

    def configure(self, names):
        text = f"[watch]\nretry=0.2\nmqtt=mqtt://{self.broker.address}/house\n[cameras]\ndetector=motion\nzones={ZONES}\n"
        text += "".join(f"[camera {name}]\nsource={self.cameras[name].address}\n" for name in names)
        with open(self.configuration + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(self.configuration + ".new", self.configuration)

    def begin(self):
        environment = os.environ | self.witness.environment | {"RAY_TMPDIR": self.scratch} | (LOOPBACK if "--ray" in self.words else {})
        self.program = subprocess.Popen([f"{ROOT}/Pipelines/fleet/watch", self.configuration, *self.words], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, env=environment, cwd=self.folder)
        self.url = None
        threading.Thread(target=self.listen, args=[self.program], daemon=True).start()

    def listen(self, program):
        with program.stderr:
            for line in program.stderr:
                self.complaints.append(line)
                if "the page is at " in line:
                    self.url = line.split()[-1]

    def status(self):
        """Of each camera, as the page has it."""
        if self.url is None:
            return {}
        with urllib.request.urlopen(f"{self.url}api/cameras", timeout=30) as answer:
            return {camera["name"]: camera for camera in json.load(answer)["cameras"]}

    def wait(self, wanted, seconds=300):
        end = time.monotonic() + seconds
        while not wanted(status := self.status()):
            if time.monotonic() > end or self.program.poll() is not None:
                raise AssertionError(f"{status}, {self.complaints}")
            time.sleep(0.05)
        return status

    def kill(self):
        """As the system does that has no memory left."""
        self.program.kill()
        self.program.wait()

    def end(self, seconds=180):
        self.program.send_signal(signal.SIGTERM)
        return self.program.wait(seconds)

    def close(self):
        if self.program and self.program.poll() is None:
            self.kill()
        shutil.rmtree(self.scratch, ignore_errors=True)

    @property
    def journals(self):
        return f"{self.out}/journals"

    def left(self):
        """Journals that have something to tell yet."""
        return glob.glob(f"{self.journals}/*/*")


def alive(number):
    """Whether a process is there and is no zombie."""
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def family(number):
    """A process and all that come from it."""
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
    """The addresses at which some of these listen, as the kernel writes them: hexadecimal, with the bytes of words turned round."""
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
