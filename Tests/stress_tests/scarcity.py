"""Machines without disk space, permissions, home folder, descriptors, memory, cores, fonts or decimal points."""
import os
import shutil
import subprocess
import tempfile

import program
from damage import start
from stress_test import BIKES, SLOWNESS, UNDER_SANITIZER, Skip, need, need_network, require, stress_test
from validation import MonitoredPipeline

BALL = "videotestsrc pattern=ball num-buffers=60 ! video/x-raw,width=320,height=240"


@stress_test(seconds=150, weight=10, by_default=False)
def full_disk(trial):
    """A cache on a full disk: the stream plays, and no partial file is used when there is space again."""
    need_network()
    disk = trial.path("disk")
    os.mkdir(disk)
    size = trial.random.choice(["4k", "64k", "1m", "8m"])
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        raise Skip("needs the right to mount a small disk (root)")
    try:
        for kind in ("detector=neural", "detector=salient"):
            said = start(kind, XDG_CACHE_HOME=disk)
            require("PLAYED 3" in said, f"does not play with a full disk: {said}")
        grown = subprocess.run(["mount", "-o", "remount,size=500m", disk], capture_output=True, check=False)
        require(grown.returncode == 0, "cannot make the disk larger")
        for _ in range(2):
            said = start("detector=neural", XDG_CACHE_HOME=disk)
            require("PLAYED 3" in said, f"does not play with what a full disk left: {said}")
    finally:
        subprocess.run(["umount", "-l", disk], check=False)


@stress_test(seconds=150, weight=8, by_default=False)
def short_files(trial):
    """A file size limit of a few kilobytes, as with a quota: the stream plays."""
    need_network()
    limit = trial.random.choice([0, 1, 4096, 100_000])
    done = subprocess.run(
        ["prlimit", f"--fsize={limit}", "/usr/bin/python3", "-c", "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
         "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])", "gst-launch-1.0", *f"{BALL} ! swiftodt detector=neural ! fakesink".split()],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=90 * SLOWNESS, check=False,
        env=os.environ | {"XDG_CACHE_HOME": trial.path("cache"), "GST_REGISTRY_UPDATE": "no"})
    require(done.returncode == 0, f"files of at most {limit} bytes: {program.ended(done.returncode)}: {program.said(done)}")
    said = start("detector=neural", XDG_CACHE_HOME=trial.path("cache"))
    require("PLAYED 3" in said, f"does not play with what short files left: {said}")


@stress_test(seconds=150, weight=8, by_default=False)
def no_place_to_write(trial):
    """Cache folders that cannot be written, created or entered: the stream plays."""
    need_network()
    file = trial.path("file")
    with open(file, "w", encoding="ascii"):
        pass
    for place in trial.random.sample(("/proc/nowhere", file, file + "/below", "/dev/null", "relative/folder", ""), 2):
        said = start("detector=neural", XDG_CACHE_HOME=place)
        require("PLAYED 3" in said, f"does not play with XDG_CACHE_HOME={place}: {said}")
    shutil.rmtree("relative", ignore_errors=True)


@stress_test(seconds=120, weight=6)
def no_home(trial):
    """No home folder, or a missing one: detector=motion plays, and networks play or name what is missing."""
    for home in (None, "", "/nonexistent", "/dev/null"):
        for kind in ("detector=motion draw=true", "detector=auto"):
            done = program.launch(f"{BALL} ! swiftodt {kind} ! fakesink", HOME=home, XDG_CACHE_HOME=None, XDG_DATA_HOME=None,
                                  XDG_CONFIG_HOME=None, XDG_RUNTIME_DIR=None, USER=None, LOGNAME=None)
            require(done.returncode == 0, f"HOME={home}, {kind}: {program.ended(done.returncode)}: {program.said(done)}")
        # A missing model that was named is an error.
        done = program.launch(f"{BALL} ! swiftodt detector=neural model-file=nothing ! fakesink", HOME=home, XDG_CACHE_HOME=None,
                              XDG_DATA_HOME=None)
        require(done.returncode > 0 and "nothing" in done.stderr, f"HOME={home}: {program.ended(done.returncode)}: {program.said(done)}")


SCARCE = """
import gi, os, resource, sys
gi.require_version("Gst", "1.0")
from gi.repository import Gst
Gst.init(None)
pipeline = Gst.parse_launch(sys.argv[1])
pipeline.set_state(Gst.State.READY)
spare = int(sys.argv[2])
{scarce}
pipeline.set_state(Gst.State.PLAYING)
message = pipeline.get_bus().timed_pop_filtered(120 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
print("HANGS" if message is None else message.parse_error()[0] if message.type == Gst.MessageType.ERROR else "PLAYED", flush=True)
pipeline.set_state(Gst.State.NULL)\n"""
FEW = SCARCE.replace("{scarce}", """
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
taken = []
while True:
    try:
        taken.append(os.open("/", os.O_RDONLY))
    except OSError:
        break
for file in taken[len(taken) - spare:]:
    os.close(file)\n""")
LITTLE = SCARCE.replace("{scarce}", """
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + spare * 2**20,) * 2)\n""")


@stress_test(seconds=150, weight=8)
def few_descriptors(trial):
    """Few free descriptors at the start, with and without a cache: the stream plays, or the error names ulimit -n.

    Without a free descriptor an exception of the runtime could not be caught, and a file that cannot be opened looks damaged.
    """
    kinds = ["detector=motion"]
    try:
        need_network()
        kinds += ["detector=neural", "detector=motion classify=true"]
    except Skip:
        pass
    for kind in kinds:
        # These numbers have a known outcome. Their cache is empty, so that files of earlier runs cannot change it.
        should_play = {0: False, 3: False, 4: False, 24: True} if kind == "detector=neural" else {}
        for spare in {0, trial.random.randrange(1, 8), trial.random.randrange(8, 24), *should_play}:
            is_cache_empty = spare in should_play or trial.random.random() < 0.5
            cache = {"XDG_CACHE_HOME": tempfile.mkdtemp(dir=trial.folder)} if is_cache_empty else {}
            done = program.python(FEW, f"{BALL} ! swiftodt {kind} ! fakesink", str(spare), **cache)
            # Without a descriptor for its own pipe GLib aborts, and GStreamer's gst_poll reports errors; both are accepted.
            if done.returncode and ("GLib-ERROR" in done.stderr and "pipe" in done.stderr or "gst_poll_" in done.stderr):
                continue
            require(done.returncode == 0 and "HANGS" not in done.stdout,
                    f"{spare} descriptors, {kind}: {program.ended(done.returncode)}: {program.said(done)}")
            has_played = "PLAYED" in done.stdout
            require(has_played or "gst-resource-error-quark" in done.stdout and "ulimit -n" in done.stdout,
                    f"{spare} descriptors, {kind}: says {done.stdout}")
            if spare in should_play:
                require(has_played == should_play[spare],
                        f"{spare} descriptors, {kind}: should {'play' if should_play[spare] else 'name ulimit -n'}, says {done.stdout}")
            print(spare, kind, done.stdout.strip())


@stress_test(seconds=150, weight=8)
def little_memory(trial):
    """Little free memory at the start: the stream plays, or there is an error.

    The element rejects a network if the memory would not suffice for compiling it, because the runtime sometimes crashes
    in its own libraries when memory runs out (seen with 350 to 550 MB).
    """
    if UNDER_SANITIZER:
        raise Skip("a sanitizer needs all of the address space")
    kinds = [("detector=motion", trial.random.randrange(300, 900)), ("detector=motion", 1200)]
    try:
        need_network()
        kinds += [(detector, spare) for detector in ("detector=neural", "detector=salient")
                  for spare in (trial.random.randrange(300, 1000), 1500)] + [("detector=neural", 400)]
    except Skip:
        pass
    for kind, spare in kinds:
        done = program.python(LITTLE, f"{BALL} ! swiftodt {kind} ! fakesink".replace("60", "8"), str(spare))
        if done.returncode and ("GLib-ERROR" in done.stderr or "failed to allocate" in done.stderr):
            continue
        require(done.returncode == 0 and "HANGS" not in done.stdout,
                f"{spare} MB more, {kind}: {program.ended(done.returncode)}: {program.said(done)}")
        is_refused = "gst-resource-error-quark" in done.stdout and "ulimit -v" in done.stdout
        require("PLAYED" in done.stdout if spare >= 1500 else kind == "detector=motion" or is_refused,
                f"{spare} MB more, {kind}: says {done.stdout}")
        print(spare, kind, done.stdout.strip())


@stress_test(seconds=120, weight=8)
def one_core(trial):
    """All threads on one core: every frame arrives, also in a live stream."""
    need(BIKES)
    os.sched_setaffinity(0, {trial.random.choice(sorted(os.sched_getaffinity(0)))})
    for kind in ("detector=motion", "detector=neural look-ahead=4 inference-interval=6", "detector=neural strategy=keep-only-latest"):
        if "neural" in kind:
            need_network()
        with MonitoredPipeline(f"filesrc location={BIKES} ! decodebin ! swiftodt name=odt {kind} ! fakesink") as watched:
            watched.play(100)
            require(watched.frames.left == 250, f"{watched.frames.left} of 250 frames with {kind}")


@stress_test(seconds=60, weight=3)
def no_fonts(trial):
    """Without any fonts the stream plays."""
    config = trial.path("fonts.conf")
    with open(config, "w", encoding="ascii") as file:
        file.write("<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig></fontconfig>")
    for kind in ("", "font=Nonsense", "font-size=1000", "font='" + "x" * 5000 + "'"):
        for path in (config, "/nowhere/fonts.conf", "/dev/null"):
            done = program.launch(f"{BALL} ! swiftodt detector=motion track-min-hits=1 {kind} ! fakesink", FONTCONFIG_FILE=path,
                                  FONTCONFIG_PATH="/nowhere", XDG_DATA_HOME=trial.folder, XDG_CACHE_HOME=trial.path("cache"))
            require(done.returncode == 0, f"{path}, {kind[:40]}: {program.ended(done.returncode)}: {program.said(done)}")


@stress_test(seconds=60, weight=3)
def decimal_commas(trial):
    """In a locale with decimal commas, messages and their JSON are unchanged."""
    names = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    name = next((name for name in names if name.lower().startswith(("de_", "fr_", "sv_"))), None)
    environment = {"LC_ALL": name}
    if name is None:
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", trial.path("de_DE.UTF-8")], capture_output=True, check=False)
        if made.returncode not in (0, 1) or not os.path.isdir(trial.path("de_DE.UTF-8")):
            raise Skip("needs a locale with decimal commas, such as de_DE.UTF-8")
        environment = {"LC_ALL": "de_DE.UTF-8", "LOCPATH": trial.folder}
    comma = subprocess.run(["bash", "-c", "LC_NUMERIC=$LC_ALL printf %.1f 0,5"], capture_output=True, text=True, check=False,
                           env=os.environ | environment).stdout
    if comma != "0,5":
        raise Skip(f"needs a locale with decimal commas, such as de_DE.UTF-8; {environment['LC_ALL']} has none")

    def messages(**environment):
        done = program.launch(f"{BALL} ! swiftodt detector=motion updates=every-frame message-format=structure+json score-threshold=0.3"
                              f" ! fakesink", "-m", **environment)
        require(done.returncode == 0, program.said(done))
        return [line.split("swiftodt, ", 1)[1] for line in done.stdout.splitlines() if ": swiftodt, " in line]

    there, here = messages(**environment), messages(LC_ALL="C", LANGUAGE="C")
    require(len(there) == len(here) > 50, f"{len(there)} messages there, {len(here)} here")
    for one, other in zip(there, here):
        # Fields with wall-clock times differ.
        require("wall" in one or one == other, f"{one} there, {other} here")
    done = program.python("import ctypes, sys\nctypes.CDLL(None).setlocale(6, b'')\n" + SCARCE.replace("{scarce}", ""), f"{BALL} ! swiftodt detector=neural ! fakesink", "0", **environment)
    require(done.returncode == 0, program.said(done))
