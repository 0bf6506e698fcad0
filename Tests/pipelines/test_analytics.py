"""GstAnalyticsRelationMeta agrees with the messages. A GStreamer without it gets none, and no warning by default."""
import os
import re
import struct
import unittest

import gi

from streams import BIKES, Gst, ball, box, command, frames, installed_models, run

HAS_ANALYTICS = Gst.version() >= (1, 24)
MISSING = None if HAS_ANALYTICS else "needs GStreamer 1.24: Tests/testing-root runs it"
CLASSIFIER = next(iter(installed_models("classifier")), None)
try:
    if HAS_ANALYTICS:
        gi.require_version("GstAnalytics", "1.0")
        from gi.repository import GLib, GstAnalytics
except ValueError:
    MISSING = "gir1.2-gst-plugins-bad-1.0 is not installed: Pipelines/setup does"


class Default(unittest.TestCase):
    """The default of attach-meta."""

    def test_default_attaches_every_supported_meta(self):
        said = command("gst-inspect-1.0", "swiftodt").stdout
        default = re.search(r"^  attach-meta *:.*\n.*\n.*Default: (.*)$", said, re.MULTILINE)[1]
        self.assertEqual(default, '0x00000007, "analytics+custom+roi"' if HAS_ANALYTICS else '0x00000003, "custom+roi"')

    def test_default_causes_no_warning(self):
        said = run(f"{ball(5)} ! swiftodt detector=motion ! fakesink")
        self.assertEqual((said.warnings, said.errors), ([], []))

    def test_unsupported_analytics_meta_warns(self):
        said = run(f"{ball(5)} ! swiftodt detector=motion attach-meta=roi+analytics ! fakesink")
        self.assertEqual((len(said.warnings), said.errors), (0 if HAS_ANALYTICS else 1, []))
        if not HAS_ANALYTICS:
            self.assertIn("1.24", said.warnings[0][0].message)


def name(thing):
    """Returns the class name of an object of a message: its label, else the classifier's, else its category, else "object"."""
    if not thing.get_value("label") and thing.has_field("classifier-label"):
        return thing.get_value("classifier-label")
    return thing.get_value("label") or (thing.get_value("category") if thing.has_field("confidence") else "object")


def entries(buffer):
    """Returns the entries of a buffer's metadata as plain values, each object with the entries it relates to."""
    meta = GstAnalytics.buffer_get_analytics_relation_meta(buffer)
    # A buffer of a pool may keep an empty metadata.
    numbers = range(GstAnalytics.relation_get_length(meta) if meta else 0)
    values = {}
    for number in numbers:
        for kind, (is_one, entry) in (("object", meta.get_od_mtd(number)), ("track", meta.get_tracking_mtd(number)),
                                      ("class", meta.get_cls_mtd(number))):
            if is_one:
                values[number] = (kind, value(kind, entry))
    relations = {one: [other for other in numbers if meta.get_relation(one, other) == GstAnalytics.RelTypes.RELATE_TO]
                 for one in numbers}
    related = {number for others in relations.values() for number in others}
    objects = [(values[one][1], [values[other] for other in others])
               for one, others in relations.items() if values[one][0] == "object"]
    return objects, [values[number] for number in numbers if values[number][0] == "track" and number not in related]


def value(kind, entry):
    if kind == "object":
        _, *place, score = entry.get_location()
        return GLib.quark_to_string(entry.get_obj_type()), tuple(place), score
    if kind == "track":
        return tuple(entry.get_info())[1:]
    return GLib.quark_to_string(entry.get_quark(0)), entry.get_level(0), entry.get_length()


def single(number):
    """Rounds to single precision, as the metadata stores it."""
    return struct.unpack("f", struct.pack("f", number))[0]


def track(thing):
    return ("track", (*(thing.get_value(field) for field in ("tracking-id", "first-seen", "last-seen")),
                      thing.get_value("state") == "lost"))


def told(result):
    """Returns the same values from a message."""
    objects, alone = [], []
    for thing in result.get_value("objects"):
        tracks = [track(thing)] if thing.has_field("tracking-id") else []
        if thing.get_value("state") == "lost":
            alone += tracks
            continue
        classes = [("class", (thing.get_value("category"), single(thing.get_value("confidence")), 1))] \
            if thing.has_field("confidence") else []
        if thing.has_field("classifier-label"):
            classes.append(("class", (thing.get_value("classifier-label"), single(thing.get_value("classifier-score")), 1)))
        objects.append(((name(thing), box(thing), single(thing.get_value("score"))), tracks + classes))
    return objects, alone


@unittest.skipIf(MISSING, MISSING)
class Analytics(unittest.TestCase):
    """The metadata agrees with the messages."""

    def agree(self, description):
        """Plays a pipeline, compares every buffer with its message, and returns all objects and all lost tracks."""
        samples = frames(f"{description} ! appsink name=frames sync=false max-buffers=4")
        attached = [entries(sample.get_buffer()) for sample in samples]
        self.assertEqual((frames.said.errors, frames.said.warnings), ([], []))
        self.assertEqual(len(attached), len(frames.said.results))
        for number, (entry, result) in enumerate(zip(attached, frames.said.results)):
            self.assertEqual(entry, told(result), f"frame {number}")
        return [one for objects, _ in attached for one in objects], [one for _, alone in attached for one in alone]

    def test_ball_is_attached_as_analytics_meta(self):
        objects, _ = self.agree(f"{ball(60)} ! swiftodt detector=motion updates=every-frame")
        self.assertGreater(len(objects), 40)
        self.assertEqual({related[0][0] for _, related in objects}, {"track"})

    @unittest.skipUnless(os.path.exists(BIKES), "no demo video: Pipelines/setup fetches it")
    def test_street_objects_are_attached_as_analytics_meta(self):
        """Many objects with labels and categories that appear, coast and disappear."""
        objects, ended = self.agree(f"filesrc location={BIKES} ! decodebin"
                                    " ! swiftodt multiple-objects=true max-objects=20 classify=true updates=every-frame")
        self.assertLessEqual({"car", "person", "bicycle"}, {said[0] for said, _ in objects})
        kinds = [[kind for kind, _ in related] for _, related in objects]
        self.assertIn(["track", "class"], kinds)
        self.assertIn(["track"], kinds)
        self.assertGreater(len(ended), 3)
        self.assertTrue(all(lost for _, (*_, lost) in ended))

    @unittest.skipUnless(os.path.exists(BIKES) and CLASSIFIER, "no demo video or classifier: Pipelines/setup fetches them")
    def test_labels_of_custom_classifier_are_attached_as_analytics_meta(self):
        """Persons have no category, but the classifier labels them."""
        objects, _ = self.agree(f"filesrc location={BIKES} ! decodebin ! identity eos-after=120 ! swiftodt"
                                " multiple-objects=true max-objects=20 classify=true updates=every-frame"
                                f" classifier-file={CLASSIFIER} classification-threshold=0.1")
        labelled = {said[0] for said, related in objects if "class" in [kind for kind, _ in related]}
        self.assertIn("person", labelled)

    def test_no_tracking_meta_without_tracking(self):
        objects, ended = self.agree(f"{ball(60)} ! swiftodt detector=motion tracking=false updates=every-frame")
        self.assertGreater(len(objects), 40)
        self.assertEqual(([related for _, related in objects if related], ended), ([], []))

    def test_no_meta_unless_requested(self):
        for sample in frames(f"{ball(30)} ! swiftodt detector=motion attach-meta=roi+custom ! appsink name=frames"):
            self.assertIsNone(GstAnalytics.buffer_get_analytics_relation_meta(sample.get_buffer()))

    def test_objectdetectionoverlay_draws_scaled_meta(self):
        if Gst.ElementFactory.find("objectdetectionoverlay") is None:
            self.skipTest("this GStreamer has no objectdetectionoverlay")
        drawn = 0
        samples = frames(f"{ball(60)} ! swiftodt detector=motion draw=false updates=every-frame ! videoconvert ! videoscale"
                         " ! video/x-raw,format=BGRx,width=160,height=120"
                         " ! objectdetectionoverlay draw-labels=false object-detection-outline-color=0xffff0000"
                         " ! videoconvert ! video/x-raw,format=BGRx ! appsink name=frames sync=false")
        pictures = [sample.get_buffer().extract_dup(0, 160 * 120 * 4) for sample in samples]
        for picture, result in zip(pictures, frames.said.results):
            for thing in result.get_value("objects"):
                x, y, width, height = (figure // 2 for figure in box(thing))
                place = ((y + height // 2) * 160 + x) * 4
                # The line is two pixels wide and centred on the edge.
                left = picture[place - 4:place + 8]
                drawn += any(left[at + 2] > 150 and left[at] < 100 for at in (0, 4, 8))
        self.assertGreater(drawn, 40)
