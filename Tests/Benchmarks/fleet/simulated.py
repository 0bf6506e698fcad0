"""Simulates a run without files: the schedule and Ray are real, the tasks do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from swiftodt_fleet.file_cache import Identity
from swiftodt_fleet.inference import Video
from swiftodt_fleet.cluster import cluster
from swiftodt_fleet.segments import WHOLE, SegmentResult, Span
from swiftodt_fleet.planning import Plan
from swiftodt_fleet.schedule import Schedule, Work
from swiftodt_fleet.settings import Settings
from swiftodt_fleet.tasks import Tasks


def simulate(count: int) -> Iterator[tuple[int, float]]:
    """:return: (number of files, resident megabytes of the driver), ten times."""
    figures: list[tuple[int, float]] = []

    def addresses() -> Iterator[str]:
        for number in range(count):
            if number % (count // 10) == 0:
                figures.append((number, resident()))
            yield f"/archive/{number:07}.mp4"

    # Nested functions are pickled by value, because workers cannot import this module.
    def plan(address: str, _: Settings) -> Plan:
        return Plan(Video(address, address, Identity(1, "")), spans=[WHOLE])

    def infer(video: Video, _: Settings, span: Span) -> SegmentResult:
        return SegmentResult(1, [], [])

    def finish(video: Video, _: Settings, spans: list[Span]) -> dict[str, Any]:
        return {"seconds": 3600.0}

    def nothing(*_: Any) -> Any:
        raise AssertionError("no file is set aside in a simulation")

    with cluster(None) as ray:
        import ray.cloudpickle
        totals = Schedule(Tasks(ray), Work(Settings("/nowhere"), plan, infer, finish, nothing, nothing), lambda _: None, print).run(addresses())
    assert totals.done == count
    yield from figures[1:]
    yield count, resident()


def resident() -> float:
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
