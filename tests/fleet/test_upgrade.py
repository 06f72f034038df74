# SPDX-License-Identifier: Apache-2.0
"""One command, or one object, upgrades a cluster of the previous release and its kubelets, while a workload keeps its
disruption budget."""

import json
import threading
import time

import pytest

from cluster import echo
from cluster.kubernetes import MIRRORED
from cluster.processes import wait_until
from cluster.upgrades import NEW, kubelets, kubernetes_version, made_by_upstream, proxies, take_new_kubeadm
from components import recipes, store
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
BUDGET = {
    "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "echo"},
    "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "echo"}}},
}


class Watched:
    """Records the smallest number of Ready Pods of the workload while the API server answers."""

    def __init__(self, host):
        self.host = host
        self.least = None
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.done.wait(0.5):
            answer = self.host.run("kubectl", "get", "deployment", "echo", "-o", "jsonpath={.status.readyReplicas}",
                                   environment=["KUBECONFIG=/etc/kubernetes/admin.conf"], check=False)
            if answer.returncode == 0:
                ready = int(answer.stdout or 0)
                self.least = ready if self.least is None else min(self.least, ready)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()


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


@pytest.mark.parametrize("upgrade", [by_command, by_object])
def test_every_node_and_kubelet_is_upgraded(bench, kubeadm, note, equip, upgrade):
    names = ["control", "worker-a", "worker-b"]
    cluster = made_by_upstream(bench, note, names, workers=names[1:])
    try:
        host = cluster.first.host
        take_new_kubeadm(cluster, kubeadm)
        equip(cluster, operator=upgrade is by_object)
        for machine in cluster.machines:
            machine.host.copy(store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / "kubelet", NEW_KUBELET)
        echo.deploy(host)
        host.kubectl("scale", "deployment/echo", "--replicas=3")
        host.kubectl("rollout", "status", "deployment/echo", "--timeout=60s")
        host.write("/root/budget.json", json.dumps(BUDGET))
        host.kubectl("apply", "-f", "/root/budget.json")
        write_operation(host, "to-new", UPGRADE)

        begin = time.monotonic()
        with Watched(host) as watched:
            upgrade(cluster)
        note(f"upgrade {upgrade.__name__}", time.monotonic() - begin)
        assert watched.least >= 2

        assert kubelets(host) == dict.fromkeys(names, NEW)
        assert kubernetes_version(host) == NEW
        assert wait_until(lambda: proxies(host) == {NEW}, MIRRORED)
        assert not any(node["spec"].get("unschedulable") for node in nodes(host).values())
        assert not any("operations.slipway" in json.dumps(node["metadata"]) for node in nodes(host).values())
        cluster.wait_healthy()
    finally:
        cluster.down()
