"""What gst-inspect-1.0 and the dynamic linker see: complete, readable, and needing nothing but the platform."""
import re
import unittest

from streams import FORMATS, GObject, Gst, ROOT, command

PLUGIN = f"{ROOT}/.build/plugin/libgstswiftodt.so"

# name: (default, when it may change)
PLAYING, READY, READ_ONLY = "PLAYING", "READY", "read only"
PROPERTIES = {
    "mode": ("stream", PLAYING), "multiple-objects": (False, PLAYING), "max-objects": (5, PLAYING),
    "classify": (False, PLAYING), "detector": ("auto", READY), "model-file": (None, READY),
    "label-file": (None, READY), "device": ("CPU", READY), "threads": (0, READY), "score-threshold": (0.4, PLAYING),
    "iou-threshold": (0.5, PLAYING), "classifier-file": (None, READY), "classifier-label-file": (None, READY),
    "classification-threshold": (-1, PLAYING), "label-allowlist": (None, PLAYING), "label-denylist": (None, PLAYING),
    "min-area": (0, PLAYING), "max-area": (1, PLAYING), "strategy": ("auto", PLAYING),
    "inference-interval": (1, PLAYING), "look-ahead": (0, PLAYING), "tracking": (True, PLAYING),
    "track-max-age": (Gst.SECOND, PLAYING), "track-min-hits": (2, PLAYING), "orientation": ("auto", PLAYING),
    "draw": (True, PLAYING), "draw-labels": (True, PLAYING), "draw-tracking-labels": (True, PLAYING),
    "draw-confidence": (True, PLAYING), "draw-traces": (False, PLAYING), "trace-duration": (2 * Gst.SECOND, PLAYING),
    "color-mode": ("tracking-id", PLAYING), "box-color": (0xFF00E676, PLAYING), "label-color": (0, PLAYING),
    "box-style": ("rectangle", PLAYING), "line-width": (0, PLAYING), "font": ("Sans", PLAYING),
    "font-size": (0, PLAYING), "label-format": ("{label} {confidence} #{id}", PLAYING),
    "label-background": (True, PLAYING), "updates": ("on-result", PLAYING),
    "track-events": (True, PLAYING), "message-interval": (0, PLAYING),
    "message-format": (1, PLAYING), "attach-meta": (7 if Gst.version() >= (1, 24) else 3, PLAYING),
    "source": (None, PLAYING), "stats": (None, READ_ONLY),
}
NICKS = {
    "mode": "stream single-image", "detector": "auto neural salient motion upstream",
    "strategy": "auto keep-only-latest every-frame", "color-mode": "tracking-id category fixed",
    "orientation": "auto identity 90r 180 90l horiz vert ul-lr ur-ll", "box-style": "rectangle rounded corners filled",
    "updates": "on-result every-frame on-change on-object none",
}
INHERITED = {"name", "parent", "qos"}


class Inspection(unittest.TestCase):
    """The contract with people who read gst-inspect-1.0."""

    @classmethod
    def setUpClass(cls):
        cls.text = command("gst-inspect-1.0", "swiftodt").stdout
        cls.element = Gst.ElementFactory.make("swiftodt", None)

    def test_says_what_it_is(self):
        factory = self.element.get_factory()
        self.assertEqual(factory.get_metadata("klass"), "Filter/Analyzer/Effect/Video")
        for key in ("long-name", "description", "author"):
            self.assertGreater(len(factory.get_metadata(key)), 10, key)
        plugin = Gst.Registry.get().find_plugin("swiftodt")
        self.assertEqual(plugin.get_license(), "Apache 2.0")
        self.assertTrue(plugin.get_filename().startswith(ROOT), "another swiftodt is tested: " + plugin.get_filename())

    def test_has_all_properties_and_no_others(self):
        names = {spec.name for spec in self.element.list_properties()} - INHERITED
        self.assertEqual(names, set(PROPERTIES))

    def test_properties_have_their_defaults_and_may_change_when_they_should(self):
        for spec in self.element.list_properties():
            if spec.name in INHERITED:
                continue
            default, when = PROPERTIES[spec.name]
            with self.subTest(spec.name):
                value = self.element.get_property(spec.name)
                if when == READ_ONLY:
                    self.assertFalse(spec.flags & GObject.ParamFlags.WRITABLE)
                    continue
                value = getattr(value, "value_nick", value)
                self.assertEqual(int(value) if isinstance(value, GObject.GFlags) else value, default)
                section = re.search(rf"^  {spec.name} *:.*\n *flags: (.*)$", self.text, re.MULTILINE)[1]
                self.assertIn("changeable in NULL, READY, PAUSED or PLAYING state" if when == PLAYING
                              else "changeable only in NULL or READY state", section)
                self.assertGreater(len(spec.blurb), 12)

    def test_enumerations_have_their_nicks(self):
        for name, nicks in NICKS.items():
            section = re.search(rf"^  {name} *:.*\n(?:  {{10}}.*\n)*", self.text, re.MULTILINE)[0]
            self.assertEqual(re.findall(r"^ *\(\d+\): ([\w-]+) ", section, re.MULTILINE), nicks.split(), name)

    def test_takes_and_gives_all_formats(self):
        for template in self.element.get_factory().get_static_pad_templates():
            caps = template.get_caps()
            for format in FORMATS:
                wanted = Gst.Caps.from_string(f"video/x-raw,format={format},width=1,height=1,framerate=30/1")
                self.assertTrue(wanted.is_subset(caps), f"{template.name_template}: {format}")

    def test_has_its_action_signals(self):
        self.element.emit("reset-tracks")
        self.element.emit("detect-now")

    def test_drops_no_frame_for_quality_of_service(self):
        self.assertFalse(self.element.get_property("qos"))


class SelfContained(unittest.TestCase):
    """The installed file needs what a GStreamer program has anyway, and shows nothing but its entry."""

    def test_needs_gstreamer_glib_cairo_and_libc_only(self):
        # fontconfig is Cairo's own need.
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", command("readelf", "--dynamic", PLUGIN).stdout))
        allowed = re.compile(r"(libgst\w+-1\.0|libg(object|lib|module|io)-2\.0|libcairo|libfontconfig|libc|libm|ld-linux[-\w]*)\.so.*")
        self.assertTrue(needed)
        self.assertEqual({name for name in needed if not allowed.fullmatch(name)}, set())

    def test_shows_only_its_entry(self):
        symbols = command("nm", "--dynamic", "--extern-only", "--defined-only", PLUGIN).stdout
        names = [line.split()[-1] for line in symbols.splitlines()]
        self.assertIn("gst_plugin_swiftodt_get_desc", names)
        self.assertEqual([name for name in names if not name.startswith("gst_plugin_")], [])
