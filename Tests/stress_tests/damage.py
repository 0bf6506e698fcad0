"""Models, labels, manifests and caches that are corrupt, truncated, or replaced by folders, FIFOs and links."""
import glob
import os
import shutil

import program
from stress_test import DATA, DETECTOR, MODELS, Finding, need_network, require, stress_test

# Starts pipelines one after another in one process, each with its own model, and prints their outcomes.
START = """
import gi, sys
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
for properties in sys.argv[1:]:
    pipeline = Gst.parse_launch(f"videotestsrc pattern=ball num-buffers=3 ! video/x-raw,width=320,height=240 ! swiftodt name=odt {properties} ! fakesink")
    print("starting", properties, flush=True)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(120 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    if message is None:
        print("HANGS", flush=True)
    elif message.type == Gst.MessageType.ERROR:
        error, details = message.parse_error()
        print("ERROR", repr(error.message), flush=True)
        if len(error.message.split()) < 4 or "Internal data" in error.message:
            print("WORDLESS", flush=True)
    else:
        print("PLAYED", pipeline.get_by_name("odt").props.stats.get_value("frames"), flush=True)
    pipeline.set_state(Gst.State.NULL)\n"""


def start(*properties, seconds=60, **environment):
    """Starts a pipeline with each of these properties and returns the output. Raises Finding on a crash, a hang or an empty error text."""
    done = program.python(START, *properties, seconds=seconds, **environment)
    last = [line for line in done.stdout.splitlines() if line.startswith("starting")][-1:]
    require(done.returncode == 0, f"{program.ended(done.returncode)} {last}: {program.said(done)}")
    for word in ("HANGS", "WORDLESS"):
        require(word not in done.stdout, f"{word}: {program.said(done)}")
    print(done.stdout)
    return done.stdout


def damage(choose, path):
    """Damages a file in place and returns how."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    how = choose.choice(["bits", "bits", "bytes", "end", "empty", "grown", "zeros", "head"])
    if how == "empty" or not content:
        content = bytearray()
    elif how == "bits":
        for _ in range(choose.choice([1, 3, 30])):
            content[choose.randrange(len(content))] ^= 1 << choose.randrange(8)
    elif how == "head":
        # The header, in most formats.
        for _ in range(choose.choice([1, 5])):
            content[choose.randrange(min(len(content), 256))] = choose.randrange(256)
    elif how == "bytes":
        for _ in range(choose.choice([1, 10, 100])):
            content[choose.randrange(len(content))] = choose.choice([0, 255, 127, 128, choose.randrange(256)])
    elif how == "end":
        del content[choose.randrange(len(content)):]
    elif how == "grown":
        content += choose.randbytes(choose.randrange(1, 100_000))
    else:
        at = choose.randrange(len(content))
        content[at:at + 4096] = bytes(len(content[at:at + 4096]))
    with open(path, "wb") as file:
        file.write(content)
    return how


def in_its_place(choose, path):
    """Replaces a file by something else and returns by what."""
    if os.path.isdir(path):
        shutil.rmtree(path)
    else:
        os.remove(path)
    what = choose.choice(["nothing", "folder", "fifo", "loop", "dangling", "zero", "unreadable"])
    if what == "folder":
        os.mkdir(path)
    elif what == "fifo":
        os.mkfifo(path)
    elif what == "loop":
        os.symlink(path, path)
    elif what == "dangling":
        os.symlink("/nowhere/at/all", path)
    elif what == "zero":
        os.symlink("/dev/zero", path)
    elif what == "unreadable":
        with open(path, "wb"):
            os.chmod(path, 0)
    return what


@stress_test(seconds=200, weight=16)
def damaged_models(trial):
    """Models with wrong bytes: each pipeline plays, or fails with an error text."""
    need_network()
    choose = trial.random
    properties = []
    for turn in range(8):
        folder = trial.path(f"models{turn}")
        os.mkdir(folder)
        named, properties_of = choose.choice([
            (DETECTOR, "detector=neural model-file={}"), (DETECTOR, "detector=neural model-file={}"),
            (os.path.join(MODELS, "efficientnet_lite3.tflite"), "detector=motion classify=true classifier-file={}"),
            (os.path.join(MODELS, "u2netp.onnx"), "detector=salient model-file={}")])
        names = sorted(glob.glob(os.path.splitext(named)[0] + ".*"))
        for path in names:
            shutil.copy(path, folder)
        victim = os.path.join(folder, os.path.basename(choose.choice(names)))
        how = damage(choose, victim)
        print(f"models{turn}: {os.path.basename(victim)}: {how}")
        properties.append(properties_of.format(os.path.join(folder, os.path.basename(named))))
    start(*properties, XDG_CACHE_HOME=trial.path("cache"))


@stress_test(seconds=150, weight=12)
def strange_models(trial):
    """Models, labels and manifests that are no regular files."""
    need_network()
    choose = trial.random
    properties = []
    for turn in range(10):
        folder = trial.path(f"models{turn}")
        os.mkdir(folder)
        names = sorted(glob.glob(os.path.splitext(DETECTOR)[0] + ".*"))
        for path in names:
            shutil.copy(path, folder)
        victim = os.path.join(folder, os.path.basename(choose.choice(names)))
        print(f"models{turn}: {os.path.basename(victim)}: {in_its_place(choose, victim)}")
        properties.append(f"detector=neural model-file={folder}/{os.path.basename(DETECTOR)}")
    labels = trial.path("labels.txt")
    with open(labels, "wb") as file:
        file.write(choose.choice([b"", b"\xff\xfe" * 100, b"a\n" * 100_000, b"x" * 10**6, choose.randbytes(10_000)]))
    properties += [f"detector=neural label-file={path}" for path in (labels, trial.folder, "/dev/null", DATA)]
    properties += [f"detector=neural model-file={path}" for path in (trial.folder, "/dev/null", "/dev/zero", "/proc/self/mem")]
    start(*properties, XDG_CACHE_HOME=trial.path("cache"))


@stress_test(seconds=150, weight=14)
def damaged_caches(trial):
    """A cache of compiled networks with wrong bytes is written again, and the stream plays."""
    need_network()
    choose = trial.random
    cache = trial.path("cache")
    start("detector=neural", XDG_CACHE_HOME=cache)
    files = [path for path in glob.glob(os.path.join(cache, "**"), recursive=True) if os.path.isfile(path)]
    if not files:
        raise Finding("no cache was written")
    for _ in range(2):
        for victim in choose.sample(files, min(len(files), choose.choice([1, 1, 2, len(files)]))):
            if os.path.lexists(victim):
                where = os.path.relpath(victim, cache)
                if os.path.isfile(victim) and choose.random() < 0.6:
                    print(f"{where}: {damage(choose, victim)}")
                else:
                    print(f"{where}: {in_its_place(choose, victim)}")
        said = start("detector=neural", XDG_CACHE_HOME=cache)
        require("PLAYED 3" in said, f"does not play with a damaged cache: {said}")
    # Afterwards the cache works again.
    said = start("detector=neural", "detector=neural", XDG_CACHE_HOME=cache)
    require(said.count("PLAYED 3") == 2, f"does not play after the cache was repaired: {said}")
