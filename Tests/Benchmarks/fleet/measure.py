#!/usr/bin/env python3
"""Measures the cost of a fleet and compares its results with those of one machine.

Usage: Tests/Benchmarks/fleet/run [identity] [speed] [overhead] [memory] [trouble] [costs]; default: all of them. Requires Pipelines/setup --fleet.

  identity  compares each result with that of odt alone: 1, 2 and 5 workers, parts from a second to whole, B-frames, variable frame rate, videos that cannot be cut
speed     2 workers on two cores compared with 1 on one
overhead  parts of a minute on one core compared with odt alone
memory    of the driver, with 100,000 simulated files
trouble   killed together with Ray, a full disk, truncated files: in the end the results must be complete and identical
costs     frames per second and core of decoding, of inference with each installed model, and of tracking

The machine should be idle. Videos are made from the demo's street scene.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from swiftodt_fleet.sources import short_name
from swiftodt_fleet.odt_program import where

ROOT = Path(__file__).resolve().parents[3]
RUN = str(ROOT / "Pipelines" / "fleet" / "run")
DATA = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "swiftodt"
BIKES = str(DATA / "videos" / "bikes.mp4")
X264 = ["-c:v", "libx264", "-preset", "veryfast"]
FORMS = {
    "b-frames.mp4": [*X264, "-x264-params", "keyint=24:bframes=3:open-gop=1"],
    "uneven.mkv": ["-vf", r"select='not(mod(n\,3))+lt(mod(n\,25)\,10)'", "-fps_mode", "vfr", *X264, "-x264-params", "keyint=12:bframes=2"],
    "one-key-frame.mp4": [*X264, "-g", "100000", "-sc_threshold", "0"],
    "doubled-times.avi": ["-c:v", "mpeg4", "-g", "25", "-bf", "2"],
    "stream.ts": [*X264, "-x264-params", "keyint=30:bframes=2"],
}


def ffmpeg(*words: str) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-y", *words], check=True)


def odt(*words: str, core: int | None = None) -> float:
    """:return: seconds."""
    program, environment = where()
    began = time.monotonic()
    subprocess.run([*pinned([core] if core is not None else None), program, *words], env=environment, check=True, capture_output=True)
    return time.monotonic() - began


def odt_work(*words: str) -> float:
    """:return: CPU seconds, which do not depend on other load."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    odt(*words, core=0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def pinned(cores: list[int] | None) -> list[str]:
    return ["taskset", "-c", ",".join(map(str, cores))] if cores is not None else []


def fleet(sources: str, storage: str, *words: str, workers: int = 2) -> subprocess.CompletedProcess[str]:
    return subprocess.run([RUN, sources, "--out", storage, *words, "--cores", str(workers)], capture_output=True, text=True)


def worked(sources: str, storage: str, *words: str, cores: list[int]) -> float:
    """Returns the seconds from the first plan to the last result, without the start of Ray."""
    driver = subprocess.Popen([*pinned(cores), RUN, sources, "--out", storage, *words, "--cores", str(len(cores))])
    while driver.poll() is None and not os.path.exists(f"{storage}/work"):
        time.sleep(0.005)
    began = time.time()
    driver.wait()
    return max(path.stat().st_mtime for path in Path(storage, "done").iterdir()) - began


def looped(path: str, seconds: int) -> str:
    ffmpeg("-stream_loop", "-1", "-i", BIKES, "-t", str(seconds), "-an", "-c", "copy", path)
    return path


def alone(video: str, folder: str, core: int | None = None) -> tuple[float, float]:
    """Detects, tracks and writes a page with odt alone. Returns the seconds of detection and of the rest."""
    os.makedirs(folder, exist_ok=True)
    found, said = f"{folder}/detections.jsonl", f"{folder}/messages.jsonl"
    infer = odt("detect", video, "--detections", found, "--force", "--set", "threads=1", core=core)
    rest = odt("annotate", "--force", "--set", "detector=neural", "--set", "threads=1", "--json", said, video, core=core) if core is None else \
        odt("annotate", "--force", "--set", "detector=recorded", "--set", f"detections-file={found}", "--json", said, video, core=core)
    return infer, rest + odt("report", "-o", f"{folder}/report.html", "--force", said, core=core)


def said(path: str) -> list[str]:
    """Returns the messages without the statistics of times at the end."""
    with open(path) as lines:
        return [line for line in lines if '"detection-latency":' not in line]


def is_same(storage: str, video: str, folder: str) -> bool:
    results = f"{storage}/files/{short_name(video)}"
    return os.path.exists(results) and Path(results, "detections.jsonl").read_bytes() == Path(folder, "detections.jsonl").read_bytes() \
        and said(f"{results}/messages.jsonl") == said(f"{folder}/messages.jsonl")


def material(folder: str) -> str:
    videos = f"{folder}/videos"
    os.makedirs(videos)
    for name, words in FORMS.items():
        ffmpeg("-i", BIKES, "-an", "-s", "320x136", *words, f"{videos}/{name}")
        alone(f"{videos}/{name}", f"{folder}/alone/{name}")
    return videos


def verdict(storage: str, videos: str, folder: str) -> str:
    wrong = [name for name in FORMS if not is_same(storage, f"{videos}/{name}", f"{folder}/alone/{name}")]
    return f"{len(FORMS) - len(wrong)} of {len(FORMS)} identical" + (f", not {', '.join(wrong)}" if wrong else "")


def identity(folder: str) -> None:
    videos = material(folder)
    print("| workers | part length | result |\n|---|---|---|")
    for workers, length in ((1, "1"), (2, "1"), (5, "1"), (2, "2.5"), (5, "4"), (2, "whole")):
        storage = f"{folder}/place-{workers}-{length}"
        done = fleet(videos, storage, "--part-length", length, workers=workers)
        print(f"| {workers} | {length} | {verdict(storage, videos, folder)}{done.stderr and ', ' + done.stderr.strip()} |", flush=True)


def speed(folder: str) -> None:
    videos = f"{folder}/videos"
    os.makedirs(videos)
    for number in range(4):
        looped(f"{videos}/{number}.mp4", 30)
    times = {len(cores): worked(videos, f"{folder}/place-{len(cores)}", "--part-length", "10", cores=cores) for cores in ([0], [0, 1])}
    print(f"four files of half a minute, 640x272, in parts of 10 s: {times[1]:.1f} s by one worker on one core, {times[2]:.1f} s by two on two: "
          f"{times[1] / times[2]:.2f} times as fast")


def overhead(folder: str) -> None:
    video = looped(f"{folder}/long.mp4", 240)
    infer, rest = alone(video, f"{folder}/alone", core=0)
    whole = worked(video, f"{folder}/place", "--part-length", "60", cores=[0])
    print(f"four minutes of 640x272 on one core: {infer:.1f} s looking and {rest:.1f} s tracking by odt alone, {whole:.1f} s as a fleet in parts of a minute: "
          f"{(whole / (infer + rest) - 1) * 100:+.1f} %")


def memory(_: str) -> None:
    from simulated import simulate

    print("| simulated files | driver's memory, MB |\n|---|---|")
    for count, megabytes in simulate(100_000):
        print(f"| {count:,} | {megabytes:.0f} |", flush=True)


def trouble(folder: str) -> None:
    videos = material(folder)
    storage = f"{folder}/place"
    for number, steps in enumerate((3, 12, 25)):
        driver = subprocess.Popen([RUN, videos, "--out", storage, "--part-length", "1"], stderr=subprocess.DEVNULL, start_new_session=True)
        while driver.poll() is None and gone(storage) < steps:
            time.sleep(0.02)
        if driver.poll() is None:
            # Ray's head, nodes and workers are in the same process group.
            os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        print(f"killed {number + 1} times: {len(list(Path(storage).glob('done/*')))} done, {len(list(Path(storage).glob('work/*/*-*.json')))} parts in work", flush=True)
    done = fleet(videos, storage, "--part-length", "1")
    print(f"then to the end: {verdict(storage, videos, folder)}, exit code {done.returncode}, {len(list(Path(storage).rglob('*.part')))} half files")
    full(folder, videos)
    short(folder, videos)


def gone(storage: str) -> int:
    """Returns the progress: one for each finished part, ten for each finished file."""
    return len(list(Path(storage).glob("work/*/*-*.json"))) + 10 * len(list(Path(storage).glob("done/*")))


def full(folder: str, videos: str) -> None:
    storage = f"{folder}/full"

    def restrict() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, resource.RLIM_INFINITY))

    os.mkdir(storage)
    if os.getuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", storage]).returncode == 0:
        try:
            ended = subprocess.run([RUN, videos, "--out", storage, "--part-length", "1"], capture_output=True, text=True)
            print(f"full disk: exit code {ended.returncode}, {ended.stderr.strip().splitlines()[-1:]}")
            subprocess.run(["mount", "-o", "remount,size=100m", storage], check=True)
            done = fleet(videos, storage, "--part-length", "1")
            print(f"with more room: {verdict(storage, videos, folder)}, exit code {done.returncode}")
        finally:
            # Lazily, because interrupted workers may still have open files there.
            subprocess.run(["umount", "--lazy", storage], check=True)
    else:
        print("full disk: needs root to mount a small one")


def short(folder: str, videos: str) -> None:
    cut = f"{folder}/cut"
    os.mkdir(cut)
    for name in ("b-frames.mp4", "uneven.mkv", "stream.ts"):
        content = Path(videos, name).read_bytes()
        Path(cut, name).write_bytes(content[: len(content) * 6 // 10])
    done = fleet(cut, f"{folder}/cut-place", "--part-length", "1")
    for name in sorted(os.listdir(cut)):
        try:
            alone(f"{cut}/{name}", f"{folder}/alone/cut-{name}")
            result = "identical" if is_same(f"{folder}/cut-place", f"{cut}/{name}", f"{folder}/alone/cut-{name}") else "NOT identical"
        except subprocess.CalledProcessError:
            aside = Path(folder, "cut-place", "failed", f"{short_name(f'{cut}/{name}')}.json")
            result = "odt alone fails; set aside: " + json.loads(aside.read_text())["error"][:80] if aside.exists() else "odt alone fails, and it was NOT set aside"
        print(f"cut short, {name}: {result}")
    print(f"exit code {done.returncode}")


def costs(folder: str) -> None:
    sizes = {"640x272": looped(f"{folder}/small.mp4", 20), "1920x1080": f"{folder}/large.mp4"}
    ffmpeg("-i", BIKES, "-an", "-vf", "scale=1920:1080", *X264, "-crf", "21", sizes["1920x1080"])
    models = [path.stem for path in sorted((DATA / "models").iterdir()) if path.suffix in (".onnx", ".xml", ".tflite") and
              not any(word in path.stem for word in ("u2net", "efficientnet"))]
    print("| video | step | frames in a second of a core |\n|---|---|---|")
    for size, video in sizes.items():
        found = f"{folder}/found.jsonl"
        for model in models:
            took = odt_work("detect", video, "--detections", found, "--force", "--set", "threads=1", "--set", f"model-file={model}")
            frames = json.loads(Path(found).read_text().splitlines()[-1])["frames"]
            print(f"| {size} | reading and looking, {model} | {frames / took:.0f} |", flush=True)
        took = odt_work("annotate", "--force", "--set", "detector=recorded", "--set", f"detections-file={found}", "--json", f"{folder}/said.jsonl", video)
        print(f"| {size} | reading and tracking | {frames / took:.0f} |", flush=True)


def main() -> None:
    steps = {step.__name__: step for step in (identity, speed, overhead, memory, trouble, costs)}
    wanted = sys.argv[1:] or list(steps)
    if unknown := [word for word in wanted if word not in steps]:
        sys.exit(__doc__ if unknown[0] in ("-h", "--help") else f"unknown: {' '.join(unknown)}; there are {', '.join(steps)}")
    for word in wanted:
        print(f"\n{word}", flush=True)
        folder = tempfile.mkdtemp(prefix="fleet-")
        try:
            steps[word](folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
