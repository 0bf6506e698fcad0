"""Quantises a detector to 8 bits with NNCF and measures the loss; `odt models quantise` runs it.

odt passes the network's input format (size, channel order, mean and scale, fit). Three of four pictures calibrate the value ranges of
the activations. Every fourth picture is held out: on these, odt runs the original and the quantised network, and the program counts
how many objects both networks find.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

# Pinned, and installed into a separate folder when this program first runs.
PACKAGES = """nncf==3.4.0 openvino==2026.4.1 openvino-telemetry==2025.2.0 numpy==2.2.6 pillow==13.0.0 scipy==1.17.1
scikit-learn==1.9.1 joblib==1.6.0 threadpoolctl==3.8.0 narwhals==2.29.0 networkx==3.4.2 ninja==1.13.2 packaging==26.3 pandas==2.3.3
python-dateutil==4.0.0 pytz==2026.6 tzdata==2026.6 psutil==7.2.2 pydot==3.0.4 pyparsing==3.3.3 rich==15.0.0 markdown-it-py==4.3.0
mdurl==0.1.2 Pygments==2.21.0 safetensors==0.8.0 tabulate==0.10.0 cloudpickle==3.1.2""".split()
FEWEST, MOST = 16, 400
SHOWN = 0.3  # the score threshold of the comparison
KINDS = (".jpg", ".jpeg", ".png")


def say(text):
    print(f"quantise: {text}", flush=True)


def stop(text):
    sys.exit(f"quantise: {text}")


def base(variable, usual):
    folder = os.environ.get(variable, "")
    return folder if os.path.isabs(folder) else os.path.join(os.path.expanduser("~"), usual)


def have_packages():
    """Installs the packages into the data folder unless they are there, and adds that folder to sys.path."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    folder = os.path.join(base("XDG_DATA_HOME", ".local/share"), "swiftodt", f"quantise-{version}")
    stamp = os.path.join(folder, ".stamp")
    try:
        with open(stamp, encoding="ascii") as file:
            whole = file.read() == " ".join(PACKAGES)
    except OSError:
        whole = False
    if not whole:
        say(f"installing NNCF and its dependencies (200 MB to download, 700 MB unpacked, once) into {folder}")
        new = folder + ".new"
        shutil.rmtree(new, ignore_errors=True)
        done = subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps",
                               "--only-binary=:all:", "--target", new, *PACKAGES], stdin=subprocess.DEVNULL, check=False,
                              env={**os.environ, "PIP_ROOT_USER_ACTION": "ignore"})
        if done.returncode != 0:
            shutil.rmtree(new, ignore_errors=True)
            stop(f"cannot install NNCF for Python {version} (see above). Without a network, quantise the model on another machine; "
                 "the result works here")
        with open(os.path.join(new, ".stamp"), "w", encoding="ascii") as file:
            file.write(" ".join(PACKAGES))
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(new, folder)
    sys.path.insert(0, folder)
    os.environ["OPENVINO_TELEMETRY_DISABLED"] = "1"


def pictures(folder):
    """Returns the paths of the calibration pictures and of the held-out pictures."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.lower().endswith(KINDS))
    except OSError as error:
        stop(f"{folder} cannot be read: {error.strerror}")
    if len(names) < FEWEST:
        stop(f"there are {len(names)} pictures (PNG, JPEG) in {folder}; at least {FEWEST} are needed, and some hundred are better. Take pictures of the kind "
             "that the network will see")
    step = max(1, len(names) / MOST)
    chosen = [os.path.join(folder, names[int(index * step)]) for index in range(min(MOST, len(names)))]
    return [path for index, path in enumerate(chosen) if index % 4 != 3], chosen[3::4]


def ends(network):
    """Returns the names of the first layer with weights, of the last ones and of all layers after those.

    They stay in floating point: near the outputs boxes and scores of very different ranges are concatenated, and 256 common steps would
    lose most accuracy there, for little time.
    """
    layers = ("Convolution", "GroupConvolution", "MatMul")
    names, waiting = set(), [result.input_value(0).get_node() for result in network.get_results()]
    while waiting:
        node = waiting.pop()
        if node.get_friendly_name() in names or node.get_type_name() in ("Constant", "Parameter"):
            continue
        names.add(node.get_friendly_name())
        if node.get_type_name() not in layers:
            waiting += [value.get_node() for value in node.input_values()]
    first = next((node.get_friendly_name() for node in network.get_ordered_ops() if node.get_type_name() in layers), None)
    return sorted(names | {first} - {None})


class Feed:
    """Converts pictures to the network's input format."""

    def __init__(self, network_input, network):
        self.network_input, self.port = network_input, network.inputs[0]
        shape = self.port.get_partial_shape()
        self.last = shape[len(shape) - 1].is_static and shape[len(shape) - 1].get_length() == 3
        self.rank = len(shape)
        sides = (network_input["height"], network_input["width"])
        network.reshape({0: ([1, *sides, 3] if self.last else [1, 3, *sides])[4 - self.rank:]})

    def __call__(self, path):
        import numpy
        from PIL import Image
        width, height = self.network_input["width"], self.network_input["height"]
        with Image.open(path) as opened:
            picture = opened.convert("RGB")
        if self.network_input["fit"] == "stretch":
            canvas = picture.resize((width, height), Image.BILINEAR)
        else:
            scale = min(width / picture.width, height / picture.height)
            size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
            canvas = Image.new("RGB", (width, height), (self.network_input["fill"],) * 3)
            corner = ((width - size[0]) // 2, (height - size[1]) // 2) if self.network_input["fit"] == "letterbox-centred" else (0, 0)
            canvas.paste(picture.resize(size, Image.BILINEAR), corner)
        pixels = numpy.asarray(canvas, numpy.float32)
        if self.network_input["colour"] == "bgr":
            pixels = pixels[:, :, ::-1]
        pixels = (pixels - numpy.array(self.network_input["mean"], numpy.float32)) * numpy.array(self.network_input["scale"], numpy.float32)
        if not self.last:
            pixels = pixels.transpose(2, 0, 1)
        pixels = pixels[None] if self.rank == 4 else pixels
        return numpy.ascontiguousarray(pixels.astype(self.port.get_element_type().to_dtype()))


def manifest(model):
    """Returns a model's manifest without the entries that describe its files."""
    try:
        with open(os.path.splitext(model)[0] + ".json", encoding="utf-8") as file:
            return {name: value for name, value in json.load(file).items() if name not in ("files", "recipe", "known-answers")}
    except (OSError, ValueError, AttributeError):
        return {}


def objects(odt, model, paths):
    done = subprocess.run([odt, "detect", "--json", "--model", model, "--score", str(SHOWN), *paths], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        stop(f"odt detect fails with {model}: {done.stderr.strip()}")
    return [json.loads(line)["objects"] for line in done.stdout.splitlines()]


def overlap(a, b):
    across = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
    down = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
    shared = max(0, across) * max(0, down)
    return shared / max(a["width"] * a["height"] + b["width"] * b["height"] - shared, 1e-9)


def agreement(first, second):
    """Matches objects of the same label with an IoU of at least 0.5.

    Returns pairs of IoU and score difference, and the number of objects in each of the two lists.
    """
    pairs = []
    for ours, theirs in zip(first, second):
        left = list(theirs)
        for one in sorted(ours, key=lambda one: -one["score"]):
            best = max((other for other in left if other.get("label") == one.get("label")), key=lambda other: overlap(one, other),
                       default=None)
            if best is not None and overlap(one, best) >= 0.5:
                left.remove(best)
                pairs.append((overlap(one, best), abs(one["score"] - best["score"])))
    return pairs, sum(map(len, first)), sum(map(len, second))


def arguments():
    parser = argparse.ArgumentParser(prog="quantise", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--pictures", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--odt", required=True)
    parser.add_argument("--network-input", required=True, help="JSON: the input format that odt has recognised")
    parser.add_argument("--max-loss", type=float, required=True)
    parser.add_argument("--force", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    network_input = json.loads(options.network_input)
    measured, kept = pictures(options.pictures)
    have_packages()
    import logging
    import nncf
    import openvino
    nncf.set_log_level(logging.ERROR)
    network = openvino.Core().read_model(options.model)
    if len(network.inputs) != 1:
        stop(f"{options.model} has {len(network.inputs)} inputs: only networks with one picture input can be quantised. Export it without "
             "its post-processing")
    if any(node.get_type_name() == "FakeQuantize" for node in network.get_ops()):
        stop(f"{options.model} is already quantised to 8 bits")
    feed = Feed(network_input["input"], network)
    say(f"calibrating with {len(measured)} pictures")
    small = nncf.quantize(network, nncf.Dataset(measured, feed), preset=nncf.QuantizationPreset.MIXED, subset_size=len(measured),
                          ignored_scope=nncf.IgnoredScope(names=ends(network), validate=False),
                          model_type=nncf.ModelType.TRANSFORMER if network_input["family"] == "detr" else None)
    folder = os.path.dirname(os.path.abspath(options.output))
    os.makedirs(folder, exist_ok=True)
    stem = os.path.splitext(os.path.basename(options.output))[0]
    with tempfile.TemporaryDirectory(prefix=".quantise-", dir=folder) as work:
        path = os.path.join(work, stem + ".xml")
        openvino.save_model(small, path, compress_to_fp16=True)
        with open(os.path.join(work, stem + ".json"), "w", encoding="utf-8") as file:
            json.dump({**manifest(options.model), **network_input, "task": "detection",
                       "source": f"{os.path.basename(options.model)}, quantised to 8 bits"}, file, indent=2)
            file.write("\n")
        say(f"comparing on {len(kept)} held-out pictures")
        pairs, before, after = agreement(objects(options.odt, options.model, kept), objects(options.odt, path, kept))
        if before == 0:
            stop(f"the network finds no object with a score of at least {SHOWN} in the held-out pictures, so the loss cannot be measured. Take "
                 "pictures of objects that the network detects")
        loss = 1 - 2 * len(pairs) / (before + after)
        say(f"{len(pairs)} of {before} objects (float) and {after} (8 bits) agree in label and position (IoU of at least 0.5): agreement "
            f"{100 * (1 - loss):.1f} %, loss {100 * loss:.1f} %")
        if pairs:
            say(f"these overlap by {sum(pair[0] for pair in pairs) / len(pairs):.3f} and differ in score by "
                f"{sum(pair[1] for pair in pairs) / len(pairs):.3f} on average")
        size = sum(os.path.getsize(os.path.join(work, stem + end)) for end in (".xml", ".bin"))
        if loss > options.max_loss and not options.force:
            stop(f"the loss is above {100 * options.max_loss:.1f} %, so nothing was written. Use more pictures of the kind that the network will see; "
                 "--max-loss raises the limit, --force ignores it")
        for end in (".bin", ".json", ".xml"):
            os.replace(os.path.join(work, stem + end), os.path.join(folder, stem + end))
    say(f"wrote {options.output} ({size / 1e6:.1f} MB; {os.path.getsize(options.model) / 1e6:.1f} before)")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        stop(str(error))
