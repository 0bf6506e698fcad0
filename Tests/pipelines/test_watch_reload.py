"""SIGHUP makes odt watch read its configuration again, without a restart of unchanged cameras."""
import os
import pty
import signal
import subprocess
import time
import unittest

from streams import ROOT
from watching import Camera, FAST, ODT, Watch, Watching, events, has, needs_server, results

ZONE = '[{"name": "%s", "kind": "zone", "points": [[0, 0], [1, 0], [1, 1], [0, 1]]}]'


def blocks(program, number):
    """Whether the first thread of a process blocks a signal, which another thread of the process may receive."""
    with open(f"/proc/{program.pid}/status", encoding="ascii") as file:
        mask = next(line for line in file if line.startswith("SigBlk:")).split()[1]
    return int(mask, 16) >> number - 1 & 1


@needs_server
class Reload(Watching):

    def write(self, name, text):
        # Replaced at once, so that a reload never reads a part of it.
        with open(self.path("new"), "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(self.path("new"), self.path(name))
        return self.path(name)

    def configure(self, *cameras, options=""):
        return self.write("watch.conf", f"[watch]\n{options}\n" + "".join(f"[camera {camera}\n" for camera in cameras))

    def reload(self, watch, *cameras, options="", answer="configuration reloaded: "):
        self.configure(*cameras, options=options)
        watch.program.send_signal(signal.SIGHUP)
        return watch.complaint(answer)

    def test_cameras_are_added_changed_and_removed(self):
        first, second = Camera(), Camera()
        self.write("zones.json", ZONE % "old")
        one, two = f"one]\nsource={first.address}", f"two]\nsource={second.address}\nzones=zones.json"
        with Watch("--config", self.configure(one), "--retry=0.2") as watch:
            watch.wait(has("connected", "one"))
            self.assertIn("added two", self.reload(watch, one, two))
            watch.wait(lambda said: any(line.get("zones") for line in results(said, "two")))

            self.write("zones.json", ZONE % "new")
            self.assertIn(": changed two\n", self.reload(watch, one, two))
            watch.wait(lambda said: any(line["zones"][0]["name"] == "new" for line in results(said, "two")))
            self.assertEqual(events(watch.said, "two"), [("connected", 1), ("lost", 1), ("connected", 2)])

            self.assertIn("no camera changed", self.reload(watch, one, two))
            self.assertIn(": changed two\n", self.reload(watch, one, two + "\nmax-objects=1"))
            watch.wait(has("connected", "two", session=3))

            self.assertIn("removed two", self.reload(watch, one))
            watch.wait(has("ended", "two"))
            ended = next(line for line in watch.said if line["message"] == "swiftodt-camera" and line["event"] == "ended")
            self.assertEqual(ended["reason"], "the camera was removed from the configuration")
            # A camera that is added again continues to count its sessions.
            self.assertIn("added two", self.reload(watch, one, two))
            watch.wait(has("connected", "two", session=4))
            # The other camera stayed connected all the time.
            self.assertEqual(events(watch.said, "one"), [("connected", 1)])
            self.assertEqual(watch.end(), 0)
            self.assertEqual(events(watch.said, "one"), [("connected", 1), ("ended", 1)])

    def starting(self, options=""):
        """Starts a watch that handles signals, but has not started its camera. Without a registry, GStreamer first searches all
        plugins."""
        registry = self.path("registry.bin")
        watch = Watch(
            "--config", self.configure("one]\nsource=rtsp://127.0.0.1:1/none", options=options), GST_REGISTRY=registry)
        end = time.monotonic() + 60
        while not blocks(watch.program, signal.SIGHUP):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.005)
        self.assertFalse(os.path.exists(registry))
        return watch

    def test_signal_during_the_start_ends_it(self):
        store = self.path("store")
        with self.starting(f"store={store}") as watch:
            self.assertEqual(watch.end(), 0)
            self.assertEqual(watch.said, [])
            self.assertFalse(os.path.exists(store))

    def test_hang_up_during_the_start_reloads(self):
        with self.starting() as watch:
            watch.program.send_signal(signal.SIGHUP)
            watch.complaint("configuration reloaded: no camera changed")
            self.assertEqual(watch.end(signal.SIGTERM), 0)

    def test_camera_that_is_away_is_changed_at_once(self):
        """Also during the pause before the next attempt to connect."""
        camera = Camera()
        with Watch("--config", self.configure("one]\nsource=rtsp://user:secret@127.0.0.1:1/none"), "--retry=80000") as watch:
            watch.wait(has("lost", "one"))
            # The pauses of 1, 2, 4 s are over, and that of 8 s has begun.
            time.sleep(9)
            self.reload(watch, f"one]\nsource={camera.address}")
            watch.wait(has("connected", "one"), 4)
            self.assertNotIn("secret", str(watch.said) + str(watch.complaints))

    def test_lines_after_a_reload_are_in_the_file_of_this_name(self):
        """As with logrotate, which renames the file, sends SIGHUP and compresses the renamed file."""
        camera = Camera()
        one, name = f"one]\nsource={camera.address}", self.path("lines.jsonl")
        with Watch("--config", self.configure(one, options=f"json={name}")) as watch:
            self.until_written(name)
            os.rename(name, name + ".1")
            self.reload(watch, one, options=f"json={name}")
            self.until_written(name)
            self.assertEqual(watch.end(), 0)

    def until_written(self, name, seconds=30):
        deadline = time.monotonic() + seconds
        while not os.path.exists(name) or not os.path.getsize(name):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_errors_keep_the_configuration_and_name_the_line(self):
        camera = Camera()
        one = f"one]\nsource={camera.address}"
        with Watch("--config", self.configure(one)) as watch:
            watch.wait(has("connected", "one"))
            for cameras, options, sentence in (
                    ((one + "\nmax-object=3",), "", "watch.conf:5: swiftodt has no property 'max-object'"),
                    ((one + "\nzones=none.json",), "", "watch.conf:5: "), ((one,), "page=nonsense", "watch.conf:2: page: 'nonsense' is not a port"),
                    ((), "", "has no group [camera NAME]")):
                with self.subTest(sentence):
                    self.assertIn(sentence, self.reload(watch, *cameras, options=options, answer="the previous configuration stays in use: "))
            self.assertIn("watch.conf:2: store-days", self.reload(watch, one, options=f"store-days=3\nstore={self.path('store')}", answer="a restart is needed"))
            watch.complaint("no camera changed")
            count = len(results(watch.said, "one"))
            watch.wait(lambda said: len(results(said, "one")) > count + 3)
            self.assertEqual(watch.end(), 0)
            self.assertEqual(events(watch.said), [("connected", 1), ("ended", 1)])

    def test_added_camera_is_recorded_and_shown_and_redaction_is_still_required(self):
        first, second = Camera(), Camera()
        one, two = f"one]\nsource={first.address}", f"two]\nsource={second.address}"
        options = f"record={self.path('video')}"
        with Watch("--config", self.configure(one, options=options)) as watch:
            watch.wait(has("connected", "one"))
            # The running watch records the original video, also if the new configuration no longer requests that.
            said = self.reload(watch, one, two + "\nbox-style=blur", answer="the previous configuration stays in use: ")
            self.assertIn("would record the original video", said)
            self.reload(watch, one, two, options=options)
            watch.wait(has("connected", "two"))
            self.assertEqual(watch.end(), 0)
        self.assertEqual(sorted(os.listdir(self.path("video"))), ["one", "two"])
        self.assertTrue(os.listdir(self.path("video/two")))


class HangUp(Watching):

    def test_closed_terminal_ends_the_watch(self):
        """SIGHUP because of a closed terminal is no request to read the configuration again."""
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write("[camera one]\nsource=rtsp://127.0.0.1:1/none\n")
        for words in (("--config", self.path("watch.conf")), ("one=rtsp://127.0.0.1:1/none",)):
            with self.subTest(words):
                terminal, inside = pty.openpty()
                program = subprocess.Popen([ODT, "watch", FAST, "--json", self.path("lines"), *words], stdin=inside, stdout=inside, stderr=inside, cwd=ROOT,
                                           start_new_session=True, preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)))
                self.addCleanup(program.wait)
                self.addCleanup(program.kill)
                os.close(inside)
                os.read(terminal, 1)  # The first complaint, after which signals are handled.
                time.sleep(0.3)
                os.close(terminal)
                self.assertEqual(program.wait(20), 0)


if __name__ == "__main__":
    unittest.main()
