"""Many elements in one process."""
from stress_test import SLOWNESS, need_network, require, stress_test
from validation import PATIENCE, Gst, MessageValidator


def crowd(description, count, frames, seconds):
    """Plays a pipeline of many elements to its end. Each element gets all frames, and its messages are valid."""
    pipeline = Gst.parse_launch(description)
    elements = [pipeline.get_by_name(f"odt{index}") for index in range(count)]
    validators = {element: MessageValidator() for element in elements}
    pipeline.set_state(Gst.State.PLAYING)
    seconds *= SLOWNESS
    until = Gst.util_get_timestamp() + seconds * Gst.SECOND
    over = None
    while over is None and (left := until - Gst.util_get_timestamp()) > 0:
        message = pipeline.get_bus().timed_pop(left)
        if message is None:
            break
        if message.src in validators:
            validators[message.src].hear(message)
        if message.type in (Gst.MessageType.EOS, Gst.MessageType.ERROR):
            over = message
    counted = [element.props.stats.get_value("frames") for element in elements]
    pipeline.set_state(Gst.State.NULL)
    require(pipeline.get_state(PATIENCE * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS, "no way to NULL")
    require(over is not None, f"no end in {seconds} s; frames: {counted}")
    require(over.type == Gst.MessageType.EOS, f"an error: {over.type == Gst.MessageType.ERROR and over.parse_error()}")
    require(set(counted) == {frames}, f"frames: {counted}, not {frames} each")
    findings = [finding for one in validators.values() for finding in one.findings]
    require(not findings, "; ".join(findings[:5]))


@stress_test(seconds=150, weight=20)
def neural_crowd(trial):
    """16 elements with networks in one process."""
    need_network()
    branches = "".join(
        f" t. ! queue ! swiftodt name=odt{index} detector={'salient' if index % 8 == 7 else 'neural'}"
        f" {trial.random.choice(['', 'look-ahead=1', 'look-ahead=4', 'strategy=keep-only-latest', 'classify=true'])} ! fakesink"
        for index in range(16))
    crowd("videotestsrc pattern=ball num-buffers=8 ! video/x-raw,width=320,height=240 ! tee name=t" + branches, 16, 8, 120)


@stress_test(seconds=90, weight=6)
def motion_crowd(trial):
    """64 elements with detector=motion in one process."""
    # Without a message interval, GStreamer 1.22 rarely spins forever in gst_atomic_queue_push, with any 64 elements that post.
    branches = "".join(
        f" videotestsrc pattern=ball num-buffers=60 ! video/x-raw,width={trial.random.randrange(16, 200)},height={trial.random.randrange(16, 200)}"
        f" ! swiftodt name=odt{index} detector=motion updates=every-frame message-interval=200000000 ! fakesink"
        for index in range(64))
    crowd(branches, 64, 60, 60)


@stress_test(seconds=90, weight=6)
def comings_and_goings(trial):
    """Elements are created and destroyed in many concurrent pipelines."""
    choose = trial.random
    playing = []
    for _ in range(150):
        if len(playing) < 8 and choose.random() < 0.6:
            pipeline = Gst.parse_launch("videotestsrc pattern=ball ! video/x-raw,width=64,height=48 ! swiftodt detector=motion"
                                        " ! fakesink")
            pipeline.set_state(choose.choice([Gst.State.READY, Gst.State.PAUSED, Gst.State.PLAYING]))
            playing.append(pipeline)
        elif playing:
            pipeline = playing.pop(choose.randrange(len(playing)))
            error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            require(error is None, f"an error: {error and error.parse_error()}")
            pipeline.set_state(Gst.State.NULL)
    for pipeline in playing:
        pipeline.set_state(Gst.State.NULL)
