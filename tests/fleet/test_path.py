# SPDX-License-Identifier: Apache-2.0
"""One operation upgrades a cluster and its kubelets over several minor versions, hop by hop."""

import re

import pytest

from cluster.client import Client
from cluster.clusters import Cluster
from cluster.upgrades import images, kubelets, kubernetes_version
from fleet.runs import Run, fleet_run, nodes, write_operation
from minors import steps

pytestmark = pytest.mark.ours

WAY = next(way for way in steps.WAYS if len(way.hops) == 2)
UPGRADE = {
    "version": WAY.version,
    "kubeletCommand": f"cp {steps.PACKAGES}/v$KUBELET_VERSION/kubelet /usr/local/bin/kubelet.next && "
                      "mv -f /usr/local/bin/kubelet.next /usr/local/bin/kubelet",
    "ignorePreflightErrors": ["NumCPU", "SystemVerification", "Swap"],
    "allowExperimentalUpgrades": True,
}


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request, equip):
    """Two control planes and a worker of the previous release, with the images and kubelets of the newer ones."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    steps.make(cluster, ["cp-one", "cp-two", "worker"], WAY.start, workers=["worker"], also=WAY.hops)
    for machine in cluster.machines:
        steps.lay_kubelets(machine.host, WAY.start, WAY.hops)
    return equip(cluster, operator=False)


def store_config(host, text):
    """Applies the ConfigMap without its resourceVersion, which is stale after the first call."""
    host.write("/root/config.yaml", re.sub(r"\n  resourceVersion: .*", "", text))
    host.kubectl("apply", "-f", "/root/config.yaml")


def test_a_breaking_change_stops_the_operation_before_any_drain(cluster):
    host = cluster.first.host
    config = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
    before, after, named = WAY.breaking
    assert before in config, config
    store_config(host, config.replace(before, after))
    write_operation(host, "broken", {"upgrade": UPGRADE})
    outcome = fleet_run(cluster.first, "broken")
    store_config(host, config)
    assert outcome.code == 1, outcome.text
    assert named in fleet_logs(cluster, "broken")
    assert "cp-one (check): " in outcome.stderr and "Draining" not in outcome.text, outcome.text
    assert images(host)["kube-apiserver-cp-one"] == steps.version(WAY.start)


def fleet_logs(cluster, name):
    outcome = cluster.first.kubeadm("fleet", "logs", name)
    assert outcome.code == 0, outcome.text
    return outcome.stdout


def test_every_node_goes_hop_by_hop(cluster, note):
    host = cluster.first.host
    write_operation(host, "path", {"upgrade": UPGRADE})
    plan = fleet_run(cluster.first, "path", "--dry-run")
    for release in WAY.hops:
        assert f"control planes to {steps.version(release)}" in plan.stdout, plan.text
    addresses = [machine.host.address for machine in cluster.machines[:2]]
    with Client(host, addresses, writes=True) as client, Run(host, "path") as run:
        assert run.wait(1800) == 0, run.text()
    note("fleet run over two minor versions", run.seconds)
    note(f"{len(client.failed)} of {client.asked} writes failed, longest pause", client.longest_pause)
    assert not client.lost()
    assert kubelets(host) == dict.fromkeys(["cp-one", "cp-two", "worker"], WAY.version)
    assert kubernetes_version(host) == WAY.version
    assert not any(node["spec"].get("unschedulable") for node in nodes(host).values())
    steps_seen = [line for line in run.text().splitlines() if line.endswith(": Done")]
    assert len(steps_seen) == 6, run.text()  # the check, two hops of two control planes, the worker
    cluster.wait_healthy()
