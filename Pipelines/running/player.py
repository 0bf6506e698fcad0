"""Runs a pipeline for the programs in Pipelines, receives the messages of swiftodt and ends the stream on signals.

The first Ctrl-C, SIGTERM or SIGHUP sends end of stream, so that files which the pipeline writes are complete. The second
one ends the program immediately. If the stream does not end within PATIENCE seconds, the program stops it.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

try:
    import gi

    gi.require_version("Gst", "1.0")
    from gi.repository import GLib, Gst
except (ImportError, ValueError):
    # --help works without GStreamer's bindings; start_gstreamer reports that they are missing.
    Gst = None

from running.program import HANGING, Failure, say

HERE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
IS_CHECKOUT = os.path.exists(os.path.join(HERE, "setup"))
BUILT = os.path.join(os.path.dirname(HERE), ".build", "plugin")
SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
# The longest wait in seconds for the end of the stream after an interrupt: encoders and networks finish their buffers.
PATIENCE = 10
# The longest wait in seconds for the change to NULL after that.
STOPPING = 3


def start_gstreamer():
    """Initialises GStreamer with this checkout's plugin, which is built first if it does not exist, or with the installed one."""
    if Gst is None:
        raise Failure("GStreamer's bindings for Python are missing; install Debian's python3-gi and python3-gst-1.0")
    if IS_CHECKOUT:
        if not os.path.exists(os.path.join(BUILT, "libgstswiftodt.so")):
            subprocess.run([os.path.join(HERE, "setup")], stdout=sys.stderr, check=False)
        others = os.environ.get("GST_PLUGIN_PATH")
        os.environ["GST_PLUGIN_PATH"] = f"{BUILT}:{others}" if others else BUILT
    Gst.init(None)
    if not Gst.ElementFactory.find("swiftodt"):
        raise Failure("GStreamer finds no element swiftodt: "
                      + ("run Pipelines/setup" if IS_CHECKOUT else "install gstreamer1.0-swiftodt, or run odt doctor for details"))


def parse(words):
    """Returns the pipeline that the words describe in the syntax of gst-launch-1.0."""
    try:
        pipeline = Gst.parse_launchv(words)
    except gi.repository.GLib.Error as error:
        raise Failure(f"cannot parse the pipeline {' '.join(words)!r}: {error.message}") from None
    if isinstance(pipeline, Gst.Pipeline):
        return pipeline
    # For a single element parse_launchv returns the element itself, which has no bus.
    whole = Gst.Pipeline()
    whole.add(pipeline)
    return whole


def plain(value):
    """Returns a value of a message as a type that JSON has."""
    if isinstance(value, Gst.Structure):
        names = map(value.nth_field_name, range(value.n_fields()))
        return {name: plain(value.get_value(name)) for name in names}
    if isinstance(value, (Gst.ValueList, Gst.ValueArray)):
        return [plain(item) for item in value]
    # GST_CLOCK_TIME_NONE stands for an unknown time; the element's own JSON has null, too.
    return None if value == Gst.CLOCK_TIME_NONE else value


def line(structure, name=None):
    """Returns a message as a line of JSON."""
    content = {"message": name or structure.get_name()} | plain(structure)
    return json.dumps(content, ensure_ascii=False, default=str) + "\n"


class Player:
    """Plays a pipeline to its end.

    Afterwards `failure` holds the text of the first error, and `interrupted` the signal that ended the stream.
    """

    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.failure = None
        self.interrupted = None
        self.deadline = None
        self.catch_signals()

    def end(self):
        """Sends end of stream to the sources. A stalled source does not handle it. May block."""
        # send_event takes the pipeline's state lock. During an asynchronous change to PLAYING that would deadlock.
        self.pipeline.get_state(PATIENCE * Gst.SECOND)
        self.pipeline.send_event(Gst.Event.new_eos())

    def fail(self, text):
        """Keeps the text of the first error and ends the stream."""
        self.failure = self.failure or text
        self.ask_to_end()

    def ask_to_end(self):
        if self.deadline is None:
            self.deadline = time.monotonic() + PATIENCE
            # In a separate thread, because send_event waits for the pad's stream lock.
            threading.Thread(target=self.end, daemon=True).start()

    def watch(self):
        """Waits for signals. Runs in a separate thread, because the main thread may block inside GStreamer."""
        self.interrupted = signal.sigwait(SIGNALS)
        self.ask_to_end()
        say("ending the stream; a second signal ends the program immediately")
        while (left := self.deadline + STOPPING - time.monotonic()) > 0:
            if signal.sigtimedwait(SIGNALS, left) is not None:
                break
        sys.stderr.flush()
        os._exit(128 + self.interrupted)

    def catch_signals(self):
        """Directs signals to `watch`. An ignored SIGHUP (nohup) stays ignored."""
        caught = {number for number in SIGNALS
                  if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN}
        for number in caught:
            # A shell starts background jobs with SIGINT ignored. An explicit SIGINT must end this program nevertheless.
            signal.signal(number, signal.SIG_DFL)
        # Threads that GStreamer creates later inherit the mask, so that only `watch` receives the signals.
        signal.pthread_sigmask(signal.SIG_BLOCK, caught)
        threading.Thread(target=self.watch, daemon=True).start()

    def refuse(self, text):
        """Posts an error on the bus, which ends the stream. Callable from any thread."""
        error = GLib.Error.new_literal(Gst.CoreError.quark(), text, Gst.CoreError.FAILED)
        self.pipeline.post_message(Gst.Message.new_error(self.pipeline, error, ""))

    def start(self):
        if self.pipeline.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            # The bus delivers an error of the element itself before this general one.
            self.refuse("the pipeline does not start")

    def messages(self):
        """Plays and yields the structure of every message of swiftodt until the stream ends. A structure is valid until the next one."""
        bus = self.pipeline.get_bus()
        # The change to PLAYING may block (a FIFO without a writer, a silent server), so it runs beside the loop on the bus.
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
        """Sets the pipeline to NULL. If that hangs for STOPPING seconds, the thread is abandoned until the program ends."""
        stopping = threading.Thread(
            target=self.pipeline.set_state, args=[Gst.State.NULL], name=HANGING, daemon=True)
        stopping.start()
        stopping.join(STOPPING)

    def code(self):
        """Reports the failure, if any, and returns the program's exit code."""
        if self.failure:
            say(self.failure)
            return 1
        return 0

    def statistics(self):
        """Returns the statistics of each swiftodt in the pipeline as lines of JSON."""
        return [line(element.props.stats, "stats")
                for element in self.pipeline.iterate_all_by_element_factory_name("swiftodt")]
