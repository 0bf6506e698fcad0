"""The web page of odt watch --page in a browser."""
import os
import unittest

from browser import CHROMIUM, Browser
from paged import Paged, needs_soup


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
                self.assertRegex(seen["charts"], r"(?s)objects at once.*1.*in floor.*across middle")
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

    def test_several_cameras(self):
        """Navigation with pointer, keys and the browser's back button."""
        self.serve("--retry=1", "lost=rtsp://127.0.0.1:9/none", names=("front", "yard"))
        with Browser() as browser:
            browser.open(f"http://127.0.0.1:{self.port}/")
            browser.wait("[...document.querySelectorAll('.camera img')].filter(one => one.naturalWidth === 320).length === 2")
            browser.wait("document.querySelector('li[data-name=lost]').innerText.includes('lost since')")
            self.assertEqual(browser.evaluate("$('lead').textContent"), "2 of 3 connected")
            self.look(browser, "all.png")
            browser.evaluate("document.querySelector('li[data-name=yard] button').click()")
            browser.wait("$('title').textContent === 'yard' && $('live').naturalWidth === 320")
            browser.key("ArrowLeft")
            browser.wait("$('title').textContent === 'front'")
            browser.key("ArrowLeft")
            browser.wait("$('title').textContent === 'lost' && $('why').textContent.includes('lost since')")
            browser.key("Escape")
            browser.wait("$('title').textContent === 'Cameras' && $('one').hidden")
            browser.evaluate("history.back()")
            browser.wait("$('title').textContent === 'lost'")

    def test_page_reconnects(self):
        """The page shows the disconnection, and continues after the next start of the program."""
        watch = self.serve()
        with Browser() as browser:
            browser.open(f"http://127.0.0.1:{self.port}/")
            browser.wait("$('live').naturalWidth === 320")
            watch.end()
            browser.wait("$('trouble').textContent.includes('No connection to odt watch since')")
            self.look(browser, "lost.png")
            self.serve(page=str(self.port))
            browser.wait("$('trouble').textContent === '' && server.isThere && $('live').naturalWidth === 320 && pictures.isOn")

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
