"""The command line of Pipelines/fleet/run. Imports the standard library only, so that --help works without the fleet's environment."""

from __future__ import annotations

import argparse
import sys

DESCRIPTION = """Analyses videos, as many at once as there are cores: who was there, when, where. The same command goes on with what a run has left."""
EPILOG = """SOURCES are files, folders, patterns ('footage/*.mp4'), addresses (https://..., s3://bucket/...), and lists of those: @FILE, one a line.

PLACE gets index.html, which leads to each video's page; files/NAME/ with detections, messages, page and annotated video; and tables/ in
Parquet (docs/fleet.md). What went wrong is in failed/. The exit code is 0 when all is done, 1 when something was set aside or could not be
written, 2 when the command line was not understood.

examples:
  Pipelines/fleet/run footage/ --out results
  Pipelines/fleet/run 's3://archive/2026/*.mkv' --out s3://results/2026 --zones gate.json --ray 10.0.0.1:6379"""


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Pipelines/fleet/run", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--out", required=True, metavar="PLACE", help="a folder, or an address such as s3://bucket/folder")
    parser.add_argument("--zones", metavar="FILE", help="zones and lines to count at (odt zones makes them)")
    parser.add_argument("--annotate", action="store_true", help="also write each video with its objects drawn in")
    parser.add_argument("--pictures", action="store_true", help="with each object's picture in the pages; reads each video once more")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="properties",
                        help="a property of the element (docs/properties.md); multiple-objects=true and max-objects=100 are set already")
    parser.add_argument("--part-length", default="120", metavar="SECONDS", help="about how long the parts are that are looked at apart; whole: none (120)")
    parser.add_argument("--again", action="store_true", help="also try what an earlier run has set aside")
    parser.add_argument("--ray", metavar="ADDRESS", help="of a Ray cluster, or auto; without it Ray is started on this machine, for it alone")
    parser.add_argument("--cores", type=int, metavar="N", help="without --ray: how many tasks run at once (all cores)")
    return parser.parse_args()


if __name__ == "__main__":
    parse()
    print("fleet: the environment of Pipelines/fleet is missing; Pipelines/setup --fleet installs it", file=sys.stderr)
    sys.exit(1)
