"""odt annotate keeps sound, subtitles and times, writes consistent tables, and loses no data after errors."""
import contextlib
import csv
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import time

from paged import needs_soup
from streams import InFolder, ROOT, command, encoded, run, served

ODT = f"{ROOT}/.build/tool/odt"
FAST = "--set=detector=motion"
SECONDS = 2
SUBTITLES = """1
00:00:00,500 --> 00:00:01,000
<i>Salt</i> & pepper

2
00:00:01,250 --> 00:00:01,750
Bread\n"""


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *words], check=True, stdin=subprocess.DEVNULL)


def probed(path, *words):
    """Returns ffprobe's output as one list of cells per line."""
    said = command("ffprobe", "-v", "error", *words, "-of", "csv=p=0", f"file:{path}")
    return [line.strip(",").split(",") for line in said.stdout.split()]


def times(path, stream):
    """Returns the sorted presentation times of a stream's packets."""
    return sorted(float(cells[0]) for cells in probed(path, "-select_streams", stream, "-show_entries", "packet=pts_time"))


def packets(path, stream):
    """Returns the hashes of a stream's packets."""
    # In a transport stream each AAC packet has an ADTS header.
    bare = ["-bsf:a", "aac_adtstoasc"] if path.endswith(".ts") else []
    said = command("ffmpeg", "-v", "error", "-i", f"file:{path}", "-map", f"0:{stream}", "-c", "copy", *bare, "-f", "framemd5", "-")
    return [line.split(",")[5].strip() for line in said.stdout.splitlines() if not line.startswith("#")]


def codecs(path):
    return [cells[0] for cells in probed(path, "-show_entries", "stream=codec_name")]


class Annotating(InFolder):
    """A temporary folder with a clip of a moving ball."""

    @classmethod
    def setUpClass(cls):
        cls.clips = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.clips)
        cls.picture = os.path.join(cls.clips, "picture.mkv")
        said = command("gst-launch-1.0", "-q", *(
            f"videotestsrc num-buffers={25 * SECONDS} pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! x264enc"
            f" speed-preset=ultrafast ! h264parse ! matroskamux ! filesink location={cls.picture}").split())
        assert said.returncode == 0, said.stderr
        cls.subtitles = os.path.join(cls.clips, "words.srt")
        with open(cls.subtitles, "w", encoding="ascii") as file:
            file.write(SUBTITLES)

    def annotate(self, *words, code=0):
        said = command(ODT, "annotate", FAST, *words)
        self.assertEqual(said.returncode, code, said.stderr)
        return said

    def clip(self, name, *sound, subtitles=False):
        """Returns a clip of the ball with sound (encoded with ffmpeg's options `sound`) and optional subtitles."""
        words = ["-i", self.picture, "-f", "lavfi", "-i", f"sine=frequency=440:sample_rate=48000:duration={SECONDS}"]
        words += ["-i", self.subtitles] if subtitles else []
        words += ["-map", "0:v", "-map", "1:a", *(["-map", "2:s", "-c:s", "srt"] if subtitles else []), "-c:v", "copy"]
        ffmpeg(*words, *sound, self.path(name))
        return self.path(name)

    def rows(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Crowd(Annotating):
    """More objects than the element reports by default."""

    def test_annotate_reports_more_than_five_objects(self):
        boxes = self.path("boxes.txt")
        with open(boxes, "w", encoding="ascii") as file:
            for frame in range(1, 25 * SECONDS + 1):
                for number in range(8):
                    file.write(f"{frame},-1,{10 + 36 * number},{20 + frame},30,60,0.9,-1,-1,-1\n")
        settings = ["--set=detector=recorded", f"--set=detections-file={boxes}"]
        said = command(ODT, "annotate", "--tracks-csv", self.path("tracks.csv"), *settings, self.picture, self.path("out.mkv"))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(len(self.rows("tracks.csv")), 8)
        self.assertNotIn("max-objects", said.stderr)
        said = command(ODT, "annotate", "--force", *settings, "--set=max-objects=5", self.picture, self.path("out.mkv"))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stderr, "3 objects in [0-9]+ frames were not reported because of max-objects=5; set max-objects=8")


class Kept(Annotating):
    """Streams that are not drawn on."""

    def test_audio_is_copied_unchanged(self):
        """Sound is copied if the container supports its codec: the same bytes at the same times."""
        for source, sound, target in (
                ("a.mkv", ["-c:a", "ac3"], "b.mkv"), ("a.mkv", ["-c:a", "libmp3lame"], "b.mp4"),
                ("a.mkv", ["-c:a", "libopus"], "b.webm"), ("a.mov", ["-c:a", "pcm_s16le"], "b.mov"),
                ("a.mkv", ["-c:a", "flac"], "c.mkv")):
            with self.subTest((source, sound, target)):
                clip = self.clip(source, *sound)
                self.annotate("--force", clip, self.path(target))
                before, after = packets(clip, "a"), packets(self.path(target), "a")
                if sound[-1].startswith("pcm"):
                    # PCM may be split into other packets, but has the same samples.
                    before, after = (self.samples(path) for path in (clip, self.path(target)))
                self.assertEqual(after, before)
                self.assertGreater(len(before), 20)
                # The offset between sound and picture is unchanged. GStreamer moves negative start times to zero.
                if times(clip, "a")[0] >= 0:
                    self.assertAlmostEqual(self.lead(self.path(target)), self.lead(clip), delta=0.002)

    def lead(self, path):
        return times(path, "v")[0] - times(path, "a")[0]

    def samples(self, path):
        return subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-"], check=True,
                              capture_output=True).stdout

    def test_aac_audio_is_kept(self):
        """An AAC stream begins with a priming packet and, in MP4, ends with a partly used one. GStreamer drops these two; all others keep their times."""
        for name in ("a.mp4", "a.ts"):
            with self.subTest(name):
                clip = self.clip(name, "-c:a", "aac")
                self.annotate("--force", clip, self.path("b.mp4"))
                before, after = packets(clip, "a"), packets(self.path("b.mp4"), "a")
                self.assertEqual(after, before[1:1 + len(after)])
                self.assertGreaterEqual(len(after), len(before) - 2)
                self.assertAlmostEqual(times(self.path("b.mp4"), "a")[0], 0, delta=0.001)

    def test_unsupported_audio_is_transcoded(self):
        """Sound is transcoded, with the same length, if the container does not support its codec."""
        for source, sound, target, codec in (("a.mkv", ["-c:a", "pcm_s16le"], "b.mp4", "aac"),
                                             ("a.mkv", ["-c:a", "ac3"], "b.webm", "opus")):
            with self.subTest(target):
                clip = self.clip(source, *sound)
                said = self.annotate("--force", clip, self.path(target))
                self.assertEqual(said.stderr, "")
                self.assertIn(codec, codecs(self.path(target)))
                self.assertAlmostEqual(times(self.path(target), "a")[-1], SECONDS, delta=0.1)

    def test_subtitles_are_kept(self):
        clip = self.clip("a.mkv", "-c:a", "ac3", subtitles=True)
        for target, codec in (("b.mkv", "subrip"), ("b.mp4", "mov_text")):
            with self.subTest(target):
                self.annotate(clip, self.path(target))
                self.assertEqual(codecs(self.path(target)), ["h264", "ac3", codec])
                shown = command("ffmpeg", "-v", "error", "-i", self.path(target), "-map", "0:s", "-f", "srt", "-").stdout
                self.assertIn("Salt & pepper", shown)
                self.assertIn("Bread", shown)
                self.assertIn("00:00:00,5", shown)
                self.assertIn("00:00:01,25", shown)

    def test_timestamps_are_kept(self):
        """Frame times are kept within 0.6 ms, for a variable frame rate and for a picture that begins later than the sound."""
        ffmpeg("-i", self.picture, "-vf", "select='gt(mod(n,7),2)'", "-vsync", "vfr", self.path("odd.mkv"))
        ffmpeg("-itsoffset", "0.4", "-i", self.path("odd.mkv"), "-f", "lavfi", "-i", "sine=duration=2", "-map", "0:v", "-map",
               "1:a", "-c:v", "copy", "-c:a", "ac3", self.path("late.mkv"))
        before = times(self.path("late.mkv"), "v")
        self.assertGreaterEqual(before[0], 0.4)
        for target in ("b.mkv", "b.mp4", "b.mov"):
            with self.subTest(target):
                self.annotate(self.path("late.mkv"), self.path(target))
                after = times(self.path(target), "v")
                self.assertEqual(len(after), len(before))
                # Matroska rounds to milliseconds.
                self.assertLess(max(abs(one - other) for one, other in zip(before, after)), 0.0006)
                self.assertAlmostEqual(times(self.path(target), "a")[0], 0, delta=0.001)


    def test_avi_with_b_frames_keeps_every_frame(self):
        """The decoder gives some frames of such files the times of the frames before them."""
        ffmpeg("-f", "lavfi", "-i", "testsrc=duration=2:size=320x240:rate=25", "-c:v", "mpeg4", "-bf", "2", self.path("b.avi"))
        for output in "b.mp4", "b.mkv":
            self.annotate(FAST, self.path("b.avi"), self.path(output))
            self.assertEqual(len(times(self.path(output), "v")), 50, output)


class Tables(Annotating):
    """Tables agree with messages."""

    def test_tables_match_messages(self):
        """One row per frame and track. No video output is needed."""
        self.annotate("--set", "track-min-hits=1", "--json", self.path("a.jsonl"), "--csv", self.path("a.csv"), "--tracks-csv",
                      self.path("t.csv"), self.picture)
        self.assertEqual(self.names(), ["a.csv", "a.jsonl", "t.csv"])
        with open(self.path("a.jsonl"), encoding="utf-8") as file:
            messages = [json.loads(line) for line in file]
        results = [message for message in messages if message["message"] == "swiftodt"]
        self.assertEqual(len(results), 25 * SECONDS)
        self.assertIsNone(results[0]["utc-time"])
        things = [(str(number), thing) for number, result in enumerate(results, 1) for thing in result["objects"]]
        rows = self.rows("a.csv")
        self.assertGreater(len(rows), 20)
        self.assertEqual([(row["frame"], row["tracking_id"], row["x"], row["height"], row["state"]) for row in rows],
                         [(frame, *(str(thing[name]) for name in ("tracking-id", "x", "height", "state"))) for frame, thing in things])
        self.assertAlmostEqual(float(rows[-1]["time"]), results[int(rows[-1]["frame"]) - 1]["stream-time"] / 1e9, places=5)
        ends = [message for message in messages if message["message"] == "swiftodt-track" and message["event"] == "end"]
        self.assertEqual([(row["tracking_id"], row["reason"]) for row in self.rows("t.csv")],
                         [(str(end["tracking-id"]), end["reason"]) for end in ends])
        self.assertEqual(messages[-1]["message"], "stats")

    def test_table_headers_match_documentation(self):
        self.annotate("--csv", self.path("a.csv"), "--tracks-csv", self.path("t.csv"), self.picture)
        with open(f"{ROOT}/docs/annotate.md", encoding="utf-8") as file:
            documented = [line.strip() for line in file if line.startswith(("frame,", "tracking_id,"))]
        heads = []
        for name in ("a.csv", "t.csv"):
            with open(self.path(name), encoding="utf-8") as file:
                heads.append(file.readline().strip())
        self.assertEqual(heads, documented)

    def test_best_pictures_are_written(self):
        """One colour picture per track, from the frame with its best score, without overlays."""
        self.annotate("--set", "color-mode=fixed", "--set", "box-color=0xffff0000", "--set", "line-width=8", "--crops", self.path("crops"), "--tracks-csv",
                      self.path("t.csv"), self.picture, self.path("out.mkv"))
        tracks = self.rows("t.csv")
        self.assertGreater(len(tracks), 0)
        self.assertEqual(sorted(os.listdir(self.path("crops"))), [f"{int(row['tracking_id']):05}.jpg" for row in tracks])
        for row in tracks:
            name = os.path.join(self.path("crops"), f"{int(row['tracking_id']):05}.jpg")
            pixels = subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-pix_fmt", "rgb24", "-f", "rawvideo", "-"], check=True,
                                    capture_output=True).stdout
            (size,) = probed(name, "-show_entries", "stream=width,height")
            # The box with a margin of a tenth of its size on each side, within the frame.
            self.assertLessEqual(abs(int(size[0]) - int(row["best_width"]) * 1.2), 6 + int(row["best_width"]) / 10)
            self.assertEqual(len(pixels), 3 * int(size[0]) * int(size[1]))
            spread = [max(pixels[at:at + 3]) - min(pixels[at:at + 3]) for at in range(0, len(pixels), 3)]
            # The ball is white on black; an overlay would be red.
            self.assertLess(max(spread), 60)
            self.assertGreater(max(pixels), 200)
        said = self.annotate("--crops", self.path("crops"), self.picture, code=2)
        self.assertIn("is not empty", said.stderr)

    def test_unusable_folder_of_pictures_leaves_no_files(self):
        with open(self.path("file"), "w", encoding="ascii"):
            pass
        before = self.names()
        said = self.annotate("--crops", self.path("file"), self.picture, self.path("out.mp4"), code=1)
        self.assertIn("cannot create the folder", said.stderr)
        self.assertEqual(self.names(), before)

    def test_best_pictures_of_interlaced_video_are_written(self):
        subprocess.run(["gst-launch-1.0", "-q", *(
            "videotestsrc num-buffers=75 pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1,interlace-mode=interleaved"
            f" ! x264enc interlaced=true ! mpegtsmux ! filesink location={self.path('interlaced.ts')}").split()], check=True)
        self.annotate("--crops", self.path("crops"), self.path("interlaced.ts"), self.path("out.mkv"))
        self.assertTrue(os.listdir(self.path("crops")))

    def test_zones_are_annotated(self):
        with open(self.path("zones.json"), "w", encoding="ascii") as file:
            file.write('[{"name": "left, \\"half\\"", "points": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]]}]')
        said = self.annotate("--zones", self.path("zones.json"), "--json", "-", self.picture)
        # Only the beginning, so that a failure prints a short text.
        self.assertIn('"name": "left, \\"half\\"", "kind": "zone", "count": 0', said.stdout[:1000])
        said = self.annotate("--force", "--zones", self.path("zones.json"), "--json", self.path("zones.json"), self.picture, code=1)
        self.assertIn("is the file of the property zones", said.stderr)
        with open(self.path("zones.json"), "w", encoding="ascii") as file:
            file.write('[{"name": "left"}]')
        self.annotate("--zones", self.path("zones.json"), "--json", "-", self.picture, code=1)

    def test_closed_pipe_ends_program(self):
        """As with `| head`: the program ends without an error text, and the video is complete."""
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as closed:
            said = subprocess.run([ODT, "annotate", FAST, "--json", "-", self.picture, self.path("out.mkv")], stdout=closed, check=False,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual((said.returncode, said.stderr), (128 + signal.SIGPIPE, b""))
        self.assertEqual(times(self.path("out.mkv"), "v"), times(self.picture, "v"))


class Tags(Annotating):

    def test_tags_are_kept_unless_redacted(self):
        """Tags can contain an unredacted picture and the place of the recording."""
        run("videotestsrc num-buffers=25 ! video/x-raw,width=320,height=240,framerate=25/1 ! taginject tags=title=street ! x264enc "
            f"! mp4mux ! filesink location={self.path('in.mp4')}")
        for words, title in (([], [["street"]]), (["--set", "box-style=blur"], [])):
            self.annotate("--force", *words, self.path("in.mp4"), self.path("out.mp4"))
            self.assertEqual([line for line in probed(self.path("out.mp4"), "-show_entries", "format_tags=title") if line != [""]], title, words)

    def test_redacted_file_has_no_tags_of_streams(self):
        ffmpeg("-f", "lavfi", "-i", "testsrc=size=320x240:rate=25:duration=1", "-f", "lavfi", "-i", "sine=duration=1", "-c:v", "libx264", "-c:a", "libvorbis",
               "-metadata", "title=SECRET", "-metadata:s:v", "title=SECRET", "-metadata:s:a", "title=SECRET", self.path("in.mkv"))
        for redaction, ending in ((False, "mkv"), (True, "mkv"), (True, "webm"), (True, "mp4")):
            name = self.path(f"out.{ending}")
            self.annotate("--force", *(["--set", "box-style=blur"] if redaction else []), self.path("in.mkv"), name)
            with open(name, "rb") as file:
                self.assertEqual(b"SECRET" in file.read(), not redaction, name)


class Truncated(Annotating):

    def test_incomplete_file_is_reported(self):
        run("videotestsrc num-buffers=250 pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! x264enc speed-preset=ultrafast "
            f"! mp4mux faststart=true ! filesink location={self.path('whole.mp4')}")
        with open(self.path("whole.mp4"), "rb") as file:
            content = file.read()
        with open(self.path("part.mp4"), "wb") as file:
            file.write(content[:len(content) // 2])
        self.assertRegex(self.annotate("--csv", self.path("a.csv"), self.path("part.mp4")).stderr,
                         r"the video ended after \d\.\d of 10\.0 s; the file may be incomplete")
        self.assertEqual(self.annotate("--csv", self.path("b.csv"), self.path("whole.mp4")).stderr, "")

    def test_failed_output_does_not_warn_about_truncated_input(self):
        clip = encoded(2000, "x264enc speed-preset=ultrafast")
        for target, code in (("/dev/full", 3), (">(head -1 > /dev/null)", 128 + signal.SIGPIPE)):
            said = command("/bin/bash", "-c", f'"$@" > {target}', "bash", ODT, "annotate", FAST, "--set=updates=every-frame", "--json", "-", clip)
            self.assertEqual(said.returncode, code, said.stderr)
            self.assertNotIn("the video ended after", said.stderr)


class Written(Annotating):
    """The summary line at the end."""

    def test_files_frames_and_objects_are_named(self):
        said = self.annotate("--csv", self.path("a.csv"), "--set", "track-min-hits=1", self.picture, self.path("out.mkv"))
        self.assertRegex(said.stdout, rf"^wrote {self.path('out.mkv')}, {self.path('a.csv')}: {25 * SECONDS} frames, [1-9]\d* objects?, \d+\.\d s\n$")
        self.assertEqual(said.stderr, "")

    def test_summary_omits_objects_without_track_events(self):
        said = self.annotate("--set", "track-events=false", self.picture, self.path("out.mkv"))
        self.assertRegex(said.stdout, rf"^wrote {self.path('out.mkv')}: {25 * SECONDS} frames, \d+\.\d s\n$")

    def test_standard_output_has_only_messages(self):
        said = self.annotate("--json", "-", self.picture, self.path("out.mkv"))
        self.assertEqual({"message"}, {key for line in said.stdout.splitlines() for key in json.loads(line) if key == "message"})

    @needs_soup
    def test_passwords_of_addresses_are_not_printed(self):
        shutil.copy(self.picture, self.path("a.mkv"))
        address = served(self, self.folder)
        said = self.annotate("--out-dir", self.path("out"), "--container=mkv", "--export=coco=.coco", "--export=cvat=.xml", f"{address}/a.mkv?key=secret.x",
                             f"{address}/a.mkv?key=secret.y", f"{address}/none.mkv?key=secret", code=1)
        self.assertEqual(sorted(os.listdir(self.path("out"))), [f"a{number}.{ending}" for number in ("-2", "") for ending in ("coco", "mkv", "xml")])
        self.assertIn(f"1 of 3 failed: {address.replace('admin:secret@', '')}/none.mkv", said.stderr)
        texts = [said.stdout, said.stderr]
        for name in ("a.coco", "a-2.xml"):
            with open(self.path(f"out/{name}"), encoding="utf-8") as file:
                texts.append(file.read())
        self.assertNotIn("secret", "".join(texts))
        said = command(ODT, "bench", "--json", "motion", f"{address}/a.mkv?key=secret")
        self.assertEqual((said.returncode, json.loads(said.stdout)["video"]), (0, f"{address.replace('admin:secret@', '')}/a.mkv"), said.stderr)

    def test_each_file_of_a_folder_has_its_line(self):
        os.mkdir(self.path("in"))
        for name in ("a", "b"):
            shutil.copy(self.picture, self.path(f"in/{name}.mkv"))
        said = self.annotate("--out-dir", self.path("out"), self.path("in"))
        self.assertEqual([line.split(":")[0] for line in said.stdout.splitlines()], [f"wrote {self.path('out')}/{name}.mkv" for name in "ab"])


class Refused(Annotating):
    """Invalid command lines."""

    def test_invalid_options_are_errors(self):
        for text, words in (
                ("nonsense", ["--set", "nonsense=1", "OUT"]), ("1001", ["--set", "max-objects=1001", "OUT"]),
                ("is not NAME=VALUE", ["--set", "draw", "OUT"]), ("--quality", ["--quality", "101", "OUT"]),
                ("unknown encoder", ["--encoder", "nonsense", "OUT"]), ("needs one of the extensions", [self.path("out.avi")]),
                ("no output: name OUT", []), ("--out-dir", ["OUT", "OUT"]), ("message-format", ["--set", "message-format=json", "OUT"]),
                ("redacts", ["--crops", self.path("crops"), "--set", "privacy-labels=person"]),
                ("redacts", ["--crops", self.path("crops"), "--set", "box-style=5"]),
                ("updates", ["--csv", self.path("a.csv"), "--set", "updates=none"]),
                ("message-interval", ["--csv", self.path("a.csv"), "--set", "message-interval=9"]), ("twice", ["--json", "OUT", "OUT"]),
                ("needs an extension", ["--out-dir", self.folder, "--csv", "all.csv"])):
            with self.subTest(words):
                said = self.annotate(self.picture, *[self.path("out.mp4") if word == "OUT" else word for word in words], code=2)
                self.assertIn(text, said.stderr)
                self.assertEqual(self.names(), [])

    def test_gif_is_refused_instead_of_read_forever(self):
        gif = self.path("moving.gif")
        ffmpeg("-i", self.picture, "-t", "0.2", gif)
        said = self.annotate(gif, self.path("out.mkv"), code=1)
        self.assertIn("cannot find the end of GIF files", said.stderr)

    def test_unusable_files_are_named(self):
        for name, content in (("empty.mp4", ""), ("text.mp4", "no video" * 100)):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(content)
        run(f"audiotestsrc num-buffers=20 ! vorbisenc ! oggmux ! filesink location={self.path('sound.ogg')}")
        before = self.names()
        for words, text in (
                (["annotate", FAST, self.path("empty.mp4"), self.path("out.mp4")], "empty.mp4 is empty"),
                (["annotate", FAST, "--crops", self.path("crops"), self.path("text.mp4"), self.path("out.mp4")], "text.mp4 is not a video: This appears to be a text file"),
                (["play", FAST, "--sink=fakesink", self.path("sound.ogg")], "sound.ogg contains no video"),
                (["zones", "-o", self.path("out.html"), self.path("sound.ogg")], "sound.ogg contains no video"),
                (["zones", "-o", self.path("out.html"), self.path("text.mp4")], "text.mp4 is not a video: This appears to be a text file")):
            with self.subTest(words[0], text=text):
                said = command(ODT, *words)
                self.assertEqual((said.returncode, self.names()), (1, before), said.stderr)
                self.assertIn(text, said.stderr.splitlines()[0])

    def test_output_that_is_no_regular_file_is_refused(self):
        """Its text must not advise --force, which cannot replace the reader of a pipe."""
        for words in ([], ["--force"]):
            said = self.annotate(*words, "--csv", "/dev/stdout", self.picture, code=1)
            self.assertIn("/dev/stdout is not a regular file: use '-' for standard output", said.stderr)

    def test_two_outputs_that_are_one_file_are_refused(self):
        """Otherwise the second output would overwrite the first one."""
        os.symlink("link.out", self.path("other.out"))
        os.mkdir(self.path("new"))
        for one, other in (("x.out", "./x.out"), ("link.out", "other.out"), ("new/x.out", "./new/../new//x.out")):
            with self.subTest(other):
                said = self.annotate("--json", f"{self.folder}/{one}", "--csv", f"{self.folder}/{other}", self.picture, code=2)
                self.assertIn("are the same file", said.stderr)
                self.assertEqual(self.names(), ["new", "other.out"])
        said = self.annotate("--out-dir", self.path("done"), "--container", "mp4", "--json", ".mp4", self.picture, code=2)
        self.assertIn("two outputs are the same file", said.stderr)

    def limited(self, *limits):
        """Annotates a video under resource limits, given as arguments of ulimit."""
        return command("/bin/bash", "-c", f'ulimit {" ".join(limits)}; exec "$@"', "bash", ODT, "annotate", FAST, "--force", self.picture,
                       self.path("out.mkv"))

    def test_limits_that_are_too_low_are_named(self):
        for limits, text in ((("-n", "16"), "only 16 files.*ulimit -n"), (("-v", "900000"), "878 MB of address space.*ulimit -v")):
            with self.subTest(limits):
                said = self.limited(*limits)
                self.assertEqual((said.returncode, self.names()), (3, []), said.stderr)
                self.assertRegex(said.stderr, text)
        # The process raises its soft limit.
        said = self.limited("-S", "-n", "16")
        self.assertEqual((said.returncode, said.stderr), (0, ""))

    def test_missing_plugin_is_an_error(self):
        """The error of a tool outside of its checkout names the remedy."""
        shutil.copy(ODT, self.path("odt"))
        said = command(self.path("odt"), "annotate", self.picture, self.path("out.mp4"), GST_PLUGIN_SYSTEM_PATH="/nowhere", GST_PLUGIN_PATH="",
                       GST_REGISTRY=self.path("registry.bin"))
        self.assertEqual(said.returncode, 3)
        self.assertIn("no element swiftodt: run Pipelines/setup --install", said.stderr)

    def test_folder_input_needs_output_folder(self):
        said = self.annotate(self.folder, self.path("out.mp4"), code=1)
        self.assertIn("is a folder: use --out-dir", said.stderr)

    def test_existing_output_is_not_replaced(self):
        for name in ("out.mp4", "out.csv"):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("earlier")
        words = ["--csv", self.path("out.csv"), self.picture, self.path("out.mp4")]
        self.assertIn("--force", self.annotate(*words, code=2).stderr)
        os.unlink(self.path("out.mp4"))
        self.assertIn("out.csv already exists", self.annotate(*words, code=2).stderr)
        self.assertEqual(self.names(), ["out.csv"])
        self.assertEqual(self.annotate("--force", *words).stderr, "")
        self.assertEqual(len(times(self.path("out.mp4"), "v")), 25 * SECONDS)
        self.assertGreater(len(self.rows("out.csv")), 0)

    def test_help_shows_examples(self):
        said = command(ODT, "annotate", "--help")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        for word in ("--json", "--out-dir", "--set", "Ctrl-C", "exit code", "examples"):
            self.assertIn(word, said.stdout)


class Folders(Annotating):
    """Several files at once."""

    def test_bad_file_does_not_stop_batch(self):
        """Existing outputs stay and count as failures, files with the same stem get different outputs, and no partial files remain."""
        footage, done = self.path("footage"), self.path("done")
        os.mkdir(footage)
        os.mkdir(done)
        for name in ("a.mkv", "b.mkv", "z.MOV"):
            ffmpeg("-i", self.picture, "-t", "0.4", os.path.join(footage, name))
        shutil.copy(os.path.join(footage, "a.mkv"), os.path.join(footage, "a.mts"))
        for name in ("bad.mp4", "notes.txt"):
            with open(os.path.join(footage, name), "w", encoding="ascii") as file:
                file.write("this is no video\n" * 100)
        with open(os.path.join(done, "b.mkv"), "w", encoding="ascii") as file:
            file.write("earlier")
        said = self.annotate("--out-dir", done, "--tracks-csv", ".tracks.csv", footage, code=1)
        # The summary of failures comes last.
        self.assertEqual(said.stderr.splitlines()[-1], f"odt annotate: 2 of 5 failed: {footage}/b.mkv, {footage}/bad.mp4")
        self.assertIn("bad.mp4: ", said.stderr)
        self.assertIn("b.mkv already exists", said.stderr)
        self.assertEqual(sorted(os.listdir(done)), [
            "a.mkv.mkv", "a.mkv.tracks.csv", "a.mts.mp4", "a.mts.tracks.csv", "b.mkv", "z.mov", "z.tracks.csv"])
        self.assertEqual(len(times(os.path.join(done, "z.mov"), "v")), 10)
        said = self.annotate("--out-dir", done, "--force", "--container", "mp4", os.path.join(footage, "b.mkv"))
        self.assertEqual(said.stderr, "")
        self.assertEqual(codecs(os.path.join(done, "b.mp4")), ["h264"])

    def test_subfolders_are_named_if_there_is_no_video(self):
        os.makedirs(self.path("footage/day"))
        self.assertIn("footage; its subfolders are not searched", self.annotate("--out-dir", self.path("done"), self.path("footage"), code=2).stderr)

    def test_fifo_does_not_block_batch(self):
        """A FIFO may never get a writer."""
        os.mkfifo(self.path("fifo.mkv"))
        said = self.annotate("--out-dir", self.path("done"), self.path("fifo.mkv"), self.picture, code=1)
        self.assertIn("fifo.mkv: --out-dir does not support FIFOs", said.stderr)
        self.assertEqual(os.listdir(self.path("done")), ["picture.mkv"])


class Descriptors(Annotating):
    """Closed and non-blocking standard descriptors."""

    def test_a_closed_standard_output_is_an_error(self):
        """GStreamer's sockets must not get the descriptor number of the standard output."""
        said = command("/bin/bash", "-c", 'exec "$@" >&-', "bash", ODT, "annotate", FAST, "--set=updates=every-frame", "--json", "-", self.picture,
                       seconds=30)
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        self.assertIn("standard output: Bad file descriptor", said.stderr)

    def test_complaints_are_not_written_into_a_file_of_the_user(self):
        """A file must not get the descriptor number of a closed standard error."""
        # detector=motion has no labels, so label-allowlist causes a warning.
        words = [FAST, "--set=label-allowlist=person", "--json", self.path("a.jsonl"), self.picture]
        self.assertIn("label-allowlist", self.annotate(*words).stderr)
        os.unlink(self.path("a.jsonl"))
        said = command("/bin/bash", "-c", 'exec "$@" <&- >&- 2>&-', "bash", ODT, "annotate", *words)
        self.assertEqual(said.returncode, 0)
        with open(self.path("a.jsonl"), encoding="utf-8") as file:
            self.assertEqual({line[0] for line in file}, {"{"})

    def test_a_non_blocking_standard_output_gets_all_lines_whole(self):
        """A slow reader gets all lines complete, although the pipe fills up repeatedly."""
        reader, writer = os.pipe()
        fcntl.fcntl(writer, 1031, 4096)  # F_SETPIPE_SZ
        os.set_blocking(writer, False)
        # Lines longer than PIPE_BUF, which a pipe may accept partly.
        with open(self.path("zones.json"), "w", encoding="ascii") as file:
            json.dump([{"name": "a" * 6000, "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}], file)
        for words in (["annotate", "--json", "-"], ["watch"]):
            with self.subTest(words[0]):
                program = subprocess.Popen([ODT, *words, FAST, "--set=updates=every-frame", "--zones", self.path("zones.json"), self.picture],
                                           stdout=writer, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
                said = b""
                while program.poll() is None or select.select([reader], [], [], 0)[0]:
                    if select.select([reader], [], [], 0.1)[0]:
                        said += os.read(reader, 2000)
                self.assertEqual((program.wait(), program.communicate()[1]), (0, ""))
                messages = [json.loads(line) for line in said.splitlines()]
                self.assertEqual(sum(message["message"] == "swiftodt" for message in messages), 25 * SECONDS)
        os.close(reader)
        os.close(writer)


class Ended(Annotating):
    """Signals and terminals."""

    def test_an_interrupt_leaves_the_earlier_file_or_a_video(self):
        """At any moment. The sound, which needs no inference, is far ahead of the picture, and is cut at its end."""
        ffmpeg("-stream_loop", "9", "-i", self.picture, "-f", "lavfi", "-i", "sine=duration=20", "-map", "0:v", "-map", "1:a", "-c:v", "copy",
               "-c:a", "ac3", self.path("long.mkv"))
        for kind in ("mkv", "mp4", "webm"):
            for delay in (0, 0.02, 0.05, 0.1, 0.2):
                with self.subTest((kind, delay)):
                    out, part = self.path("out." + kind), self.path("out.part." + kind)
                    with open(out, "w", encoding="ascii") as file:
                        file.write("earlier")
                    program = subprocess.Popen([ODT, "annotate", "--force", FAST, self.path("long.mkv"), out], stderr=subprocess.PIPE,
                                               stdin=subprocess.DEVNULL, text=True)
                    # With delay 0 the signal arrives before the first byte is written.
                    while program.poll() is None and not (os.path.exists(part) and (delay == 0 or os.path.getsize(part))):
                        time.sleep(0.005)
                    time.sleep(delay)
                    program.send_signal(signal.SIGINT)
                    _, said = program.communicate(timeout=60)
                    if program.returncode == 0:
                        picture, sound = times(out, "v"), times(out, "a")
                        self.assertGreater(len(picture), 0)
                        self.assertLess(sound[-1] if sound else 0, picture[-1] + 0.04 + 0.1)
                    else:
                        self.assertEqual(program.returncode, 128 + signal.SIGINT, said)
                        with open(out, encoding="ascii") as file:
                            self.assertEqual(file.read(), "earlier")
                    self.assertFalse(os.path.exists(part))

    @contextlib.contextmanager
    def stalled(self, errors):
        """Runs odt annotate with a source that stalls after the first frames. The program's standard error is `errors`."""
        self.clip("live.ts", "-c:a", "aac")
        fifo = self.path("fifo.ts")
        os.mkfifo(fifo)
        program = subprocess.Popen([ODT, "annotate", FAST, "--csv", self.path("out.csv"), fifo, self.path("out.mp4")],
                                   stderr=errors, stdin=subprocess.DEVNULL, text=True)
        try:
            with open(fifo, "wb") as feed, open(self.path("live.ts"), "rb") as stream:
                feed.write(stream.read())
                feed.flush()
                deadline = time.monotonic() + 30
                while time.monotonic() < deadline:
                    if os.path.exists(self.path("out.part.csv")) and os.path.getsize(self.path("out.part.csv")) > 1000:
                        break
                    time.sleep(0.05)
                yield program
        finally:
            program.kill()
            program.communicate()

    def test_interrupted_output_contains_audio(self):
        """A stalled source does not handle end of stream, and the muxer waits for all of its streams. A second signal at the same time, as from
        `timeout`, does not end the program at once."""
        with self.stalled(subprocess.PIPE) as program:
            program.send_signal(signal.SIGINT)
            self.assertIn("ending the stream", program.stderr.readline())
            program.send_signal(signal.SIGTERM)
            _, said = program.communicate(timeout=20)
        self.assertEqual(program.returncode, 0, said)
        self.assertEqual(codecs(self.path("out.mp4")), ["h264", "aac"])
        self.assertGreater(len(times(self.path("out.mp4"), "v")), 5)
        self.assertGreater(len(times(self.path("out.mp4"), "a")), 5)
        self.assertEqual(self.names(), ["fifo.ts", "live.ts", "out.csv", "out.mp4"])

    def test_second_signal_ends_program_whose_errors_are_not_read(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        os.set_blocking(writer, True)
        with self.stalled(writer) as program:
            program.send_signal(signal.SIGINT)
            # An earlier second signal counts as a repetition of the first one.
            time.sleep(1)
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.wait(10), 128 + signal.SIGINT)

    def test_progress_is_shown_only_on_terminal(self):
        try:
            leader, follower = pty.openpty()
        except OSError as problem:
            self.skipTest(f"cannot open a pseudo-terminal: {problem}")
        with open(follower, "wb") as terminal:
            program = subprocess.Popen([ODT, "annotate", FAST, self.picture, self.path("out.mkv")], stderr=terminal,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=os.environ | {"TERM": "xterm"})
        shown = b""
        # Reading from a terminal that is closed on the other side ends with an error.
        with contextlib.suppress(OSError):
            while part := os.read(leader, 1000):
                shown += part
        os.close(leader)
        said, _ = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 0)
        self.assertRegex(said, rb"^wrote .*\n$")
        self.assertRegex(shown.decode(), r"picture\.mkv: .*\d+ frames?, \d+ a second")
        # The progress line is removed at the end.
        self.assertTrue(shown.endswith(b"\x1b[K"), shown)
        self.assertEqual(self.annotate("--force", self.picture, self.path("out.mkv")).stderr, "")
