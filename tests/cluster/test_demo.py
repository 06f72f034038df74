# SPDX-License-Identifier: Apache-2.0
"""Tests `./dev up --workers N`, with which other projects can create a cluster in their CI."""

import subprocess
import sys

import pytest

from cluster import demo, hosts

DEMO = [sys.executable, hosts.PROJECT / "tests" / "cluster" / "demo.py"]


def run(*words):
    outcome = subprocess.run([*DEMO, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout
    return outcome.stdout


@pytest.mark.ours
def test_workers_join_and_more_of_them_later():
    if demo.existing():
        pytest.skip("there is a cluster that was made by hand: ./dev down removes it")
    try:
        assert "2 of 2 nodes Ready" in run("up", "--workers", "1")
        assert "already up and healthy" in run("up", "--workers", "1")
        more = run("up", "--workers", "2")
        assert "kubeadm join of 1 workers" in more
        assert "3 of 3 nodes Ready" in more
    finally:
        run("down")
    assert demo.existing() is None
