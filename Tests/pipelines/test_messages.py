"""Messages and metadata have the documented fields and types."""
import json
import re
import time
import unittest

from streams import ROOT, Gst, GstVideo, ball, box, frames, installed_models, listen, run

TYPES = {"uint": "guint", "uint64": "guint64", "int": "gint", "double": "gdouble", "string": "gchararray",
         "boolean": "gboolean", "list": "GstValueList"}


def documented(name):
    """Returns the fields of a structure in docs/messages.md with their types."""
    with open(f"{ROOT}/docs/messages.md", encoding="utf-8") as file:
        section = re.split(r"^## ", file.read(), flags=re.MULTILINE)
    (table,) = (part for part in section if part.startswith(f"`{name}`\n"))
    return {field: TYPES[type] for fields, type in re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \| (\w+) \|", table, re.MULTILINE)
            for field in re.findall(r"[\w-]+", fields)}


CLASSIFIER = next(iter(installed_models("classifier")), None)
# Optional fields.
BEST = ("best-rejected-label", "best-rejected-score", "best-rejected-reason")
CLASSIFIED = ("classifier-label", "classifier-label-index", "classifier-score")
SOMETIMES = {"swiftodt": ("zones", "model", "model-sum", "source", "json", *BEST), "object": ("confidence", *CLASSIFIED), "swiftodt-track": ("classifier-label", "source", "json", "reason")}


def always(name):
    return {field: type for field, type in documented(name).items() if field not in SOMETIMES[name]}


def types(structure):
    return {structure.nth_field_name(i): structure.get_field_type(structure.nth_field_name(i)).name
            for i in range(structure.n_fields())}


class Messages(unittest.TestCase):
    """The messages on the bus agree with docs/messages.md."""

    def said(self, properties, frames=60):
        said = run(f"{ball(frames)} ! swiftodt detector=motion {properties} ! fakesink")
        self.assertEqual(said.errors, [])
        self.assertTrue(said.ended)
        return said

    def test_result_fields_and_types(self):
        results = self.said("source=door").results
        self.assertEqual(types(results[-1]), always("swiftodt") | {"source": TYPES["string"]})
        self.assertEqual(results[-1].get_value("source"), "door")

    def test_object_fields_and_types(self):
        things = [thing for result in self.said("").results for thing in result.get_value("objects")]
        self.assertTrue(things)
        for thing in things:
            self.assertEqual(types(thing), always("object"))
            self.assertEqual((thing.get_value("category"), thing.get_value("category-index")), ("unknown", -1))
            self.assertIn(thing.get_value("state"), ("new", "tracked", "coasting", "lost"))

    def test_json_field_order_matches_documentation(self):
        for structure in self.said("message-format=json source=door").structures:
            fields = [name for name in json.loads(structure.get_value("json")) if name != "message"]
            order = [name for name in documented(structure.get_name()) if name in fields]
            self.assertEqual(fields, order)

    def test_track_events_are_posted(self):
        events = self.said("").named("swiftodt-track")
        self.assertEqual(events[0].get_value("event"), "begin")
        self.assertEqual(events[-1].get_value("event"), "end")
        self.assertEqual(events[-1].get_value("reason"), "eos")
        self.assertEqual(types(events[0]), always("swiftodt-track"))
        self.assertEqual(types(events[-1]), always("swiftodt-track") | {"reason": TYPES["string"]})

    def test_utc_time_is_unknown_for_files(self):
        """The messages of a file do not depend on the time of day."""
        said = self.said("message-format=structure+json")
        self.assertEqual({structure.get_value("utc-time") for structure in said.structures}, {2**64 - 1})
        self.assertTrue(all(json.loads(one.get_value("json"))["utc-time"] is None for one in said.structures))

    def test_utc_time_of_live_frames_is_arrival(self):
        before = time.time_ns()
        said = run("videotestsrc is-live=true num-buffers=5 ! swiftodt detector=motion updates=every-frame ! fakesink")
        times = [result.get_value("utc-time") for result in said.results]
        self.assertEqual(times, sorted(times))
        self.assertTrue(all(before <= one <= time.time_ns() for one in times), times)

    def test_utc_time_from_reference_timestamp(self):
        """A reference timestamp as rtspsrc attaches it: NTP time since 1900, or Unix time since 1970."""
        taken = 1_700_000_000_000_000_000
        for caps, since in (("timestamp/x-ntp", 2_208_988_800 * Gst.SECOND), ("timestamp/x-unix", 0)):
            pipeline = Gst.parse_launch("appsrc name=camera format=time ! swiftodt detector=motion ! fakesink")
            camera = pipeline.get_by_name("camera")
            camera.props.caps = Gst.Caps.from_string("video/x-raw,format=GRAY8,width=64,height=48,framerate=10/1")
            pipeline.set_state(Gst.State.PLAYING)
            for number in range(3):
                buffer = Gst.Buffer.new_wrapped(bytes(64 * 48))
                buffer.pts = number * Gst.SECOND // 10
                buffer.add_reference_timestamp_meta(Gst.Caps.from_string(caps), taken + since, Gst.CLOCK_TIME_NONE)
                camera.emit("push-buffer", buffer)
            camera.emit("end-of-stream")
            said = listen(pipeline)
            pipeline.set_state(Gst.State.NULL)
            self.assertEqual({result.get_value("utc-time") for result in said.results}, {taken}, caps)

    def test_structures_round_trip(self):
        for structure in self.said("message-format=structure+json source=\"a, \\\"b\\\" {c}; [d] <é>\"").structures:
            parsed = Gst.Structure.from_string(structure.to_string())[0]
            self.assertIsNotNone(parsed, structure.to_string())
            self.assertTrue(parsed.is_equal(structure), structure.to_string())

    def test_json_equals_structure(self):
        for result in self.said("message-format=structure+json").results:
            said = json.loads(result.get_value("json"))
            self.assertEqual(said["timestamp"], result.get_value("timestamp"))
            self.assertEqual([(one["x"], one["y"], one["width"], one["height"]) for one in said["objects"]],
                             [box(thing) for thing in result.get_value("objects")])

    def test_every_message_has_json(self):
        """The JSON of every message has its name and all fields of its structure."""
        said = self.said("message-format=json source=door")
        self.assertGreater(len(said.named("swiftodt-track")), 1)
        for structure in said.structures:
            content = json.loads(structure.get_value("json"))
            self.assertEqual(content.pop("message"), structure.get_name())
            content.pop("objects", None)
            self.assertEqual(set(content), set(types(structure)) - {"json"})

    def test_updates_property_selects_messages(self):
        self.assertEqual(len(self.said("updates=every-frame").results), 60)
        quiet = self.said("updates=none")
        self.assertEqual([quiet.results, quiet.named("swiftodt-track")[0].get_value("event")], [[], "begin"])
        self.assertEqual(self.said("updates=none track-events=false").structures, [])
        self.assertTrue(all(result.get_value("object-count") for result in self.said("updates=on-object").results))
        self.assertLess(len(self.said("updates=on-change").results), 20)

    def test_message_interval_limits_rate(self):
        results = self.said(f"updates=every-frame message-interval={Gst.SECOND // 2}").results
        self.assertIn(len(results), range(4, 7))
        self.assertEqual([result.get_value("sequence") for result in results], list(range(len(results))))

    def test_default_reports_most_prominent_object(self):
        for result in self.said("").results:
            # A lost object is reported once more, beside the object that replaces it.
            alive = [thing for thing in result.get_value("objects") if thing.get_value("state") != "lost"]
            self.assertLessEqual(len(alive), 1)


class Classifier(unittest.TestCase):
    """The labels of a custom classifier."""

    @unittest.skipUnless(CLASSIFIER, "no classifier: Pipelines/setup fetches it")
    def test_labels_of_custom_classifier_are_reported(self):
        properties = "detector=motion classify=true classification-threshold=0.01"
        for file, count in ((f"classifier-file={CLASSIFIER}", 3), ("", 0)):
            said = run(f"{ball(60)} ! swiftodt {properties} {file} ! fakesink")
            self.assertEqual(said.errors, [])
            (*_, thing), types = said.results[-1].get_value("objects"), documented("object")
            found = {field: thing.get_field_type(field).name for field in CLASSIFIED if thing.has_field(field)}
            self.assertEqual(found, {field: types[field] for field in CLASSIFIED[:count]})
            labels = {thing.get_value("classifier-label") for result in said.results for thing in result.get_value("objects")
                      if thing.has_field("classifier-label")}
            events = {event.get_value("classifier-label") for event in said.named("swiftodt-track") if event.has_field("classifier-label")}
            self.assertLessEqual(labels, events)
            self.assertEqual(bool(events), bool(count))


class Metadata(unittest.TestCase):
    """The metadata of buffers agrees with the messages."""

    def buffers(self, properties, after=""):
        samples = list(frames(f"{ball(60)} ! swiftodt detector=motion updates=every-frame {properties} {after}"
                              " ! appsink name=frames sync=false"))
        return [sample.get_buffer() for sample in samples], frames.said.results

    def test_regions_of_interest(self):
        found = 0
        for buffer, result in zip(*self.buffers("")):
            for thing in result.get_value("objects"):
                if thing.get_value("state") == "lost":
                    continue
                found += 1
                region = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, thing.get_value("tracking-id"))
                self.assertEqual((region.x, region.y, region.w, region.h), box(thing))
                detection = region.get_param("detection")
                self.assertAlmostEqual(detection.get_value("x_min"), thing.get_value("x-min"))
                self.assertAlmostEqual(detection.get_value("confidence"), thing.get_value("score"))
                self.assertEqual(region.get_param("object_id").get_value("id"), thing.get_value("tracking-id"))
        self.assertGreater(found, 40)

    def test_custom_metadata_survives_scaling(self):
        buffers, results = self.buffers("", "! videoscale ! video/x-raw,width=160,height=120 ! videoconvert ! video/x-raw,format=RGBA")
        for buffer, result in zip(buffers, results):
            structure = buffer.get_custom_meta("SwiftOdtMeta").get_structure()
            self.assertEqual([thing.get_value("x-min") for thing in structure.get_value("objects")],
                             [thing.get_value("x-min") for thing in result.get_value("objects")])

    def test_custom_metadata_is_scaled(self):
        """After scaling, boxes are in pixels of the scaled frame."""
        buffers, results = self.buffers("", "! videoscale ! video/x-raw,width=640,height=480")
        fitted = 0
        for buffer, result in zip(buffers, results):
            structure = buffer.get_custom_meta("SwiftOdtMeta").get_structure()
            self.assertEqual((structure.get_value("width"), structure.get_value("height")), (640, 480))
            for one, other in zip(structure.get_value("objects"), result.get_value("objects")):
                self.assertEqual(one.get_value("x"), round(640 * one.get_value("x-min")))
                self.assertAlmostEqual(one.get_value("velocity-x"), 2 * other.get_value("velocity-x"))
                self.assertEqual(one.get_value("x-min"), other.get_value("x-min"))
                fitted += 1
        self.assertGreater(fitted, 40)

    def test_custom_metadata_survives_encoding_and_conversion(self):
        for after in ("! jpegenc", "! videoconvert ! video/x-raw,format=RGB ! pngenc compression-level=1",
                      "! videoconvert ! x264enc tune=zerolatency speed-preset=ultrafast", "! videorate drop-only=true"):
            buffers, results = self.buffers("", after)
            self.assertEqual(len(buffers), len(results))
            for buffer, result in zip(buffers, results):
                structure = buffer.get_custom_meta("SwiftOdtMeta").get_structure()
                self.assertEqual(structure.get_value("timestamp"), result.get_value("timestamp"), after)
                self.assertEqual(structure.get_value("object-count"), result.get_value("object-count"), after)

    def test_stale_custom_metadata_is_dropped(self):
        for after in ("! videocrop left=100", "! videocrop top=32 bottom=16", "! videoflip video-direction=180",
                      "! videoflip video-direction=horiz", "! videoflip video-direction=90r", "! videobox left=-50",
                      "! videoscale add-borders=true ! video/x-raw,width=240,height=240,pixel-aspect-ratio=1/1"):
            for buffer in self.buffers("", after)[0]:
                self.assertIsNone(buffer.get_custom_meta("SwiftOdtMeta"), after)

    def test_no_metadata_unless_requested(self):
        for buffer in self.buffers("attach-meta=0")[0]:
            self.assertIsNone(buffer.get_meta(GstVideo.video_region_of_interest_meta_api_get_type()))
            self.assertIsNone(buffer.get_custom_meta("SwiftOdtMeta"))

    def test_upstream_regions_are_tracked(self):
        """A second element tracks the detections of the first one."""
        samples = frames(f"{ball(60)} ! swiftodt detector=motion tracking=false draw=false updates=none"
                         " ! swiftodt detector=upstream updates=every-frame ! appsink name=frames sync=false")
        self.assertEqual(len(list(samples)), 60)
        ids = [thing.get_value("tracking-id") for result in frames.said.results for thing in result.get_value("objects")]
        self.assertGreater(len(ids), 40)
        self.assertEqual(len(set(ids)), 1)
