# SPDX-License-Identifier: Apache-2.0
"""One command, or one object, upgrades a cluster of the previous release and its kubelets, while a workload keeps its
disruption budget."""

import json
import time

import pytest

from cluster.kubernetes import MIRRORED
from cluster.processes import wait_until
from cluster.upgrades import NEW, kubelets, kubernetes_version, made_by_upstream, proxies, take_new_kubeadm
from components import recipes, store
from fleet import workload
from fleet.runs import Run, nodes, path_of, status, write_operation

pytestmark = pytest.mark.ours

PROGRAM = "/usr/local/bin/kubelet"
NEW_KUBELET = "/root/kubelet.new"
UPGRADE = {
    "upgrade": {
        "version": NEW,
        "kubeletCommand": f"cp {NEW_KUBELET} {PROGRAM}.next && mv -f {PROGRAM}.next {PROGRAM}",
        "ignorePreflightErrors": ["NumCPU", "SystemVerification", "Swap"],
    }
}


def by_command(cluster):
    host = cluster.first.host
    with Run(host, "to-new") as run:
        assert run.wait(1800) == 0, run.text()


def by_object(cluster):
    host = cluster.first.host
    outcome = cluster.first.kubeadm("fleet", "apply", path_of("to-new"))
    assert outcome.code == 0, outcome.text
    ended = wait_until(lambda: status(host, "to-new").get("phase") in ("Complete", "Failed"), 1800, pause=1)
    assert ended and status(host, "to-new")["phase"] == "Complete", status(host, "to-new")


def by_hand(cluster):
    """The same steps without the fleet: drain, kubeadm and uncordon, one node after the other. Its time is the
    yardstick of the other two."""
    host, spec = cluster.first.host, UPGRADE["upgrade"]
    for machine in cluster.machines:
        name = machine.host.name
        host.kubectl("drain", name, "--ignore-daemonsets", "--delete-emptydir-data", timeout=600)
        verb = ("upgrade", "apply", NEW, "--yes", "--path") if machine is cluster.first else ("upgrade", "node")
        ignored = ",".join(spec["ignorePreflightErrors"])
        outcome = machine.kubeadm(*verb, f"--upgrade-kubelet-command={spec['kubeletCommand']}",
                                  f"--ignore-preflight-errors={ignored}", timeout=600)
        assert outcome.code == 0, outcome.text
        host.kubectl("wait", f"node/{name}", "--for=condition=Ready", "--timeout=120s", timeout=150)
        host.kubectl("uncordon", name)


@pytest.mark.parametrize("upgrade", [by_hand, by_command, by_object])
def test_every_node_and_kubelet_is_upgraded(bench, kubeadm, note, equip, upgrade):
    names = ["control", "worker-a", "worker-b"]
    cluster = made_by_upstream(bench, note, names, workers=names[1:])
    try:
        host = cluster.first.host
        take_new_kubeadm(cluster, kubeadm)
        equip(cluster, operator=upgrade is by_object)
        for machine in cluster.machines:
            machine.host.copy(store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / "kubelet", NEW_KUBELET)
        workload.deploy(host)
        write_operation(host, "to-new", UPGRADE)

        begin = time.monotonic()
        with workload.Watched(host) as watched:
            upgrade(cluster)
        note(f"upgrade {upgrade.__name__}", time.monotonic() - begin)
        assert watched.least >= workload.MIN_AVAILABLE

        assert kubelets(host) == dict.fromkeys(names, NEW)
        assert kubernetes_version(host) == NEW
        assert wait_until(lambda: proxies(host) == {NEW}, MIRRORED)
        assert not any(node["spec"].get("unschedulable") for node in nodes(host).values())
        assert not any("operations.slipway" in json.dumps(node["metadata"]) for node in nodes(host).values())
        cluster.wait_healthy()
    finally:
        cluster.down()
