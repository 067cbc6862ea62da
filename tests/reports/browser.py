"""A headless Chromium, spoken to in the DevTools protocol over two pipes: no port, no driver, no network."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60.0
"""Seconds to wait for an answer: a machine under load is slow, and a test must not fail for that."""


def binary() -> str | None:
    """Return the browser that is installed, None where there is none."""
    return next((found for found in map(shutil.which, NAMES) if found), None)


class NavigatedError(Exception):
    """The page went to another one before it could answer."""


class Browser:
    """One browser with one page."""

    def __init__(self, command: str, folder: Path, *, reaches: str = "") -> None:
        """Start the browser with a folder for its files; it finds no host but `reaches`."""
        to_browser, self._commands = os.pipe()
        self._answers, from_browser = os.pipe()
        flags = [
            "--headless",
            "--no-sandbox",  # Chromium has none for root, which is who runs tests in a container
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-proxy-server",
            f"--host-resolver-rules=MAP * ~NOTFOUND{reaches and f', EXCLUDE {reaches}'}",
            f"--user-data-dir={folder}",
            "--remote-debugging-pipe",
        ]
        # The protocol's pipes are file descriptors 3 and 4 of the browser.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}', command, *flags],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._received = b""
        self._number = 0
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._session = None
        try:
            self.send("Browser.close")
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._commands)
            os.close(self._answers)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = json.loads(self._next())
            if answer.get("id") == self._number:
                if "navigated" in answer.get("error", {}).get("message", ""):
                    raise NavigatedError
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> bytes:
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._answers], [], [], PATIENCE)
            part = os.read(self._answers, 1 << 16) if ready else b""
            assert part, "the browser does not answer"
            self._received += part
        answer, _, self._received = self._received.partition(b"\0")
        return answer

    def open(self, page: Path) -> None:
        """Show a page and wait until it is there."""
        self.send("Page.navigate", url=page.as_uri())
        until = time.monotonic() + PATIENCE
        while self.ask("document.readyState + ' ' + location.href") != f"complete {page.as_uri()}":
            assert time.monotonic() < until, "the page does not load"
            time.sleep(0.02)

    def ask(self, expression: str) -> Any:
        """Return the value of a JavaScript expression in the page; None while the page goes to another one."""
        try:
            answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        except NavigatedError:
            return None
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def picture(self) -> bytes:
        """Return what the window shows, as PNG."""
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])

    def click(self, selector: str) -> None:
        """Click in the middle of an element, as a mouse does."""
        x, y = self.ask(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, *keys: str) -> None:
        """Press keys one after the other, such as `a` and `Escape`."""
        for key in keys:
            text = {"text": key} if len(key) == 1 else {}
            self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def look(self, *, width: int = 1000, height: int = 900, scheme: str = "light", media: str = "screen") -> None:
        """Set the size of the window, whether the reader prefers light or dark, and what the page is shown on."""
        self.send("Emulation.setFocusEmulationEnabled", enabled=True)  # keys go nowhere while another window has it
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send(
            "Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
