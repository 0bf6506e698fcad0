"""The fleet's schedule, storage and file cache without Ray: every part runs once, failures are handled, and memory is bounded."""
import contextlib
import errno
import fcntl
import io
import json
import os
import pathlib
import pickle
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import tracemalloc
import unittest
from unittest import mock

from archives import IS_THERE, PYTHON, needs_fleet
from streams import ROOT

if IS_THERE:
    import fsspec
    from swiftodt_fleet import cluster, file_cache, inference, odt_program, overview, planning, segments, recording_origin, settings, sources, storage
    from swiftodt_fleet.file_cache import Identity
    from swiftodt_fleet.errors import BadFile, WorkerLost, RunError, Unreachable, Usage
    from swiftodt_fleet.inference import Video
    from swiftodt_fleet.segments import WHOLE, SegmentResult, Span
    from swiftodt_fleet.storage import Storage
    from swiftodt_fleet.planning import Plan
    from swiftodt_fleet.progress import Progress, summary
    from swiftodt_fleet.schedule import Schedule, Totals, Work


WRITE_TABLES = """
import os, sys
from swiftodt_fleet import recording_origin, sources, tables
folder, *addresses = sys.argv[1:]
for address in addresses:
    origin, video = recording_origin.origin(address, None), sources.short_name(address)
    paths, figures = tables.write_tables(folder + "/messages.jsonl", video, origin, folder)
    print(figures.tracks)
    for kind, path in paths.items():
        target = os.path.join(folder, tables.name_in_tables(kind, video, origin))
        os.makedirs(os.path.dirname(target))
        os.rename(path, target)\n"""

# Finishes a video whose file was changed on two days, and then as another run of the same time.
FINISH = """
import json, os, sys
from unittest import mock
from swiftodt_fleet import postprocessing
from swiftodt_fleet.file_cache import Identity
from swiftodt_fleet.inference import Video, recording_name
from swiftodt_fleet.segments import WHOLE
from swiftodt_fleet.settings import Settings
from swiftodt_fleet.storage import Storage
folder = sys.argv[1]
settings = Settings(folder + "/results")
def video(day):
    return Video("evening", "/v/hall/evening.mp4", Identity(1, str(day), day * 86400))
for day in (1, 2):
    Storage(settings.storage).put(folder + "/part", recording_name(video(day), WHOLE))
    done = postprocessing.finish(video(day), settings, [WHOLE])
assert postprocessing.finish(video(2), settings, [WHOLE]) == done
with mock.patch.object(postprocessing, "finished", side_effect=[None, done]):
    assert postprocessing.finish(video(2), settings, [WHOLE]) == done
with mock.patch.object(Storage, "remove", side_effect=OSError(39, "Directory not empty")):
    assert postprocessing.finish(video(2), settings, [WHOLE]) == done
try: postprocessing.finish(video(3), settings, [WHOLE])
except FileNotFoundError: print("ended")\n"""


class FakeExecutor:
    """Runs each task when it is submitted and returns the results later, the last one first."""

    cores = 3

    def __init__(self):
        self.results, self.count, self.maximum = {}, 0, 0

    def submit(self, function, *arguments):
        self.count += 1
        try:
            self.results[self.count] = (function(*arguments), None)
        except Exception as error:
            self.results[self.count] = (None, error)
        self.maximum = max(self.maximum, len(self.results))
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
    """Returns the identity of the first frame of a part, which matches the frame after the previous part."""
    return [[number * 10, f"sum {number}"]]


class FakeScheduler:
    """A schedule whose work is only logged."""

    def __init__(self, spans=4, trouble=None, listed=()):
        self.spans, self.trouble, self.listed, self.log, self.said = spans, trouble or {}, listed, [], []

    def run(self, addresses):
        work = Work(None, self.plan, self.infer, self.finish, self.plan_whole, self.set_aside)
        self.executor = FakeExecutor()
        return Schedule(self.executor, work, lambda totals: None, self.said.append).run(iter(addresses))

    def step(self, *words):
        self.log.append(words)
        error = self.trouble.get(words)
        if error is not None and self.log.count(words) <= error[1]:
            raise error[0]

    def plan(self, address, _):
        self.step("plan", address)
        return Plan(Video(address, address, Identity(1, "")), spans=[Span(at, at + 1) for at in range(self.spans)])

    def infer(self, video, _, span):
        number = span.start or 0
        self.step("infer", video.name, number)
        return SegmentResult(1, first(number), first(number + 1 if ("misfit", video.name) not in self.trouble else 99))

    def finish(self, video, _, spans):
        self.step("finish", video.name, len(spans))
        return {"seconds": 1.0}

    def plan_whole(self, video, _):
        self.step("whole", video.name)
        return Plan(video, spans=[WHOLE])

    def set_aside(self, address, _, error, again, identity):
        self.step("aside", address, error, again)
        return address not in self.listed


@needs_fleet
class Inside(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_every_segment_once_then_postprocessing(self):
        desk = FakeScheduler()
        totals = desk.run(["a", "b", "a"])
        self.assertEqual((totals.done, totals.set_aside), (2, 0))
        self.assertEqual(len(desk.log), len(set(desk.log)))
        for name in "ab":
            steps = [words for words in desk.log if words[1] == name]
            self.assertEqual(steps[0], ("plan", name))
            self.assertEqual(steps[-1], ("finish", name, 4))
            self.assertEqual(sorted(words[2] for words in steps[1:-1]), [0, 1, 2, 3])

    def test_crashing_file_is_set_aside_after_three_tries(self):
        desk = FakeScheduler(trouble={("infer", "b", 2): (WorkerLost("gone"), 9), ("infer", "c", 1): (WorkerLost("gone"), 2)})
        totals = desk.run("abcd")
        self.assertEqual((totals.done, totals.set_aside), (3, 1))
        self.assertEqual([desk.log.count(("infer", "b", 2)), desk.log.count(("infer", "c", 1))], [3, 3])
        self.assertIn(("aside", "b", "gone, 3 times", False), desk.log)
        self.assertEqual(desk.said, ["b is set aside: gone, 3 times"])

    def test_bad_files_are_set_aside(self):
        desk = FakeScheduler(trouble={("plan", "a"): (BadFile("no video"), 9), ("infer", "b", 0): (Unreachable("no network"), 9), ("finish", "c", 4): (ValueError("x"), 9)})
        totals = desk.run("abcd")
        self.assertEqual((totals.done, totals.set_aside), (1, 3))
        aside = [words[1:] for words in desk.log if words[0] == "aside"]
        self.assertEqual(sorted(aside), [("a", "no video", False), ("b", "no network", True), ("c", "ValueError: x", True)])

    def test_total_failure_stops_run(self):
        names = [f"{number}" for number in range(50)]
        desk = FakeScheduler(trouble={("plan", name): (BadFile("no model"), 9) for name in names})
        with self.assertRaisesRegex(RunError, "no model"):
            desk.run(names)
        # Files of earlier runs prove nothing about this run.
        desk = FakeScheduler(trouble={("plan", name): (BadFile("no model"), 9) for name in names[20:]})
        plan = desk.plan
        desk.plan = lambda name, _: Plan(Video(name, name, Identity(1, "")), done={}) if int(name) < 20 else plan(name, _)
        with self.assertRaisesRegex(RunError, "no model"):
            desk.run(names)
        self.assertEqual(sum(words[0] == "aside" for words in desk.log), 10)

    def test_failures_that_repeat_in_every_run_do_not_stop_it(self):
        bad = [f"bad {number}" for number in range(30)]
        for error, listed in ((Unreachable("no permission"), ()), (BadFile("no video"), bad), (ValueError("x"), bad)):
            desk = FakeScheduler(trouble={("plan", name): (error, 9) for name in bad}, listed=listed)
            totals = desk.run([*bad, "good"])
            self.assertEqual((totals.done, totals.set_aside), (1, 30))
        options = settings.Settings(self.folder)
        self.assertEqual([planning.set_aside("/v/x.mp4", options, "no", again, None) for again in (True, True, False)], [True, False, False])

    def test_exit_codes_of_odt_are_distinguished(self):
        """Errors of the machine end the run, and temporary errors are retried by the next run. The text of an error does not matter."""
        odt = os.path.join(self.folder, "odt")
        sentence = "there is no model: Permission denied " + "f" * 5000
        for code, kind in ((1, BadFile), (2, Usage), (3, RunError), (4, Unreachable), (141, BadFile)):
            with open(odt, "w", encoding="ascii") as file:
                file.write(f'#!/bin/sh\necho "odt detect: {sentence}" >&2\nexit {code}\n')
            os.chmod(odt, 0o755)
            with self.subTest(code), mock.patch.dict(os.environ, SWIFTODT_ODT=odt), self.assertRaises(kind) as caught:
                odt_program.odt("detect")
            self.assertIs(type(caught.exception), kind)
            self.assertTrue(str(caught.exception).endswith("f" * odt_program.LONGEST))

    def test_mismatching_segments_are_processed_whole(self):
        desk = FakeScheduler(trouble={("misfit", "a"): None})
        totals = desk.run("ab")
        self.assertEqual(totals.done, 2)
        self.assertIn(("whole", "a"), desk.log)
        self.assertIn(("finish", "a", 1), desk.log)
        self.assertNotIn(("whole", "b"), desk.log)

    def test_single_part_with_damaged_recording_is_inferred_once_more(self):
        damage = segments.RecordingMismatch("a part is incomplete")
        desk = FakeScheduler(spans=1, trouble={("finish", "a", 1): (damage, 1), ("finish", "b", 1): (damage, 9)})
        totals = desk.run("ab")
        self.assertEqual((totals.done, totals.set_aside), (1, 1))
        for name in "ab":
            self.assertEqual([desk.log.count(("whole", name)), desk.log.count(("infer", name, 0)), desk.log.count(("finish", name, 1))], [1, 2, 2])
        self.assertEqual(desk.said, ["b is set aside: its recording is incomplete or damaged"])

    def test_full_disk_stops_run(self):
        with self.assertRaises(RunError):
            FakeScheduler(trouble={("finish", "b", 4): (RunError("full"), 9)}).run("abc")
        for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            error = OSError(number, os.strerror(number), "/tmp/x")
            with self.assertRaisesRegex(RunError, "TMPDIR"):
                FakeScheduler(trouble={("finish", "b", 4): (error, 9)}).run("abc")
            ask = mock.Mock(side_effect=error)
            with self.assertRaisesRegex(RunError, "TMPDIR"):
                file_cache.patiently(ask, "s3://x/y.mp4")
            ask.assert_called_once_with()

    def test_schedule_memory_is_bounded(self):
        """Fifty times as many files need no more memory."""
        def peak(count):
            desk = FakeScheduler(spans=1)
            desk.step = lambda *words: None
            tracemalloc.start()
            self.assertEqual(desk.run(f"file {number}" for number in range(count)).done, count)
            memory = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            return memory, desk.executor.maximum

        few, many = peak(100), peak(5000)
        self.assertLessEqual(many[1], 10)
        self.assertLess(many[0], few[0] + 20_000)

    def test_progress_is_shown_only_on_terminal(self):
        """One line, at most four times per second. Without a terminal only failures are printed."""
        totals = Totals(done=30, already=10, set_aside=2, seconds=36_000)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            unseen = Progress(None)
            unseen.show(totals)
            self.assertEqual(said.getvalue(), "")
            seen = Progress(104)
            seen.show(totals)
            seen.show(totals)
            seen.say("x is set aside")
        self.assertEqual(said.getvalue().count("\r"), 2)
        self.assertTrue(said.getvalue().endswith("\r\x1b[Kfleet: x is set aside\n"))
        self.assertEqual(Progress(104).line(totals, 3600.0), "42 of 104 files, 10.0 hours of video, 10 times real time, 1:56:15 left, 2 set aside")

    def test_recordings_are_joined(self):
        texts = ['{"h":1,"first-frame":"a"}\n{"time":0}\n{"time":1}\n{"end":true,"frames":2,"time":1}\n', '{"h":1,"first-frame":"b"}\n{"time":2}\n{"end":true,"frames":1,"time":2}\n']
        with open(os.path.join(self.folder, "joined"), "w+") as into:
            self.assertEqual(segments.join((iter(text.splitlines(True)) for text in texts), into), (3, 3))
            into.seek(0)
            self.assertEqual(into.read(), '{"h":1,"first-frame":"a"}\n{"time":0}\n{"time":1}\n{"time":2}\n{"end":true,"frames":3,"time":2}\n')
            end = '{"end":true,"frames":0}\n'
            for broken in ('{"h":2}\n' + end, '{"h":1}\n{"ti\0\0\n' + end, '{"h":1}\n{"time":3}\n', "", '{"h":\n' + end, "7\n" + end, '{"h":"\udcff\n' + end, '{"h":1}\n' + end[:9]):
                for parts in (texts[0], broken), (broken, texts[1]):
                    with self.subTest(parts), self.assertRaises(segments.RecordingMismatch):
                        segments.join((iter(text.splitlines(True)) for text in parts), into)

    def test_sources_are_expanded(self):
        for name in ("a/1.mp4", "a/b/2.MKV", "a/notes.txt", "a/.3.mp4.part.mp4", "[x].mp4", "out/files/annotated.mp4"):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            open(os.path.join(self.folder, name), "w").close()
        with open(os.path.join(self.folder, "list"), "w") as file:
            file.write(f"# some\n{self.folder}/a/1.mp4\n\nhttps://there/x.mp4\n")
        def expanded(*words):
            return [address.replace(self.folder + "/", "") for address in sources.expand([word.replace("F/", self.folder + "/") for word in words], self.folder + "/out", said.append)]
        said = []
        self.assertEqual(expanded("F/a"), ["a/1.mp4", "a/b/2.MKV"])
        self.assertEqual(expanded("F/a/*.mp4", "F/[x].mp4", "F/none.mp4"), ["a/1.mp4", "[x].mp4", "none.mp4"])
        self.assertEqual(expanded("@F/list"), ["a/1.mp4", "https://there/x.mp4"])
        with open(os.path.join(self.folder, "outer"), "w") as file:
            file.write(f"{self.folder}/a/1.mp4\n@{self.folder}/none\n")
        sources.check_sources(["a", f"@{self.folder}/outer", "@-"])
        with mock.patch.dict(os.environ, HOME=self.folder):
            self.assertEqual(expanded("@~/list"), ["a/1.mp4", "https://there/x.mp4"])
        with self.assertRaisesRegex(Usage, f"the list @{self.folder}/none cannot be read: No such file"):
            expanded("@F/outer")
        self.assertEqual(len(expanded("F/")), 3)
        self.assertEqual(said, [])
        self.assertEqual(expanded("F/*.avi", "foo://x/y.mp4", "F/a/1.mp4"), ["a/1.mp4"])
        self.assertEqual([sentence.replace(self.folder, "F") for sentence in said],
                         ["no file matches F/*.avi", "foo://x/y.mp4 cannot be read: Protocol not known: foo"])
        # The folder of results under another name.
        os.symlink(self.folder, os.path.join(self.folder, "link"))
        self.assertEqual(expanded("F/link/out"), [])
        self.assertEqual(len(expanded("F/link/")), 3)
        names = {sources.short_name(name) for name in ("/a/x.mp4", "/b/x.mp4", "s3://a/x.mp4?v=1", "/a/ü ß/../x", "/" + "x" * 300)}
        self.assertEqual(len(names), 5)
        self.assertTrue(all(re.fullmatch(r"[\w.-]{1,100}", name, re.ASCII) for name in names))

    def found(self, *names):
        """Returns the sources that are found for these names in the folder, relative to it."""
        addresses = sources.expand([f"{self.folder}/{name}" for name in names], self.folder + "/out", self.fail)
        return [address.removeprefix(self.folder + "/") for address in addresses]

    def test_every_spelling_of_a_local_path_gives_the_same_source(self):
        for name in ("a/1.mp4", "b/c/2.mp4"):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            pathlib.Path(self.folder, name).touch()
        os.symlink("b/c", os.path.join(self.folder, "link"))
        for word in ("a/1.mp4", "a//1.mp4", "./a/../a/./1.mp4", "a/../a", "b/../a/*.mp4", "/a//"):
            self.assertEqual(self.found(word), ["a/1.mp4"], word)
        for word in (f"/{self.folder}/a/1.mp4", f"file://{self.folder}//a/1.mp4", os.path.relpath(f"{self.folder}/a/1.mp4")):
            self.assertEqual(list(sources.expand([word], "/out", self.fail)), [f"{self.folder}/a/1.mp4"], word)
        # Links keep their names, but the folder above the target of a link is not the folder above the link.
        self.assertEqual(self.found("link/2.mp4", "link/../c/2.mp4"), ["link/2.mp4", "b/c/2.mp4"])

    def test_local_names_with_characters_of_addresses_are_local(self):
        for name in ("a", "a::b.mp4", "file::x.mp4", "q?.mp4", "data:"):
            pathlib.Path(self.folder, name).write_text(name, encoding="ascii")
            address = os.path.join(self.folder, name)
            self.assertEqual(self.found(name), [name])
            with file_cache.local_copy(address, Identity.of(address)) as path, open(path, encoding="ascii") as file:
                self.assertEqual(file.read(), name)
            self.assertEqual(storage.base_name(address), name)
        self.assertEqual(Storage(self.folder + "/a::b").root, self.folder + "/a::b")
        self.assertEqual(storage.base_name("https://there/x.mp4?v=1/2"), "x.mp4")

    def test_linked_folders_are_entered_once(self):
        with tempfile.TemporaryDirectory() as other:
            for path in (f"{self.folder}/b/1.mp4", f"{self.folder}/b/c/2.mp4", f"{other}/d/3.mp4"):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                pathlib.Path(path).touch()
            for link, target in (("a", "b"), ("a.mp4", "b/c"), ("b/loop", ".."), ("linked", other), (f"{other}/back", self.folder)):
                os.symlink(target, os.path.join(self.folder, link))
            for word in ("", "**/*.mp4"):
                self.assertEqual(self.found(word), ["b/1.mp4", "b/c/2.mp4", "linked/d/3.mp4"], word)
            self.assertEqual(self.found("a", "l*/*/*.mp4"), ["a/1.mp4", "a/c/2.mp4", "linked/d/3.mp4"])

    def test_patterns_match_files_behind_links(self):
        for path in ("x/y/z/1.mp4", "x/y/0.mp4", "cam/2026/2.mp4"):
            os.makedirs(os.path.dirname(os.path.join(self.folder, path)), exist_ok=True)
            pathlib.Path(self.folder, path).touch()
        for link, target in (("b", "x/y"), ("cam/latest", "2026"), ("x/y/round", "../../cam"), ("cam/round", "../x")):
            os.symlink(target, os.path.join(self.folder, link))
        self.assertEqual(self.found("*/*/*.mp4"), ["b/z/1.mp4", "cam/2026/2.mp4", "x/y/0.mp4"])
        self.assertEqual(self.found("**/latest/*.mp4"), ["cam/latest/2.mp4"])
        self.assertEqual(len(self.found("**")), 3)

    def test_links_to_files_do_not_replace_files(self):
        pathlib.Path(self.folder, "cam-2026.mp4").touch()
        for link in (".latest.mp4", "cam-0.mp4"):
            os.symlink("cam-2026.mp4", os.path.join(self.folder, link))
        for word in ("", "*.mp4"):
            self.assertEqual(self.found(word), ["cam-0.mp4", "cam-2026.mp4"], word)

    def test_folders_that_link_to_each_other_are_walked_in_bounded_time(self):
        names = "abcdefghij"
        for name in names:
            os.mkdir(os.path.join(self.folder, name))
            pathlib.Path(self.folder, name, "1.mp4").touch()
            for other in names.replace(name, ""):
                os.symlink(f"../{other}", os.path.join(self.folder, name, other))
        self.assertEqual(self.found("**"), [f"{name}/1.mp4" for name in names])

    def test_unfinished_files_are_no_sources_of_folders_and_patterns(self):
        finished = ["concert.part1.mp4", "cam-2026-11-22T15-45-01Z.mkv", "cam-2026-11-22T15-50-01Z_2.mkv"]
        unfinished = ["cam-2026-11-22T15-55-01Z.part.mkv", "cam-2026-11-22T15-45-01Z.part2.mkv", "cam-2026-11-22T15-50-01Z_2.part12.mkv", "out.part.mp4"]
        for name in finished + unfinished:
            open(os.path.join(self.folder, name), "w").close()
        for word in (self.folder, f"{self.folder}/*"):
            found = list(sources.expand([word], self.folder + "/out", self.fail))
            self.assertEqual(sorted(map(os.path.basename, found)), sorted(finished))
        named = f"{self.folder}/{unfinished[0]}"
        self.assertEqual(list(sources.expand([named], self.folder + "/out", self.fail)), [named])

    def test_unreadable_folders_are_reported(self):
        for name in ("a/1.mp4", "b/c/2.mp4", "d/3.mp4"):
            os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
            open(os.path.join(self.folder, name), "w").close()
        scandir, read = os.scandir, []

        def refuse(path):
            read.append(path)
            if str(path).endswith("/c"):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            return scandir(path)

        said = []
        # Permissions do not apply to root.
        with mock.patch.object(os, "scandir", refuse):
            found = list(sources.expand([self.folder], self.folder + "/out", said.append))
        self.assertEqual(found, [f"{self.folder}/a/1.mp4", f"{self.folder}/d/3.mp4"])
        self.assertEqual(said, [f"{self.folder}/b/c cannot be read: Permission denied"])
        for pattern, names in (("*/*.mp4", ["a/1.mp4", "d/3.mp4"]), ("*/c/*.mp4", []), ("**/*.mp4", ["a/1.mp4", "d/3.mp4"]), ("b/c/*", []), ("[ad]/**/*.mp4", ["a/1.mp4", "d/3.mp4"])):
            said.clear()
            read.clear()
            with self.subTest(pattern), mock.patch.object(os, "scandir", refuse):
                found = list(sources.expand([f"{self.folder}/{pattern}"], self.folder + "/out", said.append))
                self.assertEqual(found, [f"{self.folder}/{name}" for name in names])
                self.assertEqual([text for text in said if "no file matches" not in text],
                                 [f"{self.folder}/b/c cannot be read: Permission denied"] if pattern.split("/")[-2] in ("c", "**") and pattern[0] != "[" else [])
                self.assertEqual(len(read), len(set(read)))

    def test_origins_are_parsed(self):
        hour = 3600 * 10**9
        for name, expected in {
            "/v/front/front-2026-11-22T15-00-00Z.mkv": ("front", "2026-11-22", 15), "s3://b/yard/20261122_150000.mp4": ("yard", "2026-11-22", 15),
            "/v/gate/2026-11-22/15.mp4": ("15", "2026-11-22", None),
            "/v/gate/2026-11-22/15-45-01.mp4": ("gate", "2026-11-22", 15), "/v/gate/20261122/154501.mp4": ("gate", "2026-11-22", 15),
            "/v/2026-11-22/yard_15.45.01.mp4": ("yard", "2026-11-22", 15), "/v/yard-2026-11-22/15-45-01.mp4": ("yard", "2026-11-22", 15),
            "/v/2026-11-22/hall.mp4": ("hall", "2026-11-22", None), "/v/gate/20261122154501.mp4": ("gate", "2026-11-22", 15),
            "/v/x/cam1_2026-11-22T00-45-01+0200.mp4": ("cam1", "2026-11-22", 22), "/v/x/cam1_2026-11-22T15:45:01-05:30.mp4": ("cam1", "2026-11-22", 21),
            "/v/gate/2026-11-22_15-00-00/clip-000012.mp4": ("clip-000012", "2026-11-22", 15),
            "/v/2026-11-22/clip-000012.mp4": ("clip-000012", "2026-11-22", None), "/v/2026-11-22/trip-123456.mp4": ("trip-123456", "2026-11-22", None),
            "/v/2026-11-22/cam-10.20.30.40.mp4": ("cam-10.20.30.40", "2026-11-22", None),
            "/v/2026-11-22/cam-1-15_45.01.mp4": ("cam-1-15_45.01", "2026-11-22", None), "/v/2026-11-22/yard 15h45m01.mp4": ("yard", "2026-11-22", 15),
            "/v/2026-11-22/yard_15-45-01-0002.mp4": ("yard", "2026-11-22", 15),
            "/v/x/cam1_20261122_154501-0002.mp4": ("cam1", "2026-11-22", 15), "/v/x/cam1_20261122T154501-1600.mp4": ("cam1", "2026-11-22", 15),
            "/v/x/cam1_2026-11-22T15-45-01-0001.mp4": ("cam1", "2026-11-22", 15), "/v/x/cam1_2026-11-22T15:45:01-16:00:00.mp4": ("cam1", "2026-11-22", 15),
            "/v/x/cam1_20261122T154501-0500.mp4": ("cam1", "2026-11-22", 20), "/v/x/cam1_2026-11-22T15-45-01-0330.mp4": ("cam1", "2026-11-22", 19),
            "/v/x/cam1_20261122_154501-0500.mp4": ("cam1", "2026-11-22", 15), "/v/x/cam1_20261122T154501-0500012.mp4": ("cam1", "2026-11-22", 15),
            "/v/cam 3/hall.mp4": ("cam_3", "2026-11-21", None),
            "/v/x/2026-99-99.mp4": ("x", "2026-11-21", None)}.items():
            found = recording_origin.origin(name, 1795219200.5)
            begin = found.begin and found.begin // hour % 24
            self.assertEqual((found.source, found.day, begin), expected, name)
        self.assertEqual(recording_origin.origin("/a/b.mp4", None).day, "unknown")

    def test_storage_writes_are_atomic(self):
        storage = Storage(self.folder)
        source = os.path.join(self.folder, "source")
        with open(source, "w") as file:
            file.write("x" * 100_000)
        storage.put(source, "sub/there")
        self.assertEqual(storage.names("sub"), ["there"])
        code = ("import resource, signal, sys; from swiftodt_fleet.storage import Storage; from swiftodt_fleet.errors import RunError\n"
                "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
                "try: Storage(sys.argv[1]).put(sys.argv[2], 'sub/more')\n"
                "except RunError as error: print(error)")
        said = subprocess.run([PYTHON, "-c", code, self.folder, source], capture_output=True, text=True, timeout=60)
        self.assertIn("cannot be written: File too large", said.stdout, said.stderr)
        self.assertEqual(os.listdir(os.path.join(self.folder, "sub")), ["there"])

    def test_storage_makes_folder_again_that_another_run_removed(self):
        storage = Storage(self.folder)
        for count, error in ((1, None), (9, RunError)):
            def write(passing):
                nonlocal count
                if count:
                    count -= 1
                    os.rmdir(os.path.dirname(passing))
                pathlib.Path(passing).write_bytes(b"x")
            with self.assertRaises(error) if error else contextlib.nullcontext():
                storage.appear(f"{count}/there", write)
        self.assertEqual((storage.names("1"), count), (["there"], 7))

    def test_part_of_a_finished_video_needs_no_storage(self):
        """Another run has finished the video and removed the folder of the parts."""
        video, options, storage = self.planned()
        with mock.patch.object(inference, "odt"), mock.patch.object(Storage, "put", side_effect=RunError("gone")):
            with self.assertRaisesRegex(RunError, "gone"):
                inference.infer(video, options, WHOLE)
            storage.write_json(f"done/{video.name}.json", {"identity": video.identity.key})
            self.assertEqual(inference.infer(video, options, WHOLE), SegmentResult(0, [], []))

    def test_errors_that_ray_raises_again_are_utf_8(self):
        with self.assertRaisesRegex(Unreachable, r"there is no .*/\\udcff.mp4") as caught:
            Identity.of(os.path.join(self.folder, os.fsdecode(b"\xff.mp4")))
        str(caught.exception).encode()
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))

    def test_names_that_are_not_utf_8_are_stored_and_shown(self):
        address = os.fsdecode(b"/v/q?\xff.mp4")
        folder = os.path.join(self.folder, "results")
        planning.set_aside(address, settings.Settings(folder), "no video", True, None)
        planning.write_plan(Storage(folder), Video(sources.short_name(address), address, Identity(1, "")), [WHOLE])
        self.assertEqual(Storage(folder).read_json(f"failed/{sources.short_name(address)}.json")["address"], address)
        overview.write_overview(Storage(folder))
        with open(f"{folder}/index.html", encoding="utf-8") as file:
            self.assertIn(r"<td>q?\udcff.mp4</td>", file.read())
        listed = os.path.join(self.folder, "list")
        with open(listed, "wb") as file:
            file.write(b"/v/\xff.mp4\n")
        self.assertEqual(list(sources.expand([f"@{listed}"], folder, self.fail)), [os.fsdecode(b"/v/\xff.mp4")])

    def test_list_is_read_from_pipe(self):
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        self.assertTrue(sources.is_read_once(["a", f"@{pipe}"]))
        self.assertFalse(sources.is_read_once(["a", f"@{__file__}"]))
        writer = threading.Thread(target=lambda: pathlib.Path(pipe).write_text("/v/1.mp4\n/v/2.mp4\n", encoding="ascii"))
        writer.start()
        self.assertEqual(list(sources.expand([f"@{pipe}"], self.folder, self.fail)), ["/v/1.mp4", "/v/2.mp4"])
        writer.join(60)

    def test_standard_input_remains_open(self):
        code = "import os; from swiftodt_fleet import sources; print(*sources.read_lines('-'), os.fstat(0).st_size)"
        said = subprocess.run([PYTHON, "-c", code], input="/v/1.mp4", capture_output=True, text=True, timeout=60)
        self.assertEqual(said.stdout, "/v/1.mp4 0\n", said.stderr)

    def copies_in(self, folder, limit):
        """Sets the folder and the size limit of the file cache, and returns its folder."""
        for target, name, value in ((tempfile, "tempdir", folder), (file_cache, "cache_limit", lambda: limit), (file_cache, "PAUSES", ())):
            patch = mock.patch.object(target, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        return os.path.join(folder, f"swiftodt-fleet-{os.getuid()}")

    def remote(self, count, size=1000):
        store = fsspec.filesystem("memory")
        self.addCleanup(store.rm, "/archive", recursive=True)
        for number in range(count):
            store.pipe_file(f"/archive/{number}.mp4", b"x" * size)
        return [f"memory://archive/{number}.mp4" for number in range(count)]

    def test_lock_files_are_removed_with_their_copies(self):
        folder = self.copies_in(self.folder, limit=2500)
        for address in self.remote(20):
            with file_cache.local_copy(address, Identity(1000, "1")) as path:
                self.assertEqual(os.path.getsize(path), 1000)
        left = os.listdir(folder)
        self.assertEqual((len(left), sum(name.endswith(".lock") for name in left)), (4, 2), left)

    def test_failed_copy_leaves_no_files(self):
        folder = self.copies_in(self.folder, limit=2500)
        (there,) = self.remote(1)
        for address, identity in (("memory://archive/none.mp4", Identity(None, "")), (there, Identity(999, ""))):
            with self.assertRaises(Unreachable), file_cache.local_copy(address, identity):
                pass
        self.assertEqual(os.listdir(folder), [])

    def test_copy_in_use_is_kept_with_its_lock(self):
        self.copies_in(self.folder, limit=1)
        one, two, three = self.remote(3)
        with file_cache.local_copy(one, Identity(1000, "1")) as path:
            with file_cache.local_copy(two, Identity(1000, "1")):
                self.assertTrue(os.path.exists(path) and os.path.exists(path + ".lock"))
        with file_cache.local_copy(three, Identity(1000, "1")):
            self.assertFalse(os.path.exists(path) or os.path.exists(path + ".lock"))

    def test_files_of_killed_workers_are_removed(self):
        folder = self.copies_in(self.folder, limit=2500)
        (address,) = self.remote(1)
        with file_cache.temporary_folder() as used:
            killed = f"work-{socket.gethostname()}@killed"
            os.mkdir(os.path.join(folder, killed))
            for name in (f"{killed}/part.jsonl", "killed.mp4.part", "killed.mp4.lock"):
                pathlib.Path(folder, name).write_bytes(bytes(3000))
            with file_cache.temporary_folder() as other, file_cache.local_copy(address, Identity(1000, "1")):
                self.assertEqual({name for name in os.listdir(folder) if name.startswith(("work-", "killed"))}, set(map(os.path.basename, (used, other))))
        self.assertFalse(os.path.exists(used) or os.path.exists(other))

    def test_temporary_folders_of_other_machines_are_kept(self):
        self.copies_in(self.folder, limit=2500)
        # Locks are local to a machine, so that the other machine sees none.
        with file_cache.temporary_folder() as used, mock.patch.object(socket, "gethostname", return_value="other"), mock.patch.object(fcntl, "flock"):
            with file_cache.temporary_folder() as other:
                self.assertTrue(os.path.exists(used))
                self.assertNotEqual(used, other)

    def test_temporary_folder_needs_no_locks(self):
        self.copies_in(self.folder, limit=2500)
        with mock.patch.object(fcntl, "flock", side_effect=OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))):
            with file_cache.temporary_folder() as one, file_cache.temporary_folder() as two:
                self.assertTrue(os.path.exists(one) and os.path.exists(two))

    def test_copies_of_files_with_reserved_extensions_have_locks(self):
        self.copies_in(self.folder, limit=2500)
        store = fsspec.filesystem("memory")
        for ending in (".part", ".lock"):
            store.pipe_file(f"/archive/x.mp4{ending}", b"x")
            with file_cache.local_copy(f"memory://archive/x.mp4{ending}", Identity(1, "1")) as path:
                self.assertEqual((os.path.splitext(path)[1], os.path.exists(path + ".lock"), os.path.getsize(path)), ("", True, 1))
        store.rm("/archive", recursive=True)

    def test_worker_that_waited_for_a_removed_lock_takes_a_new_one(self):
        self.copies_in(self.folder, limit=2500)
        (address,) = self.remote(1)
        with file_cache.local_copy(address, Identity(1000, "1")) as path:
            pass
        sizes, begun = [], threading.Event()

        def work():
            begun.set()
            with file_cache.local_copy(address, Identity(1000, "1")) as copy, open(copy + ".lock") as lock:
                sizes.append((os.path.getsize(copy), file_cache.is_in_place(lock)))

        with open(path + ".lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            worker = threading.Thread(target=work)
            worker.start()
            begun.wait()
            # In the order of make_room.
            os.unlink(path)
            os.unlink(path + ".lock")
        worker.join(60)
        self.assertEqual(sizes, [(1000, True)])

    def test_documented_queries_handle_videos_without_start_time(self):
        """Runs the queries of docs/fleet.md on a video with a time in its name and on one without."""
        import duckdb
        messages = os.path.join(self.folder, "messages.jsonl")
        box = {"tracking-id": 1, "label": "person", "category": "unknown", "x": 1, "y": 1, "width": 9, "height": 9, "score": 0.9, "state": "tracked", "rank": 0}
        end = {"message": "swiftodt-track", "event": "end", "label": "person", "category": "unknown", "tracking-id": 1, "first-seen": 0, "last-seen": 70 * 10**9,
               "duration": 70 * 10**9, "utc-time": None, "running-time": 70 * 10**9, "best-score": 0.9, "path-length": 1.0, "epoch": 0,
               **{f"best-{side}": 1 for side in ("x", "y", "width", "height")}}
        with open(messages, "w", encoding="utf-8") as file:
            for second in (0, 1, 70):
                file.write(json.dumps({"message": "swiftodt", "stream-time": second * 10**9, "duration": 10**9, "utc-time": None, "objects": [box]}) + "\n")
            # With reidentify=true, a person who returns ends twice, and so may a new id for the time until the person is recognised.
            for more in ({}, {}, {"tracking-id": 2, "reason": "reidentified"}):
                file.write(json.dumps(end | more) + "\n")
        # In a separate process, because pyarrow cannot be loaded after Debian's NumPy.
        said = subprocess.run([PYTHON, "-c", WRITE_TABLES, self.folder, "/v/front/front-2026-11-22T15-00-00Z.mkv", "/v/hall/evening.mp4"],
                              check=True, timeout=60, capture_output=True, text=True)
        self.assertEqual(said.stdout, "{'person': 1}\n" * 2)
        with open(os.path.join(ROOT, "docs", "fleet.md"), encoding="utf-8") as file:
            questions = re.findall(r"```sql\n(.*?)```", file.read(), re.DOTALL)
        with duckdb.connect() as connection:
            # The answers do not depend on the time zone.
            connection.execute("SET TimeZone = 'America/New_York'")
            rows = connection.execute(f"SELECT tracking_id FROM '{self.folder}/tables/tracks/*/source=hall/*.parquet'").fetchall()
            answers = [connection.execute(question.replace("results/", self.folder + "/")).fetchall() for question in questions]
        hall = sources.short_name("/v/hall/evening.mp4")
        self.assertEqual(rows, [(1,), (1,)])
        self.assertEqual(answers[0], [("front", "2026-11-22 15:00", 1), ("hall", f"{hall}, hour 1", 1)])
        self.assertEqual(answers[-1], [("front", "2026-11-22 15:00", 1), ("front", "2026-11-22 15:01", 1),
                                       ("hall", f"{hall}, minute 1", 1), ("hall", f"{hall}, minute 2", 1)])

    def test_changed_file_replaces_its_tables_and_parallel_runs_agree(self):
        odt = os.path.join(self.folder, "odt")
        with open(odt, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\n: >"$3"\n')
        os.chmod(odt, 0o755)
        with open(os.path.join(self.folder, "part"), "w", encoding="ascii") as file:
            file.write('{"h":1}\n{"time":0}\n{"end":true,"frames":1,"time":0}\n')
        said = subprocess.run([PYTHON, "-c", FINISH, self.folder], capture_output=True, text=True, timeout=60, env=os.environ | {"SWIFTODT_ODT": odt, "TMPDIR": self.folder})
        self.assertEqual((said.returncode, said.stdout), (0, "ended\n"), said.stderr)
        found = {str(path.relative_to(f"{self.folder}/results/tables")) for path in pathlib.Path(self.folder, "results/tables").rglob("*.parquet")}
        self.assertEqual(found, {f"{kind}/day=1970-01-03/source=hall/evening.parquet" for kind in ("tracks", "boxes", "zone_events")})
        self.assertEqual(os.listdir(f"{self.folder}/results/work"), [])

    def test_done_file_is_not_set_aside(self):
        video, options, storage = self.planned()
        storage.write_json(f"done/{video.name}.json", {"identity": video.identity.key})
        planning.set_aside(video.address, options, "no parts", False, video.identity)
        self.assertIsNotNone(planning.plan(video.address, options).done)
        self.assertEqual(storage.names("failed"), [])

    def test_damaged_state_is_made_again(self):
        video, options, storage = self.planned()
        for name in (f"done/{video.name}.json", f"failed/{video.name}.json"):
            storage.write_json(name, {})
            with open(storage.path(name), "wb") as file:
                file.write(bytes(10))
        overview.write_overview(storage)
        spans = [Span(None, 1), Span(1, 2), Span(2, None)]
        for span, names in zip(spans, (("json", "jsonl"), ("json",), ("jsonl",))):
            self.put_part(storage, video, span, names)
        planning.write_plan(storage, video, spans)
        plan = planning.plan(video.address, options)
        self.assertEqual((len(plan.spans), list(plan.seen)), (3, [0]))
        with open(storage.path(f"{video.work_folder}/plan.json"), "w", encoding="ascii") as file:
            file.write('{"address"')
        plan = planning.plan(video.address, options)
        self.assertEqual((plan.spans, plan.seen), ([WHOLE], {}))

    def put_part(self, storage, video, span, endings=("jsonl", "json")):
        for ending in endings:
            storage.write_json(f"{video.work_folder}/{span.name}.{ending}", {"frames": 1, "first": [], "behind": []})

    def test_parts_of_another_plan_are_not_used(self):
        """Two runs with different --part-length begin at the same time."""
        video, options, storage = self.planned()
        ours, others = [Span(None, 2), Span(2, None)], [Span(None, 1), Span(1, 2), Span(2, None)]
        for span in others:
            self.put_part(storage, video, span)
        planning.write_plan(storage, video, ours)
        # The last part is the same in both plans.
        self.assertEqual(list(planning.plan(video.address, options).seen), [1])
        names = {inference.recording_name(video, span) for span in (*ours, *others, WHOLE)}
        self.assertEqual(len(names), 5)

    def test_plan_as_single_part_keeps_parts_that_another_run_joins(self):
        video, options, storage = self.planned()
        spans = [Span(None, 1), Span(1, None)]
        for span in spans:
            self.put_part(storage, video, span)
        plan = planning.plan_whole(video, options)
        self.assertEqual((plan.spans, plan.seen), ([WHOLE], {}))
        self.assertEqual(sorted(inference.finished_segments(storage, video, spans)), [0, 1])
        self.assertEqual(planning.plan(video.address, options).spans, [WHOLE])

    def test_texts_and_pages_show_no_passwords_and_tokens(self):
        address, options = "https://me:secret@there:8080/a/x.mp4?token=secret", settings.Settings(f"{self.folder}/results", part_seconds=0)
        plain, error = "https://there:8080/a/x.mp4", ValueError(f"403 Forbidden, url='{address}'")
        self.assertEqual((storage.public_address(address), storage.reason(error)), (plain, f"403 Forbidden, url='{plain}'"))
        for user in ("u:a/b", "me:se?cret", "me"):
            self.assertEqual(storage.public_address(f"https://{user}@h/x?y"), "https://h/x", user)
        self.assertEqual(storage.public_address("https://h:8080/a@b/x.mp4"), "https://h:8080/a@b/x.mp4")
        for local in ("/v/a?b@c.mp4", "/v/me:x@y.mp4"):
            self.assertEqual(storage.public_address(local), local)
        place, video = Storage(options.storage), Video(sources.short_name(address), address, Identity(1, ""))
        planning.write_plan(place, video, [WHOLE])
        with mock.patch.object(file_cache, "PAUSES", ()):
            for failure in (FileNotFoundError(address), PermissionError(13, "no"), error):
                with self.assertRaises(Unreachable) as caught:
                    file_cache.patiently(mock.Mock(side_effect=failure), address)
                self.assertRegex(str(caught.exception), re.escape(plain))
                self.assertNotIn("secret", str(caught.exception))
        desk = FakeScheduler(trouble={("plan", address): (caught.exception, 9), ("plan", address + "2"): (error, 9)})
        desk.set_aside = lambda address, _, *words: planning.set_aside(address, options, *words)
        desk.run([address, address + "2"])
        overview.write_overview(place)
        self.assertEqual(len(desk.said), 2)
        texts = desk.said + [path.read_text(encoding="utf-8") for path in pathlib.Path(options.storage).rglob("*") if path.is_file()]
        self.assertEqual(len(texts), 6)
        self.assertEqual([text for text in texts if "secret" in text], [])

    def test_named_pipe_is_no_video(self):
        os.mkfifo(f"{self.folder}/x.mp4")
        self.assertEqual(self.found(""), ["x.mp4"])
        with self.assertRaisesRegex(Unreachable, "x.mp4 is not a regular file"):
            planning.plan(f"{self.folder}/x.mp4", settings.Settings(f"{self.folder}/results"))

    def test_empty_address_is_not_the_current_folder(self):
        for work in (lambda: sources.check_sources(["a", ""]), lambda: list(sources.expand([""], self.folder, self.fail)), lambda: Storage("")):
            with self.assertRaisesRegex(Usage, "a source or --out is empty"):
                work()

    def test_full_temporary_folder_is_an_error(self):
        """The error is raised before Ray starts, because Ray would wait forever."""
        with mock.patch.dict(os.environ, RAY_TMPDIR=self.folder), mock.patch.object(shutil, "disk_usage", return_value=mock.Mock(free=99 * 2**20)) as usage:
            with self.assertRaisesRegex(RunError, f"{self.folder} has 99 MiB of free space, and Ray needs 100 MiB.*TMPDIR"), cluster.cluster(None):
                pass
        usage.assert_called_once_with(self.folder)

    def test_size_limit_of_copies_is_validated(self):
        for text, expected in (("1000", 1000), ("50GiB", None), ("-1", None), ("", None)):
            with mock.patch.dict(os.environ, SWIFTODT_FLEET_CACHE=text):
                if expected is None:
                    with self.assertRaisesRegex(Usage, f"SWIFTODT_FLEET_CACHE={text}: must be"):
                        file_cache.cache_limit()
                else:
                    self.assertEqual(file_cache.cache_limit(), expected)

    def test_errors_name_the_file_instead_of_its_copy(self):
        self.copies_in(self.folder, limit=2500)
        (address,) = self.remote(1)
        with self.assertRaisesRegex(BadFile, "^0.mp4 is not a video$"), file_cache.local_copy(address, Identity(1000, "1")) as path:
            raise BadFile(f"{path} is not a video")

    def test_fingerprint_ignores_order_and_repetition_of_properties(self):
        def fingerprint(*words):
            return settings.Settings("/x", properties=tuple(map(settings.property_setting, words))).fingerprint
        same = {fingerprint(*words) for words in (("a=1", "b=2"), ("b=2", "a=1"), ("a=3", "b=2", "a=1"))}
        self.assertEqual(len(same | {fingerprint("a=3", "b=2")}), 2)

    def planned(self):
        """Returns a video in a folder of its own, settings without parts, and the storage."""
        address = os.path.join(self.folder, "x.mp4")
        open(address, "w").close()
        options = settings.Settings(os.path.join(self.folder, "results"), part_seconds=0)
        return Video(sources.short_name(address), address, Identity.of(address)), options, Storage(options.storage)

    def test_documented_query_command_runs(self):
        with open(os.path.join(ROOT, "docs", "fleet.md"), encoding="utf-8") as file:
            (command,) = re.findall(r"^\S*python -c 'import duckdb.*$", file.read(), re.MULTILINE)
        question = os.path.join(self.folder, "question.sql")
        with open(question, "w", encoding="utf-8") as file:
            file.write("SELECT 42 AS answer")
        said = subprocess.run(["/bin/sh", "-c", command.replace("question.sql", question)], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual((said.returncode, "42" in said.stdout), (0, True), said.stderr)

    def test_summary_names_what_was_written(self):
        self.assertEqual(summary(Totals(done=1, seconds=1800), "results/", 3.14), "wrote results/index.html: 1 video, 0.50 h of video, 3.1 s")
        self.assertEqual(summary(Totals(done=30, already=10, set_aside=2, seconds=36_000), "s3://a/b", 60),
                         "wrote s3://a/b/index.html: 30 videos, 10.00 h of video, 10 from earlier runs, 2 set aside, 60.0 s")

    def test_settings_are_validated(self):
        def reason(*words):
            return settings.Settings("/x", properties=tuple(map(settings.property_setting, words))).reason_against_segments
        self.assertIsNone(reason("max-objects=20", "detector=salient", "inference-interval=1"))
        for word in ("detector=motion", "inference-interval=2", "inference_interval=2", "zoom=auto", "mode=single-image"):
            self.assertIsNotNone(reason(word), word)
        for word in ("detector=upstream", "zones=x", "nonsense", "=3"):
            with self.assertRaises(Exception, msg=word):
                settings.property_setting(word)
        self.assertEqual([settings.Settings("/x", properties=(("zoom", zoom),)).plays_back for zoom in ("grid", "auto")], [True, False])
        plan = settings.Settings("/x", properties=(("max-objects", "9"), ("model-file", "m"), ("iou-threshold", "0.6")))
        self.assertEqual(plan.for_inference(), ["--set", "threads=1", "--set", "model-file=m", "--set", "iou-threshold=0.6"])
        self.assertEqual(plan.for_tracking(), ["--set", "max-objects=9", "--set", "iou-threshold=0.6"])

    def test_settings_name_property_that_redacts(self):
        def redaction(*words):
            return settings.Settings("/x", properties=tuple(map(settings.property_setting, words))).redaction
        for words in ([], ["box-style=blur", "box-style=corners"], ["privacy-labels=person", "privacy_labels="]):
            self.assertIsNone(redaction(*words), words)
        for word in ("box-style=blur", "box-style=pixelate", "box-style=5", "privacy-labels=person", "privacy-labels-array=<person>"):
            self.assertEqual(redaction("draw=true", word), word)


if __name__ == "__main__":
    unittest.main()
