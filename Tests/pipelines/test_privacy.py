"""Redaction by blurred and pixelated boxes."""
import glob
import json
import os
import statistics
import tempfile
import unittest

from streams import BIKES, ROOT, Gst, InFolder, ball, balls, box, command, difference, frames, listen, needs_detector, needs_video, run

import gi

gi.require_version("GstVideo", "1.0")
from gi.repository import GstVideo


def picture(sample):
    """Returns the grey levels of a GRAY8 sample, row by row."""
    shape = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
    data = sample.get_buffer().extract_dup(0, sample.get_buffer().get_size())
    width, height = shape.width, shape.height
    stride = len(data) // height
    return [data[row * stride:row * stride + width] for row in range(height)]


def detail(rows, box):
    """Returns the average difference of neighbouring pixels within a box."""
    left, top, width, height = box
    inside = [row[left:left + width] for row in rows[top:top + height]]
    return sum(abs(a - b) for row in inside for a, b in zip(row, row[1:])) / max(1, width * height)


class Privacy(unittest.TestCase):
    def test_ball_is_pixelated(self):
        """Without privacy-labels every object is redacted, including unclassified ones."""
        source = f"{ball(30)} ! videoconvert ! video/x-raw,format=GRAY8"
        plain = [picture(sample) for sample in frames(f"{source} ! appsink name=frames sync=false")]
        hidden = [picture(sample) for sample in frames(
            f"{source} ! swiftodt detector=motion box-style=pixelate draw-labels=false updates=every-frame ! appsink name=frames sync=false")]
        self.assertEqual(len(plain), len(hidden))

        def repeated(rows, left, top, width, height):
            """Returns the share of rows within a box that equal the next row, as within blocks."""
            inside = [row[left:left + width] for row in rows[top:top + height]]
            return sum(one == other for one, other in zip(inside, inside[1:])) / height

        places = [(number, box(thing)) for number, result in enumerate(frames.said.results) for thing in result.get_value("objects")
                  if thing.get_value("state") == "tracked"]
        self.assertGreater(len(places), 10)
        for number, place in places:
            self.assertLess(repeated(plain[number], *place), 0.3, number)
            self.assertGreater(repeated(hidden[number], *place), 0.6, number)

    @unittest.skipUnless(os.path.exists(BIKES), "the demo's video is not installed")
    def test_people_are_redacted(self):
        source = f"filesrc location={BIKES} ! decodebin ! videoconvert ! video/x-raw,format=GRAY8 ! identity eos-after=50"
        end = "appsink name=frames sync=false"
        # How many frames come before the end varies.
        plain = [picture(sample) for sample in frames(f"{source} ! {end}")][:40]
        boxes = {}
        hidden = []
        for sample in frames(f"{source} ! swiftodt detector=neural multiple-objects=true max-objects=100 updates=every-frame "
                             f"box-style=pixelate privacy-labels=person draw-labels=false draw-boxes=false ! {end}"):
            hidden.append(picture(sample))
        for number, result in enumerate(frames.said.results):
            boxes[number] = [box(thing) for thing in result.get_value("objects")
                             if thing.get_value("label") == "person" and thing.get_value("state") == "tracked"]
        looked = [(plain[number], hidden[number], place) for number, found in boxes.items() for place in found
                  if min(place[2:]) >= 24 and number < len(plain)]
        self.assertGreaterEqual(len(hidden), len(plain))
        self.assertGreater(len(looked), 5)
        for before, after, place in looked:
            self.assertLess(detail(after, place), 0.35 * detail(before, place) + 0.5, place)

    def test_redaction_that_cannot_be_guaranteed_is_an_error(self):
        """Without a model, a runtime or a suitable detector no frame reaches the sink."""
        for properties, remedy in (
                ("detector=motion privacy-labels=person", "set box-style=blur or pixelate"),
                ("detector=motion box-style=blur draw=false", "set draw=true"),
                ("detector=motion box-style=blur privacy-labels=person", "set detector=neural"),
                ("detector=salient box-style=blur privacy-labels=person", "set detector=neural")):
            with self.subTest(properties):
                said = run(f"{ball(5)} ! swiftodt {properties} ! fakesink")
                self.assertEqual(len(said.errors), 1)
                self.assertIn(remedy, said.errors[0].gerror.message)
                self.assertIn("privacy-strict=false", said.errors[0].gerror.message)
                if "salient" not in properties:
                    said = run(f"{ball(5)} ! swiftodt privacy-strict=false {properties} ! fakesink")
                    self.assertEqual(said.errors, [])
                    self.assertTrue(any(remedy in warning.gerror.message for warning in said.warnings), said.warnings)

    def test_recording_that_ends_before_the_video_is_an_error(self):
        """In both formats. A recording without a result for 5 s is one, too."""
        header = {"swiftodt-detections": 1, "width": 320, "height": 240, "orientation": "identity", "frame-rate": "30/1", "score-floor": 0.1,
                  "iou-threshold": 0.5, "detector": "neural", "mode": "stream", "inference-interval": 1}

        def text(frames, count):
            lines = [{"time": number * 33333333, "seen": "whole", "detections": []} for number in frames]
            return "\n".join(json.dumps(one) for one in [header, *lines, {"end": True, "frames": count, "time": lines[-1]["time"]}]) + "\n"

        with tempfile.TemporaryDirectory() as folder:
            for name, content, fault in (("early.jsonl", text(range(30), 30), "the recording ends at"),
                                         ("holes.jsonl", text([0, 190], 191), "no result for 5 s"),
                                         ("early.txt", "".join(f"{number},1,9,9,50,80,0.9\n" for number in range(1, 31)), "ends at frame 30")):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="ascii") as file:
                    file.write(content)
                for strict in ("true", "false"):
                    said = run(f"{ball(191)} ! swiftodt detector=recorded detections-file={path} box-style=blur privacy-strict={strict} ! fakesink")
                    posted = said.errors if strict == "true" else [warning for warning, _ in said.warnings]
                    texts = [one.gerror.message if hasattr(one, "gerror") else one.message for one in posted]
                    self.assertTrue(any(fault in text for text in texts), (name, strict, texts))

    def test_frame_numbers_that_do_not_fit_the_video_are_an_error(self):
        """MOTChallenge text numbers the frames. The caps of a video with a variable frame rate have its mean rate."""
        source = f"{ball(60)} ! capssetter caps=video/x-raw,framerate=10/1"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "found.txt")
            with open(path, "w", encoding="ascii") as file:
                file.writelines(f"{number},1,9,9,50,80,0.9\n" for number in range(1, 61))
            for strict in ("true", "false"):
                said = run(f"{source} ! swiftodt detector=recorded detections-file={path} box-style=blur privacy-strict={strict} ! fakesink")
                texts = ([error.gerror.message for error in said.errors], [warning.message for warning, _ in said.warnings])
                found = [any("the frame rate varies" in text for text in posted) for posted in texts]
                self.assertEqual(found, [strict == "true", strict == "false"], texts)

    def test_label_that_a_recording_cannot_have_is_an_error(self):
        """A recording of an earlier version has no list of labels. If a detection has another name for people, there is an error, otherwise a
        warning before the end."""
        header = {"swiftodt-detections": 1, "width": 320, "height": 240, "score-floor": 0.1, "detector": "neural", "inference-interval": 1}
        end = {"end": True, "frames": 30, "time": 29 * 33333333}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "found.jsonl")
            frames = [{"time": number * 33333333, "detections": [[9, 9, 50, 80, 0.9, 0, "person"]]} for number in range(30)]
            with open(path, "w", encoding="ascii") as file:
                file.writelines(json.dumps(line) + "\n" for line in (header, *frames, end))
            for label, errors, warnings in (("statue", 0, 1), ("people", 1, 0)):
                said = run(f"{ball(30)} ! swiftodt detector=recorded detections-file={path} box-style=blur privacy-labels={label} ! fakesink")
                texts = ([error.gerror.message for error in said.errors], [warning.message for warning, _ in said.warnings])
                self.assertEqual([sum(f"'{label}'" in text for text in posted) for posted in texts], [errors, warnings], texts)

    def test_fallback_to_motion_is_an_error_where_redaction_is_requested(self):
        said = command("gst-launch-1.0", *f"{ball(5)} ! swiftodt box-style=blur privacy-labels=person ! fakesink".split(),
                       XDG_DATA_HOME="/nowhere", XDG_DATA_DIRS="/nowhere", **{name: "" for name in os.environ if name.startswith("SWIFTODT")})
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("cannot be guaranteed: detector=auto has found no network", said.stderr)

    @needs_detector
    def test_label_that_the_network_does_not_have_is_an_error(self):
        for labels, remedy in (("persons", "did you mean 'person'?"), ("face", "it has person, bicycle")):
            for strategy in ("auto", "keep-only-latest"):
                said = run(f"{ball(5)} ! swiftodt box-style=blur privacy-labels={labels} strategy={strategy} ! fakesink")
                self.assertEqual(len(said.errors), 1, (labels, strategy))
                self.assertIn(f"the detector has no label '{labels}', which privacy-labels names; {remedy}", said.errors[0].gerror.message)

    @needs_detector
    @needs_video
    def test_allowlist_does_not_limit_redaction(self):
        source = f"filesrc location={BIKES} ! decodebin ! videoconvert ! video/x-raw,format=GRAY8 ! identity eos-after=70"
        end = "appsink name=frames sync=false"
        # How many frames come before the end varies.
        plain = [picture(sample) for sample in frames(f"{source} ! {end}")][:60]
        changed = []
        for reported in ("", "label-allowlist=car max-objects=1 min-area=0.9 score-threshold=1"):
            redacted = [picture(sample) for sample in frames(
                f"{source} ! swiftodt box-style=blur privacy-labels=person draw-labels=false draw-boxes=false {reported} ! {end}")]
            self.assertGreaterEqual(len(redacted), len(plain))
            changed.append({(number, row) for number, rows in enumerate(zip(plain, redacted))
                            for row, (before, after) in enumerate(zip(*rows)) if before != after})
        self.assertGreater(len(changed[0]), 500)
        self.assertGreater(len(changed[0] & changed[1]), 0.9 * len(changed[0]))

    def test_messages_do_not_depend_on_redaction(self):
        source = f"{ball(60)} ! swiftodt detector=motion updates=every-frame"
        plain, redacted = (run(f"{source} {style} ! fakesink") for style in ("", "box-style=blur"))
        self.assertEqual(*([structure.to_string() for structure in said.structures] for said in (plain, redacted)))

    def test_metadata_stays_with_its_frame(self):
        """Also if frames wait for redaction."""
        source = f"{ball(60)} ! swiftodt detector=motion attach-meta=roi"
        plain, redacted = ([self.regions(sample) for sample in frames(f"{source} {style} ! appsink name=frames sync=false")]
                           for style in ("draw=false", "box-style=blur"))
        self.assertEqual(plain, redacted)
        self.assertGreater(sum(map(len, plain)), 10)

    @staticmethod
    def regions(sample):
        """Returns time, position and label of the regions of interest by tracking id."""
        buffer = sample.get_buffer()
        regions = (GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number) for number in range(1, 5))
        return [(buffer.pts, region.x, region.y, region.w, region.h) for region in regions if region is not None]


class Tools(InFolder):
    """Redaction in the command-line tool."""

    def setUp(self):
        super().setUp()
        self.video = self.path("ball.avi")
        said = run(f"{ball(60)} ! jpegenc ! avimux ! filesink location={self.video}")
        self.assertEqual(said.errors, [])

    def watch(self, *words):
        return command(f"{ROOT}/.build/tool/odt", "watch", "--quiet", "--set=detector=motion", *words, self.video)

    def test_unredacted_recording_is_refused(self):
        for redaction in ("box-style=blur", "box-style=5", "privacy-labels=person"):
            said = self.watch("--set", redaction, "--record", self.path("video"))
            self.assertEqual(said.returncode, 2, said.stderr)
            self.assertIn("add --record-annotated", said.stderr)
            self.assertNotIn("video", self.names())

    def test_unredacted_recording_is_a_warning_without_privacy_strict(self):
        said = self.watch("--set", "box-style=blur", "--set", "privacy-strict=false", "--record", self.path("video"))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("add --record-annotated", said.stderr)
        self.assertIn("video", self.names())

    def differences(self, make):
        """Returns the difference between the ball in the source and in the video that `make` writes with options, for each frame: not
        redacted, and redacted."""
        for style in ("draw=false", "box-style=blur"):
            said, path = make("--set", style, "--set", "draw-labels=false")
            self.assertEqual(said.returncode, 0, said.stderr)
            yield [difference(*pair) for pair in zip(balls(self.video), balls(path))]

    def check(self, make):
        sharp, redacted = self.differences(make)
        self.assertGreater(min(len(sharp), len(redacted)), 20)
        self.assertLess(statistics.median(sharp), 3)
        self.assertGreater(min(redacted), 5)

    def test_annotated_recording_is_redacted(self):
        def record(*words):
            folder = tempfile.mkdtemp(dir=self.folder)
            said = self.watch(*words, "--record", folder, "--record-annotated")
            return said, *glob.glob(f"{folder}/ball/*.mkv")

        self.check(record)

    def test_annotated_video_is_redacted(self):
        def annotate(*words):
            path = self.path("annotated.mkv")
            return command(f"{ROOT}/.build/tool/odt", "annotate", "--force", "--set=detector=motion", *words, self.video, path), path

        self.check(annotate)

    def longer_recording(self):
        """Returns the path of a recording that is longer than the video. This is an error at the end of the video."""
        recording = self.path("found.jsonl")
        said = command(f"{ROOT}/.build/tool/odt", "annotate", "--set=detector=motion", f"--set=record-detections={recording}",
                       "--csv", self.path("found.csv"), self.video)
        self.assertEqual(said.returncode, 0, said.stderr)
        with open(recording, encoding="utf-8") as file:
            lines = file.readlines()
        later = json.loads(lines[-2])["time"] + 10_000_000_000
        lines[-1:] = [json.dumps({"time": later, "detections": []}) + "\n",
                      json.dumps(json.loads(lines[-1]) | {"time": later, "frames": json.loads(lines[-1])["frames"] + 1}) + "\n"]
        with open(recording, "w", encoding="utf-8") as file:
            file.writelines(lines)
        return recording

    def test_recorded_segment_is_deleted_if_its_redaction_fails(self):
        said = command(f"{ROOT}/.build/tool/odt", "watch", "--quiet", "--set=detector=recorded", f"--set=detections-file={self.longer_recording()}",
                       "--set=box-style=blur", "--record", self.path("video"), "--record-annotated", self.video)
        self.assertIn("the recording continues to", said.stderr)
        self.assertIn("the last segment was deleted, because its redaction is not guaranteed", said.stderr)
        self.assertEqual(glob.glob(self.path("video/**/*.mkv"), recursive=True), [])

    def test_video_is_deleted_if_its_redaction_fails(self):
        recording, path = self.longer_recording(), self.path("failed.mkv")
        said = command(f"{ROOT}/.build/tool/odt", "annotate", "--set=detector=recorded", f"--set=detections-file={recording}",
                       "--set=box-style=blur", self.video, path)
        self.assertEqual(said.returncode, 1)
        self.assertIn("the recording continues to", said.stderr)
        self.assertNotIn("unfinished", said.stderr)
        self.assertEqual(glob.glob(self.path("failed*")), [])

    def source(self, coder):
        """Writes a video whose sound has a title and a cover picture in its header."""
        path = self.path(f"{coder}.mkv")
        pipeline = Gst.parse_launch(f"{ball(60)} ! jpegenc ! matroskamux name=muxer ! filesink location={path} audiotestsrc num-buffers=80"
                                    f" ! audio/x-raw,rate=32000,channels=1 ! {coder} name=coder ! muxer.")
        tags, picture = Gst.TagList.new_empty(), Gst.Buffer.new_wrapped(b"\xff\xd8\xffSecret picture")
        tags.add_value(Gst.TagMergeMode.REPLACE, "title", "Secret title")
        tags.add_value(Gst.TagMergeMode.REPLACE, "image", Gst.Sample.new(picture, Gst.Caps.from_string("image/jpeg"), None, None))
        pipeline.get_by_name("coder").merge_tags(tags, Gst.TagMergeMode.REPLACE)
        pipeline.set_state(Gst.State.PLAYING)
        try:
            self.assertEqual(listen(pipeline).errors, [])
        finally:
            pipeline.set_state(Gst.State.NULL)
        return path

    def sound(self, path, *words):
        said = command("ffmpeg", "-v", "error", "-i", path, "-map", "0:a", *words, "-f", "framemd5", "-")
        # The lines before the packets describe the header.
        return [line for line in said.stdout.splitlines() if not line.startswith("#")]

    def test_comments_of_sound_are_removed(self):
        """Vorbis is copied, FLAC keeps its samples, and Speex is encoded again."""
        same = {"vorbisenc": ("-c", "copy"), "flacenc": ()}
        for coder, container in (("vorbisenc", "mkv"), ("vorbisenc", "webm"), ("flacenc", "mkv"), ("speexenc", "mkv")):
            with self.subTest((coder, container)):
                source, path = self.source(coder), self.path(f"redacted.{container}")
                said = command(f"{ROOT}/.build/tool/odt", "annotate", "--force", "--set=detector=motion", "--set=box-style=blur", source, path)
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                counts = []
                for name in (source, path):
                    with open(name, "rb") as file:
                        content = file.read()
                    counts.append([content.count(b"Secret title") > 0, b"Secret picture" in content or b"METADATA_BLOCK_PICTURE" in content])
                self.assertEqual(counts, [[True, True], [False, False]])
                before, after = (self.sound(name, *same.get(coder, ())) for name in (source, path))
                self.assertGreater(len(after), 10)
                if coder in same:
                    self.assertEqual(after, before)

    def test_chapters_are_removed(self):
        """Their titles can name people."""
        chapters, source, path = self.path("chapters.txt"), self.path("chapters.mkv"), self.path("without.mkv")
        with open(chapters, "w", encoding="ascii") as file:
            file.write(";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Secret chapter\n")
        command("ffmpeg", "-v", "error", "-i", self.video, "-i", chapters, "-map", "0:v", "-map_chapters", "1", "-c", "copy", source)
        said = command(f"{ROOT}/.build/tool/odt", "annotate", "--set=detector=motion", "--set=box-style=blur", source, path)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        found = []
        for name in (source, path):
            with open(name, "rb") as file:
                found.append(b"Secret chapter" in file.read())
        self.assertEqual(found, [True, False])

    def test_watch_without_pictures_does_not_mention_draw(self):
        said = self.watch("--set", "box-style=blur")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("'box-style=blur' has no effect: without --page", said.stderr)
        self.assertNotIn("draw=", said.stderr)

    def test_annotate_without_a_video_does_not_mention_draw(self):
        said = command(f"{ROOT}/.build/tool/odt", "annotate", "--set", "detector=motion", "--set", "box-style=blur", "--json",
                       self.path("said.jsonl"), self.video)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertNotIn("draw=", said.stderr)
