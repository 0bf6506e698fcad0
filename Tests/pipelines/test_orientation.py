"""The element reports the orientation that remains after rotations upstream."""
import os
import re
import shutil
import tempfile
import unittest

from streams import ball, command, run

TAGS = ["rotate-0", "rotate-90", "rotate-180", "rotate-270", "flip-rotate-0", "flip-rotate-90", "flip-rotate-180",
        "flip-rotate-270"]
SAID = ["identity", "90r", "180", "90l", "horiz", "ur-ll", "vert", "ul-lr"]


def said(before, element="swiftodt"):
    """Returns the orientations in the messages of a tagged stream."""
    heard = run(f"{ball(8)} ! {before} ! {element} detector=motion updates=every-frame ! fakesink")
    if heard.errors:
        raise AssertionError(heard.errors)
    return {result.get_value("orientation") for result in heard.results}


def tag(value):
    return f"taginject tags=image-orientation={value}"


class Orientation(unittest.TestCase):
    """The orientation tag, and flips upstream of the element."""

    def test_orientation_follows_tag(self):
        for value, nick in zip(TAGS, SAID):
            self.assertEqual(said(tag(value)), {nick}, value)

    def test_upstream_auto_flip_is_respected(self):
        for value in TAGS:
            for between in ("", "queue ! ", "videoconvert ! video/x-raw,format=RGB ! "):
                before = f"{tag(value)} ! videoflip video-direction=auto ! {between}identity"
                self.assertEqual(said(before), {"identity"}, before)

    def test_upstream_fixed_flip_is_respected(self):
        self.assertEqual(said(f"{tag('rotate-90')} ! videoflip video-direction=90r"), {"identity"})
        self.assertEqual(said(f"{tag('rotate-180')} ! videoflip video-direction=180"), {"identity"})

    def test_remaining_rotation_is_applied(self):
        """A mirror after the tag, two flips after it, and a flip before it."""
        self.assertEqual(said(f"{tag('rotate-180')} ! videoflip video-direction=horiz"), {"vert"})
        twice = f"{tag('rotate-90')} ! videoflip video-direction=auto ! videoflip video-direction=180"
        # Newer versions of videoflip remove the tag, so that the second flip counts as intended by the user.
        self.assertIn(said(twice), ({"180"}, {"identity"}))
        self.assertEqual(said(f"videoflip video-direction=180 ! {tag('rotate-90')}"), {"90r"})
        self.assertEqual(said(f"{tag('rotate-90')} ! videoflip video-direction=identity"), {"90r"})

    def test_flip_inside_bin_is_found(self):
        before = f"( {tag('rotate-90')} ! queue ) ! ( videoflip video-direction=auto ! videoconvert )"
        self.assertEqual(said(before), {"identity"})

    def test_orientation_property_overrides_tag(self):
        before = f"{tag('rotate-90')} ! videoflip video-direction=auto"
        self.assertEqual(said(before, "swiftodt orientation=180"), {"180"})

    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg")
    def test_phone_video_is_upright(self):
        """A video recorded sideways, with a rotation matrix in the container."""
        with tempfile.TemporaryDirectory() as folder:
            plain, turned = os.path.join(folder, "plain.mp4"), os.path.join(folder, "turned.mp4")
            picture = "testsrc=size=192x108:rate=10:duration=1"
            make = command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", picture, plain)
            self.assertEqual(make.returncode, 0, make.stderr)
            # Older versions of ffmpeg take the rotation as metadata, newer ones as an option of the input.
            for options in (["-i", plain, "-metadata:s:v:0", "rotate=90"], ["-display_rotation", "-90", "-i", plain]):
                made = command("ffmpeg", "-y", "-v", "error", *options, "-c", "copy", turned)
                seen = command("ffprobe", "-v", "error", "-show_streams", turned)
                if made.returncode == 0 and re.search("rotation=-?90", seen.stdout):
                    break
            else:
                self.skipTest("this ffmpeg writes no rotation matrix")
            turns = (("", (192, 108), ("90r", "90l")), ("! videoflip video-direction=auto", (108, 192), ("identity",)))
            for flip, size, orientations in turns:
                heard = run(f"filesrc location={turned} ! decodebin {flip} ! swiftodt detector=motion ! fakesink")
                self.assertEqual(heard.errors, [])
                last = heard.results[-1]
                self.assertEqual((last.get_value("width"), last.get_value("height")), size)
                self.assertIn(last.get_value("orientation"), orientations)
