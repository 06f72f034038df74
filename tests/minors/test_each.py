# SPDX-License-Identifier: Apache-2.0
"""Clusters of each minor version: created by our kubeadm, by upstream's kubeadm of that version, or by both
together."""

import pytest

from cluster import echo
from cluster.clusters import Cluster
from cluster.test_control_planes import voters
from cluster.upgrades import IGNORED, assert_images, kubelets, of_kubernetes, upstream
from components import recipes
from minors import steps

pytestmark = pytest.mark.ours


def of_all(nodes, release):
    """Returns the images of a release's control planes, including etcd: name of the Pod → tag."""
    row = recipes.ALL_RELEASES[release]
    return of_kubernetes(nodes, row.version) | {f"etcd-{node}": row.etcd for node in nodes}


def test_three_control_planes_and_a_worker(bench, kubeadm, note, release):
    cluster = Cluster(bench, kubeadm, note)
    nodes = ("cp-one", "cp-two", "cp-three")
    try:
        steps.make(cluster, [*nodes, "worker"], release, workers=["worker"])
        host = cluster.first.host
        assert voters(host) == sorted(nodes)
        assert_images(host, of_all(nodes, release))
        assert set(kubelets(host).values()) == {steps.version(release)}
        echo.deploy(host, patience=90)
        echo.assert_answers(host)
        for machine in cluster.machines[:3]:
            outcome = machine.kubeadm("certs", "renew", "all", "--restart", timeout=300)
            assert outcome.code == 0, outcome.text
        note("all Ready after the renewals", cluster.wait_healthy())
        for machine in reversed(cluster.machines[2:]):
            outcome = machine.kubeadm("reset", "--force", timeout=200)
            assert outcome.code == 0, outcome.text
        assert voters(host) == ["cp-one", "cp-two"]
    finally:
        cluster.down()


@pytest.mark.parametrize("maker", ["ours", "upstream"])
def test_the_other_kubeadm_joins_renews_and_resets(bench, kubeadm, note, release, maker):
    first, other = (kubeadm, upstream(release))[:: 1 if maker == "ours" else -1]
    cluster = Cluster(bench, first, note)
    try:
        steps.make(cluster, ["cp-one"], release)
        second = cluster.join_control_plane("cp-two", kubeadm=other, release=release)
        cluster.join_worker(kubeadm=other, release=release)
        note("all Ready after the joins", cluster.wait_healthy())
        cluster.first.host.copy(other, "/usr/local/bin/kubeadm")
        outcome = cluster.first.kubeadm("certs", "renew", "all")
        assert outcome.code == 0, outcome.text
        outcome = second.kubeadm("reset", "--force", timeout=200)
        assert outcome.code == 0, outcome.text
    finally:
        cluster.down()


def minor_of_etcd(release):
    return recipes.ALL_RELEASES[release].etcd.split(".")[:2]


@pytest.mark.parametrize("maker", ["ours", "upstream"])
def test_the_other_kubeadm_upgrades(bench, kubeadm, note, step, maker):
    old, new = step
    first, other = (kubeadm, upstream(new)) if maker == "ours" else (upstream(old), kubeadm)
    cluster = Cluster(bench, first, note)
    try:
        steps.make(cluster, ["cp-one", "cp-two"], old, also=(new,))
        for machine in cluster.machines:
            machine.host.copy(other, "/usr/local/bin/kubeadm")
        outcome = cluster.first.kubeadm(
            "upgrade", "apply", steps.version(new), "--yes", IGNORED, *steps.allowing(new), timeout=580
        )
        assert outcome.code == 0, outcome.text
        if other == kubeadm:  # our kubeadm warns of members that are older than etcd's guide requires
            assert ("etcd asks for" in outcome.text) == (minor_of_etcd(old) != minor_of_etcd(new)), outcome.text
        outcome = cluster.machines[1].kubeadm("upgrade", "node", IGNORED, timeout=580)
        assert outcome.code == 0, outcome.text
        for machine in cluster.machines:
            machine.host.use_kubelet(new)
        note("all Ready after the upgrade", cluster.wait_healthy())
        assert_images(cluster.first.host, of_all(["cp-one", "cp-two"], new))
        assert set(kubelets(cluster.first.host).values()) == {steps.version(new)}
    finally:
        cluster.down()
