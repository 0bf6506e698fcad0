"""Average precision as defined by COCO (IoU 0.5:0.95, 100 detections per picture), computed with `pycocotools`."""
import contextlib
import io

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


class Photographs:
    """Labelled pictures: a folder with `images/` and `instances.json`."""

    def __init__(self, folder, half=None):
        """half: 0 or 1 for every second photograph, from the first or from the second one."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.coco = COCO(f"{folder}/instances.json")
        pictures = self.coco.dataset["images"] if half is None else self.coco.dataset["images"][half::2]
        if half is not None:
            kept = {picture["id"] for picture in pictures}
            self.coco.dataset["images"] = pictures
            self.coco.dataset["annotations"] = [one for one in self.coco.dataset["annotations"] if one["image_id"] in kept]
            self.coco.createIndex()
        self.paths = [f"{folder}/images/{p['file_name']}" for p in pictures]
        self.ids = {p["file_name"]: p["id"] for p in pictures}
        categories = self.coco.loadCats(self.coco.getCatIds())
        self.category_of_name = {c["name"]: c["id"] for c in categories}
        self.category_of_80 = [c["id"] for c in categories]

    def category(self, index, classes):
        """Returns COCO's class number of a network's class index, for networks with 80 or with 90 classes."""
        return self.category_of_80[index] if classes == 80 else index + 1

    def average_precision(self, detections):
        """Returns AP, AP at IoU 0.5 and AP of medium objects, in percent."""
        found = self.figures(detections)
        return found["all"], found["iou 0.5"], found["medium"]

    def figures(self, detections):
        """Returns AP by name (all, IoU 0.5, sizes) in percent. `detections`: file name -> list of {box: [x0, y0, x1, y1], score, category}."""
        detections = {name: found for name, found in detections.items() if name in self.ids}
        rows = [{"image_id": self.ids[name], "category_id": d["category"], "score": d["score"],
                 "bbox": [d["box"][0], d["box"][1], d["box"][2] - d["box"][0], d["box"][3] - d["box"][1]]}
                for name, found in detections.items() for d in found if d["category"] is not None]
        places = {"all": 0, "iou 0.5": 1, "small": 3, "medium": 4, "large": 5}
        if not rows:
            return dict.fromkeys(places, 0.0)
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation = COCOeval(self.coco, self.coco.loadRes(rows), "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        # pycocotools returns -1 if there are no objects of a size.
        return {name: 100 * max(0.0, evaluation.stats[place]) for name, place in places.items()}

    def f1(self, detections, threshold):
        """Returns the F1 score of the detections from a threshold up, at IoU 0.5. Classes without truth in the set are left out."""
        right = reported = 0
        truths = [one for one in self.coco.dataset["annotations"] if not one.get("iscrowd")]
        classes = {one["category_id"] for one in truths} if len(self.category_of_80) == 1 else set(self.category_of_80)
        for name, identity in self.ids.items():
            free = [one for one in truths if one["image_id"] == identity]
            crowds = [one for one in self.coco.imgToAnns[identity] if one.get("iscrowd")]
            for found in sorted(detections.get(name, []), key=lambda found: -found["score"]):
                if found["score"] < threshold or found["category"] not in classes:
                    continue
                fits = [(overlap(found["box"], one["bbox"]), number) for number, one in enumerate(free)
                        if one["category_id"] == found["category"]]
                best = max(fits, default=(0, 0))
                if best[0] >= 0.5:
                    free.pop(best[1])
                    right += 1
                elif any(one["category_id"] == found["category"] and overlap(found["box"], one["bbox"]) >= 0.5 for one in crowds):
                    continue
                reported += 1
        return 2 * right / max(1, reported + len(truths))


def overlap(box, other):
    """Returns the IoU of a box by its corners and one by corner and size."""
    width = min(box[2], other[0] + other[2]) - max(box[0], other[0])
    height = min(box[3], other[1] + other[3]) - max(box[1], other[1])
    shared = max(0, width) * max(0, height)
    return shared / ((box[2] - box[0]) * (box[3] - box[1]) + other[2] * other[3] - shared)
