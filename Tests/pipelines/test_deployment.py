"""The files for Docker Compose and Kubernetes in Pipelines/container, and the Debian package's service. No images are
fetched: odt, mosquitto and Prometheus of this machine run with the same configuration files, with only addresses and folders replaced."""
import importlib.util
import json
import os
import posixpath
import re
import shutil
import socket
import subprocess
import unittest
import urllib.request

from brokers import BROKER, needs_broker
from paged import needs_soup
from streams import ROOT, command
from watching import Watch, Watching

try:
    import yaml
except ImportError:
    yaml = None
FOLDER = f"{ROOT}/Pipelines/container"
TOKEN = "0123456789abcdef"


def text(name):
    with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
        return file.read()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def image():
    """Returns the instructions of the Containerfile that describe the image."""
    lines = dict(line.split(" ", 1) for line in text("Containerfile").splitlines() if re.match("(VOLUME|USER|EXPOSE|ENTRYPOINT) ", line))
    return lines | {"ENTRYPOINT": json.loads(lines["ENTRYPOINT"])}


class Deployment(Watching):
    def replaced(self, configuration, folder="/run/secrets", broker="127.0.0.1:1"):
        """Returns a configuration of odt watch for this machine: free ports, temporary folders, and a clip for each camera."""
        with open(self.path("token"), "w", encoding="ascii") as file:
            file.write(TOKEN + "\n")
        clip = self.clip(frames=3000)
        changes = [(r"0\.0\.0\.0:(8080|9464)", "127.0.0.1:0"), (re.escape(f"{folder}/token"), self.path("token")), (r"=/data/", f"={self.folder}/"),
                   (r"=mqtt://mosquitto/", f"=mqtt://{broker}/"), (r"=rtsp://\S+", f"={clip}")]
        for pattern, value in changes:
            configuration, count = re.subn(pattern, value, configuration)
            self.assertTrue(count or "mqtt" in pattern, pattern)
        # The files play in real time, because the page shows them.
        return configuration.replace("[cameras]\n", "[cameras]\ndetector=motion\n")

    def run_configuration(self, configuration):
        """Starts odt watch. Returns it and the port of its metrics."""
        with open(self.path("watch.conf"), "w", encoding="utf-8") as file:
            file.write(configuration)
        watch = self.enterContext(Watch("--config", self.path("watch.conf")))
        self.until(lambda: any("metrics are at" in line for line in watch.complaints), watch)
        port = int(re.search(r"metrics are at http://\S+:(\d+)/", "".join(watch.complaints))[1])
        self.until(lambda: self.get(f"http://127.0.0.1:{port}/healthz") == "ok", watch)
        return watch, port

    def get(self, address, token=None):
        """Returns the body of a response with status 200, otherwise an empty text."""
        try:
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10) as answer:
                return answer.read().decode().strip()
        except OSError:
            return ""

    def until(self, holds, watch):
        with watch.news:
            # Complaints notify; the timeout is for conditions outside of this process.
            for _ in range(600):
                if holds():
                    return
                self.assertIsNone(watch.program.poll(), watch.complaints)
                watch.news.wait(0.1)
        self.fail(watch.complaints)


@unittest.skipUnless(yaml, "needs python3-yaml")
class Compose(Deployment):
    def setUp(self):
        super().setUp()
        self.compose = yaml.safe_load(text("compose.yaml"))
        self.services = self.compose["services"]

    def test_files_and_volumes_exist(self):
        for name, service in self.services.items():
            for volume in service["volumes"]:
                source = volume.split(":")[0]
                if source.startswith("."):
                    self.assertTrue(os.path.isfile(os.path.join(FOLDER, source)), (name, source))
                else:
                    self.assertIn(source, self.compose["volumes"], name)
            self.assertLessEqual(set(service.get("secrets", [])), set(self.compose["secrets"]))
            # Nothing is reachable from other machines.
            self.assertTrue(all(port.startswith("127.0.0.1:") for port in service["ports"]), name)

    def test_watch_agrees_with_image(self):
        watch, said = self.services["swiftodt"], image()
        self.assertTrue(watch["read_only"])
        self.assertIn(f"data:{said['VOLUME']}", watch["volumes"])
        self.assertIn(f"./watch.conf:{watch['command'][-1]}:ro", watch["volumes"])
        self.assertEqual([port.split(":")[-1] for port in watch["ports"]], [said["EXPOSE"]])
        self.assertEqual((said["ENTRYPOINT"], watch["command"][:2]), (["odt"], ["watch", "--config"]))
        self.assertIn(f"(default: {watch['image']})", text("build"))
        page, metrics = (re.search(rf"^{name}=0\.0\.0\.0:(\d+)$", text("watch.conf"), re.MULTILINE)[1] for name in ("page", "metrics"))
        self.assertEqual(page, said["EXPOSE"])
        self.assertIn(f"/127.0.0.1/{metrics} ", watch["healthcheck"]["test"][-1])
        targets = yaml.safe_load(text("monitoring/prometheus.yml"))["scrape_configs"][0]["static_configs"][0]["targets"]
        self.assertEqual(targets, [f"swiftodt:{metrics}"])

    def test_grafana_provisions_dashboard(self):
        mounted = {target: source for source, target in (volume.split(":")[:2] for volume in self.services["grafana"]["volumes"])}
        source, = yaml.safe_load(text("monitoring/grafana-datasource.yml"))["datasources"]
        self.assertEqual((source["type"], source["url"]), ("prometheus", "http://prometheus:9090"))
        self.assertIn("127.0.0.1:9090:9090", self.services["prometheus"]["ports"])
        provider, = yaml.safe_load(text("monitoring/grafana-dashboards.yml"))["providers"]
        boards = [mounted[target] for target in mounted if posixpath.dirname(target) == provider["options"]["path"]]
        self.assertEqual(boards, ["../examples/grafana-dashboard.json"])
        for kind in ("datasource", "dashboards"):
            folder = "datasources" if kind == "datasource" else kind
            self.assertEqual(mounted[f"/etc/grafana/provisioning/{folder}/swiftodt.yml"], f"./monitoring/grafana-{kind}.yml")

    @unittest.skipUnless(shutil.which("docker-compose"), "needs docker-compose")
    def test_schema(self):
        for name in ("token", "watch.conf"):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(TOKEN)
        shutil.copy(f"{FOLDER}/compose.yaml", self.folder)
        said = command("docker-compose", "-f", self.path("compose.yaml"), "config", "--quiet")
        self.assertEqual(said.returncode, 0, said.stderr)

    @needs_soup
    @needs_broker
    def test_services_work_together(self):
        """odt publishes to mosquitto, the health check succeeds, and Prometheus scrapes with the token."""
        broker = free_port()
        with open(self.path("mosquitto.conf"), "w", encoding="ascii") as file:
            file.write(text("monitoring/mosquitto.conf").replace("listener 1883", f"listener {broker} 127.0.0.1\nuser root")
                       .replace("/mosquitto/data/", f"{self.folder}/"))
        mosquitto = subprocess.Popen([BROKER, "-c", self.path("mosquitto.conf")], stderr=subprocess.DEVNULL)
        self.addCleanup(mosquitto.wait, 30)
        self.addCleanup(mosquitto.terminate)
        watch, port = self.run_configuration(self.replaced(text("watch.conf"), broker=f"127.0.0.1:{broker}"))
        said = command("mosquitto_sub", "-p", str(broker), "-t", "swiftodt/front/state", "-C", "1", "-W", "60")
        self.assertEqual(said.stdout, "online\n", said.stderr)
        check = self.services["swiftodt"]["healthcheck"]["test"]
        check = [word.replace("$$", "$").replace("/9464", f"/{port}") for word in check]
        self.assertEqual((check[0], command(*check[1:]).returncode), ("CMD", 0))
        if shutil.which("prometheus"):
            self.scrape(watch, port)

    def scrape(self, watch, port):
        settings = yaml.safe_load(text("monitoring/prometheus.yml"))
        job, = settings["scrape_configs"]
        settings["global"]["scrape_interval"] = "1s"
        self.assertEqual(job["authorization"]["credentials_file"], "/run/secrets/token")
        job["authorization"]["credentials_file"] = self.path("token")
        job["static_configs"][0]["targets"] = [f"127.0.0.1:{port}"]
        with open(self.path("prometheus.yml"), "w", encoding="utf-8") as file:
            yaml.safe_dump(settings, file)
        own = free_port()
        program = subprocess.Popen(["prometheus", f"--config.file={self.path('prometheus.yml')}", f"--storage.tsdb.path={self.path('tsdb')}",
                                    f"--web.listen-address=127.0.0.1:{own}"], stderr=subprocess.DEVNULL)
        self.addCleanup(program.wait, 30)
        self.addCleanup(program.terminate)

        def connected():
            said = self.get(f"http://127.0.0.1:{own}/api/v1/query?query=swiftodt_camera_connected")
            found = json.loads(said)["data"]["result"] if said else []
            return [(one["metric"]["job"], one["metric"]["camera"], one["value"][1]) for one in found] == [("swiftodt", "front", "1")]

        self.until(connected, watch)


@unittest.skipUnless(yaml, "needs python3-yaml")
class Kubernetes(Deployment):
    def setUp(self):
        super().setUp()
        self.kinds = {one["kind"]: one for one in yaml.safe_load_all(text("kubernetes.yaml"))}
        self.pod = self.kinds["Deployment"]["spec"]["template"]
        self.container, = self.pod["spec"]["containers"]

    @unittest.skipUnless(importlib.util.find_spec("kubernetes_validate"), "needs kubernetes-validate for Python")
    def test_schema(self):
        import kubernetes_validate

        for one in self.kinds.values():
            kubernetes_validate.validate(one, kubernetes_validate.latest_version(), strict=True)

    def test_references_are_resolved(self):
        names = {kind: one["metadata"]["name"] for kind, one in self.kinds.items()}
        # One command makes another group.
        self.assertTrue(all(name.startswith("swiftodt-gate") for name in names.values()), names)
        self.assertEqual({one["metadata"]["labels"]["group"] for one in self.kinds.values()}, {"gate"})
        labels = self.pod["metadata"]["labels"]
        self.assertEqual(self.kinds["Deployment"]["spec"]["selector"]["matchLabels"], labels)
        self.assertEqual(self.kinds["Service"]["spec"]["selector"], labels)
        # /healthz, on which readiness depends, fails while all cameras are lost. Page and metrics must then be reachable.
        self.assertTrue(self.kinds["Service"]["spec"]["publishNotReadyAddresses"])
        volumes = {volume["name"]: volume for volume in self.pod["spec"]["volumes"]}
        self.assertEqual({mount["name"] for mount in self.container["volumeMounts"]}, set(volumes))
        self.assertEqual(volumes["configuration"]["configMap"]["name"], names["ConfigMap"])
        self.assertEqual(volumes["data"]["persistentVolumeClaim"]["claimName"], names["PersistentVolumeClaim"])
        self.assertIn(f"secret generic {volumes['token']['secret']['secretName']} ", text("kubernetes.yaml"))
        ports = {port["name"] for port in self.container["ports"]}
        used = [port["targetPort"] for port in self.kinds["Service"]["spec"]["ports"]]
        used += [probe.get("httpGet", probe.get("tcpSocket"))["port"] for name, probe in self.container.items() if name.endswith("Probe")]
        self.assertLessEqual(set(used), ports)

    def test_pod_agrees_with_image(self):
        said = image()
        user, group = map(int, said["USER"].split(":"))
        context = self.pod["spec"]["securityContext"]
        self.assertEqual((context["runAsUser"], context["runAsGroup"], context["fsGroup"], context["runAsNonRoot"]), (user, group, group, True))
        own = self.container["securityContext"]
        self.assertEqual((own["readOnlyRootFilesystem"], own["allowPrivilegeEscalation"], own["capabilities"]), (True, False, {"drop": ["ALL"]}))
        mounts = {mount["mountPath"] for mount in self.container["volumeMounts"]}
        self.assertLessEqual({said["VOLUME"], "/tmp"}, mounts)
        self.assertIn(posixpath.dirname(self.container["args"][-1]), mounts)
        self.assertLessEqual({"cpu", "memory"}, set(self.container["resources"]["limits"]))
        settings = self.kinds["ConfigMap"]["data"]["watch.conf"]
        for port in self.container["ports"]:
            self.assertIn(f"\n{port['name']}=0.0.0.0:{port['containerPort']}\n", settings)
        # Every written path is in a writable folder.
        for path in re.findall(r"^(?:store|record)=(.*)$", settings, re.MULTILINE):
            self.assertTrue(path.startswith(said["VOLUME"] + "/"), path)

    @needs_soup
    def test_configuration_works(self):
        configuration = self.replaced(self.kinds["ConfigMap"]["data"]["watch.conf"], "/run/secrets/swiftodt")
        watch, port = self.run_configuration(configuration)
        self.assertEqual(self.container["readinessProbe"]["httpGet"]["path"], "/healthz")
        self.until(lambda: "2 of 2 cameras connected" in self.get(f"http://127.0.0.1:{port}/healthz", TOKEN), watch)
        self.assertTrue(os.path.exists(self.path("watch.sqlite")))


class Image(Deployment):
    def test_image_has_only_default_models(self):
        """The folder of the models also has own models, one with the name of a default model, and a model of the catalogue that is not
        installed by default."""
        with open(f"{ROOT}/Pipelines/models/catalogue.json", encoding="utf-8") as file:
            models = json.load(file)["models"]
        # The last default model of each purpose; the first one of the detectors is the user's own.
        defaults = {model["purpose"]: model for model in models if model["default"]}
        own = next(model for model in models if model["default"])
        other = next(model for model in models if not model["default"])
        self.assertNotIn(own, defaults.values())
        os.mkdir(self.path("models"))
        os.mkdir(self.path("image"))
        names = [name for model in defaults.values() for name in [*model["files"], model["name"] + ".json"]]

        def copy():
            return command(f"{ROOT}/Pipelines/packaging/copy-models", self.path("models"), self.path("image"))

        for name in ["mine.json", *own["files"], own["name"] + ".json", *other["files"], other["name"] + ".json", *names]:
            with open(self.path(f"models/{name}"), "w", encoding="ascii") as file:
                file.write("{}" if name in ("mine.json", own["name"] + ".json") else '{"recipe": "0"}')
        said = copy()
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(sorted(os.listdir(self.path("image"))), sorted(names))
        os.remove(self.path(f"models/{defaults['detector']['name']}.json"))
        said = copy()
        self.assertEqual(said.returncode, 1)
        self.assertIn("no fetched default model of these purposes: detector; rename", said.stderr)
        self.assertNotRegex(text("build"), r"cp -.*/models")

    def test_variable_names_ca_certificates_of_image(self):
        """The image has no /usr/lib/ssl, in which OpenSSL searches for CA certificates."""
        path = re.search(r" SSL_CERT_FILE=(\S+)", text("Containerfile"))[1]
        self.assertIn(f" {path}\n", text("gather"))


@unittest.skipUnless(shutil.which("dh_installsystemd"), "needs debhelper")
class Package(Deployment):
    def test_upgrade_restarts_service_and_removal_stops_it(self):
        shutil.copytree(f"{ROOT}/debian", self.path("debian"))
        shutil.copy(f"{ROOT}/Pipelines/examples/swiftodt-watch.service", self.path("debian/swiftodt-tools.swiftodt-watch.service"))
        said = command("make", "-C", self.folder, "-f", "debian/rules", "override_dh_installsystemd")
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        for script, action in (("postinst", "_dh_action=restart"), ("prerm", "deb-systemd-invoke stop 'swiftodt-watch.service'")):
            with open(self.path(f"debian/.debhelper/generated/swiftodt-tools/{script}.service"), encoding="utf-8") as file:
                self.assertIn(action, file.read(), script)


if __name__ == "__main__":
    unittest.main()
