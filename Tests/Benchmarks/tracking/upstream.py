"""Compares ioutracker of GStreamer 1.28 with swiftodt on the detections of a sequence in MOTChallenge's layout, attached as
GstAnalyticsODMtd. Tests/testing-root trackers runs both parts.

Usage: upstream.py track SEQUENCE FOLDER    plays the trackers and writes their tracks into FOLDER (needs GStreamer 1.28)
       upstream.py score SEQUENCE FOLDER    prints the table (needs trackeval)
"""
import configparser
import sys

SWIFTODT = "swiftodt detector=upstream multiple-objects=true max-objects=100 draw=false updates=none"
TRACKERS = {
    "ioutracker": "ioutracker",
    "ioutracker iou-score-threshold=0.3": "ioutracker iou-score-threshold=0.3",
    "swiftodt detector=upstream": SWIFTODT,
}
CARRIED = "swiftodt detector=upstream, with carried objects"


def track(sequence, folder):
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstAnalytics", "1.0")
    from gi.repository import GLib, Gst, GstAnalytics
    import numpy as np
    Gst.init(None)
    person = GLib.quark_from_string("person")
    found = np.loadtxt(f"{sequence}/det/det.txt", delimiter=",")
    information = configparser.ConfigParser()
    information.read(f"{sequence}/seqinfo.ini")
    rate = information.getint("Sequence", "frameRate")

    def described(sample, number):
        """Returns a frame with the detections of the frame with this number, from 1."""
        buffer = sample.get_buffer().copy_deep()
        buffer.pts, buffer.duration = (number - 1) * Gst.SECOND // rate, Gst.SECOND // rate
        meta = GstAnalytics.buffer_add_analytics_relation_meta(buffer)
        for _, _, x, y, width, height, score, *_ in found[found[:, 0] == number]:
            meta.add_od_mtd(person, round(x), round(y), round(width), round(height), min(score, 1))
        return buffer

    def tracked(buffer, number):
        """Yields the rows of the objects that relate to a track, and whether they are carried."""
        meta = GstAnalytics.buffer_get_analytics_relation_meta(buffer)
        numbers = range(GstAnalytics.relation_get_length(meta) if meta else 0)
        for one in numbers:
            is_object, entry = meta.get_od_mtd(one)
            if not is_object:
                continue
            related = {other: meta.get_relation(one, other) for other in numbers}
            ids = [meta.get_tracking_mtd(other)[1].get_info()[1] for other, relation in related.items()
                   if relation == GstAnalytics.RelTypes.RELATE_TO and meta.get_tracking_mtd(other)[0]]
            carried = any(relation == GstAnalytics.RelTypes.IS_PART_OF for relation in related.values())
            if ids:
                yield (number, ids[0], *entry.get_location()[1:5], 1), carried

    for name, element in TRACKERS.items():
        decoder = Gst.parse_launch(f'filesrc location="{sequence}/vtest.avi" ! decodebin ! appsink name=frames sync=false max-buffers=4')
        pipeline = Gst.parse_launch(f"appsrc name=in format=time ! {element} ! appsink name=out sync=false")
        source, sink = pipeline.get_by_name("in"), pipeline.get_by_name("out")
        decoder.set_state(Gst.State.PLAYING)
        rows, number = [], 0
        while (sample := decoder.get_by_name("frames").emit("pull-sample")) is not None:
            number += 1
            if number == 1:
                caps = sample.get_caps().copy()
                caps.set_value("framerate", Gst.Fraction(rate, 1))
                source.set_property("caps", caps)
                pipeline.set_state(Gst.State.PLAYING)
            source.emit("push-buffer", described(sample, number))
            rows += tracked(sink.emit("pull-sample").get_buffer(), number)
        for state in (decoder, pipeline):
            state.set_state(Gst.State.NULL)
        save(folder, name, [row for row, carried in rows if not carried])
        if element == SWIFTODT:
            save(folder, CARRIED, [row for row, _ in rows])


def save(folder, name, rows):
    with open(file_of(folder, name), "w") as file:
        file.writelines(",".join(map(str, row)) + "\n" for row in rows)


def score(sequence, folder):
    from score import evaluated, read
    truth = read(f"{sequence}/gt/gt.txt")
    print(f"{'tracker':50} {'HOTA':>6} {'AssA':>6} {'IDF1':>6} {'MOTA':>6} {'id switches':>12}")
    for name in (*TRACKERS, CARRIED):
        figures = evaluated(truth, read(file_of(folder, name)), int(truth[:, 0].max()))
        percent = [100 * float(number) for number in (
            figures["HOTA"]["HOTA"].mean(), figures["HOTA"]["AssA"].mean(), figures["Identity"]["IDF1"], figures["CLEAR"]["MOTA"])]
        print(f"{name:50} " + " ".join(f"{number:6.1f}" for number in percent) + f" {figures['CLEAR']['IDSW']:12.0f}")


def file_of(folder, name):
    return f"{folder}/{name.replace(' ', '_')}.txt"


if __name__ == "__main__":
    {"track": track, "score": score}[sys.argv[1]](*sys.argv[2:])
