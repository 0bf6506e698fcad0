"""The metrics and the health of odt watch, for Prometheus and probes."""
import json
import re
import resource
import shutil
import subprocess
import time
import unittest

from brokers import Broker, needs_broker
from paged import Paged, needs_soup
from streams import ROOT, command
from watching import Camera, ODT, Watch, has, needs_server

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None
needs_parser = unittest.skipUnless(text_string_to_metric_families, "needs a parser of metrics (Debian's python3-prometheus-client)")
DASHBOARD = f"{ROOT}/Pipelines/examples/grafana-dashboard.json"


class MetricsReader(Paged):
    """Reads the metrics of odt watch."""

    def metrics(self, **headers):
        status, answer, body = self.get("/metrics", **headers)
        self.assertEqual((status, answer["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"), body)
        return {family.name: family for family in text_string_to_metric_families(body.decode())}

    def value(self, name, family=None, **labels):
        family = family or re.sub("_total$", "", name)
        return sum(sample.value for sample in self.metrics()[family].samples
                   if sample.name == name and labels.items() <= sample.labels.items())

    def listen(self, watch, name="metrics are"):
        """Waits for the address of the metrics."""
        self.until(lambda: any(name in line for line in watch.complaints))
        self.port = int(re.search(rf"{name} at http://\S+:(\d+)/", "".join(watch.complaints))[1])


@needs_soup
@needs_parser
class Metrics(MetricsReader):

    def test_metrics_describe_the_watch(self):
        self.serve("--store", self.path("store"), "--record", self.path("video"), "--record-minutes=0.01", names=("cam", "second"))
        # The ball's track, its result and a finished segment.
        self.until(lambda: self.value("swiftodt_recorded_bytes_total", camera="cam") > 1000)
        self.until(lambda: self.value("swiftodt_zone_objects", camera="cam", zone="floor") == 1)
        self.assertEqual(self.value("swiftodt_objects", camera="cam"), 1)
        self.assertEqual(self.value("swiftodt_camera_connected"), 2)
        self.assertEqual(self.value("swiftodt_camera_connections_total", camera="second"), 1)
        self.until(lambda: self.value("swiftodt_line_crossings_total", camera="cam", line="middle") > 0)
        self.assertGreater(self.value("swiftodt_zone_entries_total", camera="cam", zone="floor"), 0)
        found = self.metrics()
        frames = sum(sample.value for sample in found["swiftodt_frames_received"].samples)
        self.assertGreater(frames, 10)
        # No frame of a file is dropped.
        self.assertEqual(sum(sample.value for sample in found["swiftodt_frames_dropped"].samples), 0)
        for name in ("swiftodt_queue_wait_seconds", "swiftodt_frame_latency_seconds"):
            self.assertEqual(found[name].type, "histogram")
            for camera in ("cam", "second"):
                buckets = [sample for sample in found[name].samples if sample.name.endswith("_bucket") and sample.labels["camera"] == camera]
                counts = [sample.value for sample in buckets]
                self.assertEqual(counts, sorted(counts))
                self.assertEqual(buckets[-1].labels["le"], "+Inf")
                count = next(sample.value for sample in found[name].samples if sample.name == name + "_count" and sample.labels["camera"] == camera)
                self.assertEqual(counts[-1], count)
                self.assertTrue(0 < count <= frames)
        processed = sum(sample.value for sample in found["swiftodt_frames_processed"].samples)
        reasons = sum(sample.value for sample in found["swiftodt_inferences"].samples)
        self.assertTrue(0 < reasons <= processed <= frames + 10, (reasons, processed, frames))
        self.assertTrue(1e6 < found["process_resident_memory_bytes"].samples[0].value < 8e9)
        self.assertLess(abs(found["process_start_time_seconds"].samples[0].value - time.time()), 120)
        self.assertGreater(found["swiftodt_store_bytes"].samples[0].value, 1000)
        self.assertGreater(found["swiftodt_filesystem_free_bytes"].samples[0].value, 0)
        self.assertEqual(self.get("/healthz")[::2], (200, b"ok: 2 of 2 cameras connected\n"))
        self.check(self.get("/metrics")[2])

    def check(self, text):
        """Checks the text by the rules of Prometheus: promtool if it is installed, and the conventions for names."""
        for name, family in ((family.name, family) for family in text_string_to_metric_families(text.decode())):
            self.assertRegex(name, "^(swiftodt|process)_[a-z_]+$")
            self.assertTrue(family.documentation, name)
            if family.type == "counter":
                self.assertTrue(all(sample.name.endswith("_total") for sample in family.samples), name)
            else:
                self.assertFalse(name.endswith("_total"), name)
        tool = shutil.which("promtool")
        if tool:
            said = subprocess.run([tool, "check", "metrics"], input=text, capture_output=True, check=False)
            self.assertEqual((said.returncode, said.stdout + said.stderr), (0, b""))

    def test_dashboard_uses_existing_metrics(self):
        """Each query of the Grafana dashboard names metrics and labels that a watch with all outputs has."""
        with open(DASHBOARD, encoding="utf-8") as file:
            board = json.load(file)
        queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
        queries += [item["query"] for item in board["templating"]["list"] if item["type"] == "query"]
        self.assertGreater(len(queries), 15)
        needed = {name for query in queries for name in re.findall(r"\b(?:swiftodt|process)_\w+", query)}
        # --mqtt needs no broker for its metrics.
        self.serve("--store", self.path("store"), "--mqtt", "mqtt://127.0.0.1:1/none")
        self.until(lambda: needed <= self.names() )
        labels = {label for family in self.metrics().values() for sample in family.samples for label in sample.labels} | {"job"}
        for query in queries:
            for names in re.findall(r"\bby \(([^)]*)\)", query):
                self.assertLessEqual({name.strip() for name in names.split(",")}, labels, query)

    def names(self):
        return {sample.name for family in self.metrics().values() for sample in family.samples}

    def test_metrics_without_page(self):
        """Only metrics and health are served, by the same rules as the page."""
        with Watch("--metrics=0", f"cam={self.clip(frames=3000)}", "--set=updates=on-result", "--metrics-token-file", self.path("token")) as watch:
            self.listen(watch)
            with open(self.path("token"), encoding="ascii") as file:
                token = file.read().strip()
            self.assertIn("with the token in", "".join(watch.complaints))
            self.assertEqual(self.get("/metrics")[0], 403)
            self.assertEqual(self.get("/metrics", Authorization="Bearer wrong-wrong-wrong-wrong")[0], 403)
            self.assertIn("swiftodt_build_info", self.metrics(Authorization=f"Bearer {token}"))
            self.assertEqual(self.get(f"/metrics?token={token}")[0], 200)
            # A probe needs no token, but only clients with a token get the reason.
            self.assertIn(self.get("/healthz")[2], (b"ok\n", b"failing\n"))
            self.assertIn(b"camera connected", self.get("/healthz", Authorization=f"Bearer {token}")[2])
            for path in ("/", "/api/cameras", "/snapshot/cam.jpg"):
                self.assertEqual(self.get(path, Authorization=f"Bearer {token}")[0], 404)
        said = command(ODT, "watch", "--metrics-token-file=x", "a=b")
        self.assertEqual(said.returncode, 2)
        self.assertIn("--metrics-token-file needs --metrics", said.stderr)

    @needs_server
    def test_health_names_the_camera_that_is_away(self):
        camera, other = Camera(), Camera()
        with Watch("--metrics=0", "--retry=0.2", "--timeout=3", f"cam={camera.address}", f"other={other.address}") as watch:
            self.listen(watch)
            watch.wait(lambda said: has("connected")(said) and has("connected", "other")(said))
            before = self.value("swiftodt_frames_processed_total", camera="cam")
            camera.go_away()
            watch.wait(has("lost"))
            # One of two cameras: the watch works.
            status, _, body = self.get("/healthz")
            self.assertEqual((status, body.split(b"\n")[0]), (200, b"ok: 1 of 2 cameras connected"))
            self.assertIn(b"cam: lost: ", body)
            self.assertEqual(self.value("swiftodt_camera_connected", camera="cam"), 0)
            other.go_away()
            watch.wait(has("lost", "other"))
            self.assertEqual(self.get("/healthz")[0], 503)
            camera.come_back()
            watch.wait(has("connected", session=2))
            self.assertEqual(self.get("/healthz")[0], 200)
            self.assertEqual(self.value("swiftodt_camera_connections_total", camera="cam"), 2)
            self.assertGreaterEqual(self.value("swiftodt_camera_losses_total", camera="cam"), 1)
            # Counters continue across connections.
            self.until(lambda: self.value("swiftodt_frames_processed_total", camera="cam") > before + 10)

    def test_outputs_that_cannot_write_are_named(self):
        """A file size limit replaces a full disk."""
        outputs = ("json", "record", "store")
        watch = self.serve("--json", self.path("lines"), "--record", self.path("video"), "--store", self.path("store"))

        def are(value):
            return lambda: all(self.value("swiftodt_output_failing", output=name) == value for name in outputs)
        self.until(are(0))
        resource.prlimit(watch.program.pid, resource.RLIMIT_FSIZE, (256, resource.RLIM_INFINITY))
        self.until(are(1))
        status, _, body = self.get("/healthz")
        self.assertEqual((status, body), (200, b"ok: 1 of 1 camera connected\nfailing outputs: record, store, json\n"))
        resource.prlimit(watch.program.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.until(are(0))
        self.assertNotIn(b"failing", self.get("/healthz")[2])

    @needs_broker
    def test_broker_that_is_away(self):
        broker = Broker(self.path(""), "allow_anonymous true")
        self.addCleanup(broker.go)
        self.serve("--mqtt", f"mqtt://{broker.address}/house")
        self.until(lambda: self.value("swiftodt_mqtt_connected") == 1)
        broker.go()
        self.until(lambda: self.value("swiftodt_mqtt_connected") == 0)
        self.until(lambda: self.value("swiftodt_mqtt_queue_events") > 0)


if __name__ == "__main__":
    unittest.main()
