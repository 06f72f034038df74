# SPDX-License-Identifier: Apache-2.0
"""Upgrades over several minor versions with one program and one command."""

import time

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.client import Client
from cluster.upgrades import IGNORED, assert_images, images, kubelets, kubernetes_version, of_kubernetes
from components import recipes
from minors import steps
from minors.test_each import minor_of_etcd

pytestmark = pytest.mark.ours

KUBELETS = ("--node-packages", steps.PACKAGES)
NODE = ("upgrade", "node", IGNORED, *KUBELETS)
KUBELET_SKEW = 3  # the number of minor versions by which a kubelet may be older than its API server


def command(way):
    return ("upgrade", "apply", "--path", way.version, *steps.allowing(way.target), "--yes", IGNORED, *KUBELETS)


@pytest.fixture
def single(bench, kubeadm, note, request, way):
    """One control plane of the first minor version of the path, with the images and kubelets of all later ones."""
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    steps.make(cluster, ["alpha"], way.start, also=way.hops)
    steps.lay_kubelets(cluster.first.host, way.start, way.hops)
    yield cluster.first


def has_arrived(host, way):
    kubernetes.wait_healthy(host)
    etcd = {f"etcd-{host.name}": recipes.ALL_RELEASES[way.target].etcd}
    assert_images(host, of_kubernetes([host.name], way.version) | etcd)
    assert kubernetes_version(host) == way.version
    assert kubelets(host)[host.name] == way.version


def test_one_command_upgrades_a_control_plane_over_all_hops(single, way, note):
    planned = single.kubeadm(*way.plan)
    assert planned.code == 0, planned.text
    for release in way.hops:
        assert steps.version(release) in planned.text
    begin = time.monotonic()
    with Client(single.host, writes=True) as client:
        outcome = single.kubeadm(*command(way), "--timeline", "/root/way.svg", timeout=580)
    assert outcome.code == 0, outcome.text
    note("the way", time.monotonic() - begin)
    note(f"{len(client.failed)} of {client.asked} writes failed, longest pause", client.longest_pause)
    has_arrived(single.host, way)
    assert not client.lost()
    outcome = single.kubeadm("upgrade", "diff", way.version)
    assert "are those of" in outcome.text, outcome.text
    # A second run has nothing to do.
    outcome = single.kubeadm(*command(way))
    assert outcome.code == 0 and "there is nothing to do" in outcome.text, outcome.text


def go_and_kill(machine, phase, arguments):
    """Runs the command, and kills it when it reports the start of the phase."""
    events = machine.host.logs / "killed.log"
    with open(events, "w", encoding="utf-8") as output:
        started = machine.host.start("kubeadm", *arguments, "--output", "json", output=output)
    point = f'"phase":"{phase}"'
    wait_until(lambda: point in events.read_text() or started.poll() is not None, timeout=300, pause=0.01)
    ended = started.poll()
    machine.host.kill(started)
    assert ended is None, f"it has ended before {phase}:\n" + "\n".join(events.read_text().splitlines()[-5:])


def test_killed_at_each_hop_and_given_again(single, way):
    for hop, phase in way.points:
        go_and_kill(single, f"{steps.version(hop)}/{phase}", command(way))
    outcome = single.kubeadm(*command(way), timeout=580)
    assert outcome.code == 0, outcome.text
    has_arrived(single.host, way)


def test_breaking_changes_are_reported_before_any_change(single, way):
    host = single.host
    config = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
    before, after, named = way.breaking
    broken = config.replace(before, after)
    assert broken != config, config
    host.write("/root/config.yaml", broken)
    host.kubectl("apply", "-f", "/root/config.yaml")
    outcome = single.kubeadm(*command(way))
    assert outcome.code == 1
    assert named in outcome.text and "nothing was changed" in outcome.text
    assert images(host)["kube-apiserver-alpha"] == steps.version(way.start)


def upgrade_workers(workers):
    for machine in workers:
        outcome = machine.kubeadm(*NODE, timeout=400)
        assert outcome.code == 0, outcome.text


def test_three_control_planes_go_hop_by_hop_and_are_killed_in_each(bench, kubeadm, note, way):
    cluster = Cluster(bench, kubeadm, note)
    names = ["cp-one", "cp-two", "cp-three", "worker-one", "worker-two"]
    try:
        steps.make(cluster, names, way.start, workers=names[3:], also=way.hops)
        first, *others = cluster.machines
        for machine in cluster.machines:
            steps.lay_kubelets(machine.host, way.start, way.hops)
        planned = first.kubeadm(*way.plan)
        warned = minor_of_etcd(way.start) != minor_of_etcd(way.target)
        assert planned.code == 0, planned.text
        assert ("etcd asks for 3.6.11 or later on every member" in planned.text) == warned, planned.text
        addresses = [machine.host.address for machine in (first, *others[:2])]
        workers = others[2:]
        behind = len(way.hops) > KUBELET_SKEW
        assert (f"Before the hop to {way.version} these kubelets" in planned.text) == behind, planned.text
        with Client(first.host, addresses, writes=True) as client:
            for release in way.hops:
                if behind and release == way.target:
                    refused = first.kubeadm(*command(way))
                    assert refused.code == 1, refused.text
                    assert all(f"{machine.host.name} ({steps.version(way.start)})" in refused.text
                               for machine in workers), refused.text
                    upgrade_workers(workers)
                go_and_kill(first, f"{steps.version(release)}/{way.killed_in[release]}", command(way))
                outcome = first.kubeadm(*command(way), timeout=580)
                last = release == way.target
                assert outcome.code == (0 if last else 1), outcome.text
                assert last or "cp-two" in outcome.text and "kubeadm upgrade node" in outcome.text
                go_and_kill(others[0], "control-plane", NODE)
                for machine in others[:2]:
                    outcome = machine.kubeadm(*NODE, timeout=400)
                    assert outcome.code == 0, outcome.text
                    assert kubelets(first.host)[machine.host.name] == steps.version(release)
        note(f"{len(client.failed)} of {client.asked} writes failed, longest pause", client.longest_pause)
        assert not client.lost()
        upgrade_workers(workers)
        assert set(kubelets(first.host).values()) == {way.version}
        note("all Ready at the end", cluster.wait_healthy())
    finally:
        cluster.down()
