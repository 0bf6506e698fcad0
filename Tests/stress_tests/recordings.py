"""Recordings that are interrupted, run out of space, or replace an earlier one."""
import json
import os
import shutil
import signal
import subprocess
import time

import program
from stress_test import BIKES, ROOT, Skip, need, require, stress_test

ODT = os.path.join(ROOT, ".build", "tool", "odt")
EARLIER = b"an earlier recording"


def recorder(output, source, *properties):
    """Returns the command that annotates a video and writes its messages beside the output."""
    return [ODT, "annotate", "--force", f"--json={os.path.splitext(output)[0]}.jsonl", *(f"--set={word}" for word in properties),
            "--", source, output]


def plays(path):
    """Returns the number of frames of a video, or None if it does not play."""
    done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries", "stream=nb_read_frames",
                           "-of", "csv=p=0", path], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    text = done.stdout.strip().strip(",")
    return int(text) if done.returncode == 0 and text.isdigit() and int(text) > 0 else None


def content(path):
    with open(path, "rb") as file:
        return file.read()


def check(folder, video, what):
    """Checks that the video plays or is the earlier one, that its messages are complete lines, and that partial files play, too."""
    messages = os.path.splitext(video)[0] + ".jsonl"
    whole = os.path.exists(video) and content(video) != EARLIER
    require(os.path.exists(video), f"{what}: the earlier recording is gone")
    if whole:
        require(plays(video), f"{what}: {os.path.basename(video)} ({os.path.getsize(video)} bytes) does not play")
        for line in content(messages).decode().splitlines():
            json.loads(line)
    else:
        require(content(messages) == EARLIER, f"{what}: the earlier recording's messages are gone")
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        # A fragment lasts half a second. A smaller file may have no complete fragment.
        if path != video and name.endswith(".mp4") and os.path.getsize(path) > 300_000:
            require(plays(path), f"{what}: {name} ({os.path.getsize(path)} bytes) does not play")


def earlier(folder):
    video = os.path.join(folder, "recording.mp4")
    for path in (video, os.path.join(folder, "recording.jsonl")):
        with open(path, "wb") as file:
            file.write(EARLIER)
    return video


@stress_test(seconds=150, weight=16)
def recording(trial):
    """Recordings ended by signals at any moment play, or the earlier recording remains."""
    need(BIKES)
    choose = trial.random
    for turn, one in enumerate([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, choose.choice([signal.SIGINT, signal.SIGTERM])]):
        folder = trial.path(f"recording{turn}")
        os.mkdir(folder)
        video = earlier(folder)
        process = subprocess.Popen(recorder(video, BIKES, "detector=motion"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        moment = choose.choice([choose.random() * 0.6, choose.random() * 2.5, 1.5])
        time.sleep(moment)
        process.send_signal(one)
        what = f"{one.name} after {moment:.2f} s"
        try:
            text, _ = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            require(False, f"{what}: still recording 60 s later")
        print(what, process.returncode, text)
        require("Traceback" not in text or moment < 0.5, f"{what}: {text[-500:]}")
        check(folder, video, what)


@stress_test(seconds=120, weight=8)
def recording_without_room(trial):
    """A full disk and failing starts give an error text, and the earlier recording remains."""
    need(BIKES)
    folder = trial.path("disk")
    os.mkdir(folder)
    size = trial.random.choice(["40k", "150k", "300k"])
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        raise Skip("needs the right to mount a small disk (root)")
    try:
        video = earlier(folder)
        done = program.run(recorder(video, BIKES, "detector=motion"))
        require("Traceback" not in done.stdout + done.stderr, f"disk full: {program.said(done)}")
        require(done.returncode > 0, f"a disk of {size} is full, and {program.ended(done.returncode)}")
        check(folder, video, "disk full")
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
    folder = trial.path("failing")
    os.mkdir(folder)
    video = earlier(folder)
    for words in ([video], ["/nowhere.mp4"], [BIKES, "detector=nonsense"], [BIKES, "detector=neural", "model-file=/nowhere.xml"],
                  [os.path.join(ROOT, "README.md")]):
        done = program.run(recorder(video, *words))
        require(done.returncode > 0, f"{words}: {program.ended(done.returncode)}")
        require("Traceback" not in done.stdout + done.stderr, f"{words}: {program.said(done)}")
        require(content(video) == EARLIER, f"{words}: the earlier recording is gone")
    input = os.path.join(folder, "input.mp4")
    shutil.copy(BIKES, input)
    done = program.run(recorder(input, input, "detector=motion"))
    require(done.returncode > 0 and content(input) == content(BIKES), f"output = input: the input is gone: {program.said(done)}")
