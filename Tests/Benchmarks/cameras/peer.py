"""Analyses cameras as Python programs do: OpenCV decodes all frames, differences of frames select those for inference with OpenVINO.

Usage: peer.py MODEL RATE ADDRESS... For each camera a thread examines RATE frames per second at a quarter of the size: a pixel has changed
if it differs by more than 25 from the running average, and inference runs if one changed area has at least 100 pixels. Prints the number of
frames and of inferences of all cameras every second.
"""
import os
import pathlib
import sys
import threading
import time

os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = "rtsp_transport;tcp|threads;1"
import cv2  # noqa: E402
import numpy as np  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))
from track import Detector  # noqa: E402

counts, lock = [0, 0], threading.Lock()
# The network has one inference request.
network_lock = threading.Lock()


def watch(address, detector, step):
    capture, average, number = cv2.VideoCapture(address, cv2.CAP_FFMPEG), None, 0
    while capture.grab():
        number += 1
        has_motion = False
        if number % step == 0:
            frame = capture.retrieve()[1]
            small = cv2.GaussianBlur(cv2.cvtColor(cv2.resize(frame, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY), (5, 5), 0)
            if average is None:
                average = small.astype(np.float32)
            changed = cv2.threshold(cv2.absdiff(small, cv2.convertScaleAbs(average)), 25, 255, cv2.THRESH_BINARY)[1]
            cv2.accumulateWeighted(small, average, 0.05)
            areas = cv2.findContours(cv2.dilate(changed, None, iterations=2), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
            has_motion = any(cv2.contourArea(area) >= 100 for area in areas)
        if has_motion:
            with network_lock:
                detector.detect(frame)
        with lock:
            counts[0] += 1
            counts[1] += has_motion


def main():
    model, rate, *addresses = sys.argv[1:]
    cv2.setNumThreads(1)
    detector = Detector(model)
    for address in addresses:
        threading.Thread(target=watch, args=(address, detector, 25 // int(rate)), daemon=True).start()
    while True:
        time.sleep(1)
        with lock:
            print(*counts, flush=True)


main()
