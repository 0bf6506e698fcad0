"""docs/messages.schema.json agrees with the element's messages and with docs/messages.md. The C example prints the same data."""
import importlib.util
import json
import os
import re
import shlex
import shutil
import tempfile
import unittest

from streams import ROOT, ball, command, run
from test_messages import SOMETIMES
from test_zones import HALVES, text

with open(f"{ROOT}/docs/messages.schema.json", encoding="utf-8") as file:
    SCHEMA = json.load(file)
TYPES = {"uint": "integer", "uint64": "integer", "int": "integer", "double": "number", "string": "string", "boolean": "boolean", "list": "array"}
KINDS = {"integer": int, "number": (int, float), "string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}


def complaints(value, schema, path="$"):
    """Returns the violations of the schema, for the parts of JSON Schema that it uses. Fields that the schema lacks are violations, too."""
    if "$ref" in schema:
        return complaints(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], path)
    if "oneOf" in schema:
        fits = [found for found in (complaints(value, one, path) for one in schema["oneOf"])]
        return [] if sum(not found for found in fits) == 1 else min(fits, key=len) or [f"{path} fits several"]
    found = []
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds):
        return [f"{path} is {value!r}, not {kinds}"]
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        found.append(f"{path} is {value!r}")
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        found.append(f"{path} is {value!r}")
    if isinstance(value, list) and "items" in schema:
        found += [one for place, item in enumerate(value) for one in complaints(item, schema["items"], f"{path}[{place}]")]
    if isinstance(value, dict):
        found += [f"{path} has no {name}" for name in schema.get("required", []) if name not in value]
        properties = schema.get("properties", {})
        for name, item in value.items():
            if name in properties:
                found += complaints(item, properties[name], f"{path}.{name}")
            elif not schema.get("additionalProperties"):
                found.append(f"{path} has {name}")
        if "if" in schema:
            fits = all(name in value and not complaints(value[name], one) for name, one in schema["if"]["properties"].items())
            found += [f"{path} has no {name}" for name in schema.get("then" if fits else "else", {}).get("required", []) if name not in value]
    return found


def documented_types(name):
    """Returns the types of the fields in docs/messages.md."""
    with open(f"{ROOT}/docs/messages.md", encoding="utf-8") as file:
        (table,) = (part for part in re.split(r"^## ", file.read(), flags=re.MULTILINE) if part.startswith(f"`{name}`\n"))
    return {field: TYPES[kind] for fields, kind in re.findall(r"^\| ((?:`[\w-]+`(?:, )?)+) \| (\w+) \|", table, re.MULTILINE)
            for field in re.findall(r"[\w-]+", fields)}


def kind_of(schema):
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if "enum" in schema or "const" in schema:
        return {"str": "string", "int": "integer"}[type(schema.get("const", schema.get("enum", [None])[0])).__name__]
    kind = schema["type"]
    return kind[0] if isinstance(kind, list) else kind


def messages():
    """Yields messages of every kind as lines of JSON."""
    source = f"{ball(300)} ! swiftodt detector=motion updates=every-frame message-format=structure+json"
    for properties in (f"zones={text(HALVES)} source=door multiple-objects=true", "mode=single-image multiple-objects=true",
                       "mode=single-image min-area=0.9", "tracking=false orientation=90r"):
        said = run(f"{source} {properties} ! fakesink")
        for structure in said.structures:
            yield structure.get_value("json")


class Schema(unittest.TestCase):
    """The schema, the documentation and the element agree."""

    def test_schema_has_every_documented_field(self):
        for name in ("swiftodt", "object", "swiftodt-track", "zone", "swiftodt-zone"):
            properties = SCHEMA["$defs"][name]["properties"]
            self.assertEqual({field: kind_of(one) for field, one in properties.items() if field != "message"}, documented_types(name), name)
            if name in SOMETIMES:
                optional = set(properties) - set(SCHEMA["$defs"][name]["required"]) - {"tracking-id"}
                self.assertEqual(optional, set(SOMETIMES[name]), name)

    def test_real_messages_are_valid(self):
        seen, names, fields = 0, set(), set()
        for line in messages():
            message = json.loads(line)
            self.assertEqual(complaints(message, SCHEMA), [], line)
            seen, names, fields = seen + 1, names | {message["message"]}, fields | set(message)
        self.assertGreater(seen, 900)
        self.assertEqual(names, {"swiftodt", "swiftodt-track", "swiftodt-zone"})
        self.assertGreaterEqual(fields, {"best-rejected-label", "zones", "direction", "dwell", "reason", "source"})

    def test_lines_of_bus_to_json_are_valid(self):
        said = command("Pipelines/bus-to-json", *f"{ball(60)} ! swiftodt detector=motion ! fakesink".split())
        lines = [json.loads(line) for line in said.stdout.splitlines()]
        self.assertGreater(len(lines), 60)
        for message in lines:
            self.assertEqual(complaints(message, SCHEMA), [])
        self.assertEqual(lines[-1]["message"], "stats")

    def test_invalid_messages_are_rejected(self):
        good = json.loads(next(line for line in messages() if '"message":"swiftodt-track"' in line))
        self.assertEqual(complaints(good, SCHEMA), [])
        for change in ({"event": "end"}, {"event": "gone"}, {"tracking-id": 0}, {"label": 1}, {"first-seen": -1}, {"message": "other"}, {"epoch": True}):
            self.assertNotEqual(complaints(good | change, SCHEMA), [], change)
        for name in SCHEMA["$defs"]["swiftodt-track"]["required"]:
            self.assertNotEqual(complaints({key: value for key, value in good.items() if key != name}, SCHEMA), [], name)

    @unittest.skipUnless(importlib.util.find_spec("jsonschema"), "no python3-jsonschema")
    def test_independent_validator_agrees(self):
        import jsonschema
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        validator = jsonschema.Draft202012Validator(SCHEMA)
        for line in messages():
            self.assertEqual([error.message for error in validator.iter_errors(json.loads(line))], [])


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class ExampleInC(unittest.TestCase):
    """Pipelines/examples/read-messages.c, compiled with the command in its first lines."""

    def test_c_example_reads_messages_and_metadata(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "read-messages")
            options = command("pkg-config", "--cflags", "--libs", "gstreamer-video-1.0").stdout.split()
            built = command("cc", "-Wall", "-Wextra", "-Werror", "Pipelines/examples/read-messages.c", "-o", program, *options)
            self.assertEqual(built.returncode, 0, built.stderr)
            description = f"{ball(90)} ! swiftodt detector=motion updates=every-frame zones={text(HALVES)} ! fakesink"
            said = command(program, *shlex.split(description))
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            expected = run(description)
            lines = said.stdout.splitlines()
            boxes = [f"{thing.get_value('x')},{thing.get_value('y')} {thing.get_value('width')}x{thing.get_value('height')}"
                     for result in expected.results for thing in result.get_value("objects")]
            self.assertGreater(len(boxes), 60)
            heads = [line.split(" at ")[0] for line in lines]
            self.assertEqual((heads.count("message"), heads.count("metadata")), (90, 90))
            for kind in ("swiftodt-track", "swiftodt-zone"):
                self.assertEqual(sum(line.startswith(kind) for line in lines), len(expected.named(kind)))
            objects = [line for line in lines if line.startswith("  object")]
            # Each object is printed twice, from the bus and from the buffer.
            self.assertEqual(sorted(line.split(" at ")[1] for line in objects), sorted(2 * boxes))
            regions = [line.split(" at ")[1] for line in lines if line.startswith("  region")]
            lost = sum(thing.get_value("state") == "lost" for result in expected.results for thing in result.get_value("objects"))
            self.assertEqual(len(regions), len(boxes) - lost)
            refused = command(program, "filesrc", "location=/nowhere", "!", "fakesink")
            self.assertEqual((refused.returncode, "/nowhere" in refused.stderr or "Resource" in refused.stderr), (1, True), refused.stderr)


if __name__ == "__main__":
    unittest.main()
