# SPDX-License-Identifier: Apache-2.0
"""A working cluster of the previous release, created by upstream's kubeadm, is upgraded to the newest release, node by
node."""

import concurrent.futures

import pytest

from cluster import echo
from cluster.client import Client
from cluster.kubernetes import MIRRORED, control_plane_containers, running
from cluster.processes import wait_until
from cluster.upgrades import (
    IGNORED,
    NEW,
    apply,
    assert_images,
    kubelets,
    kubernetes_version,
    made_by_upstream,
    of_kubernetes,
    proxies,
    take_new_kubeadm,
    workload,
)
from components import recipes

pytestmark = pytest.mark.ours


def test_every_node_is_upgraded(bench, kubeadm, note):
    names = ["cp-one", "cp-two", "worker"]
    cluster = made_by_upstream(bench, note, names, workers=["worker"])
    try:
        first, second, worker = cluster.machines
        host = first.host
        take_new_kubeadm(cluster, kubeadm)
        echo.deploy(host)
        before = workload(host)

        with Client(host) as client:
            outcome = apply(first)
            assert outcome.code == 0, outcome.text
        assert f'\n[upgrade] SUCCESS! A control plane node of your cluster was upgraded to "{NEW}".\n' in outcome.stdout
        note(f"apply: {len(client.failed)} of {client.asked} requests failed", client.outage)
        assert client.outage < 60
        for machine in (second, worker):
            outcome = machine.kubeadm("upgrade", "node", IGNORED, timeout=400)
            assert outcome.code == 0, outcome.text
        old = set(control_plane_containers(host).values())
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda machine: machine.host.use_kubelet(recipes.DEFAULT_RELEASE), cluster.machines))
        assert wait_until(lambda: set(kubelets(host).values()) == {NEW}, timeout=MIRRORED)
        # A kubelet of another minor version restarts all static Pods some seconds after its Node shows the new version.
        assert wait_until(lambda: not any(old & running(machine.host) for machine in (first, second)), MIRRORED)
        note("all Ready after the upgrade", cluster.wait_healthy())

        etcd = recipes.RELEASES[recipes.DEFAULT_RELEASE].etcd
        control_planes = names[:2]
        assert_images(host, of_kubernetes(control_planes, NEW) | {f"etcd-{name}": etcd for name in control_planes})
        assert wait_until(lambda: proxies(host) == {NEW}, timeout=60)
        assert kubernetes_version(host) == NEW
        assert workload(host) == before

        # A second run has nothing to do.
        untouched = control_plane_containers(host)
        outcome = second.kubeadm("upgrade", "node", IGNORED)
        assert outcome.code == 0, outcome.text
        assert control_plane_containers(host) == untouched
    finally:
        cluster.down()
