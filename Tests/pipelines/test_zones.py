"""Zones and lines: events, counts and drawing."""
import base64
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

from browser import CHROMIUM, Browser
from streams import BIKES, ROOT, ball, encoded, frames, run
from test_messages import TYPES, documented, types

# The ball moves to and fro over 320x240 black pixels.
HALVES = [{"name": "left", "points": [[0, 0], [0.5, 0], [0.5, 1], [0, 1]], "min-time": 0.2},
          {"name": "middle", "kind": "line", "points": [[0.5, 0], [0.5, 1]]}]


def text(zones):
    """Returns the zones as a quoted value in a pipeline description."""
    return '"' + json.dumps(zones).replace('"', '\\"') + '"'


class Zones(unittest.TestCase):
    def play(self, properties, frames=300):
        said = run(f"{ball(frames)} ! swiftodt detector=motion updates=every-frame {properties} ! fakesink")
        self.assertEqual((said.errors, said.warnings), ([], []))
        return said

    def test_events_and_counts_agree(self):
        said = self.play(f"zones={text(HALVES)}")
        events = [(event.get_value("zone"), event.get_value("event"), event.get_value("direction"))
                  for event in said.named("swiftodt-zone")]
        left, middle = said.results[-1].get_value("zones")
        self.assertGreater(middle.get_value("in") + middle.get_value("out"), 1, events)
        for name in ("in", "out"):
            self.assertEqual(events.count(("middle", "cross", name)), middle.get_value(name))
        # Crossings alternate in direction.
        ways = [way for zone, _, way in events if zone == "middle"]
        self.assertTrue(all(one != other for one, other in zip(ways, ways[1:])), ways)
        self.assertEqual(events.count(("left", "enter", None)), left.get_value("entered"))
        self.assertEqual(left.get_value("entered") - left.get_value("left"), left.get_value("count"))
        self.assertGreater(events.count(("left", "dwell", None)), 0)
        # Every visit ends at the end of the stream.
        self.assertEqual(events.count(("left", "enter", None)), events.count(("left", "leave", None)))

    def test_zone_counts_follow_ball(self):
        """The count agrees with the positions of the objects."""
        counts = []
        for result in self.play(f"zones={text(HALVES[:1])}").results[20:]:
            for thing in result.get_value("objects"):
                middle = (thing.get_value("x-min") + thing.get_value("x-max")) / 2
                if thing.get_value("state") == "tracked" and abs(middle - 0.5) > 0.1:
                    counts.append(result.get_value("zones")[0].get_value("count"))
                    self.assertEqual(counts[-1], int(middle < 0.5))
        self.assertEqual(set(counts), {0, 1})

    def test_zone_event_fields_and_types(self):
        said = self.play(f"zones={text(HALVES)} source=door")
        for event in said.named("swiftodt-zone"):
            fields = documented("swiftodt-zone")
            for name, kinds in (("direction", ["cross"]), ("dwell", ["enter", "leave", "dwell"])):
                if event.get_value("event") not in kinds:
                    fields.pop(name)
            fields.pop("json")
            self.assertEqual(types(event), fields)
        left, middle = said.results[-1].get_value("zones")
        documented_of = documented("zone")
        for zone, lacks in ((left, ("in", "out")), (middle, ("count", "entered", "left"))):
            self.assertEqual(types(zone), {name: kind for name, kind in documented_of.items() if name not in lacks})
        self.assertEqual(types(said.results[-1])["zones"], TYPES["list"])

    def test_json_equals_structure(self):
        said = self.play(f"zones={text(HALVES)} message-format=structure+json")
        result = said.results[-1]
        for zone, same in zip(result.get_value("zones"), json.loads(result.get_value("json"))["zones"]):
            for name in set(types(zone)) - {"by-label"}:
                self.assertEqual(zone.get_value(name), same[name])
            self.assertEqual([one["label"] for one in same["by-label"]], [""])
        event = said.named("swiftodt-zone")[0]
        self.assertEqual(json.loads(event.get_value("json"))["message"], "swiftodt-zone")

    def test_zone_file_equals_zone_text(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(HALVES, file)
            file.flush()
            one = self.play(f"zones={file.name}").results[-1].get_value("zones")
        other = self.play(f"zones={text(HALVES)}").results[-1].get_value("zones")
        self.assertEqual([zone.to_string() for zone in one], [zone.to_string() for zone in other])

    def test_ignore_zone_drops_detections(self):
        everywhere = [{"name": "all", "kind": "ignore", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]
        said = self.play(f"zones={text(everywhere)}", frames=60)
        self.assertEqual([list(result.get_value("objects")) for result in said.results], [[]] * 60)
        self.assertIsNone(said.results[-1].get_value("zones"))

    def test_zone_errors_name_their_position(self):
        for zones, word in (("/nowhere/zones.json", "/nowhere/zones.json"), (text([{"name": "a"}]), "needs at least 3"), ("[", "not valid JSON")):
            said = run(f"{ball(5)} ! swiftodt detector=motion zones={zones} ! fakesink")
            self.assertEqual(len(said.errors), 1)
            self.assertIn(word, said.errors[0][0].message)

    def test_zones_without_tracking_warn(self):
        said = run(f"{ball(30)} ! swiftodt detector=motion tracking=false zones={text(HALVES)} ! fakesink")
        self.assertEqual((len(said.warnings), said.errors), (1, []))
        self.assertIn("zones", said.warnings[0][0].message)
        self.assertEqual(said.named("swiftodt-zone"), [])

    def test_zones_are_drawn_by_default(self):
        def picture(properties):
            source = "videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=I420,width=320,height=240"
            (sample,) = frames(f"{source} ! swiftodt detector=motion {properties} ! appsink name=frames sync=false")
            buffer = sample.get_buffer()
            return buffer.extract_dup(0, buffer.get_size())

        # Zones alone are drawn, so there is no warning that nothing is drawn.
        self.play(f"draw-boxes=false draw-labels=false zones={text(HALVES)}", frames=5)
        plain = picture("")
        self.assertEqual(picture(f"zones={text(HALVES)} draw-zones=false"), plain)
        drawn = picture(f"zones={text(HALVES)}")
        # The line in the middle of the frame, and the faint fill of the left half.
        self.assertGreater(drawn[320 * 200 + 160], plain[320 * 200 + 160] + 80)
        self.assertGreater(drawn[320 * 200 + 60], plain[320 * 200 + 60])
        self.assertEqual(drawn[320 * 200 + 260], plain[320 * 200 + 260])


class Page(unittest.TestCase):
    """`odt zones`: the page for drawing zones."""

    def odt(self, *words):
        return subprocess.run([f"{ROOT}/.build/tool/odt", "zones", *words], capture_output=True, text=True, timeout=60)

    def test_zones_are_checked(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(HALVES, file)
            file.flush()
            said = self.odt("--check", file.name)
        self.assertEqual((said.returncode, said.stdout.split()[:4]), (0, ["left", "zone", "4", "points"]), said.stderr)
        said = self.odt("--check", "[{\"name\": 1}]")
        self.assertEqual(said.returncode, 1)
        self.assertIn("name", said.stderr)

    def test_zone_file_whose_name_is_not_utf8_is_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.fsencode(folder) + b"/z\xe9.json"
            with open(name, "w", encoding="ascii") as file:
                file.write("[]")
            said = subprocess.run([f"{ROOT}/.build/tool/odt", "zones", "--check", name], check=True, timeout=60, capture_output=True)
            self.assertEqual(said.stdout, b"no zones\n")

    def test_unreadable_video_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            page = f"{folder}/page.html"
            for words, code, part in ((("/nowhere.mp4",), 4, "no such file: /nowhere.mp4"), ((), 2, "name a VIDEO"),
                                      (("--orientation", "left", "x.mp4"), 2, "--orientation must be 90r"),
                                      ((__file__,), 1, f"{__file__} is"), (("-o", __file__, __file__), 2, "is an input"),
                                      (("rtsp://user:secret@127.0.0.1:9/x",), 4, "cannot play rtsp://127.0.0.1:9/x: ")):
                said = self.odt("-o", page, *words)
                self.assertEqual(said.returncode, code, said.stderr)
                self.assertIn(part, said.stderr)
                self.assertNotIn("secret", said.stderr)
                self.assertFalse(os.path.exists(page))

    def test_last_frame_is_shown_if_video_is_shorter(self):
        with tempfile.TemporaryDirectory() as folder:
            page = f"{folder}/page.html"
            said = self.odt("-o", page, "--frame", "1000", encoded(30, "x264enc"))
            self.assertEqual(said.returncode, 0, said.stderr)
            with open(page, encoding="utf-8") as file:
                self.assertIn("data:image/jpeg;base64,", file.read())

    def test_interrupted_page_leaves_no_file(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(f"{folder}/pipe")
            words = [f"{ROOT}/.build/tool/odt", "zones", "-o", f"{folder}/page.html", f"{folder}/pipe"]
            with subprocess.Popen(words, env=os.environ | {"TMPDIR": folder}) as said:
                # Opening the pipe waits until the pipeline reads it.
                with open(f"{folder}/pipe", "wb"):
                    said.send_signal(signal.SIGINT)
                    self.assertEqual(said.wait(60), 128 + signal.SIGINT)
            self.assertEqual(os.listdir(folder), ["pipe"])

    @unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/setup fetches it")
    def test_page_shows_wanted_frame_undamaged(self):
        """Also turned, as `odt watch` turns the frames of a camera with this orientation."""
        for words, turn in ((), ""), (("--orientation", "90r"), ",transpose=clock"):
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                page, picture, wanted = (f"{folder}/{name}" for name in ("page.html", "page.jpg", "wanted.png"))
                self.assertEqual(self.odt("-o", page, "--frame", "25", *words, BIKES).returncode, 0)
                with open(page, encoding="utf-8") as source, open(picture, "wb") as target:
                    target.write(base64.b64decode(re.search(r"data:image/jpeg;base64,([^\"]*)", source.read()).group(1)))
                subprocess.run(["ffmpeg", "-v", "error", "-i", BIKES, "-vf", f"select=eq(n\\,24){turn}", "-frames:v", "1", wanted], check=True)
                said = subprocess.run(["ffmpeg", "-i", picture, "-i", wanted, "-lavfi", "psnr", "-f", "null", "-"],
                                      capture_output=True, text=True, check=True).stderr
                self.assertGreater(float(re.search(r"average:([\d.]+)", said).group(1)), 30)

    @unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/setup fetches it")
    def test_page_shows_frame_and_zones(self):
        with tempfile.TemporaryDirectory() as folder:
            page, zones = f"{folder}/it's \\ a \"page\".html", f"{folder}/zones.json"
            with open(zones, "w", encoding="utf-8") as file:
                json.dump([HALVES[0] | {"name": "</script>"}], file)
            said = self.odt("-o", page, "--zones", zones, BIKES)
            self.assertEqual(said.returncode, 0, said.stderr)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            picture = base64.b64decode(re.search(r"data:image/jpeg;base64,([^\"]*)", text).group(1), validate=True)
            self.assertEqual((picture[:2], picture[-2:]), (b"\xff\xd8", b"\xff\xd9"))
            self.assertEqual(text.count("</script>"), 1)
            self.assertEqual(self.odt("-o", page, BIKES).returncode, 2, "a page that is there is not replaced")
            self.assertEqual(self.odt("-o", page, "--force", BIKES).returncode, 0)

    @contextlib.contextmanager
    def editor(self, zones, size="320,height=240"):
        """Opens the page with these zones and a frame of this size."""
        with tempfile.TemporaryDirectory() as folder, Browser() as browser:
            with open(f"{folder}/zones.json", "w", encoding="ascii") as file:
                json.dump(zones, file)
            said = self.odt("-o", f"{folder}/page.html", "--zones", f"{folder}/zones.json", encoded(30, "x264enc", size=size))
            self.assertEqual(said.returncode, 0, said.stderr)
            browser.open(f"file://{folder}/page.html")
            browser.wait("location.protocol === 'file:' && document.readyState === 'complete'")
            yield browser
            self.assertEqual(browser.complaints, [])

    def click(self, browser, x, y):
        """Clicks a point of the picture, in fractions of its size."""
        left, top, width, height = browser.evaluate("(frame => [frame.left, frame.top, frame.width, frame.height])(canvas.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            browser.order("Input.dispatchMouseEvent", type=kind, x=left + x * width, y=top + y * height, button="left", clickCount=1)

    @unittest.skipUnless(CHROMIUM, "no chromium")
    def test_edited_text_is_not_replaced(self):
        corners = [[0.2, 0.1], [0.5, 0.1], [0.5, 0.4]]
        with self.editor([{"name": "yard", "points": corners}]) as browser:
            def enter(text):
                browser.evaluate("$('json').focus(); $('json').select()")
                browser.order("Input.insertText", text=text)
                self.click(browser, *corners[0])
                browser.evaluate("document.querySelector('[data-kind=line]').click()")
                return browser.evaluate("[$('json').value, $('hint').innerText, zones.map(zone => zone.name)]")

            invalid = '[{"name": "mine",]'
            self.assertEqual(enter(invalid), [invalid, "Correct the text below first.", ["yard"]])
            text, _, names = enter(json.dumps([{"name": "mine", "points": corners}]))
            self.assertEqual((json.loads(text)[0]["name"], names), ("mine", ["mine", "line 1"]))

    @unittest.skipUnless(CHROMIUM, "no chromium")
    def test_invalid_text_leaves_zones_unchanged(self):
        corners = [[0, 0], [0.5, 0], [0.5, 1]]
        texts = {"{}": "no list of zones", "[": "JSON", json.dumps([{"name": "a", "kind": "arae", "points": corners}]): '"kind" must be',
                 json.dumps([{"name": "a", "points": corners, "label": "dog"}]): 'unknown key "label"', '[{"name": "a"}]': '"points"',
                 json.dumps([{"name": "a", "points": corners, "labels": "dog"}]): '"labels"', json.dumps([{"points": corners}]): '"name" is missing',
                 json.dumps([{"name": "a", "points": corners}] * 2): 'another zone has the name "a"', "[1]": '"name"', "[null]": '"name"',
                 json.dumps([{"name": "a", "points": corners[:1] * 3}]): "fewer than 3 different points",
                 json.dumps([{"name": "a", "points": corners, "labels": ["@vehicles"]}]): "labels of the group"}
        texts |= {json.dumps([{"name": "a", "points": corners, "kind": kind, "min-time": time}]): '"min-time"'
                  for kind, time in (("line", 3), ("zone", 0), ("zone", "3"), ("zone", 1e7))}
        with self.editor([{"name": "yard", "points": corners, "labels": None}]) as browser:
            for text, problem in texts.items():
                with self.subTest(text):
                    seen = browser.evaluate(f"$('json').value = {json.dumps(text)}; [read(), $('said').textContent, zones.map(zone => zone.name).join()]")
                    self.assertEqual((seen[0], seen[2]), (False, "yard"))
                    self.assertIn(problem, seen[1])
                    self.assertEqual(self.odt("--check", text).returncode, 1, "the element accepts this text")
            # An invalid dwell time is marked, and is not saved.
            for time, isValid in (("-3", False), ("0.5", True)):
                self.assertEqual(browser.evaluate(f"""(input => {{ input.value = "{time}"; input.oninput();
                    return [input.validity.valid, read()]; }})(document.querySelector("#list input[type=number]"))"""), [isValid] * 2)
            # Text that is entered while a zone is drawn replaces this zone, too.
            entered = json.dumps([{"name": "gate", "points": corners}])
            seen = browser.evaluate(f"begin('line'); $('json').value = {json.dumps(entered)}; [read(), drawn, held, zones.map(zone => zone.name).join()]")
            self.assertEqual(seen, [True, None, None, "gate"])

    @unittest.skipUnless(CHROMIUM, "no chromium")
    def test_portrait_picture_and_table_fit_into_window(self):
        corners = [[0.5, 0.1], [0.9, 0.9], [0.1, 0.9]]
        with self.editor([], size="120,height=320") as browser:
            for width, height in ((1280, 800), (390, 844)):
                browser.order("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
                browser.wait(f"Math.round($('picture').clientHeight) === {round(0.8 * height)}")
                browser.evaluate("begin('zone')")
                for corner in (corners[0], [0.5, 0.5], *corners[1:]):
                    self.click(browser, *corner)
                    if corner == [0.5, 0.5]:
                        browser.key("Backspace")
                browser.evaluate("finish()")
                points, shape, scroll = browser.evaluate("[zones.at(-1).points, $('picture').clientWidth / $('picture').clientHeight, document.documentElement.scrollWidth]")
                for point, true in zip(points, corners, strict=True):
                    self.assertAlmostEqual(point[0], true[0], delta=0.01)
                    self.assertAlmostEqual(point[1], true[1], delta=0.01)
                self.assertAlmostEqual(shape, 120 / 320, delta=0.01)
                self.assertLessEqual(scroll, width)

    @unittest.skipUnless(os.path.exists(BIKES), "no video: Pipelines/setup fetches it")
    @unittest.skipUnless(shutil.which("chromium"), "no chromium")
    def test_clicks_create_zones(self):
        """A browser clicks three corners and a line. The element accepts the resulting text."""
        with tempfile.TemporaryDirectory() as folder:
            page = f"{folder}/page.html"
            self.assertEqual(self.odt("-o", page, BIKES).returncode, 0)
            with open(page, "a", encoding="utf-8") as file:
                file.write("""<script>addEventListener("load", () => {
                  const frame = canvas.getBoundingClientRect();
                  const click = (x, y) => canvas.dispatchEvent(new PointerEvent("pointerdown", {
                    clientX: frame.left + x * frame.width, clientY: frame.top + y * frame.height, bubbles: true}));
                  begin("zone"); click(.1, .1); click(.6, .1); click(.6, .9); finish();
                  begin("line"); click(.2, .5); click(.9, .5); finish();
                  begin("zone"); click(.1, .1); finish();
                  document.body.dataset.answer = btoa($("json").value);
                });</script>""")
            said = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
                                   "--window-size=1200,900", "--dump-dom", f"file://{page}"],
                                  capture_output=True, text=True, timeout=60)
            answer = re.search(r"data-answer=\"([^\"]+)\"", said.stdout)
            self.assertIsNotNone(answer, said.stderr[-2000:])
            text = base64.b64decode(answer.group(1)).decode()
            area, line = json.loads(text)
            self.assertEqual((area["kind"], line["kind"], len(area["points"])), ("zone", "line", 3))
            for point, true in zip(area["points"] + line["points"], [(.1, .1), (.6, .1), (.6, .9), (.2, .5), (.9, .5)]):
                self.assertAlmostEqual(point[0], true[0], delta=0.005)
                self.assertAlmostEqual(point[1], true[1], delta=0.005)
            self.assertEqual(self.odt("--check", text).returncode, 0)


if __name__ == "__main__":
    unittest.main()
