"""Writes the overview page: one row for each video with its objects, and the files that were set aside."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from html import escape
from typing import Any
from urllib.parse import quote

from .storage import Storage, base_name

# The number of rows that a browser shows without trouble. Further rows go to further pages.
ROWS = 2000
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Videos</title><style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .3em .8em .3em 0; border-bottom: 1px solid #8884; vertical-align: top }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
nav a { margin-right: 1em }
</style></head><body>
"""


def write_overview(storage: Storage) -> None:
    """Reads the summary of each finished video, one at a time, and writes pages with at most ROWS rows."""
    names = storage.names("done")
    pages = [names[start : start + ROWS] for start in range(0, len(names), ROWS)] or [[]]
    aside = storage.names("failed")
    for number, page in enumerate(pages):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(HEAD)
                file.write(f"<h1>{len(names)} videos</h1>\n{links(len(pages))}")
                file.writelines(table(storage, page))
                if number == 0 and aside:
                    file.write(f"<h2>{len(aside)} set aside</h2>\n<table><tr><th>video</th><th>why</th></tr>\n")
                    file.writelines(set_aside(storage, aside[:ROWS]))
                    file.write("</table>\n")
                file.write("</body></html>\n")
            storage.put(path, page_name(number))


def page_name(number: int) -> str:
    return "index.html" if number == 0 else f"index-{number + 1}.html"


def links(count: int) -> str:
    if count == 1:
        return ""
    return "<nav>" + "".join(f'<a href="{page_name(number)}">{number + 1}</a>' for number in range(count)) + "</nav>\n"


def table(storage: Storage, names: list[str]) -> Iterator[str]:
    yield '<table><tr><th>day</th><th>camera</th><th>video</th><th class="number">length</th><th>objects</th><th class="number">zone events</th></tr>\n'
    for name in names:
        if (done := storage.read_json(f"done/{name}")) is not None:
            yield row(name.removesuffix(".json"), done)
    yield "</table>\n"


def row(name: str, done: dict[str, Any]) -> str:
    seen = sorted(done["tracks"].items(), key=lambda pair: (-pair[1], pair[0]))
    video = base_name(done["address"])
    return (f'<tr><td>{escape(done["day"])}</td><td>{escape(done["source"])}</td>'
            f'<td><a href="files/{quote(name)}/report.html">{escape(video)}</a></td><td class="number">{length(done["seconds"])}</td>'
            f'<td>{escape(", ".join(f"{count} {label}" for label, count in seen))}</td><td class="number">{done["zone-events"]}</td></tr>\n')


def set_aside(storage: Storage, names: list[str]) -> Iterator[str]:
    for name in names:
        if (failed := storage.read_json(f"failed/{name}")) is not None:
            video = base_name(failed["address"])
            yield f'<tr><td>{escape(video)}</td><td>{escape(failed["error"])}</td></tr>\n'


def length(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
