"""Controls a headless Chromium through its DevTools pipe."""
import atexit
import base64
import functools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium")


@functools.cache
def chromium():
    """Starts Chromium, once per process. Returns the ends of its pipe for commands and for answers."""
    profile = tempfile.mkdtemp()
    theirs_in, orders = os.pipe()
    answers, theirs_out = os.pipe()

    def pipes():
        # First duplicate to unused numbers, because a descriptor of the pipe itself may be 3 or 4.
        one, other = os.dup2(theirs_in, 60), os.dup2(theirs_out, 61)
        os.dup2(one, 3)
        os.dup2(other, 4)

    program = subprocess.Popen(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", f"--user-data-dir={profile}",
         "--force-prefers-reduced-motion", "about:blank"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pipes, close_fds=False)
    os.close(theirs_in)
    os.close(theirs_out)
    atexit.register(shutil.rmtree, profile, ignore_errors=True)
    atexit.register(program.wait)
    atexit.register(program.kill)
    return orders, answers


class Browser:
    """A page with cookies and storage of its own."""

    # All pages use one pipe: answers to an earlier page may arrive late.
    number, rest = 0, b""

    def __init__(self, width=1280, height=900, mobile=False, dark=False):
        self.orders, self.answers = chromium()
        self.session, self.complaints = None, []
        self.context = self.order("Target.createBrowserContext")["browserContextId"]
        target = self.order("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = self.order("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.order("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.order("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.order("Log.enable")
        self.order("Runtime.enable")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.session = None
        try:
            self.order("Target.disposeBrowserContext", browserContextId=self.context)
        except (AssertionError, ConnectionError):
            # The error of the test itself is the cause.
            if kind is None:
                raise

    def order(self, method, seconds=60, **parameters):
        """Sends a command and returns its result. Raises ConnectionError, which `wait` does not catch, if Chromium has ended."""
        Browser.number += 1
        order = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        try:
            os.write(self.orders, json.dumps(order).encode() + b"\0")
        except BrokenPipeError:
            self.fail_at_end(method)
        deadline = time.monotonic() + seconds
        while True:
            while b"\0" in Browser.rest:
                text, Browser.rest = Browser.rest.split(b"\0", 1)
                answer = json.loads(text)
                if self.session == answer.get("sessionId") and answer.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
                    self.complaints.append(answer["params"])
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise AssertionError(f"{method}: {answer['error']}")
                    return answer["result"]
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise AssertionError(f"{method}: no answer within {seconds} s")
            data = os.read(self.answers, 1 << 20)
            if not data:
                self.fail_at_end(method)
            Browser.rest += data

    def fail_at_end(self, method):
        """Raises ConnectionError. The next page starts another Chromium."""
        chromium.cache_clear()
        Browser.rest = b""
        raise ConnectionError(f"{method}: Chromium has ended")

    def open(self, address):
        self.order("Page.navigate", url=address)

    def evaluate(self, script):
        """Returns the value of a script on the page."""
        answer = self.order("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def wait(self, script, seconds=60):
        """Waits until a script returns a true value."""
        deadline, found = time.monotonic() + seconds, None
        while time.monotonic() < deadline:
            try:
                found = self.evaluate(script)
            except AssertionError:
                found = None
            if found:
                return found
            time.sleep(0.1)
        body = self.evaluate("document.body && document.body.innerText")
        raise AssertionError(f"the condition never became true: {script}; text of the page: {body}; {self.complaints}")

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.order("Input.dispatchKeyEvent", type=kind, key=key)

    def picture(self, name, whole=False):
        """Saves a PNG screenshot of the viewport or of the whole page."""
        data = self.order("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(name, "wb") as file:
            file.write(base64.b64decode(data))
