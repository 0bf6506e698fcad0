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
        """`detections`: file name -> list of {box: [x0, y0, x1, y1], score, category}. Gives percent: AP, AP at IoU 0.5, AP of medium objects."""
        rows = [{"image_id": self.ids[name], "category_id": d["category"], "score": d["score"],
                 "bbox": [d["box"][0], d["box"][1], d["box"][2] - d["box"][0], d["box"][3] - d["box"][1]]}
                for name, found in detections.items() for d in found if d["category"] is not None]
        if not rows:
            return 0.0, 0.0, 0.0
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation = COCOeval(self.coco, self.coco.loadRes(rows), "bbox")
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        return 100 * evaluation.stats[0], 100 * evaluation.stats[1], 100 * evaluation.stats[4]
