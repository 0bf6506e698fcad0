"""Average precision as defined by COCO (IoU 0.5:0.95, 100 detections per picture), computed with `pycocotools`."""
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
        """Returns COCO's class number of a network's class index, for networks with 80 or with 90 classes."""
        return self.category_of_80[index] if classes == 80 else index + 1

    def average_precision(self, detections):
        """Returns AP, AP at IoU 0.5 and AP of medium objects, in percent."""
        found = self.figures(detections)
        return found["all"], found["iou 0.5"], found["medium"]

    def figures(self, detections):
        """Returns AP by name (all, IoU 0.5, sizes) in percent. `detections`: file name -> list of {box: [x0, y0, x1, y1], score, category}."""
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
