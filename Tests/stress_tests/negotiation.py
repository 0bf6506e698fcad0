"""Negotiation of many formats and sizes."""
from buffer_feeder import BufferFeeder, picture
from stress_test import require, stress_test
from validation import Gst, formats

SIDES = [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 97, 127, 128, 129, 241, 320, 353, 481, 640, 719]
LARGE = [(4096, 4096), (4096, 1), (1, 4096), (4095, 2161), (3840, 2160), (8192, 16), (16, 8191), (1920, 1081)]
RATES = ["0/1", "1/1", "25/1", "30000/1001", "60/1", "1/2147483647", "2147483647/1", "1000/1"]
DETAILS = ["", ",interlace-mode=interleaved", ",interlace-mode=mixed", ",interlace-mode=progressive",
           ",pixel-aspect-ratio=16/11", ",pixel-aspect-ratio=1/2147483647", ",colorimetry=bt709", ",colorimetry=bt601",
           ",colorimetry=bt2020", ",colorimetry=2:4:7:1", ",colorimetry=1:1:5:1", ",chroma-site=mpeg2",
           ",multiview-mode=side-by-side", ",views=2,multiview-mode=mono", ",max-framerate=60/1"]


def random_caps(choose, known, large=False):
    width, height = choose.choice(LARGE) if large else (choose.choice(SIDES), choose.choice(SIDES))
    return (f"video/x-raw,format={choose.choice(known)},width={width},height={height},"
            f"framerate={choose.choice(RATES)}{choose.choice(DETAILS)}")


@stress_test(seconds=150, weight=25)
def renegotiation(trial):
    """400 changes of format, size, frame rate and colorimetry, from 1x1 to 4096x4096."""
    choose, known = trial.random, formats()
    with BufferFeeder("detector=motion updates=every-frame multiple-objects=true draw-traces=true track-min-hits=1") as buffer_feeder:
        buffer_feeder.segment()
        at = step = 0
        for turn in range(400):
            text = random_caps(choose, known, large=turn % 40 == 39)
            info = buffer_feeder.caps(text)
            require(info, f"does not take {text}")
            for _ in range(1 if info.size > 10**6 else choose.randrange(1, 5)):
                flow = buffer_feeder.push(picture(info, step), pts=at, duration=40_000_000)
                require(flow == Gst.FlowReturn.OK, f"{flow.value_nick} for {text}")
                at += 40_000_000
                step += 1
        buffer_feeder.end()
        require(buffer_feeder.validator.results == step, f"{buffer_feeder.validator.results} results for {step} frames")


@stress_test(seconds=60, weight=3)
def strange_caps(trial):
    """Incomplete or invalid caps are rejected, and the following valid ones are accepted."""
    choose, known = trial.random, formats()
    strange = ["video/x-raw", "video/x-raw,format=I420", "video/x-raw,format=I420,width=320", "video/x-raw,format=ENCODED",
               "video/x-raw,format=I420,width=0,height=0", "video/x-raw,format=I420,width=-1,height=5,framerate=30/1",
               "video/x-raw,format=DMA_DRM,width=64,height=64", "audio/x-raw,rate=8000", "video/x-h264",
               "video/x-raw,format=I420,width=64,height=64,framerate=-1/1", "video/x-raw(memory:GLMemory),format=RGBA,width=8,height=8",
               "video/x-raw,format=NV12,width=2147483647,height=2147483647,framerate=1/1",
               "video/x-raw,format=BGRx,width=32767,height=32767,framerate=1/1",
               "video/x-raw,format=GRAY8,width=1,height=2147483647,framerate=30/1",
               "video/x-raw,format=GRAY8,width=64,height=64,framerate=30/1,pixel-aspect-ratio=0/1"]
    with BufferFeeder("detector=motion updates=every-frame") as buffer_feeder:
        buffer_feeder.segment()
        for turn in range(150):
            info = buffer_feeder.caps(choose.choice(strange))
            if info is not None and 0 < info.size < 10**7:
                buffer_feeder.push(picture(info, turn), pts=turn * Gst.SECOND // 25)
            text = random_caps(choose, known)
            info = buffer_feeder.caps(text)
            require(info, f"does not take {text} any more")
            flow = buffer_feeder.push(picture(info, turn), pts=turn * Gst.SECOND // 25)
            require(flow == Gst.FlowReturn.OK, f"{flow.value_nick} for {text}")
