"""Pipelines/fleet/run: analyses many files, on this machine or on many."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys

from .errors import PlaceFull, Unreachable, Usage
from .finishing import finish
from .looking import look
from .machines import NoMachines, machines
from .overview import write_overview
from .place import Place
from .planning import plan, plan_whole, set_aside
from .progress import Progress
from .schedule import Schedule, Totals, Work
from .settings import Settings, property_setting
from .sources import expand
from .tasks import Tasks
from .tool import odt

DESCRIPTION = """Analyses videos, as many at once as there are cores: who was there, when, where. The same command goes on with what a run has left."""
EPILOG = """SOURCES are files, folders, patterns ('footage/*.mp4'), addresses (https://..., s3://bucket/...), and lists of those: @FILE, one a line.

PLACE gets index.html, which leads to each video's page; files/NAME/ with detections, messages, page and annotated video; and tables/ in
Parquet (docs/fleet.md). What went wrong is in failed/. The exit code is 0 when all is done, 1 when something was set aside or could not be
written, 2 when the command line was not understood.

examples:
  Pipelines/fleet/run footage/ --out results
  Pipelines/fleet/run 's3://archive/2026/*.mkv' --out s3://results/2026 --zones gate.json --ray 10.0.0.1:6379"""


def main() -> int:
    options = parse()
    try:
        settings = read_settings(options)
        place = Place(settings.place)
        check(place, settings)
        return run(options, place, settings)
    except (Usage, NoMachines) as error:
        return complain(error, 2)
    except (PlaceFull, Unreachable) as error:
        return complain(error, 1)
    except KeyboardInterrupt:
        return complain("ended before all was done; the same command goes on", 130)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Pipelines/fleet/run", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--out", required=True, metavar="PLACE", help="a folder, or an address such as s3://bucket/folder")
    parser.add_argument("--zones", metavar="FILE", help="zones and lines to count at (odt zones makes them)")
    parser.add_argument("--annotate", action="store_true", help="also write each video with its objects drawn in")
    parser.add_argument("--pictures", action="store_true", help="with each object's picture in the pages; reads each video once more")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="properties",
                        help="a property of the element (docs/properties.md); multiple-objects=true is set already")
    parser.add_argument("--part-length", default="120", metavar="SECONDS", help="about how long the parts are that are looked at apart; whole: none (120)")
    parser.add_argument("--again", action="store_true", help="also try what an earlier run has set aside")
    parser.add_argument("--ray", metavar="ADDRESS", help="of a Ray cluster, or auto; without it Ray is started on this machine, for it alone")
    parser.add_argument("--cores", type=int, metavar="N", help="without --ray: how many tasks run at once (all cores)")
    return parser.parse_args()


def read_settings(options: argparse.Namespace) -> Settings:
    zones = None
    if options.zones:
        odt("zones", "--check", options.zones)
        with open(options.zones, encoding="utf-8") as file:
            zones = file.read()
    if options.cores is not None and (options.ray or options.cores < 1):
        raise Usage("--cores counts from 1, and is for this machine: a cluster says itself how many it has")
    return Settings(place=options.out if "://" in options.out else Place(options.out).root, zones=zones,
                    properties=tuple(property_setting(word) for word in options.properties), annotate=options.annotate, pictures=options.pictures,
                    part_seconds=part_length(options.part_length))


def part_length(text: str) -> float:
    if text == "whole":
        return 0.0
    with contextlib.suppress(ValueError):
        if 0.1 <= (length := float(text)) <= 1e6:
            return length
    raise Usage(f"--part-length {text}: it is seconds, from 0.1 to 1000000, or whole")


def check(place: Place, settings: Settings) -> None:
    """One place holds what one way of working gives."""
    before = place.read_json("run.json")
    if before is not None and before["fingerprint"] != settings.fingerprint:
        raise Usage(f"{place.address} has results of other settings (zones, --set, --annotate, --pictures): name another place for these, or set what was set then")
    if before is None:
        place.write_json("run.json", {"fingerprint": settings.fingerprint, "properties": dict(settings.properties), "annotate": settings.annotate,
                                      "pictures": settings.pictures, "zones": settings.zones})


def run(options: argparse.Namespace, place: Place, settings: Settings) -> int:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if options.again:
        place.remove("failed")
    count = sum(1 for _ in expand(options.sources, place.address)) if Progress.is_watched() and not is_read_once(options.sources) else None
    progress = Progress(count)
    with machines(options.ray, options.cores) as ray:
        schedule = Schedule(Tasks(ray), Work(settings, plan, look, finish, plan_whole, set_aside), progress.show, progress.say)
        try:
            totals = schedule.run(expand(options.sources, place.address))
        finally:
            write_overview(place)
    if count is not None:
        progress.say(summary(totals, place))
    if totals.done + totals.already + totals.set_aside == 0:
        raise Unreachable("there is no video among the sources")
    return 1 if totals.set_aside else 0


def is_read_once(words: list[str]) -> bool:
    return any(word in ("@-", "@/dev/stdin") for word in words)


def summary(totals: Totals, place: Place) -> str:
    said = f"{totals.done} videos done, {totals.seconds / 3600:.2f} hours"
    if totals.already:
        said += f"; {totals.already} were there"
    if totals.set_aside:
        said += f"; {totals.set_aside} set aside"
    return f"{said}. {place.address}/index.html shows them"


def complain(problem: object, code: int) -> int:
    print(f"fleet: {problem}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
