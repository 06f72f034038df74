# SPDX-License-Identifier: Apache-2.0
"""Upgrades by upstream's kubeadm and by ours, one after the other on the same cluster."""

import pytest

from cluster.clusters import Cluster
from cluster.kubernetes import control_plane_containers
from cluster.upgrades import HOST, IGNORED, NEW, apply, assert_images, of_kubernetes, upstream
from components import recipes

pytestmark = pytest.mark.ours


def test_upstream_upgrades_a_cluster_that_ours_created(bench, kubeadm, note):
    cluster = Cluster(bench, kubeadm, note)
    try:
        machine = cluster.machine("cp", **HOST)
        cluster.init()
        cluster.wait_healthy()
        machine.host.copy(upstream(recipes.DEFAULT_RELEASE), "/usr/local/bin/kubeadm")
        outcome = machine.kubeadm("upgrade", "apply", NEW, "--yes", IGNORED, timeout=580)
        assert outcome.code == 0, outcome.text
        note("all Ready after the upgrade", cluster.wait_healthy())
        assert_images(machine.host, of_kubernetes(["cp"], NEW))
        # Our kubeadm continues with the upgraded cluster.
        machine.host.copy(kubeadm, "/usr/local/bin/kubeadm")
        before = control_plane_containers(machine.host)
        outcome = apply(machine)
        assert outcome.code == 0, outcome.text
        assert control_plane_containers(machine.host) == before
    finally:
        cluster.down()


@pytest.mark.long
def test_upstream_upgrades_the_next_node_after_ours(bench, kubeadm, note):
    cluster = Cluster(bench, kubeadm, note)
    try:
        cluster.create(["cp-one", "cp-two"], **HOST)
        first, second = cluster.machines
        outcome = apply(first)
        assert outcome.code == 0, outcome.text
        second.host.copy(upstream(recipes.DEFAULT_RELEASE), "/usr/local/bin/kubeadm")
        outcome = second.kubeadm("upgrade", "node", IGNORED, timeout=580)
        assert outcome.code == 0, outcome.text
        note("all Ready after the upgrade", cluster.wait_healthy())
        assert_images(first.host, of_kubernetes(["cp-one", "cp-two"], NEW))
    finally:
        cluster.down()
