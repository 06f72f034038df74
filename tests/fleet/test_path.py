# SPDX-License-Identifier: Apache-2.0
"""One object upgrades a cluster of three control planes, three workers and twenty hollow nodes over three minor
versions, hop by hop."""

import re

import pytest

from cluster.client import Client
from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.upgrades import images, kubelets, kubernetes_version
from components import recipes
from fleet import workload
from fleet.hollow import HollowNodes
from fleet.runs import fleet, fleet_run, install_operator, nodes, path_of, status, write_operation
from minors import steps

pytestmark = pytest.mark.ours

CONTROL_PLANES, WORKERS = ["cp-1", "cp-2", "cp-3"], ["worker-1", "worker-2", "worker-3"]
HOLLOW = [f"hollow-{number:02}" for number in range(1, 21)]
WAY = max((way for way in steps.WAYS if way.target in recipes.RELEASES), key=lambda way: len(way.hops))
UPGRADE = {
    "version": WAY.version,
    "kubeletCommand": f"cp {steps.PACKAGES}/v$KUBELET_VERSION/kubelet /usr/local/bin/kubelet.next && "
                      "mv -f /usr/local/bin/kubelet.next /usr/local/bin/kubelet",
    "ignorePreflightErrors": ["NumCPU", "SystemVerification", "Swap"],
}
AT_ONCE = 4  # workers
LIMIT = 3600  # seconds for the whole upgrade


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request, equip):
    """A cluster of the oldest release, with the images and kubelets of the newer ones."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    steps.make(cluster, [*CONTROL_PLANES, *WORKERS], WAY.start, workers=WORKERS, also=WAY.hops)
    for machine in cluster.machines:
        steps.lay_kubelets(machine.host, WAY.start, WAY.hops)
    return equip(cluster, operator=False)


def addresses(cluster):
    return [machine.host.address for machine in cluster.machines[:len(CONTROL_PLANES)]]


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
    assert named in fleet(cluster, "logs", "broken")
    assert "cp-1 (check): " in outcome.stderr and "Draining" not in outcome.text, outcome.text
    assert images(host)["kube-apiserver-cp-1"] == steps.version(WAY.start)


def test_every_node_goes_hop_by_hop(cluster, kubeadm, note, tmp_path):
    host = cluster.first.host
    workload.deploy(host)
    write_operation(host, "path", {"upgrade": UPGRADE, "workers": {"maxUnavailable": AT_ONCE}})
    with HollowNodes(host, addresses(cluster), HOLLOW, steps.version(WAY.start), WAY.version, tmp_path) as hollow:
        plan = fleet_run(cluster.first, "path", "--dry-run")
        for release in WAY.hops:
            assert f"control planes to {steps.version(release)}" in plan.stdout, plan.text
        assert plan.stdout.count("hollow-") == len(HOLLOW)
        install_operator(cluster, kubeadm.with_name("slipway-operator"), tmp_path)
        with Client(host, addresses(cluster), writes=True) as client, workload.Watched(host) as watched:
            fleet(cluster, "apply", path_of("path"))
            # Empty while the API server of this host restarts.
            ended = wait_until(lambda: status(host, "path").get("phase") in ("Complete", "Failed"), LIMIT, pause=1)
        found = status(host, "path")
        assert ended and found["phase"] == "Complete", found
        note(f"{len(client.failed)} of {client.asked} writes failed, longest pause", client.longest_pause)
        assert not client.lost()
        assert watched.least >= workload.MIN_AVAILABLE
        assert hollow.failures == []

        everyone = [*CONTROL_PLANES, *WORKERS, *HOLLOW]
        assert kubelets(host) == dict.fromkeys(everyone, WAY.version)
        assert kubernetes_version(host) == WAY.version
        assert not [name for name, node in nodes(host).items() if node["spec"].get("unschedulable")]
        rows = [(row["name"], row.get("step")) for row in found["nodes"] if row["stage"] == "Done"]
        assert len(rows) == 1 + len(WAY.hops) * len(CONTROL_PLANES) + len(WORKERS) + len(HOLLOW), rows
        fleet(cluster, "timeline", "path", "-o", "/root/path.svg")
        picture = host.read("/root/path.svg")
        assert "<svg" in picture and all(name in picture for name in everyone)
        cluster.wait_healthy()
