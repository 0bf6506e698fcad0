"""Pushes buffers and events in any order directly into the element's sink pad."""
from stress_test import Finding, require
from validation import NONE, PATIENCE, FrameTracker, Gst, GstVideo, MessageValidator


class BufferFeeder:
    """The element with a source pad in front of it and a fakesink behind it. All messages are validated."""

    def __init__(self, properties):
        self.bin = Gst.parse_launch(f"swiftodt name=odt {properties} ! fakesink name=sink sync=false async=false")
        self.element = self.bin.get_by_name("odt")
        self.bus = Gst.Bus.new()
        self.bin.set_bus(self.bus)
        self.pad = Gst.Pad.new("hose", Gst.PadDirection.SRC)
        self.validator = MessageValidator()
        self.validator.sizes = set()
        self.frames = FrameTracker(self.element, self.validator)
        self.pushed = 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, problem, trace):
        self.stop()
        if kind is None:
            self.judge()

    def start(self):
        self.bus.set_flushing(False)
        self.pad.set_active(True)
        self.pad.link(self.element.get_static_pad("sink"))
        self.bin.set_state(Gst.State.PLAYING)
        outcome = self.bin.get_state(PATIENCE * Gst.SECOND)[0]
        self.hear()
        require(outcome == Gst.StateChangeReturn.SUCCESS, f"does not start: {outcome.value_nick} {self.validator.errors}")
        self.pad.push_event(Gst.Event.new_stream_start("stress"))

    def stop(self):
        self.hear()
        self.bin.set_state(Gst.State.NULL)
        outcome = self.bin.get_state(PATIENCE * Gst.SECOND)[0]
        require(outcome == Gst.StateChangeReturn.SUCCESS, f"no way to NULL: {outcome.value_nick}")
        while (message := self.bus.pop()) is not None:
            self.validator.hear(message)
        self.frames.forget()
        self.pad.set_active(False)
        self.pad.unlink(self.element.get_static_pad("sink"))
        self.validator.restart()

    def judge(self):
        if self.validator.findings:
            raise Finding("; ".join(self.validator.findings[:5]))

    def caps(self, text):
        """Sends caps. Returns their video info, or None if the element rejects them."""
        caps = Gst.Caps.from_string(text)
        try:
            info = GstVideo.VideoInfo.new_from_caps(caps)
            self.validator.sizes.add((info.width, info.height))
        except TypeError:  # PyGObject raises TypeError for invalid caps.
            info = None
        return info if self.pad.push_event(Gst.Event.new_caps(caps)) and info is not None else None

    def segment(self, format=Gst.Format.TIME, **fields):
        segment = Gst.Segment()
        segment.init(format)
        for name, value in fields.items():
            setattr(segment, name, value)
        return self.pad.push_event(Gst.Event.new_segment(segment))

    def push(self, content, pts=NONE, duration=NONE, flags=0):
        """Pushes a buffer and returns the flow."""
        buffer = content if isinstance(content, Gst.Buffer) else Gst.Buffer.new_wrapped(content)
        buffer.pts, buffer.duration = pts, duration
        if flags:
            buffer.set_flags(Gst.BufferFlags(flags))
        self.pushed += 1
        flow = self.pad.push(buffer)
        if self.pushed % 16 == 0:
            self.hear()
        return flow

    def end(self):
        """Sends end of stream and checks that all frames have left the element."""
        self.pad.push_event(Gst.Event.new_eos())
        self.hear()
        require(self.frames.all_arrived(), f"{len(self.frames.waiting)} of {self.frames.entered} frames lost at the end")

    def hear(self):
        while (message := self.bus.pop()) is not None:
            self.validator.hear(message)


def picture(info, step):
    """Returns the bytes of a picture with a bright band of lines in every plane, whose position depends on `step`."""
    content = bytearray(b"\x20") * info.size
    for plane in range(info.finfo.n_planes):
        stride, offset = info.stride[plane], info.offset[plane]
        end = info.offset[plane + 1] if plane + 1 < info.finfo.n_planes else info.size
        lines = (end - offset) // stride if stride else 0
        if lines < 1:
            continue
        tall = max(1, lines // 6)
        first = offset + (step * 3 % max(1, lines - tall + 1)) * stride
        wide = max(1, stride // 4)
        for line in range(tall):
            at = first + line * stride + stride // 3
            content[at:at + wide] = b"\xd0" * len(content[at:min(at + wide, end)])
    return bytes(content)
