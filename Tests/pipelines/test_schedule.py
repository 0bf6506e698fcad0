"""Files give deterministic results, and cameras are not delayed."""
import hashlib
import os
import unittest

from streams import BIKES, Gst, frames, listen

SHARED = "filesrc location={file} ! decodebin ! swiftodt name=odt multiple-objects=true message-format=json {options}"


@unittest.skipUnless(os.path.exists(BIKES), "needs the demo clip (Pipelines/setup)")
class EveryFrame(unittest.TestCase):
    """strategy=every-frame is bit-identical in each run, with and without look-ahead."""

    def play(self, options):
        pixels = hashlib.sha256()
        count = 0
        description = SHARED.format(file=BIKES, options=options) + " ! appsink name=frames sync=false"
        for sample in frames(description):
            count += 1
            buffer = sample.get_buffer()
            pixels.update(buffer.extract_dup(0, buffer.get_size()))
        said = frames.said
        self.assertEqual(said.errors, [])
        return count, pixels.hexdigest(), [result.get_value("json") for result in said.results]

    def test_runs_are_bit_identical_with_and_without_look_ahead(self):
        once = self.play("classify=true look-ahead=0")
        self.assertEqual(once[0], 250)
        self.assertEqual(len(once[2]), 250)
        self.assertTrue(any('"tracking-id":' in text for text in once[2]))
        self.assertEqual(once, self.play("classify=true look-ahead=1"))

    def test_zoom_auto_is_independent_of_look_ahead(self):
        once = self.play("zoom=auto")
        self.assertEqual(once[0], 250)
        self.assertEqual(once, self.play("zoom=auto look-ahead=8 threads=1"))


class KeepOnlyLatest(unittest.TestCase):
    """In live streams no frame waits, none is dropped, and results name their frame."""

    def test_live_source_is_not_delayed(self):
        pipeline = Gst.parse_launch(
            "videotestsrc is-live=true num-buffers=90 pattern=ball ! video/x-raw,width=1280,height=720,framerate=30/1"
            " ! swiftodt name=odt updates=every-frame ! fakesink name=end sync=false signal-handoffs=true")
        seen = []
        pipeline.get_by_name("end").connect("handoff", lambda sink, buffer, pad: seen.append(buffer.pts))
        pipeline.set_state(Gst.State.PLAYING)
        said = listen(pipeline)
        latency = Gst.Query.new_latency()
        pipeline.get_by_name("odt").get_static_pad("src").query(latency)
        live, shortest, _ = latency.parse_latency()
        stats = pipeline.get_by_name("odt").props.stats
        pipeline.set_state(Gst.State.NULL)
        self.assertEqual((said.errors, said.ended), ([], True))
        self.assertTrue(live)
        self.assertLess(shortest, 40 * Gst.MSECOND, "the source's own frame, nothing of ours")
        self.assertEqual(seen, sorted(seen))
        self.assertEqual(len(seen), stats.get_value("frames"))
        self.assertEqual(len(said.results), len(seen))
        for result in said.results:
            if result.get_value("detection-timestamp") < 2**63:
                self.assertLessEqual(result.get_value("detection-timestamp"), result.get_value("timestamp"))
