"""Runs a fleet's tasks in one process against a local S3 server. test_fleet.py runs it in the fleet's environment.

Usage: fleet_in_s3.py VIDEO FOLDER. Prints a summary as JSON, and writes detections and messages into FOLDER.
"""
import json
import logging
import os
import sys

from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
os.environ.update(AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1", AWS_ENDPOINT_URL=f"http://{host}:{port}", AWS_MAX_ATTEMPTS="1",
                  TMPDIR=sys.argv[2])

import fsspec  # noqa: E402

from swiftodt_fleet import file_cache, overview, planning, sources  # noqa: E402
from swiftodt_fleet.postprocessing import finish  # noqa: E402
from swiftodt_fleet.inference import infer  # noqa: E402
from swiftodt_fleet.segments import Span  # noqa: E402
from swiftodt_fleet.storage import Storage  # noqa: E402
from swiftodt_fleet.schedule import Schedule, Work  # noqa: E402
from swiftodt_fleet.settings import Settings  # noqa: E402

file_cache.PAUSES = (0.1,)


class Executor:
    """Runs one task at a time, at most `limit` of them."""

    cores = 1

    def __init__(self, limit=100):
        self.limit, self.tasks, self.steps, self.count = limit, {}, [], 0

    def submit(self, function, *arguments):
        self.count += 1
        self.tasks[self.count] = (function, arguments)
        return self.count

    def first_done(self, handles, patience):
        return [min(handles)]

    def cancel(self, handle):
        pass

    def result(self, handle):
        if len(self.steps) == self.limit:
            raise KeyboardInterrupt
        function, arguments = self.tasks.pop(handle)
        self.steps.append(" ".join([function.__name__, *(word.name for word in arguments if isinstance(word, Span))]))
        return function(*arguments)


def run(settings, addresses, executor, said):
    work = Work(settings, planning.plan, infer, finish, planning.plan_whole, planning.set_aside)
    return Schedule(executor, work, lambda totals: None, said.append).run(iter(addresses))


def main(video, folder):
    store = fsspec.filesystem("s3", use_listings_cache=False)
    for bucket in ("archive", "results"):
        store.mkdir(bucket)
    store.put_file(video, f"archive/front/{os.path.basename(video)}")
    settings = Settings("s3://results/x", part_seconds=1)
    said, totals = [], []
    addresses = list(sources.expand(["s3://archive/"], settings.storage, said.append))
    executor = [Executor(limit=2), Executor(), Executor()]
    try:
        run(settings, addresses, executor[0], said)
    except KeyboardInterrupt:
        pass
    segments = [span.name for span in planning.plan(addresses[0], settings).spans]
    for pair in executor[1:]:
        outcome = run(settings, addresses, pair, said)
        totals.append([outcome.done, outcome.already, outcome.set_aside])
    overview.write_overview(Storage(settings.storage))
    files = store.find("results")
    name = sources.short_name(addresses[0])
    for file in ("detections.jsonl", "messages.jsonl"):
        store.get_file(f"results/x/files/{name}/{file}", f"{folder}/{file}")
    server.stop()
    # Local storage reports the unreachable server, too.
    run(Settings(f"{folder}/place"), addresses, Executor(), said)
    print(json.dumps({"sources": addresses, "parts": segments, "steps": [pair.steps for pair in executor], "totals": totals, "files": files, "away": said}))


main(*sys.argv[1:])
