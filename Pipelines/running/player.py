"""Runs a pipeline for the programs in Pipelines: hears what swiftodt says, and ends the stream properly whatever comes.

The first Ctrl-C, SIGTERM or SIGHUP asks the stream to end, so that what is being recorded is complete; the second ends the
program at once. A stream that does not end, because its source stalls, is given up after some seconds.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

from running.program import HANGING, Failure, say  # noqa: E402

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
IS_CHECKOUT = os.path.exists(os.path.join(HERE, "setup"))
BUILT = os.path.join(os.path.dirname(HERE), ".build", "plugin")
SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
# How long a stream may take to end once it was asked to: encoders and networks have to finish what they hold.
PATIENCE = 10
# How long elements may take to stop after that.
STOPPING = 3


def start_gstreamer():
    """Makes GStreamer ready, with this checkout's plugin, which is built first if it never was, or with the installed one."""
    if IS_CHECKOUT:
        if not os.path.exists(os.path.join(BUILT, "libgstswiftodt.so")):
            subprocess.run([os.path.join(HERE, "setup")], stdout=sys.stderr, check=False)
        others = os.environ.get("GST_PLUGIN_PATH")
        os.environ["GST_PLUGIN_PATH"] = f"{BUILT}:{others}" if others else BUILT
    Gst.init(None)
    if not Gst.ElementFactory.find("swiftodt"):
        raise Failure("GStreamer finds no element swiftodt: "
                      + ("run Pipelines/setup" if IS_CHECKOUT else "install gstreamer1.0-swiftodt; odt doctor says more"))


def parse(words):
    """A pipeline, from its words as gst-launch-1.0 takes them."""
    try:
        pipeline = Gst.parse_launchv(words)
    except gi.repository.GLib.Error as error:
        raise Failure(f"{' '.join(words)!r} is no pipeline: {error.message}") from None
    if isinstance(pipeline, Gst.Pipeline):
        return pipeline
    # A single element comes as it is, and has no bus of its own.
    whole = Gst.Pipeline()
    whole.add(pipeline)
    return whole


def plain(value):
    """A value out of a message, as JSON knows it."""
    if isinstance(value, Gst.Structure):
        names = map(value.nth_field_name, range(value.n_fields()))
        return {name: plain(value.get_value(name)) for name in names}
    if isinstance(value, (Gst.ValueList, Gst.ValueArray)):
        return [plain(item) for item in value]
    # GST_CLOCK_TIME_NONE: unknown, as in the element's own JSON.
    return None if value == Gst.CLOCK_TIME_NONE else value


def line(structure, name=None):
    """A message as a line of JSON."""
    content = {"message": name or structure.get_name()} | plain(structure)
    return json.dumps(content, ensure_ascii=False, default=str) + "\n"


class Player:
    """Plays a pipeline to its end.

    What went wrong is in `failure` afterwards, and the signal that ended the stream in `interrupted`.
    """

    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.failure = None
        self.interrupted = None
        self.deadline = None
        self.catch_signals()

    def end(self):
        """Asks the stream to end. Not every source hears it. May block."""
        # A pipeline that takes an event holds its state, and one that is about to play would wait for that for good.
        self.pipeline.get_state(PATIENCE * Gst.SECOND)
        self.pipeline.send_event(Gst.Event.new_eos())

    def fail(self, text):
        """Ends the stream because of an error; the first one counts."""
        self.failure = self.failure or text
        self.ask_to_end()

    def ask_to_end(self):
        if self.deadline is None:
            self.deadline = time.monotonic() + PATIENCE
            # In a thread of its own: a pad that is at work takes the event when it is done.
            threading.Thread(target=self.end, daemon=True).start()

    def watch(self):
        """Waits for signals in a thread of its own, because the others may be inside GStreamer for long."""
        self.interrupted = signal.sigwait(SIGNALS)
        self.ask_to_end()
        say("ending the stream; once more ends at once")
        while (left := self.deadline + STOPPING - time.monotonic()) > 0:
            if signal.sigtimedwait(SIGNALS, left) is not None:
                break
        sys.stderr.flush()
        os._exit(128 + self.interrupted)

    def catch_signals(self):
        """From here on signals go to `watch`. A SIGHUP that is ignored, because of nohup, stays so."""
        caught = {number for number in SIGNALS
                  if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN}
        for number in caught:
            # A shell's background jobs ignore SIGINT; who sends one all the same means it.
            signal.signal(number, signal.SIG_DFL)
        # GStreamer's threads inherit this.
        signal.pthread_sigmask(signal.SIG_BLOCK, caught)
        threading.Thread(target=self.watch, daemon=True).start()

    def refuse(self, text):
        """Ends the stream with an error, from whatever thread."""
        error = GLib.Error.new_literal(Gst.CoreError.quark(), text, Gst.CoreError.FAILED)
        self.pipeline.post_message(Gst.Message.new_error(self.pipeline, error, ""))

    def start(self):
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            # After what the element itself has said, if it has.
            self.refuse("the pipeline does not start")

    def messages(self):
        """Plays, and yields every message of swiftodt, good until the next, until the stream ends."""
        bus = self.pipeline.get_bus()
        # Starting may block (a FIFO that nobody writes, a server that says nothing): the bus is heard meanwhile.
        threading.Thread(target=self.start, daemon=True).start()
        wanted = Gst.MessageType.ELEMENT | Gst.MessageType.WARNING | Gst.MessageType.ERROR | Gst.MessageType.EOS
        while True:
            message = bus.timed_pop_filtered(Gst.SECOND // 10, wanted)
            if message is None:
                if self.deadline is not None and time.monotonic() > self.deadline:
                    self.failure = self.failure or f"the stream did not end within {PATIENCE} seconds"
                    break
            elif message.type == Gst.MessageType.EOS:
                break
            elif message.type == Gst.MessageType.ERROR:
                error, detail = message.parse_error()
                self.failure = self.failure or (
                    f"{message.src.get_path_string()}: {error.message}" + (f"\n{detail}" if detail else ""))
                break
            elif message.type == Gst.MessageType.WARNING:
                say(f"{message.src.get_path_string()}: {message.parse_warning()[0].message}")
            elif message.get_structure().get_name().startswith("swiftodt"):
                yield message.get_structure()

    def stop(self):
        """Stops all elements. What hangs in there is left to the end of the program."""
        stopping = threading.Thread(
            target=self.pipeline.set_state, args=[Gst.State.NULL], name=HANGING, daemon=True)
        stopping.start()
        stopping.join(STOPPING)

    def code(self):
        """The program's exit code, once the stream has ended."""
        if self.failure:
            say(self.failure)
            return 1
        return 0

    def statistics(self):
        """The counters of each swiftodt in the pipeline, as the last lines."""
        return [line(element.props.stats, "stats")
                for element in self.pipeline.iterate_all_by_element_factory_name("swiftodt")]
