"""All properties with all values, at any time."""
import threading
import time

from buffer_feeder import BufferFeeder, picture
from stress_test import BIKES, need, need_network, require, stress_test
from validation import GObject, Gst, MonitoredPipeline, formats

JUNK = [None, "", " ", ",", ",,,;", "person,car", "((x)", "{", "}", "{}", "{{", "{label", "label}", "{label}{id}" * 40, "(?i)(", "\\", "\\x{",
        "%s%n%d", "\n\t\r", "é<&>\"'", "\u202e\u0000".replace("\u0000", "\u200f"), "😀" * 50, "(" * 3000, "[[[[" * 500, "{[(" * 800,
        "a" * 100_000, "(structure)x, y=(int)1;", "\"", "\\\"", "$(id)", "-1", "\u0301" * 300, "{confidence:99999999999f}", "{id!r}",
        "x#[*},\\=;{%0*(\\#==[\\%=(\\\" {}'é\n0\\)é\n()\n#é((\",\\"]


def junk(choose):
    """Returns nonsensical text."""
    if choose.random() < 0.5:
        return choose.choice(JUNK)
    pieces = ["{", "}", "(", ")", "[", "]", "label", "id", "{id}", ",", "\\", "\"", "'", ";", "=", " ", "%", "é", "\n", "(string)", "0", "#", "*"]
    return "".join(choose.choice(pieces) for _ in range(choose.randrange(1, 60)))


# PyGObject before 3.50 returns its own class for these, later versions GLib's structure.
def enum_values(known):
    return list(known.__enum_values__) if hasattr(known, "__enum_values__") else list(range(known.minimum, known.maximum + 1))


def flags_mask(known):
    return sum(known.__flags_values__) if hasattr(known, "__flags_values__") else known.mask


def any_value(choose, spec):
    """Returns a valid value of a property, preferably at the limits of its range."""
    kind = spec.value_type
    if kind.is_a(GObject.TYPE_ENUM):
        return choose.choice(enum_values(spec.enum_class))
    if kind.is_a(GObject.TYPE_FLAGS):
        return choose.randrange(flags_mask(spec.flags_class) + 1)
    if kind == GObject.TYPE_BOOLEAN:
        return choose.random() < 0.5
    if kind == GObject.TYPE_STRING:
        return junk(choose)
    if kind == Gst.ValueArray.__gtype__:
        # The values of an array have one type.
        one = choose.choice([lambda: junk(choose) or "", lambda: choose.randrange(-5, 5), choose.random])
        return Gst.ValueArray([one() for _ in range(choose.randrange(4))])
    if kind in (GObject.TYPE_DOUBLE, GObject.TYPE_FLOAT):
        return choose.choice([spec.minimum, spec.maximum, spec.default_value, choose.uniform(spec.minimum, spec.maximum),
                              min(spec.maximum, max(spec.minimum, 5e-324))])
    return choose.choice([spec.minimum, spec.maximum, spec.default_value, choose.randint(spec.minimum, spec.maximum),
                          min(spec.maximum, spec.minimum + choose.randrange(10))])


def settable(element, also_ready=False):
    own = [spec for spec in element.list_properties() if int(spec.flags) & int(GObject.ParamFlags.WRITABLE)
           and spec.owner_type.name == "GstSwiftOdt"]
    return own if also_ready else [spec for spec in own if int(spec.flags) & Gst.PARAM_MUTABLE_PLAYING]


class Fiddler(threading.Thread):
    """Sets a property at random a thousand times a second."""

    def __init__(self, element, choose, also_ready=False):
        super().__init__(daemon=True)
        self.element, self.choose, self.over = element, choose, threading.Event()
        # With privacy-strict, values that redact nothing are errors.
        self.specs = [spec for spec in settable(element, also_ready) if spec.name != "privacy-strict"]
        self.turns = 0
        self.problem = None

    def run(self):
        try:
            self.fiddle()
        except Exception as problem:
            self.problem = problem

    def fiddle(self):
        due = time.monotonic()
        while not self.over.is_set():
            spec = self.choose.choice(self.specs)
            self.element.set_property(spec.name, any_value(self.choose, spec))
            self.element.get_property(self.choose.choice(self.specs).name)
            self.turns += 1
            if self.turns % 50 == 0:
                self.element.get_property("stats")
                self.element.emit(self.choose.choice(["reset-tracks", "detect-now"]))
            due += 0.001
            time.sleep(max(0.0, due - time.monotonic()))

    def stop(self):
        self.over.set()
        self.join(30)
        require(not self.is_alive(), "setting a property does not come back")
        if self.problem:
            raise self.problem


def fiddle(trial, source, properties, seconds, also_ready=False):
    with MonitoredPipeline(f"{source} ! swiftodt name=odt privacy-strict=false {properties} ! fakesink sync=false") as watched:
        fiddler = Fiddler(watched.element, trial.random, also_ready)
        watched.set(Gst.State.PLAYING)
        fiddler.start()
        over = watched.hear(seconds)
        fiddler.stop()
        require(not watched.validator.errors, watched.validator.errors)
        if not over:
            watched.pipeline.send_event(Gst.Event.new_eos())
            require(watched.hear(180), f"no end of stream in three minutes, after {watched.frames.left} frames")
        require(not watched.validator.errors, watched.validator.errors)
        require(watched.frames.all_arrived(),
                f"{len(watched.frames.waiting)} of {watched.frames.entered} frames lost at the end")
        require(watched.frames.left > 0, "no frame came out")
        print(f"{fiddler.turns} properties in {watched.frames.left} frames, longest standstill "
              f"{watched.frames.standstill * 1000:.0f} ms")


@stress_test(seconds=90, weight=7)
def properties(trial):
    """Sets all properties at 1 kHz from another thread, with detector=motion and unusual formats."""
    for format in trial.random.sample(formats(), 3):
        fiddle(trial, f"videotestsrc pattern=ball num-buffers=100000 ! video/x-raw,format={format},width=321,height=241,framerate=60/1",
               "detector=motion multiple-objects=true", 2)


@stress_test(seconds=120, weight=12)
def properties_neural(trial):
    """Sets all properties at 1 kHz, with a network."""
    need_network()
    need(BIKES)
    fiddle(trial, f"filesrc location={BIKES} ! decodebin", "detector=neural", 4)
    fiddle(trial, f"filesrc location={BIKES} ! decodebin", "detector=neural", 4, also_ready=True)


@stress_test(seconds=60, weight=4)
def words(trial):
    """Sets every text property to any text during drawing."""
    choose = trial.random
    # With privacy-strict, privacy-labels without a box-style that redacts is an error.
    with BufferFeeder("detector=motion updates=every-frame track-min-hits=1 message-format=structure+json draw-traces=true"
                      " privacy-strict=false") as buffer_feeder:
        texts = [spec.name for spec in settable(buffer_feeder.element) if spec.value_type == GObject.TYPE_STRING]
        info = buffer_feeder.caps("video/x-raw,format=GRAY8,width=320,height=240,framerate=30/1")
        buffer_feeder.segment()
        require(len(texts) >= 4, f"too few texts: {texts}")
        values = [(name, text) for name in texts for text in JUNK] + [(choose.choice(texts), junk(choose)) for _ in range(150)]
        choose.shuffle(values)
        for step, (name, text) in enumerate(values):
            buffer_feeder.element.set_property(name, text)
            if "list" in name:
                buffer_feeder.element.set_property("label-denylist", None)
                buffer_feeder.element.set_property("label-allowlist", None)
            content = bytearray(b"\x20" * info.size)
            for line in range(100, 140):
                left = line * info.stride[0] + 20 + step % 240
                content[left:left + 40] = b"\xd0" * 40
            flow = buffer_feeder.push(bytes(content), pts=step * Gst.SECOND // 30, duration=Gst.SECOND // 30)
            require(flow == Gst.FlowReturn.OK, f"{flow.value_nick} with {name}={text!r}")
        buffer_feeder.end()
        require(buffer_feeder.validator.objects > 100, f"only {buffer_feeder.validator.objects} objects: nothing was drawn")


@stress_test(seconds=120, weight=8)
def starts(trial):
    """Starts with any values of any properties: the stream plays, or there is an error text."""
    choose = trial.random
    for _ in range(30):
        buffer_feeder = BufferFeeder("")
        chosen = {}
        for spec in settable(buffer_feeder.element, also_ready=True):
            # Networks with many threads would take too long here.
            if spec.name == "threads":
                continue
            if choose.random() < 0.4:
                chosen[spec.name] = any_value(choose, spec)
                buffer_feeder.element.set_property(spec.name, chosen[spec.name])
        buffer_feeder.bin.set_state(Gst.State.PLAYING)
        outcome = buffer_feeder.bin.get_state(30 * Gst.SECOND)[0]
        buffer_feeder.hear()
        if outcome == Gst.StateChangeReturn.SUCCESS:
            buffer_feeder.bin.set_state(Gst.State.NULL)
            with buffer_feeder:
                info = buffer_feeder.caps("video/x-raw,format=YUY2,width=161,height=121,framerate=30/1")
                buffer_feeder.segment()
                for step in range(5):
                    flow = buffer_feeder.push(picture(info, step), pts=step * Gst.SECOND // 30)
                    buffer_feeder.hear()
                    require(flow == Gst.FlowReturn.OK or buffer_feeder.validator.errors, f"{flow.value_nick}, no error, with {chosen}")
                    if flow != Gst.FlowReturn.OK:
                        break
                else:
                    buffer_feeder.end()
        else:
            require(outcome == Gst.StateChangeReturn.FAILURE, f"{outcome.value_nick} with {chosen}")
            require(buffer_feeder.validator.errors, f"fails without an error, with {chosen}")
            buffer_feeder.bin.set_state(Gst.State.NULL)
            buffer_feeder.judge()
