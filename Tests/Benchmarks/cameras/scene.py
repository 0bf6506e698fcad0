"""Made-up cameras: one minute of 1080p at 25 frames per second, encoded with a key frame every 2 s, which is played in a loop."""
import pathlib
import subprocess
import sys

import cv2
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "adaptive-inference"))
import clips  # noqa: E402

RATE, SECONDS, SIZE = 25, 60, (1920, 1080)
# Standard deviation of the sensor noise.
NOISE = 2
ENCODER = "x264enc speed-preset=veryfast pass=qual quantizer=23 bframes=0 key-int-max=50 option-string=scenecut=0"
SCENES = {
    "calm": "no objects",
    "clock": "no objects; the camera writes the time into the picture",
    "sparse": "one person crosses in 8 s",
}


def generate(path, scene, photos, seed=1):
    chance = np.random.default_rng(seed)
    still = clips.background(photos, SIZE, chance)
    _, person, _, _ = clips.cutouts(photos, ["person"])[0]
    person = person.resize((420 * person.width // person.height, 420))
    way = np.linspace(-person.width, SIZE[0], 8 * RATE).astype(int)
    grain = chance.normal(0, NOISE, (SIZE[1], SIZE[0])).round().astype(np.int16)
    encoder = subprocess.Popen(
        f"gst-launch-1.0 -q fdsrc fd=0 ! rawvideoparse format=i420 width={SIZE[0]} height={SIZE[1]} framerate={RATE}/1 ! {ENCODER}"
        " ! video/x-h264,stream-format=byte-stream ! filesink".split() + [f"location={path}"], stdin=subprocess.PIPE)
    for frame in range(SECONDS * RATE):
        picture = still
        if scene == "sparse" and 0 <= (step := frame - 20 * RATE) < len(way):
            picture = still.copy()
            picture.paste(person, (int(way[step]), 560), person)
        planes = cv2.cvtColor(np.asarray(picture), cv2.COLOR_RGB2YUV_I420)
        if scene == "clock":
            cv2.putText(planes[:SIZE[1]], f"2026-11-27 03:00:{frame // RATE:02}", (40, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.5, 235, 3)
        luma = planes[:SIZE[1]]
        shift = chance.integers(SIZE[0] * SIZE[1])
        luma[:] = np.clip(luma + np.roll(grain, shift), 0, 255)
        encoder.stdin.write(planes.tobytes())
    encoder.stdin.close()
    if encoder.wait() != 0:
        sys.exit("run: the video cannot be encoded")
