"""Drawing on a heap whose blocks end at inaccessible pages, so that a read or write beyond a block crashes."""
import os
import shutil
import subprocess

import program
from stress_test import HERE, UNDER_SANITIZER, Skip, require, stress_test

# Pictures smaller than the area of one chroma sample, progressive and interlaced.
TINY = ["I420,width=1,height=17", "NV12,width=1,height=480", "YUY2,width=1,height=16", "P010_10LE,width=1,height=16",
        "I420,width=5,height=2,interlace-mode=interleaved"]
FORMATS = "I420 NV12 Y42B Y444 YUY2 UYVY AYUV GRAY8 RGB BGRA GBR I420_10LE P010_10LE Y210 GRAY16_LE".split()
ZONES = ('[{\\"name\\":\\"a\\",\\"points\\":[[0,0],[1,0],[1,1],[0,1]]},'
         '{\\"name\\":\\"b\\",\\"kind\\":\\"line\\",\\"points\\":[[0,0],[1,1]]}]')


def guarded_heap(trial):
    """Compiles the library with the guarded heap and returns its path."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        raise Skip("needs a C compiler")
    library = trial.path("guarded_heap.so")
    done = subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "guarded_heap.c")],
                          capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"guarded_heap.c does not compile: {done.stderr}")
    return library


@stress_test(seconds=120, weight=8)
def guarded_drawing(trial):
    """Zones, boxes and labels in tiny pictures of all formats, on a heap with guard pages."""
    if UNDER_SANITIZER:
        raise Skip("a sanitizer replaces the heap")
    library, choose = guarded_heap(trial), trial.random
    sizes = [f"{choose.choice(FORMATS)},width={choose.randrange(1, 9)},height={choose.randrange(1, 40)}"
             f"{choose.choice(['', ',interlace-mode=interleaved'])}" for _ in range(6)]
    for size in TINY + sizes:
        style = choose.choice(["rectangle", "rounded", "corners", "filled"])
        turn = "identity" if size in TINY else choose.choice(["identity", "90r", "180", "horiz"])
        done = program.run(
            ["gst-launch-1.0", "-f", "-q", "videotestsrc", "num-buffers=8", "pattern=ball", "!", f"video/x-raw,format={size}", "!", "swiftodt",
             "detector=motion", "track-min-hits=1", f"zones=\"{ZONES}\"", f"box-style={style}", f"orientation={turn}", "draw-traces=true",
             "!", "fakesink"], seconds=60, LD_PRELOAD=library)
        require(done.returncode == 0, f"{size}, {style}, {turn}: {program.ended(done.returncode)}: {program.said(done)}")
