"""Pipelines/fleet/run gives the same results as one machine, also if workers die. Tests/Benchmarks/fleet/run has longer runs."""
import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from archives import IS_THERE, LOOPBACK, PYTHON, RUN, facts, family, listening, needs_fleet
from streams import ROOT, needs_detector
from test_video_segments import ODT, encoded

if IS_THERE:
    from swiftodt_fleet import sources

# A wrapper of odt that logs its arguments. It kills its worker once during a part, and every time for one file.
WRAPPER = """#!/bin/sh
echo "$*" >> "{folder}/asked"
case "$*" in
detect*killer*) kill -9 $PPID; sleep 60 ;;
detect*uneven*--from*) if mkdir "{folder}/killed" 2>/dev/null; then kill -9 $PPID; sleep 60; fi ;;
esac
exec "{odt}" "$@"\n"""
CLUSTER = """import sys
from ray.cluster_utils import Cluster
arguments = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=arguments)
cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()\n"""
ZONES = [{"name": "gate", "kind": "line", "points": [[0.5, 0], [0.5, 1]]}, {"name": "street", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]


class WithoutEnvironment(unittest.TestCase):
    """A checkout in which Pipelines/setup --fleet was not run."""

    def run_fleet(self, *words):
        with tempfile.TemporaryDirectory() as checkout:
            shutil.copytree(os.path.join(ROOT, "Pipelines", "fleet"), os.path.join(checkout, "Pipelines", "fleet"))
            return subprocess.run([os.path.join(checkout, "Pipelines", "fleet", "run"), *words], capture_output=True, text=True, timeout=60)

    def test_help_is_printed(self):
        done = self.run_fleet("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--part-length SECONDS", done.stdout)

    def test_invalid_options_are_reported_before_missing_environment(self):
        done = self.run_fleet("--nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: Pipelines/fleet/run", done.stderr)
        done = self.run_fleet("in.mp4", "--out", "results")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("Pipelines/setup --fleet", done.stderr)


@needs_fleet
class CommandLine(unittest.TestCase):
    def test_invalid_options_are_errors(self):
        """Errors come before Ray starts, in one line."""
        with tempfile.TemporaryDirectory() as storage:
            broken = os.path.join(storage, "broken.json")
            with open(broken, "w") as file:
                file.write("{")
            for words, sentence in ((["--ray", "127.0.0.1:1"], "there is no Ray at 127.0.0.1:1"), (["--zones", "/nowhere.json"], "--zones /nowhere.json: "),
                                    (["--zones", broken], f"--zones {broken}: "), (["@/nowhere.txt"], "the list @/nowhere.txt cannot be read: "),
                                    (["--set", "zones=x"], "--zones FILE"), (["--part-length", "no"], "or whole"), (["--cores", "0"], "at least 1"),
                                    (["--pictures", "--set", "box_style=blur"], "--pictures would show the original video with what 'box-style=blur' redacts"),
                                    (["--annotate", "--set", "iou-threshold=0.05", "--set", "box-style=blur"], "use 0.5 or more"),
                                    (["--ray", "foo"], "cannot join Ray at foo: "), (["--out", ""], "--out is empty"), ([""], "a source or --out is empty"),
                                    (["--set", "foo=1"], "no property 'foo'"), (["--set", "max-objects=many"], "not a valid value of max-objects"),
                                    (["--out", "foo://x"], "neither a folder nor an address")):
                done = subprocess.run([RUN, "--out", storage, "none.mp4", *words], capture_output=True, text=True, timeout=120)
                self.assertEqual((done.returncode, sentence in done.stderr, done.stderr.count("\n")), (2, True, 1), done.stderr)

    def test_terminated_run_names_remedy(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            with subprocess.Popen([RUN, f"@{pipe}", "--out", f"{folder}/out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as fleet:
                # The run reads its sources after Ray has started. Until then, the pipe has no reader.
                writer = None
                while writer is None and fleet.poll() is None:
                    time.sleep(0.1)
                    with contextlib.suppress(OSError):
                        writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                fleet.terminate()
                said = fleet.communicate(timeout=120)
                if writer is not None:
                    os.close(writer)
            self.assertEqual((fleet.returncode, *said), (130, "", "fleet: interrupted; run the same command to resume\n"))

    def test_storage_keeps_results_of_one_set_of_settings(self):
        """Runs that failed before they had planned a file do not count."""
        with tempfile.TemporaryDirectory() as storage:
            def said(*words):
                # There is no Ray, so that no run gets results.
                return subprocess.run([RUN, "none.mp4", "--out", storage, "--ray", "127.0.0.1:1", *words], capture_output=True, text=True, timeout=120).stderr

            def put(name):
                os.makedirs(os.path.dirname(f"{storage}/{name}"), exist_ok=True)
                with open(f"{storage}/{name}", "w") as file:
                    file.write("{}")

            said()
            for folder, name, setting in (("done", "a.json", "draw=false"), ("work", "a/plan.json", "max-objects=7")):
                put("failed/a.json")
                self.assertIn("there is no Ray", said("--set", setting))
                self.assertEqual(sorted(os.listdir(storage)), ["run.json"])
                put(f"{folder}/{name}")
                self.assertIn("there is no Ray", said("--set", setting))
                self.assertIn("other settings", said())
                shutil.rmtree(f"{storage}/{folder}")
            # A misspelt property is reported before run.json is written.
            os.unlink(f"{storage}/run.json")
            self.assertIn("no property 'foo'", said("--set", "foo=1"))
            self.assertEqual(os.listdir(storage), [])
            for content in ('{"finger', "[]", "{}"):
                with open(f"{storage}/run.json", "w") as file:
                    file.write(content)
                self.assertIn("run.json is damaged; remove it", said())


@needs_fleet
@needs_detector
class Results(unittest.TestCase):
    """Results of real files equal those of odt on this machine."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.videos = os.path.join(cls.folder, "front")
        os.mkdir(cls.videos)
        cls.uneven = encoded(f"{cls.videos}/uneven-2026-11-22T15-45-01Z.mkv", "-vf", r"select='not(mod(n\,3))+lt(mod(n\,25)\,10)'", "-fps_mode", "vfr",
                             "-c:v", "libx264", "-preset", "veryfast", "-x264-params", "keyint=8:bframes=3")
        cls.zones = os.path.join(cls.folder, "zones.json")
        with open(cls.zones, "w") as file:
            json.dump(ZONES, file)

    def storage(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        return folder.name

    def alone(self, video, folder, zones=True):
        """Returns detections and messages of odt for the whole video."""
        found, said = os.path.join(folder, "found.jsonl"), os.path.join(folder, "said.jsonl")
        subprocess.run([ODT, "detect", video, "--detections", found], check=True, timeout=120, capture_output=True)
        subprocess.run([ODT, "annotate", "--set", "detector=neural", *(["--zones", self.zones] if zones else []), "--json", said, video], check=True,
                       timeout=120, stdout=subprocess.DEVNULL)
        return found, said

    def same(self, storage, video):
        """Compares the fleet's results with odt's and returns the video's name among the results."""
        name = sources.short_name(video)
        found, said = self.alone(video, self.storage())
        with open(found, "rb") as one, open(f"{storage}/files/{name}/detections.jsonl", "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertEqual(facts(said), facts(f"{storage}/files/{name}/messages.jsonl"))
        self.assertGreater(len(facts(said)), 20)
        return name

    def test_two_workers_give_same_results(self):
        """Two nodes of Ray. A worker is killed once, one file kills all of its workers, one is no video, and one has frames with equal
        times and cannot be split."""
        old = encoded(f"{self.videos}/old.avi", "-c:v", "mpeg4", "-g", "12", "-bf", "2")
        shutil.copy(old, f"{self.videos}/killer.avi")
        with open(old, "rb") as file, open(f"{self.videos}/bad.avi", "wb") as bad:
            bad.write(file.read(300))
        for name in ("old.avi", "killer.avi", "bad.avi"):
            self.addCleanup(os.unlink, f"{self.videos}/{name}")
        storage, marks = self.storage(), self.storage()
        wrapper = os.path.join(marks, "odt")
        with open(wrapper, "w") as file:
            file.write(WRAPPER.format(folder=marks, odt=ODT))
        os.chmod(wrapper, 0o755)
        environment = os.environ | LOOPBACK | {"SWIFTODT_ODT": wrapper}
        with subprocess.Popen([PYTHON, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env=environment) as cluster:
            address = cluster.stdout.readline().strip()
            self.assertRegex(address, r"^127\.0\.0\.1:\d+$")
            done = subprocess.run([RUN, self.videos, "--out", storage, "--zones", self.zones, "--part-length", "0.6", "--ray", address],
                                  capture_output=True, text=True, timeout=400, env=environment)
            # 127.0.0.1, as IPv4 and as IPv4-mapped IPv6 address.
            self.assertLessEqual(listening(family(cluster.pid)), {"0100007F", "0000000000000000FFFF00000100007F"})
            cluster.stdin.close()
        said = sorted(done.stderr.replace(self.videos + "/", "").splitlines())
        self.assertEqual(done.returncode, 1, done.stderr)
        # Ray's notices of dead workers come before it.
        self.assertRegex(done.stdout.splitlines()[-1], rf"^wrote {re.escape(storage)}/index\.html: 2 videos, 0\.00 h of video, 2 set aside, \d+\.\d s$")
        self.assertEqual([line.split(":")[1].strip() for line in said], ["bad.avi is set aside", "killer.avi is set aside"])
        self.assertIn("3 times", said[1])
        names = [self.same(storage, self.uneven), self.same(storage, old)]
        with open(f"{marks}/asked") as file:
            asked = file.read().splitlines()
        self.assertEqual(sum("detect" in line and "killer" in line and "--cuts" in line for line in asked), 3)
        # Only the killed part ran twice.
        parts_of_uneven = [line.split("threads=1")[1] for line in asked if line.startswith("detect") and "uneven" in line and "threads=1" in line]
        self.assertGreaterEqual(len(set(parts_of_uneven)), 3)
        self.assertEqual(len(parts_of_uneven), len(set(parts_of_uneven)) + 1)
        self.assertEqual(os.listdir(f"{storage}/work"), [])
        with open(f"{storage}/index.html") as file:
            page = file.read()
        for word in (*(f'files/{name}/report.html">' for name in names), "2 videos", "2 set aside", "killer.avi"):
            self.assertIn(word, page)
        self.assertTrue(all(os.path.exists(f"{storage}/files/{name}/report.html") for name in names))
        self.ask(storage)

    @unittest.skipUnless(IS_THERE and importlib.util.find_spec("moto"), "no S3 server: Pipelines/fleet/environment/make --tests installs it")
    def test_interrupted_run_in_s3_is_resumed(self):
        """Sources and results on an S3 server: an interrupted run is resumed, then the server disappears."""
        here, found = os.path.dirname(os.path.abspath(__file__)), self.storage()
        done = subprocess.run([PYTHON, os.path.join(here, "fleet_in_s3.py"), self.uneven, found], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        said = json.loads(done.stdout)
        self.assertEqual(said["sources"], ["s3://archive/front/uneven-2026-11-22T15-45-01Z.mkv"])
        first_run, second_run, third_run = said["steps"]
        self.assertEqual(first_run, ["plan", f"infer {said['parts'][0]}"])
        self.assertEqual(second_run, ["plan", *(f"infer {part}" for part in said["parts"][1:]), "finish"])
        self.assertEqual(third_run, ["plan"])
        self.assertGreaterEqual(len(said["parts"]), 2)
        self.assertEqual(said["totals"], [[1, 0, 0], [0, 1, 0]])
        name = sources.short_name(said["sources"][0])
        self.assertEqual([file for file in said["files"] if {"work", "failed"} & set(file.split("/"))], [])
        for file in (f"done/{name}.json", f"files/{name}/report.html", "index.html",
                     f"tables/boxes/day=2026-11-22/source=uneven/{name}.parquet"):
            self.assertIn(f"results/x/{file}", said["files"])
        found_alone, said_alone = self.alone(self.uneven, self.storage(), zones=False)
        with open(found_alone, "rb") as one, open(f"{found}/detections.jsonl", "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertEqual(facts(said_alone), facts(f"{found}/messages.jsonl"))
        self.assertEqual(len(said["away"]), 1)
        self.assertIn("cannot be read", said["away"][0])

    def ask(self, storage):
        """Every query of docs/fleet.md has an answer, and the tables agree with the messages."""
        import duckdb
        with open(os.path.join(ROOT, "docs", "fleet.md")) as file:
            questions = re.findall(r"```sql\n(.*?)```", file.read(), re.DOTALL)
        self.assertGreaterEqual(len(questions), 2)
        with duckdb.connect() as tables:
            for question in questions:
                tables.execute(question.replace("results/", f"{storage}/"))
            def ask(what, table):
                return tables.execute(f"select {what} from read_parquet('{storage}/tables/{table}/**/*.parquet', hive_partitioning = true) "
                                      "where video like 'uneven%'").fetchall()[0]
            events, boxes = ask("count(*), count(time)", "zone_events"), ask("count(*), min(source), min(day)::text", "boxes")
        name = sources.short_name(self.uneven)
        messages = [json.loads(line) for line in facts(f"{storage}/files/{name}/messages.jsonl")]
        count = sum(message["message"] == "swiftodt-zone" for message in messages)
        self.assertGreater(count, 0)
        self.assertEqual(events, (count, count))
        self.assertEqual(boxes, (sum(len(message.get("objects", [])) for message in messages), "uneven", "2026-11-22"))


if __name__ == "__main__":
    unittest.main()
