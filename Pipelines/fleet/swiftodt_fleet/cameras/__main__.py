"""Pipelines/fleet/watch: reads the command line, and watches until it is told to end."""

from __future__ import annotations

import argparse
import fcntl
import os
import signal
import sys
import threading
from pathlib import Path

from ..machines import NoMachines, machines
from .configuration import ConfigurationError
from .fleet import Fleet, FleetOptions
from .page import Page, PageError

ROOT = Path(__file__).resolve().parents[4]
HELP = """
Watches many cameras, on this machine or on many: an odt watch for each, under a Ray actor, started again where it dies, placed where there
is room. Each event that one of them has said is told once: in Parquet tables below PLACE, and to the broker that CAMERAS names.
"""
MORE = """
CAMERAS is read again whenever it changes: cameras that are new begin, those that are gone end, those that are asked for otherwise begin
anew, all others go on. page=, page-token-file= and mqtt= with what belongs to it, in its group [watch], are done here, once for all cameras.

It ends by Ctrl-C, SIGTERM or SIGHUP; what could not be told by then is told the next time. docs/fleet-watch.md has what is guaranteed.

examples:
  Pipelines/fleet/watch watch.conf --page 8080
  Pipelines/fleet/watch watch.conf --out s3://archive/cameras --journals /srv/journals --ray auto --cpus 0.5
"""
# Seconds between two looks at everything.
TICK = 0.2


class Refusal(Exception):
    """What is wrong with the command line."""


def say(text: str) -> None:
    """A sentence for people. That nobody reads it any more stops nothing."""
    try:
        print(f"fleet watch: {text}", file=sys.stderr, flush=True)
    except OSError:
        pass


def parse(words: list[str]) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser("Pipelines/fleet/watch", description=HELP, epilog=MORE, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cameras", metavar="CAMERAS", type=Path, help="the file that odt watch --config takes (docs/watch.md)")
    parser.add_argument("--out", metavar="PLACE", default=str(ROOT / "Pipelines" / "out" / "cameras"),
                        help="where tables go: a folder, or an address such as s3://bucket/cameras (Pipelines/out/cameras)")
    parser.add_argument("--journals", metavar="FOLDER", type=Path,
                        help="where each machine keeps what has not been told yet: a folder of its own or one that they share (PLACE/journals)")
    parser.add_argument("--ray", metavar="ADDRESS", help="the Ray cluster to use; without it Ray is started on this machine, for this machine")
    parser.add_argument("--cpus", metavar="N", type=float, default=1.0, help="cores that a camera takes; where none has so many left it waits (1)")
    parser.add_argument("--page", metavar="[ADDRESS:]PORT", help="a page that shows the cameras; for this machine alone, unless ADDRESS is another one")
    parser.add_argument("--page-token-file", metavar="FILE", type=Path, help="where the token for others is kept; without FILE there is a new one each time")
    parser.add_argument("--live", metavar="ADDRESS", help="each camera has a live page of its own, at this address and a port that is free")
    parser.add_argument("--every", metavar="SECONDS", type=float, default=60.0, help="how often tables are written (60)")
    parser.add_argument("--retry", metavar="SECONDS", type=float, default=60.0, help="the longest pause before something is tried again (60)")
    return parser.parse_args(words)


def options_of(words: argparse.Namespace) -> FleetOptions:
    """What holds for all cameras. Raises Refusal."""
    place = words.out if "://" in words.out else os.path.abspath(words.out)
    if words.journals is None and "://" in place:
        raise Refusal("--journals names a folder on each machine: what has not been told yet cannot wait at an address")
    for name in ("cpus", "every", "retry"):
        if not 0 < getattr(words, name) < 1e6:
            raise Refusal(f"--{name} must be a number above 0")
    journals = words.journals.absolute() if words.journals else Path(place) / "journals"
    return FleetOptions(words.cameras, place, journals, words.cpus, words.live, words.every, words.retry)


def hold(journals: Path) -> int:
    """Keeps a second watch away from these journals. Raises Refusal."""
    journals.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(journals / ".watch", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Refusal(f"another watch is at work on {journals}") from None
    return descriptor


def watch(words: argparse.Namespace) -> None:
    """Watches until a signal comes."""
    options = options_of(words)
    held = hold(options.journals)
    fleet = Fleet(options, say)
    address = words.page or fleet.configuration.options.get("page")
    token = words.page_token_file or fleet.configuration.options.get("page-token-file")
    # Made by the one thread that looks after them, read by the page's.
    shown: dict[str, object] = {"cameras": []}
    page = Page(address, lambda: shown, Path(token) if token else None) if address else None
    if page:
        say(f"the page is at {page.url}")
    # Ray prints for those who write programs with it; what it means for a camera is said here.
    sys.stdout = open(os.devnull, "w", encoding="utf-8")
    try:
        with machines(words.ray) as ray:
            over = _told_to_end()
            try:
                while not over.wait(TICK):
                    fleet.attend(ray)
                    shown["cameras"] = fleet.status
            except ray.exceptions.RayError as error:
                raise NoMachines(f"Ray is gone: {error}") from error
            finally:
                fleet.end()
    finally:
        if page:
            page.close()
        os.close(held)


def _told_to_end() -> threading.Event:
    """Set by the first signal; the second one ends the program at once. Ray, which has its own, is there already."""
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: os._exit(130) if over.is_set() else over.set())
    return over


def main() -> int:
    """The program; its exit code."""
    words = parse(sys.argv[1:])
    try:
        watch(words)
    except (Refusal, PageError, ConfigurationError) as error:
        say(str(error))
        return 2
    except (OSError, NoMachines) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        # While Ray was still starting.
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
