# SPDX-License-Identifier: Apache-2.0
"""An upgrade fails on a node. The node must be rolled back and serve again, and the operation must stop with the
cause."""

import pytest

from cluster.upgrades import NEW, OLD, images, kubernetes_version, made_by_upstream, take_new_kubeadm
from fleet.runs import apply, fleet, fleet_run, nodes, reaches, status, write_operation

pytestmark = pytest.mark.ours

UPGRADE = {"version": NEW, "kubeletCommand": "echo no such package >&2; exit 3",
           "ignorePreflightErrors": ["NumCPU", "SystemVerification", "Swap"]}
SPEC = {"upgrade": UPGRADE, "rollback": "node"}
API_SERVER = "kube-apiserver-control"


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request, equip):
    """A control plane and a worker of the previous release, created by upstream's kubeadm, with the operator."""
    cluster = made_by_upstream(bench, note_of_module, ["control", "worker"], workers=["worker"])
    request.addfinalizer(cluster.down)
    take_new_kubeadm(cluster, kubeadm)
    return equip(cluster)


def require_old_and_uncordoned(host):
    assert images(host)[API_SERVER] == OLD
    assert kubernetes_version(host) == OLD
    assert not any(node["spec"].get("unschedulable") for node in nodes(host).values())


def test_the_api_server_refuses_a_rollback_of_another_operation(cluster):
    host = cluster.first.host
    write_operation(host, "renewal", {"renewCertificates": {}, "rollback": "node"})
    done = host.run("kubectl", "create", "--dry-run=server", "-f", "/root/renewal.yaml", check=False,
                    environment=["KUBECONFIG=/etc/kubernetes/admin.conf"])
    assert done.returncode != 0 and "rollback must be none" in done.stderr


def test_a_node_that_fails_is_rolled_back(cluster):
    host = cluster.first.host
    apply(cluster, "broken", SPEC)
    reaches(cluster, "broken", "Failed", 600)
    found = status(host, "broken")
    assert found["message"].endswith("; the node was rolled back"), found
    assert "kubelet" in found["message"]
    rows = {(node["name"], node["stage"]) for node in found["nodes"]}
    assert rows == {("control", "Failed"), ("worker", "Pending")}
    [condition] = [entry for entry in found["conditions"] if entry["type"] == "RolledBack"]
    assert condition["status"] == "True"
    assert "is undone" in fleet(cluster, "logs", "broken")
    require_old_and_uncordoned(host)
    events = host.kubectl("get", "events", "-o", "jsonpath={.items[*].reason}")
    assert "NodeRollingBack" in events and "OperationFailed" in events
    fleet(cluster, "abort", "broken")


def test_a_run_from_a_terminal_rolls_back_by_a_flag(cluster):
    """The preflight checks of a node fail before any change. With the flag --rollback=node, the rollback must find
    nothing to undo."""
    host = cluster.first.host
    host.kubectl("-n", "slipway-fleet", "scale", "deployment/slipway-operator", "--replicas=0")
    write_operation(host, "again", {"upgrade": {**UPGRADE, "ignorePreflightErrors": []}})
    plan = fleet_run(cluster.first, "again", "--dry-run", "--rollback=node")
    assert "A node on which kubeadm fails is rolled back" in plan.stdout, plan.text
    outcome = fleet_run(cluster.first, "again", "--rollback=node")
    assert outcome.code == 1, outcome.text
    assert "the node was rolled back" in outcome.stderr, outcome.text
    assert "Nothing to undo" in fleet(cluster, "logs", "again")
    require_old_and_uncordoned(host)
