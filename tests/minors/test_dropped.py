# SPDX-License-Identifier: Apache-2.0
"""The feature gates that src/model/releases/dropped.cc names, tried with the API server of their minor version."""

import re
import subprocess

import pytest

from cluster.hosts import PROJECT
from components import store
from minors import steps

pytestmark = pytest.mark.ours

SOURCE = (PROJECT / "src/model/releases/dropped.cc").read_text()


def table(name, release):
    """The text of one of the constant tables; empty if the release has none."""
    found = re.search(rf"{name}{release.split('.')[1]}\[\] = \{{(.*?)\}};", SOURCE, re.S)
    return found[1] if found else ""


def complaint(release, setting):
    """Starts the API server with this feature gate only, and returns its output. It ends at its flags."""
    program = store.release_directory(release) / "bin" / "kube-apiserver"
    ended = subprocess.run([program, f"--feature-gates={setting}"], capture_output=True, text=True, timeout=60,
                           check=False, stdin=subprocess.DEVNULL)
    assert ended.returncode != 0
    return ended.stderr


def test_gates_that_are_gone_or_locked(release):
    gone = re.findall(r'"(\w+)"', table("kGates", release))
    locked = re.findall(r'\{"(\w+)", (true|false)\}', table("kLocked", release))
    if release == steps.OLDEST:
        assert not gone and not locked
        return
    assert len(gone) > 5 and len(locked) > 5
    for name in gone:
        assert f"unrecognized feature gate: {name}" in complaint(release, f"{name}=true"), name
    for name, value in locked:
        other = "false" if value == "true" else "true"
        expected = f"cannot set feature gate {name} to {other}, feature is locked to {value}"
        assert expected in complaint(release, f"{name}={other}"), name
        assert "cannot set feature gate" not in complaint(release, f"{name}={value}"), name
