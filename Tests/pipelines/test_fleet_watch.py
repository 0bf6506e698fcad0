"""Many cameras: each is watched for as long as it stands in the file, and each event is told once, whoever is killed."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from brokers import Broker, Listener, needs_broker
from fleets import FleetWatch, Witness, alive, bare, family, listening, needs_fleet, rows
from streams import InFolder, ROOT
from paged import HAS_SOUP
from watching import Camera, needs_server

sys.path.insert(0, f"{ROOT}/Pipelines/fleet")
from swiftodt_fleet.cameras.page import Page, PageError  # noqa: E402

LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}


@needs_fleet
class Words(InFolder):

    def test_mistakes_are_named(self):
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write("[camera a]\nname=a\n")
        for words, code, sentence in (
                (["--out", self.path("out")], 2, "watch.conf:1: [camera a] has no source="), (["--out", "s3://a/b"], 2, "--journals names a folder")):
            with self.subTest(words):
                said = subprocess.run([f"{ROOT}/Pipelines/fleet/watch", self.path("watch.conf"), *words], capture_output=True, text=True, check=False)
                self.assertEqual((said.returncode, said.stdout), (code, ""), said.stderr)
                self.assertIn(sentence, said.stderr)


class Pages(InFolder):

    def ask(self, page, cookie=None, query=""):
        address = f"http://127.0.0.1:{page.port}/api/cameras{query}"
        try:
            with urllib.request.urlopen(urllib.request.Request(address, headers={"Cookie": cookie} if cookie else {}), timeout=30) as answer:
                return answer.status, json.load(answer), answer.headers["Set-Cookie"]
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code, None, None

    def test_a_token_is_asked_for(self):
        """By a page for other machines always; here by a file that keeps it."""
        for _ in range(2):
            page = Page("0", lambda: {"cameras": [1]}, Path(self.path("token")))
            self.addCleanup(page.close)
            token = Path(self.path("token")).read_text(encoding="ascii").strip()
            self.assertNotIn(token, page.url)
            self.assertEqual(self.ask(page)[0], 403)
            self.assertEqual(self.ask(page, query="?token=wrong", cookie="swiftodt-fleet=wrong")[0], 403)
            code, answer, cookie = self.ask(page, query=f"?token={token}")
            self.assertEqual((code, answer), (200, {"cameras": [1]}))
            self.assertEqual(self.ask(page, cookie=cookie.split(";")[0])[0], 200)
        self.assertEqual(os.stat(self.path("token")).st_mode & 0o777, 0o600)

    def test_what_cannot_be_served_is_said(self):
        for address, sentence in (("80a", "'80a' is no port"), ("70000", "is no port"), ("192.0.2.77:0", "nothing can be served at 192.0.2.77:0")):
            with self.subTest(address), self.assertRaises(PageError) as refused:
                Page(address, dict)
            self.assertIn(sentence, str(refused.exception))


@needs_fleet
@needs_broker
@needs_server
class Fleets(InFolder):
    """The long form, with eight cameras for ten minutes, is Tests/Benchmarks/fleet/cameras."""

    def test_each_event_once_though_workers_are_killed(self):
        """One camera's odt is killed, another one's worker; a camera goes away and comes back, one is put into the file and one taken out of
        it; and one that is not in the file any more has left something untold."""
        cameras = {name: Camera() for name in ("north", "south")}
        with Broker(self.folder, "allow_anonymous true") as broker, Listener(broker, "house/#", quality=2) as listener:
            witness = Witness(self.folder)
            fleet = FleetWatch(self.folder, cameras, broker, witness, *(["--live", "127.0.0.1"] if HAS_SOUP else []))
            self.addCleanup(fleet.close)
            fleet.configure(["north"])
            os.makedirs(f"{fleet.journals}/gone/20261122T000000.000000Z-0000")
            with open(f"{fleet.journals}/gone/20261122T000000.000000Z-0000/lines.jsonl", "w", encoding="ascii") as file:
                file.write('{"message": "swiftodt-track", "event": "end", "tracking-id": 7, "utc-time": 1800000000000000000, "session": 1}\n')
            os.link(file.name, f"{witness.folder}/gone")
            fleet.begin()
            fleet.wait(lambda status: status)
            fleet.configure(["north", "south"])
            status = fleet.wait(lambda status: len(status) == 2 and all(one["state"] == "connected" and one["event"] and one["rate"]
                                                                        for one in status.values()))
            if HAS_SOUP:
                with urllib.request.urlopen(f"{status['south']['live']}api/cameras", timeout=30) as answer:
                    self.assertEqual([camera["name"] for camera in json.load(answer)["cameras"]], ["south"])
            self.assertLessEqual(listening(family(fleet.program.pid)), LOOPBACK)
            os.kill(status["north"]["pid"], signal.SIGKILL)
            os.kill(status["south"]["worker"], signal.SIGKILL)
            cameras["south"].go_away()
            again = fleet.wait(lambda status: status["north"]["starts"] == 2 and status["north"]["state"] == "connected"
                               and status["south"]["workers"] == 2 and status["south"]["state"] == "lost")
            self.assertFalse(alive(status["south"]["pid"]), "an odt is left behind")
            self.assertNotEqual(again["south"]["worker"], status["south"]["worker"])
            # Who was not touched has not felt it.
            self.assertEqual(again["north"]["worker"], status["north"]["worker"])
            cameras["south"].come_back()
            fleet.wait(lambda status: all(one["state"] == "connected" for one in status.values()))
            fleet.configure(["south"])
            fleet.wait(lambda status: "north" not in status)
            self.page(fleet)
            everybody = family(fleet.program.pid)
            self.assertEqual(fleet.end(), 0, fleet.complaints)
            end = time.monotonic() + 90
            while left := [number for number in everybody if alive(number)]:
                self.assertLess(time.monotonic(), end, left)
                time.sleep(0.05)
            self.assertEqual(fleet.left(), [], fleet.complaints)
            witness.close()
            seen = witness.events
            self.assertGreater(len(seen), 8)
            self.assertEqual(len([said for said in seen if json.loads(said).get("tracking-id") == 7 and "source" not in said]), 1)
            kinds = ("track", "zone", "camera")
            texts = lambda: [json.loads(text) for name in (*cameras, "gone") for kind in kinds for text in listener.texts(f"house/{name}/{kind}")]  # noqa: E731
            listener.wait(lambda _: len(texts()) >= sum(seen.values()))
            self.assertEqual(sorted(map(bare, texts())), sorted(seen.elements()))
            table = rows(f"{fleet.out}/events")
            self.assertEqual(sorted(bare(json.loads(row["message"])) for row in table), sorted(seen.elements()))
            self.assertEqual(sorted(row["id"] for row in table), sorted(said["id"] for said in texts()))
            # Whose watch was killed is told of as well.
            reasons = [row["reason"] for row in table if row["kind"] == "camera" and row["camera"] == "north"]
            self.assertIn("its watch was killed by signal 9 (Killed)", reasons)
            self.assertEqual(broker.retained("house/+/state"), {f"house/{name}/state": "offline" for name in (*cameras, "gone")})

    def page(self, fleet):
        with urllib.request.urlopen(fleet.url, timeout=30) as answer:
            text = answer.read().decode()
        self.assertIn("pictures a second", text)
        self.assertNotIn("/* colours */", text)
        # Another page may lead a browser here by a name of its own.
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(fleet.url, headers={"Host": "evil.example"}), timeout=30)
        self.assertEqual(refused.exception.code, 421)
        refused.exception.close()


if __name__ == "__main__":
    unittest.main()
