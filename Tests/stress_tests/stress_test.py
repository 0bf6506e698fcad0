"""What a torment is: a function that does something to the element and says what it found."""
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
# The default detector, prepared or as it is published.
DETECTOR = max(glob.glob(os.path.join(MODELS, "efficientdet_lite0*.[xt]*")), default=os.path.join(MODELS, "efficientdet_lite0_int8.xml"))
BIKES = os.path.join(DATA, "videos", "bikes.mp4")
CARTOON = os.path.join(DATA, "videos", "bigbuckbunny.mp4")
ONE_BY_ONE = os.path.join(os.path.dirname(ROOT), "shared", "videos", "one-by-one-person-detection.mp4")
UNDER_SANITIZER = bool(os.environ.get("LD_PRELOAD"))


class Finding(Exception):
    """The element did what it must not."""


class Skip(Exception):
    """The torment needs something that is not here."""


class Trial:
    """What a torment is given: chance, and a folder of its own."""

    def __init__(self, seed, folder):
        self.seed = seed
        self.folder = folder
        self.random = random.Random(seed)

    def path(self, name):
        return os.path.join(self.folder, name)


@dataclasses.dataclass
class StressTest:
    """One torment: its function, the seconds after which it counts as hanging, and about how long it takes."""

    name: str
    summary: str
    function: object
    seconds: float
    weight: float


found = {}


# How much slower a machine may be that has other things to do, or one that runs under a sanitizer.
SLOWNESS = 6 if UNDER_SANITIZER else 3


def stress_test(seconds=90, weight=5):
    """Makes a function a torment of its name; the first line of its text is what it is about."""

    def register(function):
        name = function.__name__
        found[name] = StressTest(name, function.__doc__.splitlines()[0], function, seconds * SLOWNESS, weight)
        return function

    return register


FAMILIES = ("corruption", "negotiation", "times", "states", "settings", "crowds", "exits", "recordings", "scarcity",
            "damage", "losses", "guards", "endurance")


def all_stress_tests():
    """The torments of all families. They import GStreamer only when they run: listing them needs none."""
    for family in FAMILIES:
        if any(module.name == family for module in pkgutil.iter_modules([HERE])):
            importlib.import_module(family)
    return sorted(found.values(), key=lambda one: one.name)


def need(*paths):
    """Skips the torment where one of these is missing."""
    for path in paths:
        if not os.path.exists(path):
            raise Skip(f"{path} is missing; Pipelines/setup fetches it")


def need_network():
    """Skips the torment where the runtime or the default detector is missing."""
    need(os.path.join(DATA, "openvino"), DETECTOR)


def require(condition, finding):
    if not condition:
        raise Finding(finding)
