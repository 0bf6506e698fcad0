"""Compares candidates for the default network on data that none of them was trained on; see `run candidates --help`.

    run candidates [--shared FOLDER] [--model NAME=FILE] [--no-video] [NAME ...]

Prints a table. For each candidate: the average precision on each set of photographs (IoU 0.5:0.95), in brackets of the first and the
second half, then of medium objects; the score threshold with the highest mean F1 on the first halves, and F1 of both halves at this
threshold; HOTA and MOTA of the whole pipeline on a video with ground truth, and the time of one detection relative to the first candidate. Times
are measured with all instructions of the processor, and without bfloat16 and AMX. They are processor times on one core, measured in
turns, so that other load on the machine has little effect. All candidates were trained on COCO train2017; the SSD probably also on most
of val2017, so its result there is marked. The last lines compare the order of the catalogue with the order by rank: the mean of
HOTA and of AP on the second halves of VOC and streets.
Needs numpy, pycocotools, openvino and trackeval from the Python package index, and what Pipelines/setup builds.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))

# Name -> file, in the order of the catalogue. SEEN_IN_TRAINING lists the photograph sets that a network was probably trained on.
CANDIDATES = {
    "deimv2_femto": "{shared}/models/deimv2_femto.onnx",
    "yolox_nano": "{shared}/models/yolox_nano.onnx",
    "efficientdet_lite0_int8": "{data}/models/efficientdet_lite0_int8.xml",
    "deimv2_atto": "{shared}/models/deimv2_atto.onnx",
    "ssd_mobilenet_v2": "{data}/models/ssd_mobilenet_v2.xml",
    "FastestDet": "{shared}/models/FastestDet.onnx",
}
THRESHOLDS = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6]
SETS = ("voc2012-50", "pennfudan-85", "coco-val-128")
SEEN_IN_TRAINING = {("ssd_mobilenet_v2", "coco-val-128")}
# Settings that disable bfloat16 and AMX, but not 8-bit instructions. Without the hint for 32-bit floats the runtime would emulate
# bfloat16, which no processor without it does.
INSTRUCTIONS = {"own": {}, "without bfloat16": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_VNNI", "PRECISION": "f32"}}

# One process for each instruction set measures all candidates in turns. A compiled network keeps its instruction set.
TIMES = """
import json, os, statistics, sys, time
import numpy, openvino
core, requests = openvino.Core(), []
for path in sys.argv[2:]:
    model = core.read_model(path)
    # Open dimensions are the batch.
    model.reshape({one: [1 if side.is_dynamic else side.get_length() for side in one.partial_shape] for one in model.inputs})
    hint = {"INFERENCE_PRECISION_HINT": os.environ["PRECISION"]} if "PRECISION" in os.environ else {}
    network = core.compile_model(model, "CPU", {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": 1, **hint})
    picture = numpy.random.default_rng(0).integers(0, 255, network.input(0).shape)
    fed = {number: numpy.full(one.shape, 320) for number, one in enumerate(network.inputs)} | {0: picture}
    fed = {number: values.astype(network.input(number).element_type.to_dtype()) for number, values in fed.items()}
    requests.append((network.create_infer_request(), fed))
times = [[] for _ in requests]
for turn in range(int(sys.argv[1])):
    for (request, picture), taken in zip(requests, times):
        request.infer(picture)
        for _ in range(10):
            began = time.process_time()
            request.infer(picture)
            taken.append(time.process_time() - began)
print(json.dumps([statistics.median(taken) for taken in times]))\n"""


def times(models, turns):
    """Returns the milliseconds of each model by instruction set."""
    return {name: [1000 * seconds for seconds in json.loads(subprocess.run(
        [sys.executable, "-c", TIMES, str(turns), *models], env={**os.environ, **more}, check=True, capture_output=True,
        text=True).stdout)] for name, more in INSTRUCTIONS.items()}


def with_manifests(candidates, folder):
    """Links files without a manifest into a folder, with the manifest of the catalogue. Returns the files by name."""
    with open(os.path.join(ROOT, "Pipelines/models/catalogue.json"), encoding="utf-8") as file:
        manifests = {model["name"]: model["manifest"] for model in json.load(file)["models"]}
    files = {}
    for name, file in candidates.items():
        files[name] = file
        if name in manifests and not os.path.exists(os.path.splitext(file)[0] + ".json"):
            files[name] = os.path.join(folder, os.path.basename(file))
            os.symlink(file, files[name])
            with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
                json.dump(manifests[name], file)
    return files


def detections(odt, model, photographs):
    """Returns the detections by file name. Classes are matched by name."""
    done = subprocess.run([odt, "detect", "--json", "--model", model, "--score", "0.01", *photographs.paths],
                          check=True, capture_output=True, text=True)
    found = {}
    for line in done.stdout.splitlines():
        report = json.loads(line)
        found[os.path.basename(report["picture"])] = [
            {"box": [one["x"], one["y"], one["x"] + one["width"], one["y"] + one["height"]], "score": one["score"],
             "category": photographs.category_of_name.get(one.get("label"))} for one in report["objects"]]
    return found


def tracked(model, folder, threshold):
    """Returns HOTA and MOTA of the whole pipeline on a sequence, or `None` if its video is missing."""
    videos = glob.glob(os.path.join(folder, "*.avi")) + glob.glob(os.path.join(folder, "*.mp4"))
    if not videos:
        return None
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tracking"))
    import element
    import numpy
    import score
    results = element.play(videos[0], [f"model-file={model}", "label-allowlist=person", f"score-threshold={threshold}"])[0]
    rows = [(number, thing["tracking-id"], *element.box(thing, result), 1, 1, 1) for number, result in enumerate(results, 1)
            for thing in result["objects"] if thing["state"] in ("new", "tracked")]
    truth = score.read(os.path.join(folder, "gt", "gt.txt"))
    found = score.score([(truth, numpy.array(rows, float).reshape(-1, 9), len(results))])
    return found[0], found[2]


def arguments(words):
    parser = argparse.ArgumentParser(prog="run candidates", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = os.environ.get("SWIFTODT_SHARED") or os.path.join(os.path.dirname(ROOT), "shared")
    parser.add_argument("--shared", default=shared, help="the test material (%(default)s)")
    parser.add_argument("--odt", default=os.path.join(ROOT, ".build/tool/odt"))
    parser.add_argument("--model", action="append", default=[], metavar="NAME=FILE", help="add a candidate")
    parser.add_argument("--turns", type=int, default=15, help="number of turns of ten detections each (%(default)s)")
    parser.add_argument("--no-video", action="store_true", help="leave the video out")
    parser.add_argument("names", nargs="*", help="the candidates to measure (all)")
    return parser.parse_args(words)


def main(words):
    options = arguments(words)
    with tempfile.TemporaryDirectory() as folder:
        measure(options, folder)


def measure(options, folder):
    from average_precision import Photographs
    data = os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "swiftodt")
    candidates = {name: file.format(data=data, shared=options.shared) for name, file in CANDIDATES.items()}
    candidates |= dict(one.split("=", 1) for one in options.model)
    if unknown := set(options.names) - set(candidates):
        sys.exit(f"run candidates: there is no candidate {', '.join(sorted(unknown))}; there are {', '.join(candidates)}")
    chosen = {name: file for name, file in candidates.items() if not options.names or name in options.names}
    for name in [name for name, file in chosen.items() if not os.path.exists(file)]:
        print(f"{name}: {chosen.pop(name)} is not installed")
    if not chosen:
        sys.exit("run candidates: no candidate is installed")
    chosen = with_manifests(chosen, folder)
    sets = {name: [Photographs(os.path.join(options.shared, "data/photos", name), half) for half in (None, 0, 1)] for name in SETS
            if os.path.exists(os.path.join(options.shared, "data/photos", name))}
    taken = times(list(chosen.values()), options.turns)
    print("| model | " + " | ".join(sets) + " | threshold, F1 | PETS | " + " | ".join(f"time, {name}" for name in taken) + " |")
    print("|---" * (len(sets) + len(taken) + 3) + "|")
    ranks = {}
    for number, (name, model) in enumerate(chosen.items()):
        cells, found, precisions = [name], {}, {}
        for material, (whole, *halves) in sets.items():
            found[material] = detections(options.odt, model, whole)
            figures = [one.average_precision(found[material]) for one in (whole, *halves)]
            precisions[material] = figures[2][0]
            cells.append(f"{figures[0][0]:.1f} ({figures[1][0]:.1f}, {figures[2][0]:.1f}) / {figures[0][2]:.1f}"
                         + ("*" if (name, material) in SEEN_IN_TRAINING else ""))
        scores = [{threshold: sum(sets[material][half].f1(found[material], threshold) for material in sets) / max(1, len(sets))
                   for threshold in THRESHOLDS} for half in (1, 2)]
        best = max(scores[0], key=scores[0].get)
        cells.append(f"{best:.2f}, {scores[0][best]:.2f} and {scores[1][best]:.2f}")
        video = None if options.no_video else tracked(model, os.path.join(options.shared, "data/tracking/MOT15/PETS09-S2L1"), best)
        cells.append("-" if video is None else f"{video[0]:.1f} / {video[1]:.1f}")
        cells += [f"{one[number]:.1f} ms, {one[number] / one[0]:.2f}" for one in taken.values()]
        print("| " + " | ".join(cells) + " |", flush=True)
        if video:
            held_out = [precisions[material] for material in SETS[:2] if material in precisions]
            ranks[name] = (sum(held_out) / max(1, len(held_out)) + video[0]) / 2
    print("* photographs that were probably in its training data")
    if ranks:
        print("order of the catalogue: " + ", ".join(ranks))
        print("order by rank:          " + ", ".join(f"{name} {ranks[name]:.1f}" for name in sorted(ranks, key=ranks.get, reverse=True)))
