# SPDX-License-Identifier: Apache-2.0
"""init is killed at any point: the same command, run again, ends with a healthy cluster."""

import json

import pytest

from cluster import kubernetes
from cluster.processes import wait_until

pytestmark = pytest.mark.ours  # upstream's kubeadm refuses to resume

# Phases during which init is killed. Others run at the same time.
POINTS = [
    "certs/apiserver",
    "kubelet-start",
    "wait-control-plane/api",
    "bootstrap-token",
    "addon/coredns",
]


def started_phases(path):
    """The started phases according to the events in a file; the last line may be incomplete."""
    lines = path.read_text().split("\n")[:-1]
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return {event["phase"] for event in events if event["type"] == "phase_started"}


def init_and_kill(machine, phase):
    """Starts init and SIGKILLs it as soon as it reports the start of `phase`; returns whether it had not
    ended by then."""
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
    # The last steps take milliseconds: it may have ended successfully before the kill.
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
