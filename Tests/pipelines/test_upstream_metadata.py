"""detector=upstream reads the metadata of other elements, adds to it, and neither removes nor changes any of it."""
import json
import unittest

import gi

from streams import Gst, GstVideo, listen, run
from test_analytics import MISSING

if not MISSING:
    gi.require_version("GstAnalytics", "1.0")
    from gi.repository import GLib, GstAnalytics

WIDTH, HEIGHT = 320, 240
LEFT = {"name": "left", "kind": "zone", "points": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]}
CAPS = f"video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate=30/1"
Gst.meta_register_custom("OtherElementMeta", [], None)


def structure(text):
    return Gst.Structure.from_string(text)[0]


def add_region(buffer, name, place, number=-1, **parameters):
    region = GstVideo.buffer_add_video_region_of_interest_meta(buffer, name, *place)
    region.id = number
    for text in parameters.values():
        region.add_param(structure(text))


def regions(buffer):
    """Returns the regions of a buffer: id, type, place, and parameters by name."""
    found = []
    # PyGObject cannot pass the state of gst_buffer_iterate_meta, so the tests use distinct ids in this range.
    for number in range(100):
        region = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number)
        if region is not None:
            parameters = {name: region.get_param(name) for name in ("detection", "object_id", "colour")}
            found.append((region.id, region.roi_type, (region.x, region.y, region.w, region.h),
                          {name: value.to_string() for name, value in parameters.items() if value is not None}))
    return found


def play(buffers, properties="", zones=None):
    """Passes buffers through the element. Returns the outputs and the collected messages."""
    pipeline = Gst.parse_launch(f"appsrc name=in format=time caps={CAPS} ! swiftodt updates=every-frame draw=false"
                                f" multiple-objects=true track-min-hits=1 name=tracker detector=upstream {properties} ! appsink name=out sync=false")
    source, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
    if zones:
        pipeline.get_by_name("tracker").set_property("zones", json.dumps(zones))
    pipeline.set_state(Gst.State.PLAYING)
    try:
        for buffer in buffers:
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        outputs = []
        while (sample := sink.emit("try-pull-sample", 10 * Gst.SECOND)) is not None:
            outputs.append(sample.get_buffer())
        said = listen(pipeline, 10)
        assert not said.errors, said.errors
        return outputs, said
    finally:
        pipeline.set_state(Gst.State.NULL)


def frame(number):
    buffer = Gst.Buffer.new_wrapped(bytes(WIDTH * HEIGHT * 3 // 2))
    buffer.pts, buffer.duration = number * Gst.SECOND // 30, Gst.SECOND // 30
    return buffer


def objects(said):
    return [[(thing.get_value("label"), thing.get_value("score"), thing.get_value("x"), thing.get_value("width"))
             for thing in result.get_value("objects")] for result in said.results]


class Regions(unittest.TestCase):
    """Regions of interest with the parameters of DL Streamer."""

    def buffers(self, count=3, more=""):
        for number in range(count):
            buffer = frame(number)
            add_region(buffer, "car", (40 + number, 50, 60, 40), 7,
                       detection="detection, confidence=0.75, label_id=2", colour="colour, label=(string)red")
            add_region(buffer, "person", (200, 50, 30, 90), 8, detection="detection, confidence=0.5, label_id=0",
                       **({"object_id": more} if more else {}))
            buffer.add_custom_meta("OtherElementMeta")
            yield buffer

    def test_regions_keep_everything_and_get_a_tracking_id(self):
        before = [regions(buffer) for buffer in self.buffers()]
        outputs, said = play(self.buffers())
        for old, buffer in zip(before, outputs, strict=True):
            new = regions(buffer)
            self.assertEqual([one[:3] for one in new], [one[:3] for one in old])
            for (*_, given), (*_, kept) in zip(old, new):
                self.assertEqual({name: kept[name] for name in given}, given)
                self.assertEqual(set(kept) - set(given), {"object_id"})
            self.assertIsNotNone(buffer.get_custom_meta("OtherElementMeta"))
        self.assertEqual(sorted(objects(said)[0]), [("car", 0.75, 40, 60), ("person", 0.5, 200, 30)])

    def test_tracking_id_of_another_tracker_is_kept(self):
        outputs, _ = play(self.buffers(more="object_id, id=(int)1234"))
        for buffer in outputs:
            self.assertEqual(regions(buffer)[1][3]["object_id"], "object_id, id=(int)1234;")

    def test_attach_meta_0_leaves_regions_unchanged(self):
        before = [regions(buffer) for buffer in self.buffers()]
        outputs, _ = play(self.buffers(), "attach-meta=0")
        self.assertEqual([regions(buffer) for buffer in outputs], before)

    def test_redaction_behind_another_element_is_an_error(self):
        """The other element attaches only the objects that it reports. Its regions do not show which element attached them."""
        for properties, error in (("box-style=blur", "another swiftodt upstream"), ("", None)):
            said = run(f"videotestsrc num-buffers=5 ! swiftodt detector=motion attach-meta=roi ! queue ! videoconvert"
                       f" ! swiftodt detector=upstream {properties} ! fakesink")
            self.assertEqual([error in one.gerror.message for one in said.errors], [True] if error else [])

    def test_label_that_no_detection_had_is_warned_about_before_the_end(self):
        """Applications stop reading messages at the end."""
        _, said = play(self.buffers(), "draw=true box-style=blur privacy-labels=statue")
        self.assertEqual([warning.message.partition(",")[0] for warning, _ in said.warnings if "privacy-labels" in warning.message],
                         ["privacy-labels names 'statue'"])

    def test_untracked_detections_reach_zones_and_messages(self):
        """Zones and messages use them."""
        outputs, said = play(self.buffers(), "tracking=false", [LEFT])
        self.assertEqual([sorted(one[0] for one in found) for found in objects(said)], [["car", "person"]] * 3)
        self.assertEqual([result.get_value("zones")[0].get_value("count") for result in said.results], [1, 1, 1])
        self.assertNotIn("object_id", regions(outputs[0])[0][3])


@unittest.skipIf(MISSING, MISSING)
class Analytics(unittest.TestCase):
    """GstAnalyticsRelationMeta."""

    def buffer(self, number, with_objects=True):
        """Returns a buffer with two objects of a detector, a classification, a mask, a tensor, and what relates them."""
        buffer = frame(number)
        meta = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
        if not with_objects:
            return buffer
        quark = GLib.quark_from_string
        relation = GstAnalytics.RelTypes
        _, car = meta.add_od_mtd(quark("car"), 40 + number, 50, 60, 40, 0.75)
        # The type of this object is known only by its class.
        _, person = meta.add_od_mtd(0, 200, 50, 30, 90, 0.5)
        _, classes = meta.add_cls_mtd([0.2, 0.8], [quark("dog"), quark("person")])
        _, red = meta.add_one_cls_mtd(0.9, quark("red"))
        mask = Gst.Buffer.new_wrapped(bytes(64))
        GstVideo.buffer_add_video_meta(mask, 0, GstVideo.VideoFormat.GRAY8, 8, 8)
        _, segmentation = meta.add_segmentation_mtd(mask, GstAnalytics.SegmentationType.INSTANCE, [1, 2], 0, 0, 8, 8)
        _, tracking = meta.add_tracking_mtd(99, 5)
        meta.set_relation(relation.RELATE_TO, person.id, classes.id)
        meta.set_relation(relation.CONTAIN, car.id, red.id)
        meta.set_relation(relation.CONTAIN, car.id, segmentation.id)
        meta.set_relation(relation.IS_PART_OF, segmentation.id, car.id)
        meta.set_relation(relation.RELATE_TO, car.id, tracking.id)
        # DL Streamer describes objects by regions, too.
        add_region(buffer, "car", (40 + number, 50, 60, 40), car.id, detection="detection, confidence=0.75, label_id=2")
        return buffer

    def described(self, buffer, count=None):
        """Returns the first entries of a buffer's metadata as plain values, and the relations between them."""
        meta = GstAnalytics.buffer_get_analytics_relation_meta(buffer)
        count = GstAnalytics.relation_get_length(meta) if count is None else count
        entries = []
        for number in range(count):
            is_any, entry = meta.get_mtd(number, 0)
            self.assertTrue(is_any)
            kind = GstAnalytics.mtd_type_get_name(entry.get_mtd_type())
            if kind == "object-detection":
                _, entry = meta.get_od_mtd(number)
                values = (entry.get_obj_type(), *entry.get_location())
            elif kind == "classification":
                _, entry = meta.get_cls_mtd(number)
                values = [(entry.get_quark(index), entry.get_level(index)) for index in range(entry.get_length())]
            elif kind == "object-tracking":
                values = tuple(meta.get_tracking_mtd(number)[1].get_info())
            else:
                values = (entry.get_size(), )
            entries.append((kind, values))
        return entries, [[int(meta.get_relation(one, other)) for other in range(count)] for one in range(count)]

    def attached(self, buffer):
        """Returns the objects: id, type, place, tracking ids, and marks."""
        meta = GstAnalytics.buffer_get_analytics_relation_meta(buffer)
        numbers = range(GstAnalytics.relation_get_length(meta))
        found = []
        for number in numbers:
            is_object, entry = meta.get_od_mtd(number)
            if not is_object:
                continue
            related = {other: meta.get_relation(number, other) for other in numbers}
            tracks = [meta.get_tracking_mtd(other)[1].get_info()[1] for other in numbers
                      if related[other] == GstAnalytics.RelTypes.RELATE_TO and meta.get_tracking_mtd(other)[0]]
            marks = sorted(GLib.quark_to_string(meta.get_cls_mtd(other)[1].get_quark(0)) for other in numbers
                           if related[other] == GstAnalytics.RelTypes.IS_PART_OF and meta.get_cls_mtd(other)[0])
            found.append((number, GLib.quark_to_string(entry.get_obj_type()), entry.get_location()[1:5], tracks, marks))
        return found

    def test_entries_and_relations_of_others_are_kept(self):
        buffers = [self.buffer(number) for number in range(4)]
        before = [self.described(buffer) for buffer in buffers]
        outputs, said = play((self.buffer(number) for number in range(4)), "classify=true")
        for old, buffer in zip(before, outputs, strict=True):
            self.assertEqual(self.described(buffer, len(old[0])), old)
        self.assertEqual([sorted(found) for found in objects(said)][0], [("car", 0.75, 40, 60), ("person", 0.5, 200, 30)])

    def test_objects_get_tracking_and_a_region(self):
        outputs, said = play((self.buffer(number) for number in range(4)))
        ids = {thing.get_value("label"): thing.get_value("tracking-id") for thing in said.results[0].get_value("objects")}
        for number, buffer in enumerate(outputs):
            car, person = self.attached(buffer)
            # The tracking of the earlier tracker comes first.
            self.assertEqual((car[2:], person[2:]), (((40 + number, 50, 60, 40), [99, ids["car"]], []), ((200, 50, 30, 90), [ids["person"]], [])))
            # The region of the other object is added, and both regions have the ids of their entries.
            self.assertEqual([one[:3] for one in regions(buffer)],
                             [(0, GLib.quark_from_string("car"), (40 + number, 50, 60, 40)),
                              (1, GLib.quark_from_string("person"), (200, 50, 30, 90))])

    def test_object_in_region_and_entry_is_read_once(self):
        _, said = play([self.buffer(0)])
        self.assertEqual(len(objects(said)[0]), 2)
        self.assertEqual({thing.get_value("label"): thing.get_value("label-index") for thing in said.results[0].get_value("objects")},
                         {"car": 2, "person": -1})

    def test_region_at_another_place_is_another_object(self):
        """Elements also use the id of a region for tracking ids."""
        buffer = self.buffer(0)
        add_region(buffer, "car", (120, 150, 60, 40), 1)
        _, said = play([buffer])
        self.assertEqual(len(objects(said)[0]), 3)

    def test_carried_objects_are_marked(self):
        outputs, _ = play((self.buffer(number, with_objects=number < 6) for number in range(8)))
        self.assertEqual([marks for *_, marks in self.attached(outputs[5])], [[], []])
        carried = self.attached(outputs[6])
        self.assertEqual([(name, marks) for _, name, _, _, marks in carried], [("car", ["swiftodt/carried"]), ("person", ["swiftodt/carried"])])
        self.assertEqual([number for number, *_ in regions(outputs[6])], [number for number, *_ in carried])
        self.assertIn("carried=(boolean)true", regions(outputs[6])[0][3]["detection"])

    def test_zones_and_crossings_are_attached(self):
        def moving(number):
            buffer = frame(number)
            meta = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
            meta.add_od_mtd(GLib.quark_from_string("car"), 20 + 8 * number, 100, 40, 40, 0.9)
            return buffer
        gate = {"name": "gate", "kind": "line", "points": [[0.5, 1], [0.5, 0]], "anchor": "centre"}
        outputs, said = play(map(moving, range(30)), zones=[LEFT, gate])
        marks = [self.attached(buffer)[0][4] for buffer in outputs]
        self.assertEqual(marks[3], ["swiftodt/zone/left"])
        self.assertEqual(marks[-1], [])
        self.assertEqual(sum("swiftodt/line/gate/in" in one for one in marks), 1)
        crossed = [event for event in said.named("swiftodt-zone") if event.get_value("event") == "cross"]
        self.assertEqual([event.get_value("direction") for event in crossed], ["in"])

    def test_oriented_boxes_are_read_as_their_bounds(self):
        if not hasattr(GstAnalytics.RelationMeta, "add_oriented_od_mtd"):
            self.skipTest("needs GStreamer 1.26")
        buffer = frame(0)
        meta = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
        meta.add_oriented_od_mtd(GLib.quark_from_string("car"), 100, 100, 80, 20, 3.14159265 / 2, 0.9)
        _, said = play([buffer])
        self.assertEqual([(x, width) for _, _, x, width in objects(said)[0]], [(130, 20)])
