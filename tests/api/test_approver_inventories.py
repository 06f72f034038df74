"""Inventories that are no Machines, egress addresses, and the limit of pending requests."""

import json
import subprocess

import pytest

from approver import NAMESPACE, TOP, World, eventually
from test_approver import api, program, start  # noqa: F401 - fixtures

MACHINES = "--api-group-version=machine.openshift.io/v1beta1"


@pytest.fixture
def world(api):  # noqa: F811
    world = World(api)
    world.clear()
    return world


def is_left(world, name, reason):
    eventually(lambda: reason in world.events(name))
    assert world.conditions(name) == []


def is_approved(world, name):
    return eventually(lambda: world.certificate(name))


def test_nodes_vouch_for_their_own_addresses(world, start):  # noqa: F811
    start("--inventory=nodes", "--nodes-client-allow=allowed", "--disable-status-controller").ready()
    world.node("own", [{"type": "InternalIP", "address": "10.9.8.7"}, {"type": "Hostname", "address": "own"}])
    is_approved(world, world.serving_csr("own", ["own", "10.9.8.7"]))
    world.node("thief", [{"type": "Hostname", "address": "thief"}])
    is_left(world, world.serving_csr("thief", ["thief", "10.9.8.7"]), "serving-exhausted")
    is_approved(world, world.token_csr("allowed"))
    is_left(world, world.token_csr("unlisted"), "client-no-machine-with-internal-dns")


def test_a_file_lists_hosts(world, start, tmp_path):  # noqa: F811
    file = tmp_path / "hosts.yaml"
    file.write_text("- hostname: listed\n  addresses: [10.0.0.5, listed.example.com]\n")
    start("--inventory=file", f"--inventory-file={file}", "--disable-status-controller").ready()
    is_approved(world, world.token_csr("listed"))
    later = world.token_csr("later")
    is_left(world, later, "client-no-machine-with-internal-dns")
    world.node("listed")
    is_approved(world, world.serving_csr("listed", ["listed", "listed.example.com", "10.0.0.5"]))
    file.write_text("- hostname: later\n")
    is_approved(world, later)


def test_a_config_map_lists_hosts_once(world, start, api):  # noqa: F811
    api.apply(TOP / "deploy/approver/components/inventory-configmap/rbac.yaml", NAMESPACE)
    api("DELETE", f"/api/v1/namespaces/{NAMESPACE}/configmaps/cluster-machine-approver-used")
    flags = ["--inventory=configmap", f"--inventory-configmap={NAMESPACE}/machine-approver-inventory",
             "--disable-status-controller"]
    first = start(*flags).ready()
    early = world.token_csr("single")
    is_left(world, early, "client-no-machine-with-internal-dns")
    world.config_map("machine-approver-inventory", {"inventory.yaml": "- hostname: single\n  use: once\n"})
    is_approved(world, early)
    is_left(world, world.token_csr("single", "-again"), "client-entry-used")
    first.end()
    start(*flags).ready()
    is_left(world, world.token_csr("single", "-restarted"), "client-entry-used")


def test_several_inventories_at_once(world, start, tmp_path):  # noqa: F811
    file = tmp_path / "hosts.yaml"
    file.write_text("- hostname: listed\n")
    start("--inventory=machines,nodes,file", f"--inventory-file={file}", MACHINES).ready()
    world.machine("machine")
    is_approved(world, world.client_csr("machine"))
    is_approved(world, world.token_csr("listed"))
    world.node("node", [{"type": "Hostname", "address": "node"}])
    is_approved(world, world.serving_csr("node", ["node"]))


def test_a_node_may_carry_its_egress_addresses(world, start, api):  # noqa: F811
    network = "/apis/config.openshift.io/v1/networks"
    api("DELETE", f"{network}/cluster")
    api.make(network, {"apiVersion": "config.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"},
                       "status": {"networkType": "OVNKubernetes"}})
    api.make("/apis/k8s.ovn.org/v1/egressips", {
        "apiVersion": "k8s.ovn.org/v1", "kind": "EgressIP", "metadata": {"name": "out"},
        "status": {"items": [{"node": "gate", "egressIP": "99.0.1.1"}, {"node": "other", "egressIP": "99.0.1.2"}]}})
    start(MACHINES, "--ovn-egress-ips", "--disable-status-controller").ready()
    addresses = [{"type": "InternalDNS", "address": "gate"}, {"type": "InternalIP", "address": "10.0.0.9"}]
    world.node("gate")
    world.machine("gate-machine", node="gate", addresses=addresses)
    is_approved(world, world.serving_csr("gate", ["gate", "10.0.0.9", "99.0.1.1"]))
    world.node("door")
    world.machine("door-machine", node="door", addresses=[{"type": "InternalDNS", "address": "door"}])
    is_left(world, world.serving_csr("door", ["door", "99.0.1.2"]), "serving-exhausted")
    api("DELETE", f"{network}/cluster")


def test_too_many_pending_requests_stop_all_until_there_are_fewer(world, start, api, program, plane):  # noqa: F811
    approver = start(MACHINES, "--disable-status-controller").ready()
    flood = [world.client_csr(f"flood-{i}") for i in range(105)]
    eventually(lambda: approver.metric("mapi_current_pending_csr") == 105)
    assert approver.metric("mapi_max_pending_csr") == 100
    world.machine("patient")
    patient = world.client_csr("patient")
    eventually(lambda: "too-many-pending" in approver.get("/metrics"))
    eventually(lambda: approver.metric("mapi_current_pending_csr") == 106)
    is_left(world, patient, "too-many-pending")
    config = plane.kubeconfig("approver")
    told = subprocess.run([program, "explain", patient, "-o", "json", MACHINES, f"--workload-cluster-kubeconfig={config}",
                           f"--management-cluster-kubeconfig={config}"], capture_output=True, text=True, check=True)
    verdict = json.loads(told.stdout)
    assert verdict["reason"] == "too-many-pending"
    assert [rule["rule"] for rule in verdict["rules"] if not rule["passed"]] == ["pending-limit"]
    for name in flood[:6]:
        api("DELETE", f"/apis/certificates.k8s.io/v1/certificatesigningrequests/{name}")
    is_approved(world, patient)
    world.clear()
