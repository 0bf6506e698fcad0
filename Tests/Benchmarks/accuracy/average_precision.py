"""Average precision as COCO defines it (0.5:0.95, all sizes, 100 a picture), by its own package `pycocotools`."""
import contextlib
import io
import json

from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


class Photographs:
    """Labelled pictures: a folder with `images/` and `instances.json`."""

    def __init__(self, folder):
        with contextlib.redirect_stdout(io.StringIO()):
            self.coco = COCO(f"{folder}/instances.json")
        pictures = json.load(open(f"{folder}/instances.json"))["images"]
        self.paths = [f"{folder}/images/{p['file_name']}" for p in pictures]
        self.ids = {p["file_name"]: p["id"] for p in pictures}
        categories = self.coco.loadCats(self.coco.getCatIds())
        self.category_of_name = {c["name"]: c["id"] for c in categories}
        self.category_of_80 = [c["id"] for c in categories]

    def category(self, index, classes):
        """COCO's number of a network's class: of 80 without gaps, or of 90 with them."""
        return self.category_of_80[index] if classes == 80 else index + 1

    def average_precision(self, detections):
        """Gives percent of `figures`: AP, AP at IoU 0.5, AP of medium objects."""
        found = self.figures(detections)
        return found["all"], found["iou 0.5"], found["medium"]

    def figures(self, detections):
        """`detections`: file name -> list of {box: [x0, y0, x1, y1], score, category}. Gives percent: AP of all, at IoU 0.5, by size."""
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
        # Minus one where there is nothing of a size.
        return {name: 100 * max(0.0, evaluation.stats[place]) for name, place in places.items()}
