#!/usr/bin/env python3
"""Measures the processor time of programs that analyse RTSP cameras (1080p, H.264, 25 frames per second, a key frame every 2 s).

Usage: Tests/Benchmarks/cameras/run [--cameras N] [--seconds N] [--scene NAME]... [--program NAME=COMMAND]... [PROGRAM ...]

The cameras are on loopback and show a minute in a loop: calm (sensor noise), clock (the same, and the time in the picture), sparse (one
person crosses in 8 s). Programs:

  every      odt watch --set inference-interval=1: decodes and infers every frame
  adaptive   odt watch --set inference-interval=0 --gate off: decodes every frame
  economy    odt watch --economy: decodes key frames of calm video
  peer       OpenCV decodes every frame, its frame differences select those of 5 per second for OpenVINO with the same network (peer.py)

--program adds another one; its shell command has {addresses} for the addresses, or {cameras} for NAME=ADDRESS.

A line has the user and system time of the program per camera, in % of one core and in ms per frame sent; the number of cameras that one
core then carries; the share of frames that were decoded; inferences per camera and second; the 99th percentile of the latency from the
arrival of the frame to its result, in seconds, as the upper limit of the histogram's range (odt only; for `economy` from the arrival of the
encoded frame); and the memory. The measurement begins --warm-up seconds after the start and takes a loop. Requires odt (Pipelines/setup), Debian's
gir1.2-gst-rtsp-server-1.0 and the environment of Tests/Benchmarks/run.
"""
import argparse
import collections
import os
import pathlib
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import scene

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DATA = pathlib.Path(os.environ.get("XDG_DATA_HOME") or pathlib.Path.home() / ".local/share") / "swiftodt"
WATCH = f"exec {ROOT}/.build/tool/odt watch --quiet --metrics {{port}}"
PROGRAMS = {
    "every": f"{WATCH} --set inference-interval=1 {{cameras}}",
    "adaptive": f"{WATCH} --set inference-interval=0 --gate off {{cameras}}",
    "economy": f"{WATCH} --economy {{cameras}}",
    "peer": f"exec {sys.executable} {HERE}/peer.py {DATA}/models/efficientdet_lite0_int8.xml 5 {{addresses}}",
}


def used(process):
    """Returns user and system time in seconds."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(process):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process}/status").read_text())[1]) / 1024


def metrics(port):
    """Returns the sums over all cameras, by name and the upper limits of histograms."""
    sums = collections.Counter()
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20).read().decode()
    for name, labels, value in re.findall(r"^(\w+)(?:\{(.*?)\})? (\S+)$", text, re.MULTILINE):
        limit = re.search(r'le="(.*?)"', labels)
        sums[name, float(limit[1]) if limit else None] += float(value)
    return sums


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Figures:
    """The state of a program at one moment: its counters and its processor time."""

    def __init__(self, process, port, lines):
        self.time, self.cpu, self.sums = time.monotonic(), used(process.pid), collections.Counter()
        if lines is None:
            self.sums = metrics(port)
        elif lines and re.fullmatch(r"\d+ \d+", lines[-1]):
            frames, inferences = map(int, lines[-1].split())
            self.sums["swiftodt_frames_received_total", None], self.sums["swiftodt_inferences_total", None] = frames, inferences

    def since(self, before, name):
        return self.sums[f"swiftodt_{name}", None] - before.sums[f"swiftodt_{name}", None]

    def latency(self, before, share=0.99):
        """Returns the upper limit of the range of the histogram that contains a percentile."""
        name = "swiftodt_frame_latency_seconds_bucket"
        ranges = sorted((limit, count - before.sums[name, limit]) for (about, limit), count in self.sums.items() if about == name)
        return next((limit for limit, count in ranges if count >= share * ranges[-1][1] > 0), None)


def measure(command, addresses, options):
    """Returns the cells of the table."""
    port, count = free_port(), len(addresses)
    words = command.format(port=port, addresses=" ".join(map(shlex.quote, addresses)),
                           cameras=" ".join(f"c{number}={shlex.quote(address)}" for number, address in enumerate(addresses)))
    has_metrics = "{port}" in command
    process = subprocess.Popen(words, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL if has_metrics else subprocess.PIPE,
                               stderr=subprocess.DEVNULL if has_metrics else None, text=True)
    lines = None if has_metrics else collections.deque(maxlen=1)
    if lines is not None:
        threading.Thread(target=lambda: [lines.append(line.strip()) for line in process.stdout], daemon=True).start()
    try:
        time.sleep(options.warm_up)
        if process.poll() is not None:
            sys.exit(f"run: '{words}' has ended with exit code {process.returncode}")
        begin = Figures(process, port, lines)
        time.sleep(options.seconds)
        end = Figures(process, port, lines)
        memory = megabytes(process.pid)
    finally:
        process.terminate()
        process.wait()
    seconds = end.time - begin.time
    cpu, sent = (end.cpu - begin.cpu) / seconds / count, scene.RATE * seconds * count
    passed, dropped = end.since(begin, "gate_frames_passed_total"), end.since(begin, "gate_frames_dropped_total")
    # With the gate, `frames_received` counts encoded frames.
    decoded = passed if passed + dropped else end.since(begin, "frames_received_total")
    if not decoded:
        sys.exit(f"run: '{words}' has received no frame")
    latency = end.latency(begin)
    return [f"{100 * cpu:.1f} %", f"{1000 * cpu / scene.RATE:.2f}", f"{1 / cpu:.0f}" if cpu else "-", f"{100 * decoded / sent:.0f} %",
            f"{end.since(begin, 'inferences_total') / seconds / count:.2f}", "-" if latency is None else f"{latency:g}", f"{memory:.0f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cameras", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=scene.SECONDS)
    parser.add_argument("--warm-up", type=int, default=20)
    parser.add_argument("--scene", action="append", choices=list(scene.SCENES))
    parser.add_argument("--program", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--folder", type=pathlib.Path, help="keep the videos here")
    parser.add_argument("--photos", type=pathlib.Path, default=scene.clips.SHARED / "data/photos/coco-val-128")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    known = PROGRAMS | dict(program.split("=", 1) for program in options.program)
    if unknown := set(options.programs) - set(known):
        parser.error(f"no program {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    print("| scene | program | cameras | CPU per camera | ms/frame | cameras per core | decoded | inferences/s | latency p99 | MB |\n"
          "|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or pathlib.Path(temporary)
        for name in options.scene or scene.SCENES:
            video = folder / f"{name}.h264"
            if not video.exists():
                scene.generate(video, name, options.photos)
            with subprocess.Popen(["/usr/bin/python3", HERE / "serve.py", video, str(options.cameras)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
                addresses = [address.strip() for address in iter(server.stdout.readline, "\n") if address]
                for program in options.programs or known:
                    cells = measure(known[program], addresses, options)
                    print("|", " | ".join([name, program, str(options.cameras), *cells]), "|", flush=True)
                server.stdin.close()


if __name__ == "__main__":
    main()
