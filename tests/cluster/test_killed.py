"""init that is killed at any point: the same command, given again, ends with a healthy cluster."""

import pytest

from cluster import kubernetes
from cluster.processes import wait_until

pytestmark = pytest.mark.ours  # upstream's kubeadm refuses to go on where it left off

# Words of init's output, and with them the points at which it is killed.
POINTS = [
    "[certs] Made",
    "[kubelet-start] Starting the kubelet",
    "[wait-control-plane]",
    "[bootstrap-token]",
    "[addons]",
]


def init_and_kill(machine, words):
    """Starts init and SIGKILLs it when it says `words`."""
    path = machine.host.logs / "killed.log"
    with open(path, "w", encoding="utf-8") as output:
        started = machine.host.start(
            "kubeadm", "init", "--config", "/root/init.yaml", output=output
        )
    try:
        said = wait_until(
            lambda: words in path.read_text() or started.poll() is not None, timeout=60, pause=0.005
        )
        assert (
            said and started.poll() is None
        ), f"ended before it said {words!r}:\n{path.read_text()}"
    finally:
        machine.host.kill(started)


@pytest.mark.parametrize("words", POINTS)
def test_killed_once(machine, words):
    init_and_kill(machine, words)
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    machine.note("all Ready after init", kubernetes.wait_healthy(machine.host))


def test_killed_again_and_again(machine):
    for words in POINTS:
        init_and_kill(machine, words)
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    machine.note("all Ready after init", kubernetes.wait_healthy(machine.host))
