"""Pipelines/fleet: many files come out as one machine gives them, whatever dies in the middle. Tests/Benchmarks/fleet/run has the long forms."""
import contextlib
import glob
import json
import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
import tracemalloc
import unittest

from streams import BIKES, ROOT, needs_detector
from test_parts import ODT, encoded

ENVIRONMENT = os.path.join(ROOT, ".build", "fleet")
PYTHON = os.path.join(ENVIRONMENT, "bin", "python")
PACKAGES = glob.glob(os.path.join(ENVIRONMENT, "lib", "python%d.%d" % sys.version_info[:2], "site-packages"))
needs_fleet = unittest.skipUnless(PACKAGES and os.path.exists(os.path.join(ENVIRONMENT, ".stamp")),
                                  "no environment for fleets: Pipelines/fleet/environment/make --tests makes it")
RUN = os.path.join(ROOT, "Pipelines", "fleet", "run")
if PACKAGES:
    # Behind what Debian has: other tests of this process find what they found.
    site.addsitedir(PACKAGES[0])
    with contextlib.suppress(ImportError):
        from swiftodt_fleet import parts, recorded_at, settings, sources
        from swiftodt_fleet.copies import Identity
        from swiftodt_fleet.errors import BadFile, Lost, PlaceFull, Unreachable
        from swiftodt_fleet.looking import Video
        from swiftodt_fleet.parts import WHOLE, Seen, Span
        from swiftodt_fleet.place import Place
        from swiftodt_fleet.planning import Plan
        from swiftodt_fleet.schedule import Schedule, Work


class Pretended:
    """Does each task when it is handed over, and says so later, the last one first."""

    cores = 3

    def __init__(self):
        self.results, self.count, self.most = {}, 0, 0

    def submit(self, function, *arguments):
        self.count += 1
        try:
            self.results[self.count] = (function(*arguments), None)
        except Exception as error:
            self.results[self.count] = (None, error)
        self.most = max(self.most, len(self.results))
        return self.count

    def first_done(self, handles, patience):
        return [handles[-1]]

    def cancel(self, handle):
        pass

    def result(self, handle):
        result, error = self.results.pop(handle)
        if error is not None:
            raise error
        return result


def first(number):
    """What a part begins with whose frames fit those of its neighbours."""
    return [[number * 10, f"sum {number}"]]


class Desk:
    """A schedule with work that is written down and not done."""

    def __init__(self, spans=4, trouble=None):
        self.spans, self.trouble, self.log, self.said = spans, trouble or {}, [], []

    def run(self, addresses):
        work = Work(None, self.plan, self.look, self.finish, self.plan_whole, self.set_aside)
        self.hands = Pretended()
        return Schedule(self.hands, work, lambda totals: None, self.said.append).run(iter(addresses))

    def step(self, *words):
        self.log.append(words)
        error = self.trouble.get(words)
        if error is not None and self.log.count(words) <= error[1]:
            raise error[0]

    def plan(self, address, _):
        self.step("plan", address)
        return Plan(Video(address, address, Identity(1, "")), spans=[Span(at, at + 1) for at in range(self.spans)])

    def look(self, video, _, number, span):
        self.step("look", video.name, number)
        return Seen(1, first(number), first(number + 1 if ("misfit", video.name) not in self.trouble else 99))

    def finish(self, video, _, count):
        self.step("finish", video.name, count)
        return {"seconds": 1.0}

    def plan_whole(self, video, _):
        self.step("whole", video.name)
        return Plan(video, spans=[WHOLE])

    def set_aside(self, address, _, error, again, identity):
        self.step("aside", address, error, again)


@needs_fleet
class Inside(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_every_part_once_and_the_end_after_all(self):
        desk = Desk()
        totals = desk.run(["a", "b", "a"])
        self.assertEqual((totals.done, totals.set_aside), (2, 0))
        self.assertEqual(len(desk.log), len(set(desk.log)))
        for name in "ab":
            steps = [words for words in desk.log if words[1] == name]
            self.assertEqual(steps[0], ("plan", name))
            self.assertEqual(steps[-1], ("finish", name, 4))
            self.assertEqual(sorted(words[2] for words in steps[1:-1]), [0, 1, 2, 3])

    def test_who_kills_workers_is_set_aside_after_three_tries(self):
        desk = Desk(trouble={("look", "b", 2): (Lost("gone"), 9), ("look", "c", 1): (Lost("gone"), 2)})
        totals = desk.run("abcd")
        self.assertEqual((totals.done, totals.set_aside), (3, 1))
        self.assertEqual([desk.log.count(("look", "b", 2)), desk.log.count(("look", "c", 1))], [3, 3])
        self.assertIn(("aside", "b", "gone, 3 times", False), desk.log)
        self.assertEqual(desk.said, ["b is set aside: gone, 3 times"])

    def test_bad_files_are_set_aside_and_the_rest_goes_on(self):
        desk = Desk(trouble={("plan", "a"): (BadFile("no video"), 9), ("look", "b", 0): (Unreachable("no network"), 9), ("finish", "c", 4): (ValueError("x"), 9)})
        totals = desk.run("abcd")
        self.assertEqual((totals.done, totals.set_aside), (1, 3))
        aside = [words[1:] for words in desk.log if words[0] == "aside"]
        self.assertEqual(sorted(aside), [("a", "no video", False), ("b", "no network", True), ("c", "ValueError: x", True)])

    def test_when_all_goes_wrong_it_is_not_the_files(self):
        names = [f"{number}" for number in range(50)]
        desk = Desk(trouble={("plan", name): (BadFile("no model"), 9) for name in names})
        with self.assertRaisesRegex(PlaceFull, "no model"):
            desk.run(names)

    def test_what_does_not_fit_is_taken_whole(self):
        desk = Desk(trouble={("misfit", "a"): None})
        totals = desk.run("ab")
        self.assertEqual(totals.done, 2)
        self.assertIn(("whole", "a"), desk.log)
        self.assertIn(("finish", "a", 1), desk.log)
        self.assertNotIn(("whole", "b"), desk.log)

    def test_a_full_disk_ends_the_run(self):
        with self.assertRaises(PlaceFull):
            Desk(trouble={("finish", "b", 4): (PlaceFull("full"), 9)}).run("abc")

    def test_the_schedule_knows_no_more_than_it_works_at(self):
        """Fifty times as many files in no more memory."""
        def peak(count):
            desk = Desk(spans=1)
            desk.step = lambda *words: None
            tracemalloc.start()
            self.assertEqual(desk.run(f"file {number}" for number in range(count)).done, count)
            memory = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return memory, desk.hands.most

        few, many = peak(100), peak(5000)
        self.assertLessEqual(many[1], 10)
        self.assertLess(many[0], few[0] + 20_000)

    def test_recordings_join(self):
        texts = ['{"h":1}\n{"time":0}\n{"time":1}\n{"end":true,"frames":2,"time":1}\n', '{"h":1}\n{"time":2}\n{"end":true,"frames":1,"time":2}\n']
        with open(os.path.join(self.folder, "joined"), "w+") as into:
            self.assertEqual(parts.join((iter(text.splitlines(True)) for text in texts), into), (3, 3))
            into.seek(0)
            self.assertEqual(into.read(), '{"h":1}\n{"time":0}\n{"time":1}\n{"time":2}\n{"end":true,"frames":3,"time":2}\n')
            for broken in ('{"h":2}\n{"end":true,"frames":0}\n', '{"h":1}\n{"time":3}\n', ""):
                with self.assertRaises(parts.Misfit):
                    parts.join((iter(text.splitlines(True)) for text in (texts[0], broken)), into)

    def test_sources(self):
        for name in ("a/1.mp4", "a/b/2.MKV", "a/notes.txt", "a/.3.mp4.part.mp4", "[x].mp4", "out/files/annotated.mp4"):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            open(os.path.join(self.folder, name), "w").close()
        with open(os.path.join(self.folder, "list"), "w") as file:
            file.write(f"# some\n{self.folder}/a/1.mp4\n\nhttps://there/x.mp4\n")
        def expanded(*words):
            return [address.replace(self.folder + "/", "") for address in sources.expand([word.replace("F/", self.folder + "/") for word in words], self.folder + "/out")]
        self.assertEqual(expanded("F/a"), ["a/1.mp4", "a/b/2.MKV"])
        self.assertEqual(expanded("F/a/*.mp4", "F/[x].mp4", "F/none.mp4"), ["a/1.mp4", "[x].mp4", "none.mp4"])
        self.assertEqual(expanded("@F/list"), ["a/1.mp4", "https://there/x.mp4"])
        self.assertEqual(len(expanded("F/")), 3)
        names = {sources.short_name(name) for name in ("/a/x.mp4", "/b/x.mp4", "s3://a/x.mp4?v=1", "/a/ü ß/../x", "/" + "x" * 300)}
        self.assertEqual(len(names), 5)
        self.assertTrue(all(re.fullmatch(r"[\w.-]{1,100}", name, re.ASCII) for name in names))

    def test_origins(self):
        hour = 3600 * 10**9
        for name, expected in {
            "/v/front/front-2026-11-22T15-00-00Z.mkv": ("front", "2026-11-22", 15), "s3://b/yard/20261122_150000.mp4": ("yard", "2026-11-22", 15),
            "/v/gate/2026-11-22/15.mp4": ("15", "2026-11-22", None), "/v/cam 3/hall.mp4": ("cam_3", "2026-11-21", None),
            "/v/x/2026-99-99.mp4": ("x", "2026-11-21", None)}.items():
            found = recorded_at.origin(name, 1795219200.5)
            begin = found.begin and found.begin // hour % 24
            self.assertEqual((found.source, found.day, begin), expected, name)
        self.assertEqual(recorded_at.origin("/a/b.mp4", None).day, "unknown")

    def test_what_is_there_is_whole(self):
        place = Place(self.folder)
        source = os.path.join(self.folder, "source")
        with open(source, "w") as file:
            file.write("x" * 100_000)
        place.put(source, "sub/there")
        self.assertEqual(place.names("sub"), ["there"])
        code = ("import resource, signal, sys; from swiftodt_fleet.place import Place; from swiftodt_fleet.errors import PlaceFull\n"
                "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
                "try: Place(sys.argv[1]).put(sys.argv[2], 'sub/more')\n"
                "except PlaceFull as error: print(error)")
        said = subprocess.run([PYTHON, "-c", code, self.folder, source], capture_output=True, text=True, timeout=60)
        self.assertIn("cannot be written: File too large", said.stdout, said.stderr)
        self.assertEqual(os.listdir(os.path.join(self.folder, "sub")), ["there"])

    def test_settings(self):
        def reason(*words):
            return settings.Settings("/x", properties=tuple(map(settings.property_setting, words))).reason_for_whole
        self.assertIsNone(reason("max-objects=20", "detector=salient", "inference-interval=1"))
        for word in ("detector=motion", "inference-interval=2", "zoom=auto", "mode=single-image"):
            self.assertIsNotNone(reason(word), word)
        for word in ("detector=upstream", "zones=x", "nonsense", "=3"):
            with self.assertRaises(Exception, msg=word):
                settings.property_setting(word)
        plan = settings.Settings("/x", properties=(("max-objects", "9"), ("model-file", "m"), ("iou-threshold", "0.6")))
        self.assertEqual(plan.for_looking(), ["--set", "threads=1", "--set", "model-file=m", "--set", "iou-threshold=0.6"])
        self.assertEqual(plan.for_tracking(), ["--set", "max-objects=9", "--set", "iou-threshold=0.6"])


# As odt, but it writes down what it was asked for, kills its worker once while that looks at a part, and always with one file.
WRAPPER = """#!/bin/sh
echo "$*" >> "{folder}/asked"
case "$*" in
detect*killer*) kill -9 $PPID; sleep 60 ;;
detect*uneven*--from*) if mkdir "{folder}/killed" 2>/dev/null; then kill -9 $PPID; sleep 60; fi ;;
esac
exec "{odt}" "$@"
"""
CLUSTER = """import sys
from ray.cluster_utils import Cluster
arguments = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=arguments)
cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""
ZONES = [{"name": "gate", "kind": "line", "points": [[0.5, 0], [0.5, 1]]}, {"name": "street", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]


def facts(path):
    """The messages without the element's figures of time at the end."""
    with open(path) as lines:
        return [line for line in lines if '"message": "stats"' not in line and '"detection-latency-p50"' not in line]


@needs_fleet
@needs_detector
class Results(unittest.TestCase):
    """With real files: what comes out is what odt gives on this machine alone."""

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

    def place(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        return folder.name

    def alone(self, video, folder, zones=True):
        """What one machine makes of it, without parts."""
        found, said = os.path.join(folder, "found.jsonl"), os.path.join(folder, "said.jsonl")
        subprocess.run([ODT, "detect", video, "--detections", found], check=True, timeout=120, capture_output=True)
        subprocess.run([ODT, "annotate", "--set", "detector=neural", *(["--zones", self.zones] if zones else []), "--json", said, video], check=True,
                       timeout=120, stdout=subprocess.DEVNULL)
        return found, said

    def same(self, place, video):
        """:return: its name among the results."""
        name = sources.short_name(video)
        found, said = self.alone(video, self.place())
        with open(found, "rb") as one, open(f"{place}/files/{name}/detections.jsonl", "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertEqual(facts(said), facts(f"{place}/files/{name}/messages.jsonl"))
        self.assertGreater(len(facts(said)), 20)
        return name

    def test_a_fleet_of_two(self):
        """Two of Ray's nodes. A worker is killed in the middle, a file kills all of its workers, one is none, one cannot be cut, and
        has two frames at a time."""
        old = encoded(f"{self.videos}/old.avi", "-c:v", "mpeg4", "-g", "12", "-bf", "2")
        shutil.copy(old, f"{self.videos}/killer.avi")
        with open(old, "rb") as file, open(f"{self.videos}/bad.avi", "wb") as bad:
            bad.write(file.read(300))
        for name in ("old.avi", "killer.avi", "bad.avi"):
            self.addCleanup(os.unlink, f"{self.videos}/{name}")
        place, marks = self.place(), self.place()
        wrapper = os.path.join(marks, "odt")
        with open(wrapper, "w") as file:
            file.write(WRAPPER.format(folder=marks, odt=ODT))
        os.chmod(wrapper, 0o755)
        environment = os.environ | {"SWIFTODT_ODT": wrapper, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0",
                                    "RAY_raylet_start_wait_time_s": "300", "RAY_worker_register_timeout_seconds": "300"}
        with subprocess.Popen([PYTHON, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              env=environment) as cluster:
            address = cluster.stdout.readline().strip()
            self.assertRegex(address, r"^127\.0\.0\.1:\d+$")
            done = subprocess.run([RUN, self.videos, "--out", place, "--zones", self.zones, "--part-length", "0.6", "--ray", address],
                                  capture_output=True, text=True, timeout=400, env=environment)
            self.assertEqual(beyond_loopback(cluster.pid), [])
            cluster.stdin.close()
        said = sorted(done.stderr.replace(self.videos + "/", "").splitlines())
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual([line.split(":")[1].strip() for line in said], ["bad.avi is set aside", "killer.avi is set aside"])
        self.assertIn("3 times", said[1])
        names = [self.same(place, self.uneven), self.same(place, old)]
        with open(f"{marks}/asked") as file:
            asked = file.read().splitlines()
        self.assertEqual(sum("detect" in line and "killer" in line and "--cuts" in line for line in asked), 3)
        # The one that was killed is the only one that was begun twice.
        parts_of_uneven = [line.split("threads=1")[1] for line in asked if line.startswith("detect") and "uneven" in line and "threads=1" in line]
        self.assertGreaterEqual(len(set(parts_of_uneven)), 3)
        self.assertEqual(len(parts_of_uneven), len(set(parts_of_uneven)) + 1)
        self.assertEqual(os.listdir(f"{place}/work"), [])
        with open(f"{place}/index.html") as file:
            page = file.read()
        for word in (*(f'files/{name}/report.html">' for name in names), "2 videos", "2 set aside", "killer.avi"):
            self.assertIn(word, page)
        self.assertTrue(all(os.path.exists(f"{place}/files/{name}/report.html") for name in names))
        self.ask(place)

    def test_in_s3_and_in_two_runs(self):
        """Sources and results in a real S3 server; a run that is ended in the middle is gone on with; then the server goes away."""
        here, found = os.path.dirname(os.path.abspath(__file__)), self.place()
        done = subprocess.run([PYTHON, os.path.join(here, "fleet_in_s3.py"), self.uneven, found], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        said = json.loads(done.stdout)
        self.assertEqual(said["sources"], ["s3://archive/front/uneven-2026-11-22T15-45-01Z.mkv"])
        first_run, second_run, third_run = said["steps"]
        self.assertEqual(first_run, ["plan", "look 0"])
        self.assertEqual(second_run, ["plan", *(f"look {number}" for number in range(1, said["parts"])), "finish"])
        self.assertEqual(third_run, ["plan"])
        self.assertGreaterEqual(said["parts"], 2)
        self.assertEqual(said["totals"], [[1, 0, 0], [0, 1, 0]])
        name = sources.short_name(said["sources"][0])
        self.assertEqual([file for file in said["files"] if "/work/" in file or "/failed/" in file], [])
        for file in (f"done/{name}.json", f"files/{name}/report.html", "index.html",
                     f"tables/boxes/day=2026-11-22/source=uneven/{name}.parquet"):
            self.assertIn(f"results/x/{file}", said["files"])
        found_alone, said_alone = self.alone(self.uneven, self.place(), zones=False)
        with open(found_alone, "rb") as one, open(f"{found}/detections.jsonl", "rb") as other:
            self.assertEqual(one.read(), other.read())
        self.assertEqual(facts(said_alone), facts(f"{found}/messages.jsonl"))
        self.assertEqual(len(said["away"]), 1)
        self.assertIn("cannot be read", said["away"][0])

    def ask(self, place):
        """Every question of the page on questions has an answer, and the tables hold what the messages say."""
        import duckdb
        with open(os.path.join(ROOT, "docs", "fleet-questions.md")) as file:
            questions = re.findall(r"```sql\n(.*?)```", file.read(), re.DOTALL)
        self.assertGreaterEqual(len(questions), 4)
        with duckdb.connect() as tables:
            for question in questions:
                tables.execute(question.replace("results/", f"{place}/"))
            def ask(what, table):
                return tables.execute(f"select {what} from read_parquet('{place}/tables/{table}/**/*.parquet', hive_partitioning = true) "
                                      "where video like 'uneven%'").fetchall()[0]
            events, boxes = ask("count(*), count(time)", "zone_events"), ask("count(*), min(source), min(day)::text", "boxes")
        name = sources.short_name(self.uneven)
        messages = [json.loads(line) for line in facts(f"{place}/files/{name}/messages.jsonl")]
        count = sum(message["message"] == "swiftodt-zone" for message in messages)
        self.assertGreater(count, 0)
        self.assertEqual(events, (count, count))
        self.assertEqual(boxes, (sum(len(message.get("objects", [])) for message in messages), "uneven", "2026-11-22"))


def beyond_loopback(process):
    """On what other addresses a process and those it has started listen."""
    family, grown = {str(process)}, True
    while grown:
        grown = False
        for path in glob.glob("/proc/[0-9]*/stat"):
            with contextlib.suppress(OSError), open(path) as file:
                parent = file.read().rsplit(")", 1)[1].split()[1]
                number = path.split("/")[2]
                if parent in family and number not in family:
                    family.add(number)
                    grown = True
    sockets = set()
    for number in family:
        for path in glob.glob(f"/proc/{number}/fd/*"):
            with contextlib.suppress(OSError):
                sockets.add(os.readlink(path))
    found = []
    # As the system writes 127.0.0.1, that in IPv6's form, and ::1.
    loopback = ("0100007F:", "0000000000000000FFFF00000100007F:", "00000000000000000000000001000000:")
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}") as lines:
            for line in list(lines)[1:]:
                words = line.split()
                if words[3] == "0A" and f"socket:[{words[9]}]" in sockets and not words[1].startswith(loopback):
                    found.append(words[1])
    return found


if __name__ == "__main__":
    unittest.main()
