# SPDX-License-Identifier: Apache-2.0
"""Fixtures `plane` and `api`: a real API server of the release, for commands that change stored objects."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))

from approver import Api  # noqa: E402
from control_plane import ControlPlane  # noqa: E402

from . import programs  # noqa: E402


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    made = ControlPlane(tmp_path_factory.mktemp("plane"), lambda text: None, release=programs.RELEASE)
    try:
        made.start()
        made.processes.pop().kill()  # stops the controller manager, which would change objects concurrently
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def api(plane):
    return Api(plane)
