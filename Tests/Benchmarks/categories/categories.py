#!/usr/bin/env python3
"""Measures categories and salient objects on photographs, and the coverage of common vocabularies by the category table.

    Tests/Benchmarks/categories/categories.py --shared ../shared [--classifier FILE] [--odt .build/tool/odt]

The photographs are those of shared/data/photos (COCO format); the truth of a crop is the category of its COCO name. Crops are the
annotated boxes, so that the result does not depend on the detector. "label, else classifier" is the element's rule: the category of
the detector's label for a box at the same position, and without one that of the classifier. Requires only Python and
Pipelines/setup.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
VOCABULARIES = ROOT / "Sources/SwiftODT/Classification/Vocabularies"
LABELS = ROOT / "Tests/SwiftODTTests/Classification/Labels"
CATEGORIES = ["fashion good", "home good", "food", "place", "plant", "unknown"]
# Smaller crops are hardly recognisable even for people.
SHORTEST_SIDE = 32


def table(vocabulary):
    lines = (VOCABULARIES / f"{vocabulary}.tsv").read_text().splitlines()
    return dict(line.split("\t") for line in lines if line and not line.startswith("#"))


def spelled(label):
    return " ".join(label.replace("-", " ").replace("_", " ").split())


def print_coverage():
    print("vocabulary     labels  in the table  " + "  ".join(f"{name:>12}" for name in CATEGORIES))
    for vocabulary in ["coco", "open-images", "imagenet"]:
        known = {spelled(label).lower(): category for label, category in table(vocabulary).items()}
        # Open Images has no separate list of labels: its table contains each of them.
        path = LABELS / f"{vocabulary}.txt"
        labels = path.read_text().splitlines() if path.exists() else list(table(vocabulary))
        found = [known.get(spelled(label.split(",")[0]).lower()) for label in labels]
        counts = collections.Counter(found)
        print(
            f"{vocabulary:12}  {len(labels):7}  {sum(c is not None for c in found):12}  "
            + "  ".join(f"{counts[name]:12}" for name in CATEGORIES)
        )
    print()


def overlap(a, b):
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    shared = max(0, width) * max(0, height)
    return shared / (a[2] * a[3] + b[2] * b[3] - shared) if shared else 0.0


def lines_of_json(command):
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def boxes_of(objects):
    return [([o["x"], o["y"], o["width"], o["height"]], o.get("label")) for o in objects]


def print_accuracy(name, truths, answers):
    """Prints the accuracy on all crops, and recall and precision on crops with a category."""
    right = sum(t == a for t, a in zip(truths, answers))
    known = [(t, a) for t, a in zip(truths, answers) if t != "unknown"]
    told = [(t, a) for t, a in zip(truths, answers) if a != "unknown"]
    recall = sum(t == a for t, a in known) / max(1, len(known))
    precision = sum(t == a for t, a in told) / max(1, len(told))
    cells = []
    for category in CATEGORIES:
        of = [a for t, a in zip(truths, answers) if t == category]
        cells.append(f"{sum(a == category for a in of) / len(of):7.3f} ({len(of):3})" if of else " " * 13)
    print(f"{name:24} {right / len(truths):9.3f} {recall:9.3f} {precision:9.3f}  " + "  ".join(cells))


def measure_categories(arguments, photos, names, truth_of):
    annotations = [
        a for a in photos["annotations"] if not a.get("iscrowd") and min(a["bbox"][2:]) >= SHORTEST_SIDE
    ]
    files = {image["id"]: arguments.images / image["file_name"] for image in photos["images"]}
    truths = [truth_of[names[a["category_id"]]] for a in annotations]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as boxes:
        for a in annotations:
            boxes.write(" ".join(map(str, a["bbox"])) + f" {files[a['image_id']]}\n")
        boxes.flush()
        command = [arguments.odt, "classify", "--json", "--boxes", boxes.name]
        for option, value in [("--model", arguments.classifier), ("--threshold", arguments.threshold)]:
            command += [option, value] if value else []
        by_crop = [answer["category"] for answer in lines_of_json(command)]
    detections = {
        pathlib.Path(p["picture"]): boxes_of(p["objects"])
        for p in lines_of_json([arguments.odt, "detect", "--json", *sorted(set(files.values()))])
    }
    by_label = []
    for a, crop in zip(annotations, by_crop):
        found = max(
            ((overlap(box, a["bbox"]), label) for box, label in detections.get(files[a["image_id"]], [])),
            default=(0, None), key=lambda pair: pair[0],
        )
        by_label.append(truth_of.get(found[1], crop) if found[0] >= 0.5 else crop)

    print(f"{len(annotations)} crops          all right    recall  precision " + "  ".join(f"{c:>13}" for c in CATEGORIES))
    print_accuracy("classifier alone", truths, by_crop)
    print_accuracy("label, else classifier", truths, by_label)
    print()


def measure_salient(arguments, photos):
    """Prints the IoU of the first salient box, and of the best of the first three, with annotated boxes."""
    truth = collections.defaultdict(list)
    for a in photos["annotations"]:
        if not a.get("iscrowd"):
            truth[a["image_id"]].append(a["bbox"])

    def prominence(box, image):
        away = ((box[0] + box[2] / 2) / image["width"] - 0.5) ** 2 + ((box[1] + box[3] / 2) / image["height"] - 0.5) ** 2
        return box[2] * box[3] * (1 - away)

    files = {arguments.images / image["file_name"]: image for image in photos["images"] if truth[image["id"]]}
    first, best, any_object = [], [], []
    for picture in lines_of_json([arguments.odt, "detect", "--salient", "--score", "0.1", "--json", *files]):
        image = files[pathlib.Path(picture["picture"])]
        boxes = truth[image["id"]]
        largest = max(boxes, key=lambda box: prominence(box, image))
        found = [box for box, _ in boxes_of(picture["objects"])][:3]
        first.append(overlap(found[0], largest) if found else 0)
        best.append(max((overlap(box, largest) for box in found), default=0))
        any_object.append(max((overlap(found[0], box) for box in boxes), default=0) if found else 0)
    print(f"salient, {len(first)} photographs                       mean IoU  IoU > 0.5")
    for name, ious in [
        ("first box, most prominent object", first), ("best of three, most prominent object", best),
        ("first box, any object", any_object),
    ]:
        print(f"{name:44} {sum(ious) / len(ious):10.3f} {sum(i > 0.5 for i in ious) / len(ious):10.3f}")

    crossing = arguments.shared / "data/tracking/SOT-Crossing"
    if not crossing.exists():
        return
    lines = (crossing / "groundtruth_rect.txt").read_text().replace(",", " ").splitlines()
    pictures = sorted((crossing / "img").iterdir())
    found = lines_of_json([arguments.odt, "detect", "--salient", "--score", "0.1", "--json", *pictures])
    ious = []
    for line, picture in zip(lines, found):
        box = [float(figure) for figure in line.split()]
        ious.append(max((overlap(other, box) for other, _ in boxes_of(picture["objects"])), default=0))
    print(f"{'SOT-Crossing, any box, each frame alone':44} {sum(ious) / len(ious):10.3f} {sum(i > 0.5 for i in ious) / len(ious):10.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    parser.add_argument("--odt", type=pathlib.Path, default=ROOT / ".build/tool/odt")
    parser.add_argument("--classifier", help="an image classifier (default: the installed one)")
    parser.add_argument("--threshold", help="minimum confidence of a category (default: the model's own)")
    arguments = parser.parse_args()
    print_coverage()
    folder = arguments.shared / "data/photos/coco-val-128"
    arguments.images = folder / "images"
    photos = json.loads((folder / "instances.json").read_text())
    names = {c["id"]: c["name"] for c in photos["categories"]}
    measure_categories(arguments, photos, names, table("coco"))
    measure_salient(arguments, photos)


if __name__ == "__main__":
    main()
