# SPDX-License-Identifier: Apache-2.0
"""From the oldest minor to the newest with one program and one command."""

import time

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.client import Client
from cluster.upgrades import IGNORED, assert_images, images, kubelets, kubernetes_version, of_kubernetes
from components import recipes
from minors import steps

pytestmark = pytest.mark.ours

NEW = steps.version(steps.NEWEST)
KUBELETS = ("--node-packages", steps.PACKAGES)
WAY = ("upgrade", "apply", "--path", NEW, "--yes", IGNORED, *KUBELETS)


@pytest.fixture
def single(bench, kubeadm, note, request):
    """One control plane of the oldest minor, with the images and kubelets of all newer ones."""
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    newer = steps.after(steps.OLDEST)
    steps.make(cluster, ["alpha"], steps.OLDEST, also=newer)
    steps.lay_kubelets(cluster.first.host, steps.OLDEST, newer)
    yield cluster.first


def has_arrived(host):
    kubernetes.wait_healthy(host)
    etcd = {f"etcd-{host.name}": recipes.RELEASES[steps.NEWEST].etcd}
    assert_images(host, of_kubernetes([host.name], NEW) | etcd)
    assert kubernetes_version(host) == NEW
    assert kubelets(host)[host.name] == NEW


def test_one_command_brings_a_control_plane_there(single, note):
    planned = single.kubeadm("upgrade", "plan", "--path", NEW)
    assert planned.code == 0, planned.text
    for release in steps.after(steps.OLDEST):
        assert steps.version(release) in planned.text
    begin = time.monotonic()
    with Client(single.host, writes=True) as client:
        outcome = single.kubeadm(*WAY, "--timeline", "/root/way.svg", timeout=580)
    assert outcome.code == 0, outcome.text
    note("the way", time.monotonic() - begin)
    note(f"{len(client.failed)} of {client.asked} writes failed, longest pause", client.longest_pause)
    has_arrived(single.host)
    assert not client.lost()
    outcome = single.kubeadm("upgrade", "diff", NEW)
    assert "are those of" in outcome.text, outcome.text
    # A second run has nothing to do.
    outcome = single.kubeadm(*WAY)
    assert outcome.code == 0 and "there is nothing to do" in outcome.text, outcome.text


# The events at which the upgrade is interrupted: the first hop's control plane, between two hops, the last
# one's kubelet.
POINTS = [
    f'{steps.version("1.35")}/control-plane',
    f'{steps.version("1.36")}/preflight',
    f"{NEW}/kubelet",
]


def go_and_kill(machine, phase, command=WAY):
    """Runs the command and kills it when it reports the start of the phase."""
    events = machine.host.logs / "killed.log"
    with open(events, "w", encoding="utf-8") as output:
        started = machine.host.start("kubeadm", *command, "--output", "json", output=output)
    point = f'"phase":"{phase}"'
    wait_until(lambda: point in events.read_text() or started.poll() is not None, timeout=300, pause=0.01)
    ended = started.poll()
    machine.host.kill(started)
    assert ended is None, f"it has ended before {phase}:\n" + "\n".join(events.read_text().splitlines()[-5:])


def test_killed_at_each_hop_and_given_again(single):
    for point in POINTS:
        go_and_kill(single, point)
    outcome = single.kubeadm(*WAY, timeout=580)
    assert outcome.code == 0, outcome.text
    has_arrived(single.host)


def test_breaking_changes_are_reported_before_any_change(single):
    host = single.host
    config = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
    broken = config.replace(
        "etcd:\n      local:",
        "etcd:\n      local:\n        extraArgs:\n        - name: experimental-x\n          value: '1'",
    )
    assert broken != config
    host.write("/root/config.yaml", broken)
    host.kubectl("apply", "-f", "/root/config.yaml")
    outcome = single.kubeadm(*WAY)
    assert outcome.code == 1
    assert "experimental-x" in outcome.text and "nothing was changed" in outcome.text
    assert images(host)["kube-apiserver-alpha"] == steps.version(steps.OLDEST)


# The phase of each hop in which the first control plane's run is killed. The second one's is in its only big
# one.
KILLED_IN = {"1.35": "control-plane", "1.36": "kubelet", steps.NEWEST: "upload-config/kubeadm"}
NODE = ("upgrade", "node", IGNORED, *KUBELETS)


def test_three_control_planes_go_hop_by_hop_and_are_killed_in_each(bench, kubeadm, note):
    cluster = Cluster(bench, kubeadm, note)
    newer = steps.after(steps.OLDEST)
    names = ["cp-one", "cp-two", "cp-three", "worker-one", "worker-two"]
    try:
        steps.make(cluster, names, steps.OLDEST, workers=names[3:], also=newer)
        first, *others = cluster.machines
        for machine in cluster.machines:
            steps.lay_kubelets(machine.host, steps.OLDEST, newer)
        addresses = [machine.host.address for machine in (first, *others[:2])]
        with Client(first.host, addresses, writes=True) as client:
            for release in newer:
                go_and_kill(first, f"{steps.version(release)}/{KILLED_IN[release]}")
                outcome = first.kubeadm(*WAY, timeout=580)
                last = release == newer[-1]
                assert outcome.code == (0 if last else 1), outcome.text
                assert last or "cp-two" in outcome.text and "kubeadm upgrade node" in outcome.text
                go_and_kill(others[0], "control-plane", NODE)
                for machine in others[:2]:
                    outcome = machine.kubeadm(*NODE, timeout=400)
                    assert outcome.code == 0, outcome.text
                    assert kubelets(first.host)[machine.host.name] == steps.version(release)
        note(f"{len(client.failed)} of {client.asked} writes failed, longest pause", client.longest_pause)
        assert not client.lost()
        for machine in others[2:]:
            outcome = machine.kubeadm(*NODE, timeout=400)
            assert outcome.code == 0, outcome.text
        assert set(kubelets(first.host).values()) == {NEW}
        note("all Ready at the end", cluster.wait_healthy())
    finally:
        cluster.down()
