# SPDX-License-Identifier: Apache-2.0
"""init is killed at many points. The same command must then end with a healthy cluster."""

import json

import pytest

from cluster import kubernetes
from cluster.processes import wait_until

pytestmark = pytest.mark.ours  # upstream's kubeadm refuses to resume

# The phases during which init is killed. Other phases run at the same time.
POINTS = [
    "certs/apiserver",
    "kubelet-start",
    "wait-control-plane/api",
    "bootstrap-token",
    "addon/coredns",
]


def started_phases(path):
    """Returns the started phases according to the events in a file, whose last line may be incomplete."""
    lines = path.read_text().split("\n")[:-1]
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return {event["phase"] for event in events if event["type"] == "phase_started"}


def init_and_kill(machine, phase):
    """Starts init, and sends SIGKILL when init reports the start of `phase`. Returns whether init was still running."""
    events = machine.host.logs / "killed.log"
    with open(events, "w", encoding="utf-8") as output:
        started = machine.host.start(
            "kubeadm", "init", "--config", "/root/init.yaml", "--output", "json", output=output
        )
    assert wait_until(
        lambda: phase in started_phases(events) or started.poll() is not None,
        timeout=120,
        pause=0.005,
    )
    ended = started.poll()
    machine.host.kill(started)
    assert ended is None, f"ended before {phase} started:\n{events.read_text()}"
    # The last phases take milliseconds, so init may have succeeded before the kill.
    return "run_finished" not in events.read_text()


@pytest.mark.long
@pytest.mark.parametrize("phase", POINTS)
def test_an_init_that_is_killed_once_is_resumed(machine, phase):
    if init_and_kill(machine, phase):
        outcome = machine.init()
        assert outcome.code == 0, outcome.text
    machine.note("all Ready after init", kubernetes.wait_healthy(machine.host))


def test_an_init_that_is_killed_repeatedly_is_resumed(machine):
    if all([init_and_kill(machine, phase) for phase in POINTS]):
        outcome = machine.init()
        assert outcome.code == 0, outcome.text
    machine.note("all Ready after init", kubernetes.wait_healthy(machine.host))
