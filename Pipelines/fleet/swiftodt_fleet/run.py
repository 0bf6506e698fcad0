"""Pipelines/fleet/run: analyses many files on one or several machines."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys
import time

from .errors import BadFile, Crash, RunError, Unreachable, Usage
from .postprocessing import finish
from .inference import infer
from .cluster import NoCluster, cluster
from .file_cache import cache_limit
from .options import parse
from .overview import write_overview
from .storage import Storage, reason, public_address
from .planning import plan, plan_whole, set_aside
from .progress import Progress, summary
from .schedule import Schedule, Work
from .settings import Settings, property_setting
from .sources import check_sources, expand, is_read_once
from .tasks import Tasks
from .odt_program import odt


def main() -> int:
    options = parse()
    try:
        check_sources(options.sources)
        settings = read_settings(options)
        storage = Storage(settings.storage)
        check(storage, settings)
        return run(options, storage, settings)
    except (Usage, NoCluster) as error:
        return complain(error, 2)
    except (RunError, Unreachable, OSError) as error:
        return complain(error, 1)
    except KeyboardInterrupt:
        return complain("interrupted; run the same command to resume", 130)


def read_settings(options: argparse.Namespace) -> Settings:
    zones = None
    if options.zones:
        try:
            odt("zones", "--check", options.zones)
        except (BadFile, Unreachable) as error:
            raise Usage(f"--zones {options.zones}: {error}") from None
        with open(options.zones, encoding="utf-8") as file:
            zones = file.read()
    if options.cores is not None and (options.ray or options.cores < 1):
        raise Usage("--cores must be at least 1 and cannot be combined with --ray, because a cluster has its own number of cores")
    settings = Settings(storage=options.out if "://" in options.out else Storage(options.out).root, zones=zones,
                        properties=tuple(property_setting(word) for word in options.properties), annotate=options.annotate, pictures=options.pictures,
                        part_seconds=part_length(options.part_length))
    if settings.pictures and settings.redaction:
        raise Usage(f"--pictures would show the original video with what '{settings.redaction}' redacts; leave one of them out")
    if settings.annotate and settings.redaction and settings.plays_back and settings.has_low_iou_threshold:
        raise Usage(f"with iou-threshold below 0.5, one of two people who overlap can stay visible despite '{settings.redaction}'; use 0.5 or more")
    if settings.properties:
        check_properties(settings, bool(options.ray))
    cache_limit()
    return settings


def check_properties(settings: Settings, uses_cluster: bool) -> None:
    """Raises Usage for invalid properties before run.json is written, because all later runs into this folder must use the same settings.

    :param uses_cluster: whether other machines process the videos. Missing parts of this installation are then no error.
    """
    # The input is this Python file. odt reports invalid properties and a missing model before it reports that the input is not a video.
    with contextlib.suppress(BadFile, Crash, Unreachable, *([RunError] if uses_cluster else [])):
        odt("annotate", "--json", "-", *settings.for_both_at_once(), __file__)


def part_length(text: str) -> float:
    if text == "whole":
        return 0.0
    with contextlib.suppress(ValueError):
        if 0.1 <= (length := float(text)) <= 1e6:
            return length
    raise Usage(f"--part-length {text}: must be a number of seconds from 0.1 to 1000000, or whole")


def check(storage: Storage, settings: Settings) -> None:
    """Checks that existing results in the storage were made with the same settings."""
    try:
        is_there, before = storage.files.exists(storage.path("run.json")), storage.read_json("run.json")
    except Exception as error:
        raise RunError(f"{public_address(storage.address)} cannot be read: {reason(error)}") from error
    if is_there and not (isinstance(before, dict) and "fingerprint" in before):
        raise Usage(f"{storage.path('run.json')} is damaged; remove it if the settings are the same as before, or choose another --out")
    if before is not None and before["fingerprint"] != settings.fingerprint:
        if has_results(storage):
            raise Usage(f"{public_address(storage.address)} has results of other settings (zones, --set, --annotate, --pictures); choose another --out, or use the same settings")
        # The earlier run failed before it had planned a file. The list of failed files depends on the settings of that run.
        storage.remove("failed")
        before = None
    if before is None:
        storage.write_json("run.json", {"fingerprint": settings.fingerprint, "properties": dict(settings.properties), "annotate": settings.annotate,
                                      "pictures": settings.pictures, "zones": settings.zones})


def has_results(storage: Storage) -> bool:
    """Files that are planned count, because another run may be working on them."""
    return bool(storage.names("done") or storage.names("work"))


def run(options: argparse.Namespace, storage: Storage, settings: Settings) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if options.again:
        storage.remove("failed")
    count = sum(1 for _ in expand(options.sources, storage.address, lambda problem: None)) if Progress.is_watched() and not is_read_once(options.sources) else None
    progress = Progress(count)
    problems = 0

    def complain_of_source(problem: str) -> None:
        nonlocal problems
        problems += 1
        progress.say(problem)

    began = time.monotonic()
    with cluster(options.ray, options.cores) as ray:
        # Ray has replaced the handler by its own, which exits without a message.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        schedule = Schedule(Tasks(ray), Work(settings, plan, infer, finish, plan_whole, set_aside), progress.show, progress.say)
        try:
            totals = schedule.run(expand(options.sources, storage.address, complain_of_source))
        finally:
            write_overview(storage)
    if totals.done + totals.already + totals.set_aside == 0:
        raise Unreachable("the sources contain no video")
    progress.clear()
    print(summary(totals, public_address(storage.address), time.monotonic() - began))
    return 1 if totals.set_aside or problems else 0


def complain(problem: object, code: int) -> int:
    print(f"fleet: {problem}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
