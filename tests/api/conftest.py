# SPDX-License-Identifier: Apache-2.0
"""One control plane for all tests of this directory. Its logs are kept if a test fails."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
sys.path.insert(0, str(Path(__file__).parent))

from control_plane import ADMIN, ControlPlane  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--build", type=Path, default=TOP / "build" / "release", help="build directory of the driver")
    parser.addoption("--kubeadm", type=Path, default=TOP / "build" / "bin" / "kubeadm")


@pytest.fixture(scope="session")
def plane(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("control-plane")
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def say(text):
        with capture.global_and_fixture_disabled():
            print(text, flush=True)

    it = ControlPlane(directory, say)
    try:
        it.start()
        yield it
    finally:
        it.stop()
        if request.session.testsfailed:
            say(f"logs are in {directory}")
        else:
            shutil.rmtree(directory)


class Failure(Exception):
    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Driver:
    """Runs api_driver as a given caller."""

    def __init__(self, program, plane):
        self.program, self.plane = program, plane

    def command(self, words, config=None):
        return [self.program, str(config or self.plane.kubeconfig(ADMIN)), *words]

    def __call__(self, *words, body=None, config=None):
        done = subprocess.run(self.command(words, config), input=json.dumps(body), text=True,
                              capture_output=True, timeout=120, check=False)
        answer = json.loads(done.stdout) if done.stdout else None
        if done.returncode == 1:
            raise Failure(**answer)
        assert done.returncode == 0, done.stderr
        return answer


@pytest.fixture(scope="session")
def driver(request, plane):
    build = request.config.getoption("--build")
    subprocess.run(["cmake", "--build", build, "--target", "api_driver"], check=True, stdout=subprocess.DEVNULL)
    return Driver(build / "bin" / "api_driver", plane)
