"""Recordings with odt annotate: errors and signals never destroy earlier files, the input or recorded frames."""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from streams import InFolder, ROOT, command

ODT = f"{ROOT}/.build/tool/odt"
FAST = "detector=motion"
SECONDS = 3
FRAMES = 25 * SECONDS


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *words], check=True, stdin=subprocess.DEVNULL)


def annotate(output, source, *properties):
    """Returns the command that records `source` as `output`, with the messages beside it, and replaces existing files."""
    # A relative path is relative to the working directory of the command, not to that of this process.
    stem = os.path.splitext(os.path.realpath(output) if os.path.isabs(output) else output)[0]
    return [ODT, "annotate", "--force", f"--json={stem}.jsonl",
            *(f"--set={setting}" for setting in properties), "--", source, output]


def frames(path):
    """Returns the number of frames of a video that can be decoded."""
    counted = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames",
         "-of", "csv=p=0", f"file:{path}"], capture_output=True, text=True, check=False)
    return int(counted.stdout.strip().strip(",") or 0)


def boxes(path):
    """Returns the types of the top-level boxes of an MP4."""
    names = []
    with open(path, "rb") as file:
        while head := file.read(8):
            size = int.from_bytes(head[:4], "big")
            names.append(head[4:].decode("ascii"))
            file.seek((int.from_bytes(file.read(8), "big") - 16) if size == 1 else size - 8, os.SEEK_CUR)
    return names


class Recording(InFolder):
    """A temporary folder for each test, and a clip of three seconds."""

    @classmethod
    def setUpClass(cls):
        cls.clips = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.clips)
        cls.clip = os.path.join(cls.clips, "clip.mp4")
        ffmpeg("-f", "lavfi", "-i", f"testsrc=duration={SECONDS}:size=320x240:rate=25", "-pix_fmt", "yuv420p", cls.clip)
        cls.stream = os.path.join(cls.clips, "clip.ts")
        ffmpeg("-i", cls.clip, "-c", "copy", cls.stream)

    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def record(self, output, source, *properties, **environment):
        return command(*annotate(output, source, *properties), **environment)

    def earlier(self):
        """Writes an existing recording that must remain."""
        for name in ("out.mp4", "out.jsonl"):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("earlier " + name)

    def assert_earlier(self):
        self.assertEqual((self.content("out.mp4"), self.content("out.jsonl")), (b"earlier out.mp4", b"earlier out.jsonl"))

    def refuses(self, text, *words, code=1):
        said = self.record(*words)
        self.assertIn(text, said.stderr)
        self.assertNotIn("Traceback", said.stderr)
        self.assertEqual(said.returncode, code, said.stderr)

    @contextlib.contextmanager
    def stalled(self, *properties, output="out.mp4", prefix=()):
        """Records a source that stalls after three seconds, and yields the process when these frames are analysed."""
        fifo = self.path("live.ts")
        os.mkfifo(fifo)
        program = subprocess.Popen(
            [*prefix, *annotate(self.path(output), fifo, FAST, "updates=every-frame", *properties)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        try:
            with open(fifo, "wb") as feed, open(self.stream, "rb") as stream:
                feed.write(stream.read())
                feed.flush()
                # The parser keeps the last frames until more data arrives.
                self.wait_for_lines(FRAMES - 30, self.path(os.path.splitext(output)[0] + ".part.jsonl"))
                yield program
                program.communicate(timeout=30)
        finally:
            program.kill()
            program.communicate()
            os.unlink(fifo)

    def wait_for_lines(self, count, path):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
                if file.read().count(b'"message": "swiftodt", ') >= count:
                    return
            time.sleep(0.05)
        self.fail(f"{path} has no {count} lines; there are {self.names()}")


class Whole(Recording):
    """Successful recordings."""

    def test_output_is_indexed(self):
        """The finished file is an ordinary MP4 with an index, without the fragments that protect it during the recording."""
        self.earlier()
        said = self.record(self.path("out.mp4"), self.clip, FAST)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertRegex(said.stdout, rf"^wrote {self.path('out.mp4')}, {self.path('out.jsonl')}: {FRAMES} frames, .*\n$")
        self.assertEqual(self.names(), ["out.jsonl", "out.mp4"])
        self.assertEqual(frames(self.path("out.mp4")), FRAMES)
        self.assertEqual([name for name in boxes(self.path("out.mp4")) if name in ("ftyp", "moof", "mdat", "moov", "mfra")],
                         ["ftyp", "mdat", "moov"])
        self.assertEqual(json.loads(self.content("out.jsonl").splitlines()[-1])["message"], "stats")

    def test_extension_selects_container(self):
        for name, container in (("out.mkv", "matroska"), ("out.MOV", "mov"), ("out.m4v", "mp4")):
            with self.subTest(name):
                self.assertEqual(self.record(self.path(name), self.clip, FAST).returncode, 0)
                probed = command("ffprobe", "-v", "error", "-show_entries", "format=format_name,duration", "-of", "csv=p=0",
                                 self.path(name)).stdout
                self.assertIn(container, probed)
                self.assertAlmostEqual(float(probed.split(",")[-1]), SECONDS, delta=0.2)

    def test_any_file_name(self):
        """File names are used literally, including characters that a shell, GStreamer's parser or a URI would interpret."""
        odd = ["back\\slash\nnew line", 'quo"te\'s ! per%20cent?#', "caf\udce9 $x`y`", " ü(1)=[2]* "]
        for name in odd:
            with self.subTest(name):
                source, target = self.path(name + ".mp4"), self.path(name + "-out.mp4")
                shutil.copy(self.clip, source)
                said = self.record(target, source, FAST)
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertIn(target, said.stdout)
                self.assertGreater(os.path.getsize(target), 10_000)
                self.assertTrue(os.path.exists(target[:-4] + ".jsonl"))

    def test_names_with_a_leading_dash(self):
        shutil.copy(self.clip, self.path("-in.mp4"))
        said = subprocess.run(annotate("-out.mp4", "-in.mp4", FAST), cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(self.names(), ["-in.mp4", "-out.jsonl", "-out.mp4"])

    def test_symlinked_output_is_followed(self):
        """The target of a link is replaced, so that `latest.mp4` stays a link."""
        os.mkdir(self.path("disk"))
        os.symlink("disk/real.mp4", self.path("out.mp4"))
        self.assertEqual(self.record(self.path("out.mp4"), self.clip, FAST).returncode, 0)
        self.assertTrue(os.path.islink(self.path("out.mp4")))
        self.assertEqual(sorted(os.listdir(self.path("disk"))), ["real.jsonl", "real.mp4"])

    def test_label_format_with_any_text(self):
        said = self.record(self.path("out.mp4"), self.clip, FAST, 'label-format="{label}" \\ ! {id}')
        self.assertEqual(said.returncode, 0, said.stderr)

    def test_odd_sizes_are_encoded(self):
        """H.264 needs even sizes."""
        ffmpeg("-i", self.clip, "-vf", "scale=161:121", "-pix_fmt", "yuv444p", self.path("odd.mp4"))
        said = self.record(self.path("out.mkv"), self.path("odd.mp4"), FAST)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(frames(self.path("out.mkv")), FRAMES)

    def test_rotated_video_is_upright(self):
        """A phone video has a rotation in its metadata. The recording is upright, and so are the boxes."""
        # Dark, with a white stripe along the upper edge of the rotated picture.
        ffmpeg("-f", "lavfi", "-i", "color=black:duration=1:size=320x240:rate=25", "-vf",
               "drawbox=x=0:y=0:w=40:h=240:color=white:t=fill", "-pix_fmt", "yuv420p", self.path("flat.mp4"))
        turned = ["-i", self.path("flat.mp4"), "-c", "copy"]
        # ffmpeg from version 6 on, and earlier versions.
        if "display_rotation" in command("ffmpeg", "-v", "error", "-h", "full").stdout:
            turned = ["-display_rotation", "-90", *turned]
        else:
            turned += ["-metadata:s:v", "rotate=270"]
        ffmpeg(*turned, self.path("turned.mp4"))
        for name in ("out.mp4", "out.mkv"):
            with self.subTest(name):
                said = self.record(self.path(name), self.path("turned.mp4"), FAST, "updates=every-frame")
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertEqual(self.shown(self.path(name)), self.shown(self.path("turned.mp4")))
                self.assertEqual(self.shown(self.path(name)), (240, 320, "white above"))
                first = json.loads(self.content("out.jsonl").splitlines()[0])
                self.assertEqual((first["width"], first["height"], first["orientation"]), (240, 320, "identity"))

    def test_orientation_property_rotates_video(self):
        ffmpeg("-f", "lavfi", "-i", "color=black:duration=1:size=320x240:rate=25", "-vf",
               "drawbox=x=0:y=0:w=40:h=240:color=white:t=fill", "-pix_fmt", "yuv420p", self.path("flat.mp4"))
        self.assertEqual(self.record(self.path("out.mp4"), self.path("flat.mp4"), FAST, "orientation=90r").returncode, 0)
        self.assertEqual(self.shown(self.path("out.mp4")), (240, 320, "white above"))

    def shown(self, path):
        """Returns the size of the displayed picture, and which end of it is white."""
        picture = self.path("shown.pgm")
        ffmpeg("-i", path, "-frames:v", "1", "-pix_fmt", "gray", picture)
        with open(picture, "rb") as file:
            kind, size, most, pixels = file.read().split(b"\n", 3)
        width, height = map(int, size.split())
        above, below = pixels[width * 10 + width // 2], pixels[width * (height - 10) + width // 2]
        return width, height, "white above" if above > 200 > below else "white below" if below > 200 > above else "else"


class Refused(Recording):
    """Invalid recordings, which leave all files unchanged."""

    def test_input_is_not_overwritten(self):
        """The output may name the input by a link or another path; it must not be truncated before it is read."""
        shutil.copy(self.clip, self.path("in.mp4"))
        os.symlink("in.mp4", self.path("link.mp4"))
        os.link(self.path("in.mp4"), self.path("hard.mp4"))
        with open(self.clip, "rb") as file:
            before = file.read()
        for source, output in (("in.mp4", "in.mp4"), ("link.mp4", "in.mp4"), ("in.mp4", "link.mp4"), ("hard.mp4", "in.mp4"),
                               ("in.mp4", "../" + os.path.basename(self.folder) + "/./in.mp4")):
            with self.subTest((source, output)):
                self.refuses("is the input: choose another", self.path(output), self.path(source), FAST)
        self.refuses("is the input: choose another", self.path("in.mp4"), "file://" + self.path("in.mp4"), FAST)
        self.assertEqual(self.content("in.mp4"), before)
        self.assertEqual(self.names(), ["hard.mp4", "in.mp4", "link.mp4"])

    def test_messages_do_not_overwrite_input(self):
        """The messages' file name is the output's with another extension, which must differ from the input's."""
        shutil.copy(self.clip, self.path("in.jsonl"))
        self.refuses("is the input: choose another", self.path("in.mp4"), self.path("in.jsonl"), FAST)
        for name in ("x.jsonl", "x", "x.", "x.avi", ".mp4"):
            with self.subTest(name):
                self.refuses(".mp4, .m4v, .mov, .mkv", self.path(name), self.clip, FAST, code=2)
        self.assertEqual(self.names(), ["in.jsonl"])

    def test_failed_start_keeps_previous_recording(self):
        self.earlier()
        with open(self.path("text.mp4"), "w", encoding="ascii") as file:
            file.write("this is no video\n" * 100)
        open(self.path("empty.mp4"), "wb").close()
        ffmpeg("-f", "lavfi", "-i", "sine=duration=1", self.path("sound.mp4"))
        before = self.names()
        for text, code, words in (
                ("no such file", 4, [self.path("nothing.mp4")]), ("folder", 1, [self.folder]),
                ("", 1, [self.path("text.mp4")]), ("", 1, [self.path("empty.mp4")]), ("no video", 1, [self.path("sound.mp4")]),
                ("no model file /nowhere.onnx", 3, [self.clip, "detector=neural", "model-file=/nowhere.onnx"]),
                ("nonsense", 2, [self.clip, "nonsense=1"]), ("1001", 2, [self.clip, "max-objects=1001"]),
                ("stats", 2, [self.clip, "stats=x"]), ("", 4, ["http://127.0.0.1:9/x"])):
            with self.subTest(words):
                self.refuses(text, self.path("out.mp4"), *words, code=code)
                self.assert_earlier()
                self.assertEqual(self.names(), before)

    def test_unwritable_output_is_an_error(self):
        os.mkdir(self.path("folder.mp4"))
        os.mkfifo(self.path("fifo.mp4"))
        self.refuses("is a folder", self.path("folder.mp4"), self.clip, FAST)
        self.refuses("not a regular file", self.path("fifo.mp4"), self.clip, FAST)
        self.refuses("/proc/x", "/proc/x/out.mp4", self.clip, FAST)
        self.refuses("name too long", self.path("x" * 250 + ".mp4"), self.clip, FAST)
        os.mkdir(self.path("kept.jsonl"))
        self.refuses("is a folder", self.path("kept.mp4"), self.clip, FAST)
        self.assertEqual(self.names(), ["fifo.mp4", "folder.mp4", "kept.jsonl"])


class Broken(Recording):
    """Recordings that are interrupted."""

    def test_signals_finalise_recording(self):
        """Also if the source has stalled and does not handle end of stream."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.earlier()
                with self.stalled() as program:
                    program.send_signal(number)
                    self.assertEqual(program.wait(15), 0)
                self.assertEqual(self.names(), ["out.jsonl", "out.mp4"])
                self.assertEqual(frames(self.path("out.mp4")), self.content("out.jsonl").count(b'"message": "swiftodt", '))
                self.assertIn("moov", boxes(self.path("out.mp4")))
                self.assertEqual(json.loads(self.content("out.jsonl").splitlines()[-1])["message"], "stats")

    def test_nohup_ignores_sighup(self):
        """A recording under nohup survives its terminal."""
        with self.stalled(prefix=("/usr/bin/nohup",)) as program:
            program.send_signal(signal.SIGHUP)
            with self.assertRaises(subprocess.TimeoutExpired):
                program.wait(1)
            program.send_signal(signal.SIGTERM)
            self.assertEqual(program.wait(15), 0)

    def test_a_killed_recording_plays(self):
        """The partial files remain beside the earlier ones and play except for about the last second. The next recording names them."""
        for extension in (".mp4", ".mkv"):
            with self.subTest(extension):
                self.earlier()
                with self.stalled(output="out" + extension) as program:
                    time.sleep(0.5)
                    program.kill()
                self.assert_earlier()
                part = self.path("out.part" + extension)
                self.assertGreater(frames(part), FRAMES - 60)
                self.assertGreater(len(self.content("out.part.jsonl").splitlines()), FRAMES - 31)
                said = self.record(self.path("out" + extension), self.clip, FAST)
                self.assertEqual(said.returncode, 0, said.stderr)
                self.assertIn(f"interrupted; its unfinished file is {part}", said.stderr)
                self.assertGreater(frames(part), FRAMES - 60)
                for name in self.names():
                    os.unlink(self.path(name))

    def test_concurrent_recordings_of_same_name(self):
        """Two recordings with the same output do not write into each other's partial files, and do not treat them as interrupted ones."""
        with self.stalled() as program:
            said = self.record(self.path("out.mp4"), self.clip, FAST)
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            self.assertEqual(frames(self.path("out.mp4")), FRAMES)
            program.terminate()
            self.assertEqual(program.wait(15), 0)
        self.assertEqual(self.names(), ["out.jsonl", "out.mp4"])

    def test_full_disk_keeps_partial_recording(self):
        """The error names the partial file, which plays, and the earlier recording remains."""
        self.earlier()
        noise = self.path("noise.mp4")
        ffmpeg("-f", "lavfi", "-i", "testsrc=duration=2:size=640x480:rate=25", "-vf", "noise=alls=80:allf=t", "-pix_fmt",
               "yuv420p", "-preset", "ultrafast", "-crf", "30", noise)
        for name in ("out.mp4", "out.mkv"):
            with self.subTest(name):
                # Noise compresses badly, to about 150 KB per frame.
                said = command("/bin/bash", "-c", 'ulimit -f 4000; exec "$@"', "limited",
                               *annotate(self.path(name), noise, FAST))
                self.assertEqual(said.returncode, 3, said.stderr)
                part = name.replace("out", "out.part")
                self.assertIn(f"the unfinished recording is in {self.path(part)}", said.stderr)
                self.assertNotIn("Traceback", said.stderr)
                self.assertGreater(frames(self.path(part)), 10)
                self.assert_earlier()
                os.unlink(self.path("out.part.jsonl"))

    def test_unwritable_messages_are_an_error(self):
        """The video is finalised under its partial name."""
        said = command("/bin/bash", "-c", 'ulimit -f 100; exec "$@"', "limited",
                       *annotate(self.path("out.mp4"), self.still(), FAST, "updates=every-frame", "source=" + "x" * 10_000))
        self.assertEqual(said.returncode, 3, said.stderr)
        self.assertIn("cannot write", said.stderr)
        self.assertIn("out.part.mp4", said.stderr)
        self.assertGreater(frames(self.path("out.part.mp4")), 3)
        self.assertIn("moov", boxes(self.path("out.part.mp4")))
        for line in self.content("out.part.jsonl").splitlines():
            json.loads(line)

    def still(self):
        ffmpeg("-f", "lavfi", "-i", "color=black:duration=2:size=64x64:rate=25", "-pix_fmt", "yuv420p", self.path("still.mp4"))
        return self.path("still.mp4")

    def test_truncated_input_is_finalised(self):
        """The error of the source is reported. The frames before it are finalised, under the final name only without an error."""
        with open(self.path("cut.mkv"), "wb") as cut:
            ffmpeg("-i", self.clip, "-c", "copy", self.path("whole.mkv"))
            cut.write(self.content("whole.mkv")[:-5_000])
        said = self.record(self.path("out.mp4"), self.path("cut.mkv"), FAST)
        self.assertNotIn("Traceback", said.stderr)
        (name,) = [name for name in self.names() if re.fullmatch(r"out(\.part)?\.mp4", name)]
        self.assertEqual(said.returncode, 1 if "part" in name else 0)
        self.assertGreater(frames(self.path(name)), 30)

    def test_interrupt_abandons_silent_server(self):
        """A server that accepts and sends nothing is abandoned at the first Ctrl-C, without leaving files."""
        self.earlier()
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = f"rtsp://127.0.0.1:{server.getsockname()[1]}/x"
            program = subprocess.Popen(annotate(self.path("out.mp4"), address, FAST), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
            connection, _ = server.accept()
            with connection:
                program.send_signal(signal.SIGINT)
                _, said = program.communicate(timeout=12)
        self.assertEqual(program.returncode, 128 + signal.SIGINT, said)
        self.assertIn("nothing was recorded", said)
        self.assert_earlier()
        self.assertEqual(self.names(), ["out.jsonl", "out.mp4"])

    def test_second_signal_ends_immediately(self):
        """If the stream does not handle end of stream, the second signal ends the program without waiting."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            program = subprocess.Popen(
                [f"{ROOT}/Pipelines/bus-to-json", "rtspsrc", f"location=rtsp://127.0.0.1:{server.getsockname()[1]}/x", "!",
                 "decodebin", "!", "swiftodt", FAST, "!", "fakesink"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL, text=True)
            connection, _ = server.accept()
            with connection:
                program.send_signal(signal.SIGINT)
                self.assertIn("a second signal ends the program immediately", program.stderr.readline())
                program.send_signal(signal.SIGINT)
                program.communicate(timeout=3)
        self.assertEqual(program.returncode, 128 + signal.SIGINT)
