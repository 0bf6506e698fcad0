"""Journals of a camera, and what its odt could have written into them."""
import json
from pathlib import Path

import fleets  # noqa: F401, knows where the package is
from streams import InFolder
from swiftodt_fleet.cameras.journal import Journal


def line(number, message="swiftodt-track", **more):
    said = {"message": message, "event": "begin", "tracking-id": number, "source": "gate", "session": 1, "utc-time": 1_800_000_000_000_000_000 + number}
    return json.dumps(said | more).encode() + b"\n"


def result(number):
    return line(number, "swiftodt", objects=[{"label": "x" * 500}])


class Journals(InFolder):

    def begin(self):
        return Journal.begin(Path(self.folder), "gate")

    def add(self, journal, *lines):
        with journal.lines.open("ab") as file:
            file.write(b"".join(lines))

    def collected(self, journal):
        return [json.loads(text)["said"] for text in journal.events.read_bytes().splitlines()]
