"""Determines the remaining work of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .file_cache import Identity, local_copy
from .inference import Video, finished, finished_segments
from .errors import BadFile, Unreachable
from .segments import WHOLE, SegmentResult, Span, spans
from .storage import Storage, public_address
from .settings import Settings
from .sources import short_name


@dataclass
class Plan:
    """The state of a file: done, set aside, not decodable, or with parts to process."""

    video: Video
    done: dict[str, Any] | None = None
    set_aside: str | None = None
    bad: str | None = None
    spans: list[Span] = field(default_factory=list)
    seen: dict[int, SegmentResult] = field(default_factory=dict)


def plan(address: str, settings: Settings) -> Plan:
    """Reads the results of earlier runs, and else determines the parts. Parts of an earlier run are kept, even if --part-length differs."""
    storage = Storage(settings.storage)
    video = Video(short_name(address), address, Identity.of(address))
    key = video.identity.key
    if (done := finished(storage, video)) is not None:
        # Another run may have set the file aside.
        storage.remove(f"failed/{video.name}.json")
        return Plan(video, done=done)
    failed = storage.read_json(f"failed/{video.name}.json")
    if failed is not None and failed["identity"] == key and not failed["again"]:
        return Plan(video, set_aside=failed["error"])
    old = storage.read_json(f"{video.work_folder}/plan.json")
    if old is not None and old["identity"] == key:
        found = [Span(*span) for span in old["spans"]]
        return Plan(video, spans=found, seen=finished_segments(storage, video, found))
    # The parts belong to an earlier content of the file.
    storage.remove(video.work_folder)
    if settings.reason_against_segments:
        found = [WHOLE]
    else:
        try:
            with local_copy(video.address, video.identity) as path:
                found = spans(path, settings.part_seconds)
        except BadFile as error:
            return Plan(video, bad=str(error))
    write_plan(storage, video, found)
    return Plan(video, spans=found)


def plan_whole(video: Video, settings: Settings) -> Plan:
    """Plans a file as a single part, also for later runs, because its recordings do not fit together or are damaged.

    The parts are kept, because another run may be joining them.
    """
    write_plan(Storage(settings.storage), video, [WHOLE])
    return Plan(video, spans=[WHOLE])


def write_plan(storage: Storage, video: Video, found: list[Span]) -> None:
    storage.write_json(f"{video.work_folder}/plan.json", {
        "address": public_address(video.address), "identity": video.identity.key, "spans": [[span.start, span.end] for span in found]})


def set_aside(address: str, settings: Settings, error: str, again: bool, identity: Identity | None) -> bool:
    """Records that the file needs no more work until it changes, or with `again` until the next run.

    :return: whether no earlier run set the file aside.
    """
    if identity is None:
        try:
            identity = Identity(None, "") if again else Identity.of(address)
        except Unreachable:
            identity = Identity(None, "")
    storage, name = Storage(settings.storage), f"failed/{short_name(address)}.json"
    is_new = storage.read_json(name) is None
    storage.write_json(name, {
        "address": public_address(address), "identity": identity.key, "error": error, "again": again})
    return is_new
