# SPDX-License-Identifier: Apache-2.0
"""A headless browser, controlled by the DevTools protocol over two pipes.

A window of Chromium is at least 500 pixels wide. The protocol's device metrics can set a smaller width.
"""

import base64
import itertools
import json
import os
import subprocess


class Browser:
    """A Chromium process that runs during the `with` block."""

    def __init__(self, program, directory):
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # The protocol's descriptors are 3 and 4.
        argv = ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash", program, "--headless", "--no-sandbox",
                "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={directory}"]
        self._process = subprocess.Popen(argv, pass_fds=[theirs_in, theirs_out], stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self._out, self._in = os.fdopen(ours_out, "wb", buffering=0), os.fdopen(ours_in, "rb")
        self._numbers = itertools.count(1)
        self._events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        self._out.close()
        self._in.close()

    def _message(self):
        text = bytearray()
        while (byte := self._in.read(1)) != b"\0":
            if not byte:
                raise EOFError("the browser has ended")
            text += byte
        return json.loads(text)

    def call(self, method, session="", **parameters):
        """Sends one command and returns its result. Keeps events that arrive before the result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            self._events.append(answer)

    def _wait(self, session, method):
        while not any(event.get("method") == method and event.get("sessionId") == session for event in self._events):
            self._events.append(self._message())

    def look(self, url, width, height, picture):
        """Opens the page in a viewport of that size, and saves a picture. Returns the width of the page."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Page.enable", session)
        self.call("Page.navigate", session, url=url)
        self._wait(session, "Page.loadEventFired")
        wide = self.call("Runtime.evaluate", session, returnByValue=True,
                         expression="[innerWidth, document.documentElement.scrollWidth]")["result"]["value"]
        picture.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", session)["data"]))
        self.call("Target.closeTarget", targetId=target)
        assert wide[0] == width, "the viewport has not the size that was asked for"
        return wide[1]
