"""Makes the results of a video from the detections of its parts: tracks, counts, tables, a page and, on request, an annotated video."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from typing import Any

from .file_cache import local_copy, temporary_folder
from .inference import Video, finished, recording_name
from .segments import Span, join
from .storage import Storage, base_name, public_address
from .recording_origin import Origin, origin
from .settings import Settings
from .tables import SCHEMAS, name_in_tables, write_tables
from .odt_program import odt


def finish(video: Video, settings: Settings, spans: list[Span]) -> dict[str, Any]:
    """Makes and stores all results of a video, unless another run has done so. Then the parts are removed.

    :return: the content of done/NAME.json, which the overview shows.
    """
    storage = Storage(settings.storage)
    try:
        done = finished(storage, video) or store_results(storage, video, settings, spans)
    except FileNotFoundError:
        # Another run may have finished the video meanwhile and removed the parts.
        if (other := finished(storage, video)) is None:
            raise
        done = other
    for name in (f"failed/{video.name}.json", video.work_folder):
        # Another run may remove or write files there at the same time.
        with suppress(OSError):
            storage.remove(name)
    return done


def store_results(storage: Storage, video: Video, settings: Settings, spans: list[Span]) -> dict[str, Any]:
    """Tracks the objects of the whole video and stores all results. The file done/NAME.json comes last."""
    with temporary_folder() as folder, local_copy(video.address, video.identity) as path:
        joined = os.path.join(folder, "detections.jsonl")
        frames, written = gather(storage, video, spans, folder, joined)
        # A recording cannot represent two frames with the same time, as in some old containers. Such a file is processed again without it.
        is_exact = settings.plays_back and written == settings.inferred(frames)
        outputs = track(path, joined if is_exact else None, folder, settings) | {"detections.jsonl": joined}
        belongs = origin(video.address, video.identity.changed)
        tables, figures = write_tables(outputs["messages.jsonl"], video.name, belongs, folder)
        outputs["report.html"] = report(outputs["messages.jsonl"], path, folder, video, settings)
        for name, file in outputs.items():
            storage.put(file, f"files/{video.name}/{name}")
        remove_old_tables(storage, video, belongs)
        for kind, file in tables.items():
            storage.put(file, name_in_tables(kind, video.name, belongs))
    done = {"address": public_address(video.address), "identity": video.identity.key, "source": belongs.source, "day": belongs.day,
            "frames": frames, "seconds": figures.seconds, "parts": len(spans), "tracks": figures.tracks, "zone-events": figures.zone_events}
    storage.write_json(f"done/{video.name}.json", done)
    return done


def remove_old_tables(storage: Storage, video: Video, belongs: Origin) -> None:
    """Removes the tables of an earlier content of the file if they are in other folders than the new ones."""
    if (old := storage.read_json(f"done/{video.name}.json")) is not None:
        before = Origin(old["source"], old["day"], None)
        if (before.source, before.day) != (belongs.source, belongs.day):
            for kind in SCHEMAS:
                storage.remove(name_in_tables(kind, video.name, before))


def gather(storage: Storage, video: Video, spans: list[Span], folder: str, joined: str) -> tuple[int, int]:
    """Joins the recordings of the parts.

    :return: the number of frames of the video, and of the recording.
    """
    locals_ = [os.path.join(folder, f"{span.name}.jsonl") for span in spans]
    for span, local in zip(spans, locals_):
        storage.get(recording_name(video, span), local)
    with ExitStack() as stack:
        into = stack.enter_context(open(joined, "w", encoding="utf-8", errors="surrogateescape"))
        counts = join((opened(local, stack) for local in locals_), into)
    for local in locals_:
        os.unlink(local)
    return counts


def opened(path: str, stack: ExitStack) -> Any:
    # Damaged lines may be invalid UTF-8.
    return stack.enter_context(open(path, encoding="utf-8", errors="surrogateescape"))


def track(path: str, joined: str | None, folder: str, settings: Settings) -> dict[str, str]:
    """Runs odt annotate.

    :param joined: the recording, or None if it is incomplete and the detector has to run again.
    :return: the paths of the outputs, by their names in the results.
    """
    outputs = {"messages.jsonl": os.path.join(folder, "messages.jsonl")}
    recorded = ["--set", "detector=recorded", "--set", f"detections-file={joined}", *settings.for_tracking()]
    words = ["--json", outputs["messages.jsonl"], *(recorded if joined else settings.for_both_at_once()), *zones_words(folder, settings), path]
    if settings.annotate:
        outputs["annotated.mp4"] = os.path.join(folder, "annotated.mp4")
        words.append(outputs["annotated.mp4"])
    odt("annotate", *words)
    return outputs


def report(messages: str, path: str, folder: str, video: Video, settings: Settings) -> str:
    page = os.path.join(folder, "report.html")
    title = base_name(video.address) or video.name
    pictures = [path] if settings.pictures else []
    odt("report", "-o", page, "--title", title, *zones_words(folder, settings), messages, *pictures)
    return page


def zones_words(folder: str, settings: Settings) -> list[str]:
    if settings.zones is None:
        return []
    path = os.path.join(folder, "zones.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(settings.zones)
    return ["--zones", path]
