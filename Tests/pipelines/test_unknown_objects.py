"""unknown-objects: moving objects that the detector does not detect are reported without a label, and get one later if the detector
detects them. In a single picture without detections the salient object is reported."""
import json
import os
import unittest

from streams import Gst, InFolder, ball, command, listen, needs_detector, run

ELEMENT = "swiftodt name=odt multiple-objects=true updates=every-frame draw=false"


def objects(said):
    """Returns the objects of each frame, without lost ones."""
    return [[thing for thing in result.get_value("objects") if thing.get_value("state") != "lost"] for result in said.results]


class Unknown(unittest.TestCase):
    """A ball that the detector does not detect."""

    def test_unclassified_object_has_no_label(self):
        said = run(f"{ball(150)} ! {ELEMENT} detector=upstream unknown-objects=moving ! fakesink")
        self.assertEqual((said.errors, said.warnings), ([], []))
        late = objects(said)[90:]
        self.assertTrue(all(len(here) == 1 for here in late), [len(here) for here in late])
        self.assertEqual({(here[0].get_value("label"), here[0].get_value("label-index"), here[0].get_value("category"),
                           here[0].get_value("tracking-id")) for here in late}, {("", -1, "unknown", 1)})

    def test_unknown_objects_default_is_none(self):
        said = run(f"{ball(90)} ! {ELEMENT} detector=upstream ! fakesink")
        self.assertEqual(sum(map(len, objects(said))), 0)

    @needs_detector
    def test_object_is_not_reported_twice(self):
        said = run(f"{ball(150)} ! {ELEMENT} detector=neural unknown-objects=moving ! fakesink")
        late = objects(said)[90:]
        self.assertTrue(all(len(here) == 1 for here in late), [len(here) for here in late])
        self.assertEqual(len({here[0].get_value("tracking-id") for here in late}), 1)

    def test_id_is_kept_when_label_arrives(self):
        """An upstream element detects the object from frame 100 on."""
        pipeline = Gst.parse_launch(f"{ball(150)} ! swiftodt name=namer detector=motion draw=false updates=none track-events=false attach-meta=0"
                                    f" ! {ELEMENT} detector=upstream unknown-objects=moving ! fakesink")
        namer = pipeline.get_by_name("namer")

        def begin(pad, info):
            if info.get_buffer().pts > 100 * Gst.SECOND // 30:
                Gst.util_set_object_arg(namer, "attach-meta", "roi")
            return Gst.PadProbeReturn.OK

        namer.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, begin)
        pipeline.set_state(Gst.State.PLAYING)
        try:
            said = listen(pipeline)
        finally:
            pipeline.set_state(Gst.State.NULL)
        late = objects(said)[90:]
        self.assertTrue(all(len(here) == 1 for here in late), [len(here) for here in late])
        self.assertEqual({here[0].get_value("tracking-id") for here in late}, {1})
        self.assertEqual((late[0][0].get_value("label"), late[-1][0].get_value("label")), ("", "object"))
        events = [event.get_value("event") for event in said.named("swiftodt-track")]
        self.assertEqual(events, ["begin", "update", "end"])

    def test_ineffective_property_warns(self):
        for properties, word in (("detector=motion", "detector=motion"), ("detector=upstream tracking=false", "tracking=true"),
                                 ("detector=upstream label-allowlist=person", "label-allowlist")):
            with self.subTest(properties):
                said = run(f"{ball(2)} ! swiftodt {properties} unknown-objects=moving ! fakesink")
                self.assertTrue(any("unknown-objects" in error.message and word in error.message for error, _ in said.warnings),
                                said.warnings)


class Prominent(InFolder):
    """A picture of a checkered board, which resembles no class of the detector."""

    def picture(self):
        file = os.path.join(self.folder, "board.png")
        run("videotestsrc num-buffers=1 pattern=checkers-8 ! video/x-raw,format=RGB,width=100,height=40 "
            f"! videobox left=-130 top=-80 right=-90 bottom=-120 ! pngenc ! filesink location={file}")
        return file

    @needs_detector
    def test_salient_object_without_labelled_ones(self):
        file = self.picture()
        for unknown, count in (("none", 0), ("salient", 1)):
            with self.subTest(unknown):
                said = run(f"filesrc location={file} ! pngdec ! videoconvert ! {ELEMENT} mode=single-image detector=neural"
                           f" unknown-objects={unknown} ! fakesink")
                self.assertEqual(said.errors, [])
                self.assertEqual([(thing.get_value("label"), thing.get_value("category")) for thing in objects(said)[0]],
                                 [("", "unknown")] * count)
                found = json.loads(command(".build/tool/odt", "detect", "--json", "--unknown-objects", unknown, file).stdout)
                self.assertEqual([thing.get("label") for thing in found["objects"]], [None] * count)

    def test_missing_salient_model_names_remedy(self):
        line = "gst-launch-1.0 videotestsrc num-buffers=1 ! swiftodt mode=single-image detector=upstream unknown-objects={} ! fakesink"
        for unknown, goes in (("salient", False), ("auto", True)):
            with self.subTest(unknown):
                told = command(*line.format(unknown).split(), XDG_DATA_HOME=self.folder)
                self.assertEqual(told.returncode == 0, goes, told.stderr)
                self.assertIn("odt setup", told.stderr + told.stdout)

    def test_invalid_unknown_objects_options_are_errors(self):
        for words, word in ((["--unknown-objects", "moving", "x.png"], "odt annotate"), (["--unknown-objects", "all", "x.png"], "use none or salient"),
                            (["--unknown-objects", "salient", "--detections", "x.jsonl", "x.mp4"], "pictures")):
            with self.subTest(word):
                told = command(".build/tool/odt", "detect", *words)
                self.assertEqual(told.returncode, 2)
                self.assertIn(word, told.stderr)
