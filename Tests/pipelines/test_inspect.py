"""gst-inspect-1.0 shows complete, documented properties, and the plugin depends only on libraries of the platform."""
import re
import unittest

from streams import FORMATS, GObject, Gst, ROOT, command

PLUGIN = f"{ROOT}/.build/plugin/libgstswiftodt.so"

INHERITED = {"name", "parent", "qos"}


def documented(page="properties.md"):
    """Returns the columns of the tables of a page by property name, without the last one, which is prose."""
    with open(f"{ROOT}/docs/{page}", encoding="utf-8") as file:
        rows = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \| (.*?) \| .*\|$", file.read(), re.MULTILINE)
    return {name: tuple(columns) for name, *columns in rows}


def registered(spec, text):
    """Returns the expected columns for a property: type and range, default, and when it may be changed.

    `text` is the output of gst-inspect-1.0, because versions of PyGObject differ in how they expose the choices.
    """
    kind = spec.value_type.fundamental.name

    def number(value):
        if spec.name.endswith("-color") and value:
            return hex(value)
        return f"{value:g}" if isinstance(value, float) else str(value)

    if kind in ("GEnum", "GFlags"):
        section = re.search(rf"^  {spec.name} *:.*\n(?:  {{10}}.*\n)*", text, re.MULTILINE)[0]
        nicks = re.findall(r"^ *\(\w+\): ([\w-]+) ", section, re.MULTILINE)
        words = (", " if kind == "GEnum" else " + ").join(f"`{nick}`" for nick in nicks)
        chosen = re.search(r'Default: \w+, "(.*)"', section)[1].split("+")
        default = "+".join(nick for nick in nicks if nick in chosen)
    elif kind in ("guint", "guint64", "gdouble"):
        words = f"{kind[1:]}, {number(spec.minimum)} to {number(spec.maximum)}"
        default = number(spec.default_value)
    else:
        words = {"gboolean": "boolean", "gchararray": "string", "GBoxed": "structure", "GstValueArray": "array"}[kind]
        default = None if kind in ("GBoxed", "GstValueArray") else str(spec.default_value).lower() if kind == "gboolean" else spec.default_value
    when = ("read only" if not spec.flags & GObject.ParamFlags.WRITABLE else
            "in READY" if spec.flags & Gst.PARAM_MUTABLE_READY else
            "controllable" if spec.flags & Gst.PARAM_CONTROLLABLE else
            "playing" if spec.flags & Gst.PARAM_MUTABLE_PLAYING else "?")
    return words, "" if default is None else f"`{default}`", when


class Inspection(unittest.TestCase):
    """The element as gst-inspect-1.0 shows it."""

    @classmethod
    def setUpClass(cls):
        cls.text = command("gst-inspect-1.0", "swiftodt").stdout
        cls.element = Gst.ElementFactory.make("swiftodt", None)

    def test_element_metadata(self):
        factory = self.element.get_factory()
        self.assertEqual(factory.get_metadata("klass"), "Filter/Analyzer/Video")
        for key in ("long-name", "description", "author"):
            self.assertGreater(len(factory.get_metadata(key)), 10, key)
        plugin = Gst.Registry.get().find_plugin("swiftodt")
        self.assertEqual(plugin.get_license(), "Apache 2.0")
        self.assertEqual(f"odt {plugin.get_version()}\n", command(f"{ROOT}/.build/tool/odt", "--version").stdout)
        with open(f"{ROOT}/CHANGELOG.md", encoding="utf-8") as file:
            self.assertIn(f"\n## {plugin.get_version()}", file.read())
        self.assertTrue(plugin.get_filename().startswith(ROOT), "GStreamer has loaded another plugin: " + plugin.get_filename())

    def test_properties_match_documentation(self):
        """Names, order, types, ranges, defaults and mutability agree."""
        specs = [spec for spec in self.element.list_properties() if spec.name not in INHERITED]
        rows = documented()
        self.assertEqual(list(rows), [spec.name for spec in specs])
        for spec in specs:
            expected = registered(spec, self.text)
            with self.subTest(spec.name):
                # The default of attach-meta depends on the version of GStreamer.
                if spec.name == "attach-meta" and Gst.version() < (1, 24):
                    expected = (expected[0], expected[1].replace("`roi+custom`", "`roi+custom+analytics`"), expected[2])
                row = " | ".join(expected)
                self.assertEqual(rows[spec.name], expected, f"docs/properties.md must contain: | `{spec.name}` | {row} |")
                self.assertGreater(len(spec.blurb), 12)

    def test_new_element_has_defaults(self):
        for spec in self.element.list_properties():
            if spec.name not in INHERITED | {"stats"} and not spec.name.endswith("-array"):
                self.assertEqual(self.element.get_property(spec.name), spec.default_value, spec.name)

    def test_blurbs_are_readable(self):
        """gst-inspect-1.0 prints each property's blurb, flags and nicks."""
        for words in (r"  score-threshold *: Minimum score of a detection that starts a track; -1: the model's default\n"
                      r" *flags: readable, writable, controllable, changeable in NULL, READY, PAUSED or PLAYING state\n"
                      r" *Double\. Range: *-1 - *1 Default: *-1 ",
                      r"  detector *: Detection method\n *flags: readable, writable, changeable only in NULL or READY state\n"
                      r' *Enum "SwiftOdtDetector" Default: 0, "auto"\n'
                      r" *\(0\): auto *- neural if its runtime and model are installed, else motion\n"):
            self.assertRegex(self.text, words)

    def test_pad_templates_list_all_formats(self):
        for template in self.element.get_factory().get_static_pad_templates():
            caps = template.get_caps()
            for format in FORMATS:
                wanted = Gst.Caps.from_string(f"video/x-raw,format={format},width=1,height=1,framerate=30/1")
                self.assertTrue(wanted.is_subset(caps), f"{template.name_template}: {format}")

    def test_action_signals_exist(self):
        self.element.emit("reset-tracks")
        self.element.emit("detect-now")

    def test_qos_drops_no_frames(self):
        self.assertFalse(self.element.get_property("qos"))


class GateInspection(unittest.TestCase):
    """The element swiftodtgate as gst-inspect-1.0 shows it."""

    def setUp(self):
        self.element = Gst.ElementFactory.make("swiftodtgate", None)
        self.text = command("gst-inspect-1.0", "swiftodtgate").stdout

    def test_element_metadata(self):
        factory = self.element.get_factory()
        self.assertEqual(factory.get_metadata("klass"), "Filter/Video")
        for key in ("long-name", "description", "author"):
            self.assertGreater(len(factory.get_metadata(key)), 10, key)

    def test_properties_match_documentation(self):
        specs = [spec for spec in self.element.list_properties() if spec.name not in INHERITED]
        rows = documented("gate.md")
        self.assertEqual(list(rows), [spec.name for spec in specs])
        for spec in specs:
            with self.subTest(spec.name):
                self.assertEqual(rows[spec.name], registered(spec, self.text))
                self.assertGreater(len(spec.blurb), 12)
                if spec.name != "stats":
                    self.assertEqual(self.element.get_property(spec.name), spec.default_value)

    def test_action_signal_exists(self):
        self.element.emit("open")


class SelfContained(unittest.TestCase):
    """The plugin links only libraries that a GStreamer program has anyway, and exports only its entry point."""

    def test_plugin_links_expected_libraries_only(self):
        # fontconfig and harfbuzz are dependencies of Pango.
        needed = set(re.findall(r"NEEDED.*\[(.*)\]", command("readelf", "--dynamic", PLUGIN).stdout))
        allowed = re.compile(r"(libgst\w+-1\.0|libg(object|lib|module|io)-2\.0|libcairo|libpango(cairo|ft2)?-1\.0|libharfbuzz|libfontconfig|libturbojpeg|libz|libc|libm|ld-linux[-\w]*)\.so.*")
        self.assertTrue(needed)
        self.assertEqual({name for name in needed if not allowed.fullmatch(name)}, set())

    def test_plugin_exports_only_its_entry(self):
        symbols = command("nm", "--dynamic", "--extern-only", "--defined-only", PLUGIN).stdout
        names = [line.split()[-1] for line in symbols.splitlines()]
        self.assertIn("gst_plugin_swiftodt_get_desc", names)
        self.assertEqual([name for name in names if not name.startswith("gst_plugin_")], [])
