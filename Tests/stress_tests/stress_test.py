"""The registry of stress tests: functions that raise Finding if the element misbehaves."""
import dataclasses
import glob
import importlib
import os
import pkgutil
import random

SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "swiftodt")
MODELS = os.path.join(DATA, "models")
# The default detector, converted or as published.
DETECTOR = next((path for name in ("deimv2_femto.onnx", "yolox_nano.onnx", "efficientdet_lite0*.[xt]*")
                 for path in glob.glob(os.path.join(MODELS, name))), os.path.join(MODELS, "efficientdet_lite0_int8.xml"))
BIKES = os.path.join(DATA, "videos", "bikes.mp4")
CARTOON = os.path.join(DATA, "videos", "bigbuckbunny.mp4")
ONE_BY_ONE = os.path.join(os.path.dirname(ROOT), "shared", "videos", "one-by-one-person-detection.mp4")
UNDER_SANITIZER = bool(os.environ.get("LD_PRELOAD"))
LONG = bool(os.environ.get("STRESS_LONG"))


class Finding(Exception):
    """The element misbehaved."""


class Skip(Exception):
    """A requirement of the stress test is missing."""


class Trial:
    """The arguments of a stress test: a random generator and a temporary folder."""

    def __init__(self, seed, folder):
        self.seed = seed
        self.folder = folder
        self.random = random.Random(seed)

    def path(self, name):
        return os.path.join(self.folder, name)


@dataclasses.dataclass
class StressTest:
    """A stress test: its function, its time limit in seconds, its approximate duration in seconds (`weight`), and whether it runs by
    default. The others run with --all, --long or --only: they repeat pipeline tests, which use fixed values."""

    name: str
    summary: str
    function: object
    seconds: float
    weight: float
    by_default: bool


found = {}


# The factor of the time limits for busy machines and sanitizers.
SLOWNESS = 6 if UNDER_SANITIZER else 3


def stress_test(seconds=90, weight=5, by_default=True):
    """Registers a function as a stress test. The first line of its docstring is the summary."""

    def register(function):
        name = function.__name__
        found[name] = StressTest(name, function.__doc__.splitlines()[0], function, seconds * SLOWNESS, weight, by_default)
        return function

    return register


FAMILIES = ("corruption", "negotiation", "times", "states", "settings", "crowds", "exits", "recordings", "scarcity",
            "damage", "losses", "guards", "endurance", "gates")


def all_stress_tests():
    """Imports all families and returns their tests, sorted by name."""
    for family in FAMILIES:
        if any(module.name == family for module in pkgutil.iter_modules([HERE])):
            importlib.import_module(family)
    return sorted(found.values(), key=lambda one: one.name)


def need(*paths):
    """Skips the test if one of these files is missing."""
    for path in paths:
        if not os.path.exists(path):
            raise Skip(f"{path} is missing; Pipelines/setup fetches it")


def need_network():
    """Skips the test if the runtime or the default detector is missing."""
    need(os.path.join(DATA, "openvino"), DETECTOR)


def require(condition, finding):
    if not condition:
        raise Finding(finding)
