"""The web page of odt watch --page in a browser."""
import os
import time
import unittest

from browser import CHROMIUM, Browser
from paged import KEYS, Paged, needs_soup
from test_gate import needs


@needs_soup
@unittest.skipUnless(CHROMIUM, "no chromium")
class InBrowser(Paged):
    """With SWIFTODT_PICTURES=FOLDER the tests leave screenshots there."""

    def look(self, browser, name):
        folder = os.environ.get("SWIFTODT_PICTURES")
        if folder:
            browser.picture(os.path.join(folder, name), whole=True)

    def test_one_camera_on_desktop_and_phone(self):
        self.serve()
        for name, width, height, mobile, dark in (("desk", 1280, 900, False, False), ("phone", 390, 844, True, True)):
            with self.subTest(name), Browser(width, height, mobile, dark) as browser:
                browser.open(f"http://127.0.0.1:{self.port}/")
                browser.wait("$('live').naturalWidth === 320 && $('objects').rows.length === 1 && $('charts').children.length === 3")
                browser.wait("$('log').innerText.includes('#1 object entered floor')")
                seen = browser.evaluate("""({title: document.title, wide: document.documentElement.scrollWidth <= innerWidth,
                    ground: getComputedStyle(document.body).backgroundColor, alt: $('live').alt, back: $('back').hidden,
                    caption: $('caption').textContent, charts: $('charts').innerText, unnamed: [...document.images].filter(one => !one.alt).length})""")
                self.look(browser, name + ".png")
                self.assertEqual((seen["title"], seen["wide"], seen["back"], seen["unnamed"]), ("cam \u00b7 odt watch", True, True, 0))
                self.assertEqual(seen["ground"], "rgb(21, 23, 26)" if dark else "rgb(255, 255, 255)")
                self.assertRegex(seen["caption"], r"connected since .*320\s.\s240")
                self.assertRegex(seen["charts"], r"(?s)objects at once.*1.*in floor.* entered since \d\d:.*across middle.* out since \d\d:")
                self.assertEqual(browser.complaints, [])

    def test_events_link_to_their_clip_and_picture(self):
        self.serve("--record", self.path("video"), "--clips", self.path("clips"), "--clips-after=1", frames=500)
        with Browser() as browser:
            browser.open(f"http://127.0.0.1:{self.port}/")
            browser.wait("[...document.querySelectorAll('#log li')].some(one => one.innerText.includes('appeared') && one.querySelectorAll('a').length === 2)")
            links = browser.evaluate("[...[...document.querySelectorAll('#log li')].find(one => one.innerText.includes('appeared')).querySelectorAll('a')].map(one => [one.textContent, one.pathname])")
            self.look(browser, "clips.png")
            self.assertEqual([text for text, _ in links], ["clip", "picture"])
            for (_, path), start in zip(links, (b"\x1aE\xdf\xa3", b"\xff\xd8\xff")):
                status, _, body = self.get(path)
                self.assertEqual((status, body[:len(start)]), (200, start))
            self.assertEqual(browser.complaints, [])

    def test_recordings_are_played_with_boxes(self):
        """The boxes of the database surround the ball in the video, and filters and events work."""
        self.serve("--record", self.path("video"), "--record-minutes=0.085", "--store", self.path("watch.sqlite"), "--clips", self.path("clips"), frames=3000, coder=KEYS)
        # The second recording has ended, so the database has the events of both.
        segments = self.until(lambda: (found := [one["file"] for one in self.ask("/api/recordings/cam")["segments"] if one["isFinished"]])[1:] and found)
        file = segments[0]
        for name, width, height, mobile, dark in (("desk", 1280, 900, False, False), ("phone", 390, 844, True, True)):
            with self.subTest(name), Browser(width, height, mobile, dark) as browser:
                browser.open(f"http://127.0.0.1:{self.port}/")
                browser.wait(f"[...$('pieces').options].some(one => one.value === '{file}')")
                unfinished = browser.evaluate("[...$('pieces').options].filter(one => one.disabled).map(one => one.textContent)")
                self.assertTrue(all(text.endswith("not finished") for text in unfinished), unfinished)
                browser.evaluate(f"$('pieces').value = '{file}'; $('pieces').onchange()")
                browser.wait("$('player').readyState >= 2 && overlay.shown.length === 1")
                for second in (1.3, 2.6, 4.1):
                    browser.evaluate(f"new Promise(done => {{ $('player').onseeked = () => done(); $('player').currentTime = {second}; }})")
                    browser.wait(f"overlay.shown.length === 1 && Math.abs(overlay.time - wallTime({second})) < 60")
                    # The distance between the centres of the box and of the bright pixels, as a part of the picture.
                    away = browser.evaluate("""(() => {
                        const canvas = document.createElement("canvas"), player = $("player"), context = canvas.getContext("2d");
                        [canvas.width, canvas.height] = [player.videoWidth, player.videoHeight];
                        context.drawImage(player, 0, 0);
                        const {data, width, height} = context.getImageData(0, 0, canvas.width, canvas.height);
                        let [count, x, y] = [0, 0, 0];
                        for (let place = 0; place < width * height; place++) if (data[4 * place] > 128) { count++; x += place % width; y += Math.floor(place / width); }
                        const box = overlay.shown[0].corners;
                        return {count, x: (box[0] + box[2]) / 2 - x / count / width, y: (box[1] + box[3]) / 2 - y / count / height};
                    })()""")
                    self.assertGreater(away["count"], 100)
                    self.assertLess(max(abs(away["x"]), abs(away["y"])), 0.1, away)
                browser.evaluate("$('recordings').scrollIntoView()")
                self.look(browser, f"recording-{name}.png")
                seen = browser.evaluate("""({wide: document.documentElement.scrollWidth <= innerWidth, place: overlay.shown[0].place,
                    screen: [$('overlay').clientWidth, $('overlay').clientHeight], moments: $('moments').innerText})""")
                self.assertTrue(seen["wide"])
                self.assertTrue(0 <= seen["place"]["left"] and seen["place"]["left"] + seen["place"]["width"] <= seen["screen"][0], seen)
                self.assertTrue(0 <= seen["place"]["top"] and seen["place"]["top"] + seen["place"]["height"] <= seen["screen"][1], seen)
                self.assertIn("crossed middle", seen["moments"])
                shown = "overlay.shown.length"
                for setting, count in (("$('byscore').value = 1; $('byscore').oninput()", 0), ("$('byscore').value = 0; $('byscore').oninput()", 1),
                                       ("$('byzone').value = '=floor'; $('byzone').dispatchEvent(new Event('change'))", 1), ("$('drawn').click()", 0), ("$('drawn').click()", 1)):
                    self.assertEqual(browser.evaluate(f"{setting}; {shown}"), count, setting)
                line = browser.evaluate("""new Promise(done => {
                    $('byzone').value = '=middle'; $('byzone').dispatchEvent(new Event('change'));
                    const event = recordings.info.events.find(one => one.event === 'cross' && one.time >= recordings.info.began);
                    $('player').onseeked = () => done([$('player').currentTime, (event.time - recordings.info.began) / 1000]);
                    [...$('moments').querySelectorAll('button')][0].click(); })""")
                self.assertAlmostEqual(line[0], line[1], delta=0.2)
                # Playing draws the boxes of each frame.
                browser.evaluate("$('player').currentTime = 1; $('player').play()")
                browser.wait("$('player').currentTime > 2 && overlay.shown.length === 1")
                # A list that is cut off may omit the opened recording.
                self.assertEqual(browser.evaluate("showSegments([], true); recordings.file"), file)
                # The user can close a recording before its data has arrived.
                self.assertEqual(browser.evaluate("""(async () => {
                    window.fetch = async () => ({ok: true, json: async () => { openRecording(""); return {}; }});
                    await openRecording("other");
                    return [recordings.file, recordings.info, $('player').hasAttribute('src')]; })()"""), [None, None, False])
                self.assertEqual(browser.complaints, [])

    @needs("x265enc", "h265parse", "avdec_h265")
    def test_recordings_in_h265_can_be_downloaded(self):
        """A browser that does not decode H.265 shows the reason instead of a black player."""
        self.serve("--record", self.path("video"), "--record-minutes=0.05", "--clips", self.path("clips"), "--clips-after=1", frames=500,
                   coder="x265enc speed-preset=ultrafast key-int-max=25 ! h265parse")
        file = self.until(lambda: [one["file"] for one in self.ask("/api/recordings/cam")["segments"] if one["isFinished"]])[0]
        with Browser() as browser:
            browser.open(f"http://127.0.0.1:{self.port}/")
            browser.wait(f"[...$('pieces').options].some(one => one.value === '{file}')")
            if browser.evaluate("PLAYS_H265"):
                self.skipTest("this browser plays H.265")
            browser.evaluate(f"$('pieces').value = '{file}'; $('pieces').onchange()")
            browser.wait("$('hint').textContent === 'This browser cannot play H.265: download the file, or set the camera to H.264.'")
            self.assertEqual(browser.evaluate("[$('watching').hidden, $('download').hidden, decodeURIComponent($('download').pathname)]"), [True, False, f"/recordings/cam/{file}"])
            browser.wait("!!document.querySelector('#log a[download]')")
            self.assertIn("cannot play H.265", browser.evaluate("document.querySelector('#log a[download]').textContent"))
            self.look(browser, "h265.png")
            self.assertEqual(browser.complaints, [])

    def test_several_cameras(self):
        """Navigation with pointer, keys and the browser's back button."""
        watch = self.serve("--retry=1", "lost=rtsp://127.0.0.1:9/none", names=("front", "yard"))
        with Browser() as browser:
            browser.open(f"http://127.0.0.1:{self.port}/")
            browser.wait("[...document.querySelectorAll('.camera img')].filter(one => one.naturalWidth === 320).length === 2")
            browser.wait("document.querySelector('li[data-name=lost]').innerText.includes('lost since')")
            self.assertEqual(browser.evaluate("$('lead').textContent"), "2 of 3 connected")
            # A busy camera does not push the alarm of another one out of the list, which stays short.
            self.assertEqual(browser.evaluate("""(events => {
                server.events = newest([...Array.from({length: 400}, (_, id) => ({camera: 'yard', kind: 'track', event: 'begin', id, time: 0})),
                    {number: -1, camera: 'front', kind: 'alarm', event: 'covered', time: 0}]);
                showEvents();
                const seen = [$('log').children.length, $('log').lastChild.innerText.includes('covered')];
                server.events = events;
                return seen; })(server.events)"""), [101, True])
            # A problem of the picture has the colour of lost cameras.
            browser.evaluate("server.cameras.find(camera => camera.name === 'yard').problems = ['frozen']; showAll()")
            tile = "document.querySelector('li[data-name=yard]')"
            self.assertEqual(browser.evaluate(f"[{tile}.innerText.trim(), {tile}.querySelector('.dot').className]"), ["yard\nthe picture is frozen", "dot lost"])
            self.look(browser, "all.png")
            browser.evaluate("document.querySelector('li[data-name=yard] button').focus(); document.activeElement.click()")
            browser.wait("$('title').textContent === 'yard' && $('live').naturalWidth === 320")
            self.assertEqual(browser.evaluate("document.activeElement.id"), "back")
            browser.key("ArrowLeft")
            browser.wait("$('title').textContent === 'front'")
            browser.key("ArrowLeft")
            browser.wait("$('title').textContent === 'lost' && $('why').textContent.includes('lost since')")
            # The last picture of the other camera is not shown.
            browser.wait("$('live').naturalWidth === 0")
            browser.wait("!$('counts').hidden")
            self.assertRegex(browser.evaluate("$('charts').innerText"), r"objects at once\s+–")
            browser.key("Escape")
            browser.wait("$('title').textContent === 'Cameras' && $('one').hidden")
            browser.evaluate("history.back()")
            browser.wait("$('title').textContent === 'lost'")
            browser.key("ArrowLeft")
            browser.wait("$('title').textContent === 'yard' && !$('counts').hidden && $('charts').innerText.includes('floor')")
            watch.end()
            browser.wait("$('trouble').textContent.includes('No connection to odt watch since')")
            browser.key("ArrowLeft")
            # The data of yard is not shown below the name of front.
            browser.wait("$('title').textContent === 'front' && $('counts').hidden && recordings.camera === null")

    def test_page_reconnects(self):
        """The page shows the disconnection, and continues after the next start of the program."""
        watch = self.serve()
        with Browser() as browser:
            browser.open(f"http://127.0.0.1:{self.port}/")
            browser.wait("$('live').naturalWidth === 320")
            watch.end()
            browser.wait("$('trouble').textContent.includes('No connection to odt watch since')")
            self.look(browser, "lost.png")
            # Without a connection, clock and durations stop at the time of the latest data.
            shown = "[$('foot').textContent, $('objects').innerText, server.lostSince - server.updated]"
            before = browser.evaluate(shown)
            time.sleep(2.1)
            self.assertEqual(browser.evaluate(shown), before)
            self.assertEqual(before[2], 0)
            self.serve(page=str(self.port))
            browser.wait("$('trouble').textContent === '' && server.isThere && $('live').naturalWidth === 320 && pictures.isOn")

    def test_page_shows_snapshots_if_live_videos_use_all_connections(self):
        """A browser opens six connections to a server. Five of them are used, as by the live videos of other windows."""
        self.serve()
        with Browser() as browser:
            browser.open(f"http://127.0.0.1:{self.port}/")
            browser.wait("$('live').naturalWidth === 320")
            browser.evaluate("window.others = Array.from({length: 5}, (_, number) => Object.assign(new Image(), {src: `/live/cam.mjpg?${number}`})); 0")
            browser.wait("$('trouble').textContent.includes('no free connection') && $('live').src.startsWith('blob:') && $('live').naturalWidth === 320")
            picture = browser.evaluate("$('live').src")
            browser.wait(f"$('live').src !== '{picture}' && server.isThere")
            browser.evaluate("for (const image of others) image.removeAttribute('src'); server.crowdedUntil = 0")
            browser.wait("$('live').src.includes('.mjpg') && $('trouble').textContent === ''")

    def test_token_is_removed_from_address(self):
        self.serve("--page-token-file", self.path("token"))
        with open(self.path("token"), encoding="ascii") as file:
            token = file.read().strip()
        with Browser() as browser:
            browser.open(f"http://127.0.0.1:{self.port}/?token={token}")
            browser.wait("$('live').naturalWidth === 320")
            self.assertEqual(browser.evaluate("[location.search, document.cookie]"), ["", ""])
            browser.open(f"http://127.0.0.1:{self.port}/")
            browser.wait("typeof server === 'object' && $('live').naturalWidth === 320")


if __name__ == "__main__":
    unittest.main()
