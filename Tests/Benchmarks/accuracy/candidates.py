"""Compares candidates for the default network on data that none of them was trained on; see `run candidates --help`.

    run candidates [--shared FOLDER] [--model NAME=FILE] [--no-video] [NAME ...]

Prints for each candidate the average precision (IoU 0.5:0.95; all objects, and medium ones) on each set of photographs, HOTA of
the whole pipeline on a video with ground truth, and the time of one detection relative to the first candidate. Times are measured
with all instructions of the processor, and without bfloat16 and AMX. They are processor times on one core, measured in turns, so that
other load on the machine has little effect. All candidates were trained on COCO train2017; the SSD probably also on most of val2017,
so its result there is marked.
Needs numpy, pycocotools, openvino and trackeval from the Python package index, and what Pipelines/setup builds.
"""
import argparse
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))

# Name -> file. SEEN_IN_TRAINING lists the photograph sets that a network was probably trained on.
CANDIDATES = {
    "efficientdet_lite0": "{data}/models/efficientdet_lite0_int8.xml",
    "ssd_mobilenet_v2": "{data}/models/ssd_mobilenet_v2.xml",
    "yolox_nano": "{shared}/models/yolox_nano.onnx",
    "FastestDet": "{shared}/models/FastestDet.onnx",
}
SETS = ("voc2012-50", "pennfudan-85", "coco-val-128")
SEEN_IN_TRAINING = {("ssd_mobilenet_v2", "coco-val-128")}
# Settings that disable bfloat16 and AMX, but not 8-bit instructions.
INSTRUCTIONS = {"own": {}, "without bfloat16": {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_VNNI"}}

# One process for each instruction set measures all candidates in turns. A compiled network keeps its instruction set.
TIMES = """
import json, statistics, sys, time
import numpy, openvino
core, requests = openvino.Core(), []
for path in sys.argv[2:]:
    network = core.compile_model(path, "CPU", {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": 1})
    picture = numpy.random.default_rng(0).integers(0, 255, network.input(0).shape)
    requests.append((network.create_infer_request(), picture.astype(network.input(0).element_type.to_dtype())))
times = [[] for _ in requests]
for turn in range(int(sys.argv[1])):
    for (request, picture), taken in zip(requests, times):
        request.infer({0: picture})
        for _ in range(10):
            began = time.process_time()
            request.infer({0: picture})
            taken.append(time.process_time() - began)
print(json.dumps([statistics.median(taken) for taken in times]))\n"""


def times(models, turns):
    """Returns the milliseconds of each model by instruction set."""
    return {name: [1000 * seconds for seconds in json.loads(subprocess.run(
        [sys.executable, "-c", TIMES, str(turns), *models], env={**os.environ, **more}, check=True, capture_output=True,
        text=True).stdout)] for name, more in INSTRUCTIONS.items()}


def precision(odt, model, photographs):
    """Returns the average precision of all and of medium objects. Classes are matched by name."""
    done = subprocess.run([odt, "detect", "--json", "--model", model, "--score", "0.01", *photographs.paths],
                          check=True, capture_output=True, text=True)
    found = {}
    for line in done.stdout.splitlines():
        report = json.loads(line)
        found[os.path.basename(report["picture"])] = [
            {"box": [one["x"], one["y"], one["x"] + one["width"], one["y"] + one["height"]], "score": one["score"],
             "category": photographs.category_of_name.get(one.get("label"))} for one in report["objects"]]
    return photographs.average_precision(found)


def hota(model, folder):
    """Returns HOTA of the whole pipeline on a sequence, or `None` if its video is missing."""
    videos = glob.glob(os.path.join(folder, "*.avi")) + glob.glob(os.path.join(folder, "*.mp4"))
    if not videos:
        return None
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tracking"))
    import element
    import numpy
    import score
    results = element.play(videos[0], [f"model-file={model}", "label-allowlist=person"])[0]
    rows = [(number, thing["tracking-id"], *element.box(thing, result), 1, 1, 1) for number, result in enumerate(results, 1)
            for thing in result["objects"] if thing["state"] in ("new", "tracked")]
    truth = score.read(os.path.join(folder, "gt", "gt.txt"))
    return score.score([(truth, numpy.array(rows, float).reshape(-1, 9), len(results))])[0]


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
    sets = {name: Photographs(os.path.join(options.shared, "data/photos", name)) for name in SETS
            if os.path.exists(os.path.join(options.shared, "data/photos", name))}
    taken = times(list(chosen.values()), options.turns)
    print(f"{'':20}" + "".join(f"{name + ' AP, medium':>26}" for name in sets) + f"{'PETS HOTA':>12}"
          + "".join(f"{'time, ' + name:>24}" for name in taken))
    for number, (name, model) in enumerate(chosen.items()):
        line = f"{name:20}"
        for material, photographs in sets.items():
            found = precision(options.odt, model, photographs)
            line += f"{found[0]:17.1f} {found[2]:6.1f} " + ("*" if (name, material) in SEEN_IN_TRAINING else " ")
        tracked = None if options.no_video else hota(model, os.path.join(options.shared, "data/tracking/MOT15/PETS09-S2L1"))
        line += f"{'-' if tracked is None else format(tracked, '.1f'):>12}"
        line += "".join(f"{one[number]:14.2f} ms {one[number] / one[0]:5.2f}  " for one in taken.values())
        print(line, flush=True)
    print("* photographs that were probably in its training data")
