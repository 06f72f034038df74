# SPDX-License-Identifier: Apache-2.0
"""Upstream's kubeadm joins, upgrades and resets a cluster that ours has changed."""

import pytest

from cluster import kubernetes
from cluster.clusters import ENDPOINT, Cluster, leftovers
from cluster.test_interop import upstream  # noqa: F401  (a fixture)
from changes.test_readdress import move, other_address, readdress
from cluster.upgrades import IGNORED

pytestmark = pytest.mark.ours


def lead(machine, address):
    """Makes the endpoint's name resolve to the address on the machine."""
    lines = [line for line in machine.host.read("/etc/hosts").splitlines() if "api.bench" not in line]
    machine.host.write("/etc/hosts", "\n".join([*lines, f"{address} api.bench"]) + "\n")


def test_upstream_works_with_a_changed_cluster(bench, kubeadm, upstream, note):  # noqa: F811
    cluster = Cluster(bench, kubeadm, note)
    try:
        first = cluster.machine("cp-one")
        assert first.init().code == 0
        worker = cluster.join_worker()
        cluster.wait_healthy()
        for words in (
            ("config", "apply", "--set", "apiServer.extraArgs.v=1", "--set", "kubelet.maxPods=111", "--yes"),
            ("endpoint", "set", ENDPOINT, "--yes"),
        ):
            outcome = first.kubeadm(*words, timeout=400)
            assert outcome.code == 0, outcome.text
        outcome = worker.kubeadm("endpoint", "set", ENDPOINT, "--yes")
        assert outcome.code == 0, outcome.text
        old, new = first.host.address, other_address(first.host.address)
        move(first.host, old, new, [worker.host])
        for machine in (first, worker):
            lead(machine, new)
        readdress(first, "--to", new)
        kubernetes.wait_healthy(first.host, expected_nodes=["cp-one", "worker"])

        joining = cluster.machine("worker-two", kubeadm=upstream)
        lead(joining, new)
        command = first.host.run("kubeadm", "token", "create", "--print-join-command").stdout.split()
        assert command[2] == ENDPOINT, command
        outcome = joining.join(*command[2:])
        assert outcome.code == 0, outcome.text
        kubernetes.wait_healthy(first.host, expected_nodes=["cp-one", "worker", "worker-two"])
        assert "maxPods: 111" in joining.host.read("/var/lib/kubelet/config.yaml")

        for machine in (first, worker):
            machine.host.copy(upstream, "/usr/local/bin/kubeadm")
            outcome = machine.kubeadm("upgrade", "node", IGNORED, timeout=400)
            assert outcome.code == 0, outcome.text
        kubernetes.wait_healthy(first.host, expected_nodes=["cp-one", "worker", "worker-two"])
        assert "--v=1" in first.host.read("/etc/kubernetes/manifests/kube-apiserver.yaml")

        for machine in (worker, first):
            outcome = machine.kubeadm("reset", "--force", timeout=200)
            assert outcome.code == 0, outcome.text
        assert not [path for path in leftovers(first.host) if path.startswith("/var/lib/etcd")]
    finally:
        cluster.down()
