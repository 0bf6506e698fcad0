#!/usr/bin/env python3
"""Counts how often the objects of a video change their labels.

Usage: labels.py VIDEO [PROPERTY=VALUE ...]. The properties are set on the element, such as model-file=yolox_nano.onnx. Requires
Pipelines/setup. A change is from one label to another one. Changes from a label to none, and from none to one, count as losses.
"""
import pathlib
import sys

from element import play


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    video, properties = sys.argv[1], sys.argv[2:]
    names, changed, losses, gains, boxes, nameless = {}, {}, 0, 0, 0, 0
    for result in play(video, properties)[0]:
        for thing in result["objects"]:
            if thing["state"] == "lost":
                continue
            one, name = thing["tracking-id"], thing["label"]
            boxes += 1
            nameless += not name
            before = names.setdefault(one, name)
            if before and name and before != name:
                changed[one] = changed.get(one, 0) + 1
            losses += bool(before and not name)
            gains += bool(name and not before)
            names[one] = name
    print(f"{pathlib.Path(video).name}: {len(names)} objects, {sum(changed.values())} changes of name in {len(changed)} of them,"
          f" {losses + gains} between a name and none; {nameless} of {boxes} boxes without one")


if __name__ == "__main__":
    main()
