"""Tracks and the background model survive lost frames."""
import unittest

from streams import ball, run


class Losses(unittest.TestCase):
    """Each dropped frame marks the next one as discontinuous, which must not end the tracks."""

    def play(self, loss):
        said = run(f"{ball(200)} ! identity drop-probability={loss} ! swiftodt detector=motion updates=every-frame ! fakesink")
        self.assertEqual((said.errors, said.ended), ([], True))
        ids = {thing.get_value("tracking-id") for result in said.results for thing in result.get_value("objects")}
        return len(said.results), ids, {result.get_value("epoch") for result in said.results}

    def test_ids_survive_frame_loss(self):
        count, whole, _ = self.play(0)
        self.assertEqual(count, 200)
        self.assertTrue(whole)
        for loss in (0.01, 0.03, 0.1):
            with self.subTest(loss=loss):
                count, ids, epochs = self.play(loss)
                self.assertLessEqual(count, 200)
                self.assertEqual((ids, epochs), (whole, {0}))
