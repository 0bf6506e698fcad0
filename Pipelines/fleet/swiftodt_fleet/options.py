"""Parses the command line of Pipelines/fleet/run. Imports only the standard library, so that --help works without the fleet's environment."""

from __future__ import annotations

import argparse
import sys

DESCRIPTION = """Analyses videos, as many at once as there are cores, and writes tables and pages of objects and zone events. The same command resumes an
interrupted run."""
EPILOG = """SOURCES are files, folders, patterns ('footage/*.mp4'), addresses (https://..., s3://bucket/...), and lists: @FILE, with one source per line.

PLACE receives index.html, which links to each video's page; files/NAME/ with detections, messages, page and annotated video; and tables/ in
Parquet (docs/fleet.md). Errors are in failed/. The exit code is 0 if all files are done, 1 if a source could not be read, a file was set
aside or a result could not be written, 2 if the command line is invalid.

examples:
  Pipelines/fleet/run footage/ --out results
  Pipelines/fleet/run 's3://archive/2026/*.mkv' --out s3://results/2026 --zones gate.json --ray 10.0.0.1:6379"""


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Pipelines/fleet/run", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+", metavar="SOURCE")
    parser.add_argument("--out", required=True, metavar="PLACE", help="a folder, or an address such as s3://bucket/folder")
    parser.add_argument("--zones", metavar="FILE", help="zones and lines for counting (odt zones makes them)")
    parser.add_argument("--annotate", action="store_true", help="also write each video with its objects drawn in")
    parser.add_argument("--pictures", action="store_true", help="add a picture of each object to the pages; reads each video a second time")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="properties",
                        help="a property of the element (docs/properties.md); multiple-objects=true and max-objects=100 are set already")
    parser.add_argument("--part-length", default="120", metavar="SECONDS", help="approximate length of the parts that are processed in parallel; whole: do not split (120)")
    parser.add_argument("--again", action="store_true", help="also process files that an earlier run has set aside")
    parser.add_argument("--ray", metavar="ADDRESS", help="of a Ray cluster, or auto; by default Ray is started on this machine only")
    parser.add_argument("--cores", type=int, metavar="N", help="without --ray: the number of concurrent tasks (all cores)")
    return parser.parse_args()


if __name__ == "__main__":
    parse()
    print("fleet: the environment of Pipelines/fleet is missing; Pipelines/setup --fleet installs it", file=sys.stderr)
    sys.exit(1)
