"""Corrupt files and buffers, before and after the decoder."""
from buffer_feeder import BufferFeeder, picture
from stress_test import BIKES, CARTOON, need, need_network, require, stress_test
from validation import NONE, Gst, GstVideo, MonitoredPipeline, formats


def broken(choose, content):
    """Returns a copy with flipped bits, and sometimes a missing end."""
    content = bytearray(content)
    for _ in range(choose.choice([1, 10, 100, 1000])):
        content[choose.randrange(len(content))] ^= 1 << choose.randrange(8)
    if choose.random() < 0.3:
        del content[choose.randrange(len(content)):]
    if choose.random() < 0.3:
        at = choose.randrange(max(1, len(content)))
        del content[at:at + choose.randrange(5000)]
    return bytes(content)


@stress_test(seconds=200, weight=10)
def broken_files(trial):
    """Video files with flipped bits and missing ends."""
    need(BIKES, CARTOON)
    with open(BIKES, "rb") as file:
        whole = file.read()
    for turn in range(4):
        path = trial.path(f"broken{turn}.mp4")
        with open(path, "wb") as file:
            file.write(broken(trial.random, whole))
        # The demuxer and the decoder may fail; the element must pass on all frames that it gets.
        with MonitoredPipeline(f"filesrc location={path} ! decodebin ! videoconvert ! swiftodt name=odt detector=motion"
                     " updates=every-frame ! fakesink sync=false") as watched:
            watched.pipeline.set_state(Gst.State.PLAYING)
            if not watched.hear(4):
                # Some files make the demuxer or the decoder hang; then no frame may wait in the element.
                require(watched.frames.all_arrived(10), f"{len(watched.frames.waiting)} frames remain in the element")


@stress_test(seconds=120, weight=8)
def broken_streams(trial):
    """Compressed frames with wrong bytes, without a parser, because that of GStreamer 1.26 sometimes hangs or crashes on them."""
    need(BIKES)
    network = "detector=neural" if trial.random.random() < 0.5 else "detector=motion"
    if network == "detector=neural":
        need_network()
    for likely in (0.00002, 0.0005, 0.01):
        with MonitoredPipeline(f"filesrc location={BIKES} ! qtdemux ! h264parse ! video/x-h264,stream-format=byte-stream,alignment=au"
                     f" ! breakmydata seed={trial.random.randrange(2**31)} probability={likely} skip=100"
                     f" ! avdec_h264 max-errors=-1 ! swiftodt name=odt {network} inference-interval=4 ! fakesink sync=false") as watched:
            watched.play(60, errors=True)


@stress_test(seconds=120, weight=8)
def broken_pictures(trial):
    """Raw frames with wrong bytes: all frames arrive, and all boxes are inside the frame."""
    choose = trial.random
    need_network()
    likely, format = choose.choice((0.01, 1.0)), choose.choice(formats())
    for detector in ("motion", "neural", "salient"):
        frames = 8 if detector == "salient" else 40
        with MonitoredPipeline(f"videotestsrc pattern=ball num-buffers={frames} ! video/x-raw,format={format},width=317,height=241"
                     f" ! breakmydata seed={choose.randrange(2**31)} probability={likely}"
                     f" ! swiftodt name=odt detector={detector} multiple-objects=true max-objects=100"
                     " score-threshold=0.01 classify=true updates=every-frame message-format=structure+json ! fakesink sync=false") as watched:
            watched.play(60)
            require(watched.frames.left == frames, f"{watched.frames.left} of {frames} frames")
            # Networks detect hundreds of objects in noise, each with its own begin event. Results are coalesced if the bus is read too slowly.
            given_way = watched.pipeline.get_by_name("odt").get_property("stats").get_value("coalesced-messages")
            require(watched.validator.results == frames or given_way >= frames - watched.validator.results,
                    f"{watched.validator.results} messages for {frames} frames, {given_way} coalesced")


def strange_buffer(choose, info):
    """Returns a buffer whose size or layout does not agree with the caps."""
    whole = picture(info, choose.randrange(20))
    what = choose.randrange(8)
    if what == 0:
        return Gst.Buffer.new_wrapped(whole[:choose.randrange(1, len(whole))])
    if what == 1:
        return Gst.Buffer.new()
    if what == 2:
        return Gst.Buffer.new_wrapped(whole + bytes(choose.randrange(1, 5000)))
    if what == 3:
        # In many memory blocks.
        buffer = Gst.Buffer.new()
        at = 0
        while at < len(whole) and buffer.n_memory() < 12:
            size = choose.randrange(1, len(whole))
            buffer.append_memory(Gst.Buffer.new_wrapped(whole[at:at + size]).get_all_memory())
            at += size
        return buffer
    buffer = Gst.Buffer.new_wrapped(whole + bytes(4096))
    if what == 4:
        return buffer
    # GstVideoMeta with a valid or invalid layout.
    planes = info.finfo.n_planes
    offsets, strides = list(info.offset), list(info.stride)
    width, height = info.width, info.height
    for _ in range(choose.randrange(3)):
        plane = choose.randrange(planes)
        edit = choose.randrange(4)
        if edit == 0:
            offsets[plane] = choose.choice([0, 1, len(whole), len(whole) + 4096, 2**31, 2**63, choose.randrange(len(whole))])
        elif edit == 1:
            strides[plane] = choose.choice([0, 1, -1, -strides[plane], strides[plane] - 1, strides[plane] * 2, 2**31 - 1, -2**31])
        elif edit == 2:
            width = choose.choice([1, width - 1, width + 1, width * 2, 2**31, 2**32 - 1])
        else:
            height = choose.choice([1, height - 1, height + 1, height * 2, 2**31, 2**32 - 1])
    width, height = (min(max(1, side), 2**32 - 1) for side in (width, height))
    strides = [min(max(-2**31, stride), 2**31 - 1) for stride in strides]
    GstVideo.buffer_add_video_meta_full(buffer, GstVideo.VideoFrameFlags.NONE, info.finfo.format, width, height, planes, offsets, strides)
    return buffer


def regions(choose, buffer):
    """Adds regions of interest at any position, which detector=upstream reads."""
    for _ in range(choose.randrange(4)):
        sides = [choose.choice([0, 1, 10, 100, 2**31 - 1, 2**31, 2**32 - 1, choose.randrange(300)]) for _ in range(4)]
        meta = GstVideo.buffer_add_video_region_of_interest_meta(buffer, choose.choice(["person", "", "é", "x" * 300]), *sides)
        if choose.random() < 0.5:
            figures = [choose.choice([0.5, -1.0, float("nan"), float("inf"), 1e300]) for _ in range(5)]
            meta.add_param(Gst.Structure.from_string(
                "detection, confidence=(double){}, x_min=(double){}, y_min=(double){}, x_max=(double){}, y_max=(double){}".format(
                    *figures).replace("nan", "0.1"))[0])


@stress_test(seconds=90, weight=6)
def strange_buffers(trial):
    """Buffers that are too small, too large or in pieces, with any layout and regions: each gives an error or a frame."""
    choose, known = trial.random, formats()
    errors = 0
    for turn in range(120):
        detector = choose.choice(["motion", "upstream"])
        buffer_feeder = BufferFeeder(f"detector={detector} updates=every-frame multiple-objects=true track-min-hits=1 draw-traces=true")
        buffer_feeder.start()
        format = choose.choice(known)
        info = buffer_feeder.caps(f"video/x-raw,format={format},width={choose.choice([1, 16, 97])},height={choose.choice([1, 33, 72])},framerate=30/1")
        buffer_feeder.segment()
        for step in range(12):
            buffer = strange_buffer(choose, info) if choose.random() < 0.3 else Gst.Buffer.new_wrapped(picture(info, step))
            if detector == "upstream":
                regions(choose, buffer)
            flow = buffer_feeder.push(buffer, pts=choose.choice([NONE, step * Gst.SECOND // 30]))
            buffer_feeder.hear()
            if flow != Gst.FlowReturn.OK:
                require(buffer_feeder.validator.errors, f"{flow.value_nick} without an error ({format})")
                errors += 1
                break
        buffer_feeder.stop()
        buffer_feeder.judge()
    print(f"{errors} of {turn + 1} streams ended with an error")
