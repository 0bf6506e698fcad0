"""The Python package in Pipelines/python: frames of a video, messages as dataclasses, tables."""
import dataclasses
import decimal
import gc
import glob
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
import zipfile
from unittest import mock

from streams import BIKES, ROOT, GObject, Gst, ball, command, frames, run
from test_messages import SOMETIMES, documented

sys.path.insert(0, os.path.join(ROOT, "Pipelines", "python"))
import swiftodt  # noqa: E402

BALL = "videotestsrc num-buffers={} pattern=ball ! video/x-raw,width=320,height=240,framerate=30/1"


def needs(package):
    return unittest.skipUnless(importlib.util.find_spec(package), f"no {package} for Python")


def ball_lines(frames=60, properties=""):
    """Returns messages as bus-to-json writes them, and their structures."""
    said = run(f"{ball(frames)} ! swiftodt detector=motion updates=every-frame message-format=structure+json {properties} ! fakesink")
    return [structure.get_value("json") + "\n" for structure in said.structures], said.structures


def run_program(program):
    """Runs a program that uses the package in a process of its own."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False,
                          env=os.environ | {"PYTHONPATH": f"{ROOT}/Pipelines/python"})


class Messages(unittest.TestCase):
    """Structures, JSON and metadata give equal dataclasses."""

    def test_every_documented_field_exists(self):
        """The dataclasses have every documented field of the messages, and the session of odt watch."""
        for name, kind in (("swiftodt", swiftodt.Result), ("object", swiftodt.Object), ("swiftodt-track", swiftodt.TrackEvent),
                           ("zone", swiftodt.ZoneCount), ("swiftodt-zone", swiftodt.ZoneEvent)):
            fields = {field.name.rstrip("_").replace("_", "-") for field in dataclasses.fields(kind)}
            self.assertEqual(fields - {"session"}, set(documented(name)) - {"json"}, name)
        self.assertEqual({field.name for field in dataclasses.fields(swiftodt.LabelCount)},
                         {"label", "count", "entered", "left", "in_", "out"})
        # Required fields have no default.
        for name, kind in (("swiftodt", swiftodt.Result), ("swiftodt-track", swiftodt.TrackEvent)):
            optional = {field.name.replace("_", "-") for field in dataclasses.fields(kind) if field.default is not dataclasses.MISSING}
            self.assertEqual(optional - {"sequence", "session"}, set(SOMETIMES[name]) - {"json"})

    def test_structures_equal_json(self):
        zones = json.dumps([{"name": "middle", "kind": "line", "points": [[0.5, 0], [0.5, 1]]}]).replace('"', '\\"')
        lines, structures = ball_lines(150, f'source=door zones="{zones}"')
        ours = [swiftodt.from_structure(structure) for structure in structures]
        self.assertEqual([swiftodt.from_json(line) for line in lines], ours)
        self.assertEqual({type(one) for one in ours}, {swiftodt.Result, swiftodt.TrackEvent, swiftodt.ZoneEvent})
        last = [one for one in ours if isinstance(one, swiftodt.Result)][-1]
        self.assertEqual((last.source, last.zones[0].name, last.utc_time), ("door", "middle", None))
        self.assertGreater(last.zones[0].in_ + last.zones[0].out, 0)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            last.width = 1

    def test_messages_from_bus_and_metadata(self):
        for sample in frames(f"{ball(20)} ! swiftodt detector=motion updates=every-frame ! appsink name=frames sync=false"):
            result = swiftodt.from_buffer(sample.get_buffer())
            self.assertEqual((result.width, result.sequence, result.object_count), (320, None, len(result.objects)))
        self.assertIsNone(swiftodt.from_buffer(Gst.Buffer.new()))
        message = Gst.Message.new_element(None, Gst.Structure.from_string("something-else")[0])
        self.assertIsNone(swiftodt.from_message(message))

    def test_messages_are_read_from_files(self):
        lines, structures = ball_lines()
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/x.jsonl"

            def given(text):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                return list(swiftodt.messages(path))

            ours = [swiftodt.from_structure(structure) for structure in structures]
            self.assertEqual(given("".join(lines) + '{"message": "stats"}\n\n'), ours)
            # message-format=json as bus-to-json writes it.
            self.assertEqual(given("".join(json.dumps({"message": "swiftodt", "json": line}) + "\n" for line in lines)), ours)
            # Truncated in the last line.
            self.assertEqual(given("".join(lines) + lines[-1][:50]), ours)
            for wrong in ('[{"message": "swiftodt", "version": 1}]', '{"message": "swiftodt"}', '{"version": 1}', "text",
                          '{"message": "swiftodt", "json": "["}'):
                with self.subTest(wrong), self.assertRaisesRegex(swiftodt.Error, "x.jsonl:1: "):
                    given(wrong)
            for broken in ("[]", "7", "{", '{"message": "swiftodt"}', '{"message": 1}', "[" * 100_000,
                           lines[0].replace('"objects":[', '"objects":[1,').strip(), '{"message": "swiftodt", "json": "["}'):
                with self.subTest(broken[:40]), self.assertRaisesRegex(swiftodt.Error, "x.jsonl:2: "):
                    given(lines[0] + broken + "\n" + lines[1])
            with self.assertRaises(FileNotFoundError):
                list(swiftodt.messages("/nowhere"))

    def test_rows_match_objects(self):
        lines, _ = ball_lines()
        results = [one for one in map(swiftodt.from_json, lines) if isinstance(one, swiftodt.Result)]
        rows = list(swiftodt.rows(results))
        self.assertEqual(len(rows), sum(result.object_count for result in results))
        self.assertEqual({row["tracking_id"] for row in rows}, {1})
        self.assertEqual(rows[-1]["seconds"], results[-1].stream_time / 1e9)
        # Ids begin with 1 for each connection of odt watch to a camera.
        line = json.dumps(json.loads(next(line for line in lines if json.loads(line).get("objects"))) | {"session": 2, "source": "door"})
        self.assertEqual({(row["source"], row["session"]) for row in swiftodt.rows([swiftodt.from_json(line)])}, {("door", 2)})
        text = "".join(lines) + '{"message": "stats"}\n'
        self.assertEqual(list(swiftodt.rows(io.StringIO(text))), rows)
        self.assertEqual(list(swiftodt.rows(io.BytesIO(text.encode()))), rows)
        self.assertEqual(list(swiftodt.rows(map(swiftodt.from_json, text.splitlines()))), rows)
        for item in ("text", {"message": "swiftodt"}, 7):
            with self.assertRaisesRegex(TypeError, "is neither a message nor a pair of track"):
                list(swiftodt.rows([item]))
        with self.assertRaisesRegex(swiftodt.Error, "stream-time.*whole number"):
            swiftodt.from_json(json.loads(line) | {"stream-time": "5"})

    def test_name_is_label_else_classifier_label_else_category(self):
        message = next(one for one in map(json.loads, ball_lines(20)[0]) if one.get("objects"))
        for change, name in (({}, "object"), ({"category": "food"}, "food"), ({"category": "food", "classifier-label": "pizza"}, "pizza"),
                             ({"classifier-label": "pizza", "label": "plate"}, "plate")):
            changed = message | {"objects": [message["objects"][0] | change]}
            self.assertEqual(swiftodt.from_json(changed).objects[0].name, name)

    def test_missing_package_is_named(self):
        """In a Python without any of the optional packages."""
        program = ("import sys; sys.modules |= {'pandas': None, 'numpy': None, 'supervision': None, 'gi': None}\n"
                   "import swiftodt\n"
                   "for work in (lambda: swiftodt.dataframe([]), lambda: swiftodt.detections(None), lambda: swiftodt.track('x')):\n"
                   "    try: work()\n"
                   "    except swiftodt.MissingPackage as error: print(error)\n")
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60,
                              env=os.environ | {"PYTHONPATH": f"{ROOT}/Pipelines/python"})
        one, two, three = said.stdout.splitlines()
        self.assertIn("pip install pandas", one)
        self.assertIn("pip install supervision", two)
        self.assertIn("apt-get install python3-gi", three)

    def test_package_in_folder_at_root_is_imported(self):
        """The package is in no checkout if its path is shorter than that of the package in a checkout."""
        with mock.patch.object(swiftodt.native, "FOLDER", pathlib.Path("/swiftodt/native")):
            self.assertIsNone(swiftodt.native.plugin_folder())

    @needs("mypy")
    def test_type_hints_check(self):
        """In the package, and in a program that uses it."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/program.py", "w", encoding="ascii") as file:
                file.write("import swiftodt\nfor frame, objects in swiftodt.track('in.mp4', multiple_objects=True):\n"
                           "    ids: list[int | None] = [thing.tracking_id for thing in objects]\n    time: float | None = frame.seconds\n"
                           "table = swiftodt.dataframe(map(swiftodt.from_json, open('messages.jsonl')))\n")
            said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", f"{folder}/cache", "--config-file",
                                   f"{ROOT}/Pipelines/python/pyproject.toml", f"{ROOT}/Pipelines/python/swiftodt", f"{folder}/program.py"],
                                  capture_output=True, text=True, timeout=120, env=os.environ | {"MYPYPATH": f"{ROOT}/Pipelines/python"})
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    @needs("pip")
    def test_pip_leaves_no_files_in_the_checkout(self):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "python")
            shutil.copytree(f"{ROOT}/Pipelines/python", source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
            before = sorted(glob.glob(f"{source}/**", recursive=True, include_hidden=True))
            said = command("/usr/bin/python3", "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps", "-w", folder, source)
            if said.returncode and "flit_core" in said.stderr:
                self.skipTest("no network, so pip cannot install flit_core")
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertEqual(sorted(glob.glob(f"{source}/**", recursive=True, include_hidden=True)), before)
            (wheel,) = glob.glob(f"{folder}/swiftodt-*.whl")
            with zipfile.ZipFile(wheel) as packed:
                names = {name for name in packed.namelist() if name.startswith("swiftodt/")}
            self.assertEqual(names, {os.path.relpath(path, source) for path in before if os.path.isfile(path) and "/swiftodt/" in path})

    @needs("pandas")
    def test_dataframe_matches_rows(self):
        lines, _ = ball_lines()
        table = swiftodt.dataframe([swiftodt.from_json(line) for line in lines])
        self.assertGreater(len(table), 40)
        self.assertEqual(set(table["tracking_id"]), {1})
        self.assertEqual(len(swiftodt.dataframe([]).columns), len(table.columns))

    @needs("supervision")
    def test_supervision_detections(self):
        count = 0
        for frame, objects in swiftodt.track(pipeline=BALL.format(30), detector="motion"):
            detections = swiftodt.detections(frame)
            count += len(objects)
            self.assertEqual((len(detections), detections.is_empty()), (len(objects), not objects))
            for thing, box, number in zip(objects, detections.xyxy, detections.tracker_id):
                self.assertEqual((thing.x, thing.y, thing.x + thing.width, thing.y + thing.height, thing.tracking_id), (*box, number))
            self.assertEqual(detections.data["class_name"].tolist(), [thing.name for thing in objects])
            self.assertEqual(detections.tracker_id.tolist(), [thing.tracking_id for thing in objects])
        self.assertGreater(count, 0)


class Tracks(unittest.TestCase):
    """`swiftodt.track`."""

    def test_track_yields_every_frame(self):
        with swiftodt.track(pipeline=ball(90), detector="motion", source="door") as tracking:
            seen = []
            for item in tracking:
                seen.append(item)
                # The last two frames wait in the appsink until the end event has been posted.
                while len(seen) == 88 and not (tracking.events or tracking._bus.have_pending()):
                    time.sleep(0.001)
        said = run(f"{ball(90)} ! swiftodt detector=motion draw=false updates=every-frame source=door ! fakesink")
        expected = [dataclasses.replace(swiftodt.from_structure(result), sequence=None) for result in said.results]
        self.assertEqual([frame.result for frame, _ in seen], expected)
        self.assertTrue(all(objects == frame.result.objects for frame, objects in seen))
        events = [event for frame, _ in seen for event in frame.events]
        self.assertTrue(all(event.running_time <= frame.result.running_time for frame, _ in seen for event in frame.events))
        # The end event at end of stream comes without a frame, also if the element is ahead of the loop.
        self.assertEqual([event.event for event in events], ["begin"])
        self.assertEqual([event.event for event in tracking.events], ["end"])
        self.assertEqual(tracking.stats["frames"], 90)

    @unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/setup fetches it")
    def test_file_with_any_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/it's a \\ \"film\" !.mp4"
            os.symlink(BIKES, path)
            for name in (path, f"file://{BIKES}"):
                frame, _ = next(swiftodt.track(name, detector="motion", multiple_objects=True))
                self.assertEqual((frame.result.width, frame.result.height), (640, 272))

    def test_track_reports_all_objects_by_default(self):
        for keywords, count in (({}, 8), ({"max_objects": 5}, 5), ({"multiple_objects": False}, 1)):
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore" if "max_objects" in keywords else "error")
                path = os.path.join(folder, "boxes.txt")
                with open(path, "w", encoding="ascii") as file:
                    for frame in range(1, 10):
                        file.writelines(f"{frame},-1,{10 + 36 * number},20,30,60,0.9,-1,-1,-1\n" for number in range(8))
                seen = list(swiftodt.track(pipeline=ball(9), detector="recorded", detections_file=path, **keywords))
                self.assertEqual(len(seen[-1][1]), count)

    def test_invalid_properties_are_errors(self):
        for properties, sentence in (({"multiple_object": True}, "did you mean multiple_objects"), ({"max_objects": 1001}, "from 1 to 1000"),
                                     ({"detector": "nose"}, "'nose' is no valid value of detector"), ({"max_objects": "many"}, "max_objects"),
                                     ({"attach_meta": "roi+nonsense"}, "attach_meta"), ({"label_allowlist": ["a,b"]}, "without commas"), ({"stats": 1}, "the property stats cannot be set"),
                                     ({"draw": "false"}, "True or False"), ({"max_objects": 5.9}, "max_objects"), ({"inference_interval": True}, "whole number"),
                                     ({"source": "a\0b"}, "without NUL"), ({"model_file": b"x"}, "text"), ({"label_allowlist": {"a": 1}}, "label_allowlist"),
                                     ({"label_allowlist_array": "person"}, "list of texts"), ({"label_denylist_array": [1]}, "list of texts"),
                                     ({"privacy_labels_array": ["person", 1]}, "list of texts"), ({"privacy_labels_array": None}, "list of texts"),
                                     ({"privacy_labels_array": {"face"}}, "list of texts"), ({"label_allowlist_array": ["a\0b"]}, "list of texts"),
                                     ({"zones_array": ["middle"]}, "list of structures"), ({"zones_array": "middle"}, "list of structures"),
                                     ({"score_threshold": "0.5"}, "needs a number"), ({"score_threshold": decimal.Decimal("sNaN")}, "signaling NaN"),
                                     ({"detector": "\udcff"}, "no valid value of detector")):
            with self.subTest(properties), self.assertRaisesRegex(swiftodt.PropertyError, sentence):
                swiftodt.track(pipeline=BALL.format(5), **properties)
        # Valid values: enumerations, flags, numbers, texts, paths.
        with swiftodt.track(pipeline=BALL.format(5), detector="motion", attach_meta="roi", score_threshold=0.5, source="a \"b\"",
                            label_allowlist=None) as tracking:
            swiftodt.gstreamer.set_property(tracking._element, "label_denylist_array", ("a", "b"))
            self.assertEqual(list(tracking._element.get_property("label-denylist-array")), ["a", "b"])
            for value, nicks in (("roi+custom", {"roi", "custom"}), (["custom"], {"custom"})):
                swiftodt.gstreamer.set_property(tracking._element, "attach_meta", value)
                self.assertEqual(set(tracking._element.get_property("attach-meta").value_nicks), nicks)
            for value, nick in ((False, "false"), (True, "true"), ("auto", "auto")):
                swiftodt.gstreamer.set_property(tracking._element, "draw_coasting", value)
                self.assertEqual(tracking._element.get_property("draw-coasting").value_nick, nick)
            swiftodt.gstreamer.set_property(tracking._element, "label_denylist_array", [])
            self.assertEqual(len(list(tracking)), 5)
        # A list of names is a text with commas.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "recording.jsonl")
            times = [number * 33333333 for number in range(9)]
            header = {"swiftodt-detections": 1, "width": 320, "height": 240, "orientation": "identity", "frame-rate": "30/1",
                      "score-floor": 0.1, "iou-threshold": 0.5, "detector": "neural", "mode": "stream", "inference-interval": 1}
            lines = [{"time": time, "seen": "whole", "detections": [[10, 20, 30, 60, 0.9, 0, "person"]]} for time in times]
            with open(path, "w", encoding="ascii") as file:
                file.writelines(json.dumps(line) + "\n" for line in [header, *lines, {"end": True, "frames": 9, "time": times[-1]}])
            for allowed, count in ((["person", "car"], 1), (("dog", "car"), 0)):
                seen = list(swiftodt.track(pipeline=ball(9), detector="recorded", detections_file=path, label_allowlist=allowed))
                self.assertEqual(len(seen[-1][1]), count, allowed)
        self.assertEqual(tracking.stats["frames"], 5)

    @needs("numpy")
    def test_booleans_of_numpy_are_booleans(self):
        import numpy
        for value in (True, False):
            with swiftodt.track(pipeline=BALL.format(5), detector="motion", draw=numpy.bool_(value)) as tracking:
                self.assertEqual(tracking._element.get_property("draw"), value)
        for name in ("max_objects", "score_threshold"):
            with self.assertRaisesRegex(swiftodt.PropertyError, "number"):
                swiftodt.track(pipeline=BALL.format(5), **{name: numpy.bool_(True)})

    def test_elements_of_pipeline_may_be_named_frames(self):
        with swiftodt.track(pipeline=BALL.format(5).replace("videotestsrc", "videotestsrc name=frames"), detector="motion") as tracking:
            self.assertEqual(len(list(tracking)), 5)

    def test_every_property_is_a_keyword_argument(self):
        """Sets every property to its default."""
        element = Gst.ElementFactory.make("swiftodt", None)
        with open(f"{ROOT}/docs/properties.md", encoding="utf-8") as file:
            known = set(re.findall(r"^\| `([\w-]+)` \|", file.read(), re.MULTILINE))
        specs = [spec for spec in element.list_properties() if spec.name in known and spec.flags & GObject.ParamFlags.WRITABLE]
        self.assertGreater(len(specs), 40)
        defaults = {}
        for spec in specs:
            value = element.get_property(spec.name)
            if spec.value_type.is_a(GObject.TYPE_FLAGS):
                value = "+".join(value.value_nicks)
            elif spec.value_type.is_a(GObject.TYPE_ENUM):
                value = value.value_nick
            defaults[spec.name.replace("-", "_")] = value
        with swiftodt.track(pipeline=BALL.format(3), **(defaults | {"detector": "motion"})) as tracking:
            self.assertEqual(len(list(tracking)), 3)

    def test_element_errors_are_exceptions(self):
        with self.assertRaisesRegex(swiftodt.Error, "/nowhere/model.onnx"):
            list(swiftodt.track(pipeline=BALL.format(5), detector="neural", model_file="/nowhere/model.onnx"))
        for video in ("/nowhere.mp4", b"/nowhere.mp4"):
            with self.assertRaisesRegex(swiftodt.Error, "^there is no /nowhere.mp4$"):
                swiftodt.track(video)
        with self.assertRaisesRegex(swiftodt.Error, "^the name of the video is empty$"):
            swiftodt.track("")
        with self.assertRaises(swiftodt.Error) as raised:
            list(swiftodt.track(__file__))
        self.assertNotIn(".c(", str(raised.exception))
        with tempfile.TemporaryDirectory() as folder:
            for name, content, text in (("empty.mp4", b"", "is empty"), ("a.gif", b"GIF89a", "cannot find the end of GIF files")):
                path = pathlib.Path(folder, name)
                path.write_bytes(content)
                with self.assertRaisesRegex(swiftodt.Error, text):
                    swiftodt.track(path)
        with self.assertRaisesRegex(swiftodt.Error, "nonsense"):
            swiftodt.track(pipeline="nonsense")
        for arguments in ((), (5,), ("a.mp4", "videotestsrc")):
            with self.assertRaises(TypeError):
                swiftodt.track(*arguments[:1], pipeline=(arguments[1:] or (None,))[0])

    def test_element_warnings_are_python_warnings(self):
        """Python prints a warning once per line and text. So a second call in the same line needs another text."""
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("default")
            paths = [f"{folder}/{name}.avi" for name in "ab"]
            for path in paths:
                command("gst-launch-1.0", "-q", *f"videotestsrc num-buffers=5 ! jpegenc ! avimux ! filesink location={path}".split())
                list(swiftodt.track(path, detector="motion", model_file="x.onnx"))
        self.assertEqual([one.filename for one in heard], [__file__] * 2)
        for path, one in zip(paths, heard):
            self.assertRegex(str(one.message), f"^{path}: model-file")

    def test_errors_name_the_video(self):
        with tempfile.NamedTemporaryFile("w", suffix=".mp4") as file:
            file.write("This is no video.\n" * 100)
            file.flush()
            with self.assertRaisesRegex(swiftodt.Error, f"^{file.name}: "):
                list(swiftodt.track(file.name, detector="motion"))

    def test_warnings_do_not_show_pipelines(self):
        """Their addresses can contain passwords."""
        with self.assertWarnsRegex(RuntimeWarning, "^the pipeline: model-file"):
            list(swiftodt.track(pipeline=BALL.format(5), detector="motion", model_file="x.onnx"))

    def test_file_without_video_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/sound.ogg"
            command("gst-launch-1.0", "-q", *f"audiotestsrc num-buffers=20 ! vorbisenc ! oggmux ! filesink location={path}".split())
            with self.assertRaisesRegex(swiftodt.Error, f"^{path} contains no video$"):
                list(swiftodt.track(path, detector="motion"))

    def test_missing_decoder_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/video.mkv"
            command("gst-launch-1.0", "-q", *"matroskamux name=mux ! filesink".split(), f"location={path}",
                    *"videotestsrc num-buffers=5 ! jpegenc ! mux. audiotestsrc num-buffers=20 ! vorbisenc ! mux.".split())
            program = f"import swiftodt; list(swiftodt.track({path!r}, detector='motion'))"
            said = command("/usr/bin/python3", "-c", program, PYTHONPATH=f"{ROOT}/Pipelines/python", GST_PLUGIN_FEATURE_RANK="jpegdec:NONE,avdec_mjpeg:NONE")
            self.assertRegex(said.stderr, f"Error: {path} contains no video that can be decoded; GStreamer has no JPEG decoder")

    def test_results_are_those_of_the_own_element(self):
        other = "swiftodt detector=motion source=other updates=every-frame"
        for detector in ("motion", "upstream"):
            with swiftodt.track(pipeline=f"{BALL.format(20)} ! {other}", detector=detector, source="own") as tracking:
                self.assertEqual({frame.result.source for frame, _ in tracking}, {"own"}, detector)

    def test_leaving_loop_stops_pipeline(self):
        """After leaving the loop over an endless source no threads, files or memory remain."""
        def once():
            for _, objects in swiftodt.track(pipeline="videotestsrc pattern=ball ! video/x-raw,width=320,height=240", detector="motion"):
                if objects:
                    break

        once()
        gc.collect()
        before = len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            once()
        gc.collect()
        # A pipeline has more than one thread and file. The number of GLib's pool threads varies.
        self.assertLess(len(os.listdir("/proc/self/task")), before[0] + 5)
        self.assertLess(len(os.listdir("/proc/self/fd")), before[1] + 5)
        self.assertEqual(threading.active_count(), 1)

    def test_threads_share_iterator(self):
        """Each frame goes to one thread, and all threads end with the video."""
        tracking = swiftodt.track(pipeline=BALL.format(60), detector="motion")
        seen = []
        threads = [threading.Thread(target=lambda: seen.extend(frame.result.timestamp for frame, _ in tracking), daemon=True) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual((len(seen), len(set(seen))), (60, 60))

    def test_close_during_close_stops_pipeline_once(self):
        """Another thread closes the iterator while close() reads the statistics."""
        tracking = swiftodt.track(pipeline="videotestsrc ! video/x-raw,width=320,height=240", detector="motion")
        next(tracking)
        element, reads = tracking._element, []

        def read(name):
            reads.append(name)
            if len(reads) == 1:
                tracking.close()
            return element.get_property(name)

        tracking._element = mock.Mock(get_property=read)
        tracking.close()
        self.assertEqual((reads, list(tracking)), (["stats"] * 2, []))
        self.assertGreater(tracking.stats["frames"], 0)

    def test_close_stores_statistics_before_it_releases_the_pipeline(self):
        tracking = swiftodt.track(pipeline=BALL.format(30), detector="motion")
        next(tracking)
        seen = []
        tracking._closing = mock.MagicMock()
        tracking._closing.__exit__.side_effect = lambda *_: seen.append((tracking._pipeline, tracking.stats))
        tracking.close()
        self.assertEqual(seen, [(None, tracking.stats)])
        self.assertGreater(tracking.stats["frames"], 0)

    def test_close_stops_pipeline_if_statistics_cannot_be_read(self):
        tracking = swiftodt.track(pipeline="videotestsrc ! video/x-raw,width=320,height=240", detector="motion")
        pipeline, tracking._element = tracking._pipeline, mock.Mock(get_property=mock.Mock(side_effect=KeyboardInterrupt))
        with self.assertRaises(KeyboardInterrupt):
            tracking.close()
        self.assertEqual((tracking._pipeline, pipeline.get_state(0)[1]), (None, Gst.State.NULL))

    def test_other_thread_closes_waiting_iterator(self):
        tracking = swiftodt.track(pipeline="appsrc caps=video/x-raw,format=I420,width=320,height=240,framerate=30/1", detector="motion")
        thread = threading.Thread(target=list, args=[tracking], daemon=True)
        thread.start()
        tracking.close()
        thread.join(60)
        self.assertFalse(thread.is_alive())

    def test_forked_process_gets_error(self):
        program = ("import os, swiftodt\nvideo = swiftodt.track(pipeline='videotestsrc ! video/x-raw,width=320,height=240', detector='motion')\n"
                   "next(video)\nif not (child := os.fork()):\n"
                   "    for work in (lambda: next(video), video.close, lambda: swiftodt.track(pipeline='videotestsrc')):\n"
                   "        try: work()\n"
                   "        except swiftodt.Error as error: print(error, flush=True)\n"
                   "    with video: pass\n    print('left', flush=True)\n    video.__del__()\n    os._exit(0)\n"
                   "os.waitpid(child, 0)\nnext(video)\n")
        said = run_program(program)
        self.assertEqual((said.returncode, said.stdout.count('use the start method "spawn"'), said.stdout.count("left")), (0, 3, 1), said.stderr)

    def test_fork_of_process_that_used_gstreamer_without_package_gets_error(self):
        """Forks are recognised over several generations. A process that initialises GStreamer after the fork can use it."""
        program = ("import os, swiftodt\nimport gi\ngi.require_version('Gst', '1.0')\nfrom gi.repository import Gst\n"
                   "def inside(work):\n"
                   "    if not (child := os.fork()):\n"
                   "        try: work()\n"
                   "        except swiftodt.Error as error: print(error, flush=True)\n"
                   "        finally: os._exit(0)\n"
                   "    os.waitpid(child, 0)\n"
                   "def track():\n"
                   "    for _ in swiftodt.track(pipeline='videotestsrc num-buffers=3', detector='motion'): print('frame', flush=True)\n"
                   "inside(track)\n"
                   "Gst.init(None)\npipeline = Gst.parse_launch('videotestsrc num-buffers=3 ! fakesink')\npipeline.set_state(Gst.State.PLAYING)\n"
                   "pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS)\npipeline.set_state(Gst.State.NULL)\n"
                   "inside(track)\ninside(lambda: inside(track))\ntrack()\n")
        said = run_program(program)
        self.assertEqual((said.returncode, said.stdout.count('use the start method "spawn"'), said.stdout.count("frame\n")), (0, 2, 6), said.stderr)

    def test_iterator_that_remains_does_not_block_the_end_of_the_program(self):
        program = ("import swiftodt\nvideo = swiftodt.track(pipeline='videotestsrc ! video/x-raw,width=320,height=240', detector='motion')\n"
                   "next(video)\nprint('done', flush=True)\n")
        said = run_program(program)
        self.assertEqual((said.returncode, said.stdout), (0, "done\n"), said.stderr)

    def test_exception_in_loop_stops_pipeline(self):
        tracking = swiftodt.track(pipeline="videotestsrc ! video/x-raw,width=320,height=240", detector="motion")
        with self.assertRaises(ZeroDivisionError), tracking:
            for _ in tracking:
                raise ZeroDivisionError
        self.assertEqual(list(tracking), [])
        tracking.close()

    def test_pixels_must_be_requested(self):
        frame, _ = next(swiftodt.track(pipeline=BALL.format(5), detector="motion"))
        with self.assertRaisesRegex(swiftodt.Error, 'pixels="RGB"'):
            frame.pixels
        with self.assertRaises(ValueError):
            swiftodt.track(pipeline=BALL.format(5), pixels="CMYK")
        self.assertEqual(frame.buffer.pts, frame.result.timestamp)

    @needs("numpy")
    def test_pixels_match_frame(self):
        """The ball is inside its box, also at widths whose rows are padded."""
        for form, shape in (("RGB", (240, 322, 3)), ("BGRA", (240, 322, 4)), ("GRAY8", (240, 322))):
            source = "videotestsrc num-buffers=40 pattern=ball ! video/x-raw,width=322,height=240,framerate=30/1"
            for frame, objects in swiftodt.track(pipeline=source, detector="motion", pixels=form):
                self.assertEqual(frame.pixels.shape, shape)
            x, y, width, height = objects[0].box
            self.assertGreater(frame.pixels[y + height // 2, x + width // 2].max(), 200)
            self.assertLess(frame.pixels[2, 2].flat[0] if form != "GRAY8" else frame.pixels[2, 2], 40)


@unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/setup fetches it")
class Documentation(unittest.TestCase):
    """The programs of docs/python.md run unchanged."""

    def test_documented_programs_run(self):
        with open(f"{ROOT}/docs/python.md", encoding="utf-8") as file:
            programs = re.findall(r"```python\n(.*?)```", file.read(), re.DOTALL)
        self.assertGreaterEqual(len(programs), 3)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(BIKES, f"{folder}/in.mp4")
            with open(f"{folder}/messages.jsonl", "w", encoding="utf-8") as file:
                file.writelines(ball_lines(30)[0])
            for program in programs:
                said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, cwd=folder,
                                      env=os.environ | {"PYTHONPATH": f"{ROOT}/Pipelines/python"})
                self.assertEqual((said.returncode, said.stderr), (0, ""), program)
                self.assertGreater(len(said.stdout.splitlines()), 0, program)


if __name__ == "__main__":
    unittest.main()
