"""`odt track` reads a file of detections and writes tracks. Errors name the line of the file."""
import os
import resource
import shutil
import subprocess
import tempfile
import unittest

from streams import ROOT

ODT = os.path.join(ROOT, ".build", "tool", "odt")


def detections(frames, paces, hidden=()):
    """Returns detections of 40x80 objects, 200 pixels apart, that move right by `paces` pixels per frame."""
    return "".join(
        f"{frame},-1,{20 + pace * frame:.1f},{20 + 200 * number},40,80,0.9\n"
        for frame in range(1, frames + 1) if frame not in hidden for number, pace in enumerate(paces))


class Track(unittest.TestCase):
    def track(self, text, *options):
        return subprocess.run([ODT, "track", "--detections", "-", "-o", "-", *options], input=text, text=True,
                              capture_output=True, timeout=60)

    def rows(self, text, *options):
        said = self.track(text, *options)
        self.assertEqual(said.returncode, 0, said.stderr)
        return [[float(figure) for figure in line.split(",")] for line in said.stdout.splitlines()]

    def test_objects_keep_ids(self):
        rows = self.rows(detections(60, (4, -0.2, 9)), "--image-size", "640x640")
        self.assertEqual(len(rows), 180)
        self.assertTrue(all(len(row) == 10 and row[7:] == [-1, -1, -1] for row in rows))
        for number in range(3):
            ours = [row for row in rows if round(row[3] / 200) == number]
            self.assertEqual([row[0] for row in ours], list(range(1, 61)))
            self.assertEqual(len({row[1] for row in ours}), 1)
            for row in ours:
                self.assertAlmostEqual(row[2], 20 + (4, -0.2, 9)[number] * row[0], delta=4)
                self.assertAlmostEqual(row[6], 0.9)
        self.assertEqual({row[1] for row in rows}, {1, 2, 3})

    def test_score_of_minus_one_stands_for_no_score(self):
        rows = self.rows(detections(20, (4,)).replace(",0.9\n", ",-1\n"))
        self.assertEqual([row[6] for row in rows], [1] * 20)

    def test_frames_of_a_recording_have_different_numbers(self):
        """A video with a variable frame rate has no rate in the header of its recording."""
        lines = ['{"swiftodt-detections":1,"width":640,"height":640,"frame-rate":"0/1"}']
        lines += [f'{{"time":{number * 20_000_000},"detections":[[{20 + 4 * number},20,40,80,0.9]]}}' for number in range(30)]
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "found.jsonl")
            with open(name, "w", encoding="ascii") as file:
                file.write("\n".join(lines) + "\n")
            words = [ODT, "track", "--detections", name, "-o", "-"]
            refused = subprocess.run(words, capture_output=True, text=True, timeout=60)
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))
            self.assertIn("have the same frame number; use --frame-rate 50 or higher", refused.stderr)
            said = subprocess.run([*words, "--frame-rate", "50"], capture_output=True, text=True, timeout=60)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertEqual([int(line.split(",")[0]) for line in said.stdout.splitlines()], list(range(1, 31)))

    def test_names_that_are_not_utf8_are_accepted(self):
        with tempfile.TemporaryDirectory() as folder:
            name, output = os.fsencode(folder) + b"/d\xe9.txt", os.fsencode(folder) + b"/o\xe9.txt"
            with open(name, "w", encoding="ascii") as file:
                file.write(detections(20, (4,)))
            subprocess.run([ODT, "track", "--detections", name, "-o", output], check=True, timeout=60)
            with open(output, encoding="ascii") as file:
                self.assertEqual(len(file.readlines()), 20)

    def test_earlier_output_stays_if_writing_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            name, output = folder + "/d.txt", folder + "/o.txt"
            for path, text in ((name, detections(200, (4, 9))), (output, "earlier")):
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
            said = subprocess.run(["/bin/bash", "-c", 'ulimit -f 1; exec "$@"', "limited", ODT, "track", "--force", "--detections", name, "-o", output],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(said.returncode, 3, said.stderr)
            with open(output, encoding="ascii") as file:
                self.assertEqual(file.read(), "earlier")
            self.assertEqual(sorted(os.listdir(folder)), ["d.txt", "o.txt"])

    def test_line_order_and_separators_are_accepted(self):
        text = detections(20, (4, 9))
        lines = text.splitlines()
        mixed = "\r\n".join(["# a comment", "", *(line.replace(",", " ") for line in reversed(lines))])
        straight, turned = self.rows(text), self.rows(mixed)
        self.assertEqual([row[0] for row in straight], [row[0] for row in turned])
        self.assertEqual(sorted(row[2:] for row in straight), sorted(row[2:] for row in turned))

    def test_number_formats_are_accepted(self):
        rows = self.rows("1,-1,-20.5,.05,40,80,0.9\n2,-1,100,300,40,80,.9\n")
        for text in ("1,-1,-2.05e1,5E-2,40.,+80,9e-1\n2,-1,100.00000000000000000001,3e2,040,80,0.90\n",
                     "1 -1\t-20.5;0.05  40, 80.000 0.9\r\n2,-1,100,300,40,80,0.9"):
            self.assertEqual(self.rows(text), rows)
        self.assertEqual(rows[0], [1, 1, -20.5, 0.05, 40, 80, 0.9, -1, -1, -1])

    def test_spreadsheet_formats_are_accepted(self):
        """Decimal commas, semicolons, tabs and a byte order mark must neither change numbers nor drop lines."""
        rows = self.rows("1,-1,20.5,20.25,40,80,0.9\n2,-1,20.5,20.25,40,80,0.9\n")
        self.assertEqual(len(rows), 2)
        semicolons = "1;-1;20,5;20,25;40,0;80;0,9"
        for text in ("\ufeff" + semicolons + "\n" + semicolons.replace("1", "2", 1),
                     semicolons.replace(";", "\t") + "\n" + semicolons.replace("1", "2", 1).replace(";", "  "),
                     "1,-1,20.5,20.25,40,80,0.9\r2, -1, 20.5, 20.25, 40, 80, 0.9\r"):
            with self.subTest(text):
                self.assertEqual(self.rows(text), rows)

    def test_unused_detections_are_counted(self):
        text = detections(10, (0,)) + "3,-1,300,20,40,80,0.05\n4,-1,21,100,0,80,0.9\n5,-1,20,20,40,80,0.8\n"
        said = self.track(text)
        self.assertEqual(said.stdout, self.track(detections(10, (0,))).stdout)
        self.assertEqual(said.stderr, "odt track: 3 of 13 detections were not used: 1 with a score below 0.1, "
                                      "1 with an invalid box or score, 1 overlapping another one.\n")
        self.assertIn("1 with an invalid box or score.", self.track("1,-1,20,20,40,80,nan\n").stderr)
        crowd = "".join(f"1,-1,{20 * (number % 100)},{40 * (number // 100)},18,38,0.9\n" for number in range(2500))
        said = self.track(crowd)
        self.assertIn("500 of 2500 detections were not used: 500 beyond 2000 per frame.", said.stderr)
        self.assertEqual(len(said.stdout.splitlines()), 1000)
        told = self.track("", "--help").stdout
        self.assertTrue("2000" in told and "1000" in told, told)

    def test_sparse_frames_are_fast(self):
        """Ten million frames without detections must not be processed one by one."""
        text = detections(5, (4,)) + "9999999,-1,20,20,40,80,0.9\n10000000,-1,20,20,40,80,0.9\n"
        said = subprocess.run([ODT, "track", "--detections", "-", "-o", "-"], input=text, text=True,
                              capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)))
        self.assertEqual(said.returncode, 0, "odt track used more than one second of processor time")
        rows = [[float(figure) for figure in line.split(",")] for line in said.stdout.splitlines()]
        self.assertEqual([(row[0], row[1]) for row in rows], [(frame, 1) for frame in range(1, 8)] + [(10000000, 2)])

    def test_frame_rate_determines_gap_length(self):
        text = detections(60, (0,), hidden=range(20, 40))
        ids = {rate: {row[1] for row in self.rows(text, "--frame-rate", str(rate))} for rate in (5, 30)}
        self.assertEqual(ids, {5: {1, 2}, 30: {1}})
        self.assertEqual({row[1] for row in self.rows(text, "--frame-rate", "5", "--max-age", "10")}, {1})

    def test_tracker_options_are_applied(self):
        doubtful = detections(10, (0,)).replace("0.9\n", "0.3\n")
        self.assertEqual(self.rows(doubtful), [])
        self.assertEqual(len(self.rows(doubtful, "--score-threshold", "0.2")), 10)
        late = detections(30, (0,)) + "10,-1,400,400,40,80,0.9\n11,-1,400,400,40,80,0.9\n"
        first = {hits: [row[0] for row in self.rows(late, "--min-hits", hits) if row[2] > 300] for hits in ("1", "2", "3")}
        self.assertEqual(first, {"1": [10, 11, 12, 13], "2": [11, 12, 13], "3": []})

    def test_timing_is_printed_to_stderr(self):
        text = detections(20, (4, 9))
        said = self.track(text, "--timing")
        self.assertEqual(said.stdout, self.track(text).stdout)
        self.assertRegex(said.stderr, r"^[0-9.]+ microseconds per frame \(median; [0-9.]+ mean\)\n$")
        self.assertGreater(float(said.stderr.split()[0]), 0)

    def test_an_empty_file_has_no_tracks(self):
        self.assertEqual(self.rows(""), [])

    def test_errors_name_their_line(self):
        good = detections(2, (0,))
        for line, word in (("3,-1,x,20,40,80,0.9", "not a number"), ("3,-1,20,20,40", "six columns"),
                           ("0,-1,20,20,40,80,0.9", "from 1"), ("1.5,-1,20,20,40,80,0.9", "from 1"),
                           ("99999999999,-1,20,20,40,80,0.9", "from 1"), ("3,-1,,20,40,80,0.9", "column 3 is empty"),
                           ("3;-1; ;20;40;80;0.9", "column 3 is empty"), ("3,-1,20,20,40,80,", "column 7 is empty"),
                           (",3,-1,20,20,40,80", "column 1 is empty"), ("3;-1;1.020,5;20;40;80;1", "not a number"),
                           ("3,-1,20,5,20,25,40,0,80,0,0,9", "12 columns"), ("\xff\xfe3,-1", "not a number")):
            with self.subTest(line):
                said = self.track(good + "\n" + line + "\n")
                self.assertEqual(said.returncode, 1)
                self.assertIn("-:4:", said.stderr)
                self.assertIn(word, said.stderr)
                self.assertEqual(said.stdout, "")

    def test_wide_characters_are_errors(self):
        said = subprocess.run([ODT, "track", "--detections", "-", "-o", "-"], capture_output=True, timeout=60,
                              input=detections(2, (0,)).encode("utf-16"))
        self.assertEqual(said.returncode, 1)
        self.assertIn(b"UTF-8", said.stderr)

    def test_invalid_options_are_errors(self):
        for options, word in ((["--frame-rate", "0"], "--frame-rate"), (["--frame-rate", "fast"], "--frame-rate"),
                              (["--image-size", "640"], "--image-size"), (["--min-hits", "2.5"], "whole number"), (["--turbo"], "--turbo"), (["more"], "more")):
            with self.subTest(options):
                said = self.track("", *options)
                self.assertEqual(said.returncode, 2)
                self.assertIn(word, said.stderr)

    def test_folder_that_is_not_writable_is_named(self):
        # Folders above TMPDIR can be private.
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            shutil.copy(ODT, folder)
            os.chmod(folder, 0o555)
            said = subprocess.run([f"{folder}/odt", "track", "--detections", "-", "-o", f"{folder}/out.txt"], input=detections(5, (1,)), text=True,
                                  capture_output=True, timeout=60, user=None if os.geteuid() else 65534)
            # For the deletion by an ordinary user.
            os.chmod(folder, 0o755)
        self.assertEqual((said.returncode, said.stderr),
                         (1, f"odt track: cannot write '{folder}/out.txt': Permission denied; name a file in a writable folder.\n"))

    def test_unusable_files_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            there = os.path.join(folder, "det.txt")
            with open(there, "w") as file:
                file.write(detections(5, (1,)))
            for source, target, name in (("/nowhere/det.txt", "-", "/nowhere/det.txt"),
                                         (there, "/nowhere/out.txt", "/nowhere/out.txt")):
                said = subprocess.run([ODT, "track", "--detections", source, "-o", target], text=True,
                                      capture_output=True, timeout=60)
                self.assertEqual(said.returncode, 1)
                self.assertIn(name, said.stderr)
            target = os.path.join(folder, "tracks.txt")
            subprocess.run([ODT, "track", "--detections", there, "-o", target], check=True, timeout=60)
            with open(target) as file:
                self.assertEqual(len(file.readlines()), 5)
            for words, sentence in ((["-o", target], "already exists"), (["-o", there, "--force"], "is an input")):
                said = subprocess.run([ODT, "track", "--detections", there, *words], text=True, capture_output=True, timeout=60)
                self.assertEqual(said.returncode, 2)
                self.assertIn(sentence, said.stderr)
            subprocess.run([ODT, "track", "--detections", there, "-o", target, "--force"], check=True, timeout=60)
