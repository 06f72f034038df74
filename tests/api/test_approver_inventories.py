# SPDX-License-Identifier: Apache-2.0
"""Inventories other than Machines, egress addresses, and the limit of pending requests."""

import json
import subprocess

import pytest

from approver import CAPI, NAMESPACE, TOP, World
from control_plane import eventually
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


NODES = ("--inventory=nodes", "--disable-status-controller")
BINDINGS = f"/api/v1/namespaces/{NAMESPACE}/configmaps/cluster-machine-approver-nodes"
API_SERVERS = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"
CLUSTER = """
controlPlaneEndpoint: api.example.com:6443
networking: {serviceSubnet: 10.96.0.0/12, podSubnet: 10.244.0.0/16}
apiServer: {certSANs: [10.9.0.100]}
"""


@pytest.fixture
def kubeadms(world, api):  # noqa: F811
    """A cluster that has the ConfigMap kubeadm-config, and the approver's permissions of the overlay for kubeadm."""
    for part in ("components/inventory-nodes/rbac.yaml", "components/inventory-nodes/nodes.yaml",
                 "overlays/kubeadm/cluster-facts.yaml"):
        api.apply(TOP / "deploy/approver" / part, NAMESPACE)
    world.config_map("kubeadm-config", {"ClusterConfiguration": CLUSTER}, "kube-system")
    world.api_servers("10.9.0.101")
    api("PATCH", BINDINGS, {"data": None})
    yield world
    api("DELETE", "/api/v1/namespaces/kube-system/configmaps/kubeadm-config")


def addresses(*texts):
    return [{"type": "InternalIP" if text[0].isdigit() or ":" in text else "Hostname", "address": text}
            for text in texts]


def test_nodes_attest_their_own_addresses(kubeadms, start):  # noqa: F811
    world = kubeadms
    start(*NODES, "--nodes-client-allow=allowed").ready()
    world.node("own", addresses("own", "10.9.8.7"))
    is_approved(world, world.serving_csr("own", ["own", "10.9.8.7"]))
    world.node("thief", addresses("thief"))
    is_left(world, world.serving_csr("thief", ["thief", "10.9.8.7"]), "serving-exhausted")
    is_approved(world, world.token_csr("allowed"))
    is_left(world, world.token_csr("unlisted"), "client-no-machine-with-internal-dns")
    world.node("allowed", addresses("allowed", "10.9.8.8"))
    is_approved(world, world.serving_csr("allowed", ["allowed", "10.9.8.8"]))


def test_a_node_cannot_choose_its_names(kubeadms, start):  # noqa: F811
    world = kubeadms
    start(*NODES).ready()
    world.node("evil", addresses("evil", "10.9.1.1"))
    refused = {"kubernetes.default.svc": "forbidden", "*": "forbidden", "*.evil": "forbidden", "localhost": "forbidden",
               "127.0.0.1": "forbidden", "169.254.169.254": "forbidden", "224.0.0.1": "forbidden",
               "::1": "forbidden", "fe80::1": "forbidden", "0.0.0.0": "forbidden", "web.shop.svc": "forbidden",
               "other": "not-own", "evil.example.com": "not-own", "api.example.com": "not-own",
               "10.96.0.1": "reserved", "10.244.0.7": "reserved", "10.9.0.100": "reserved", "10.9.0.101": "reserved"}
    world.write_addresses("evil", addresses("evil", "10.9.1.1", *refused))
    names = {name: world.serving_csr("evil", ["evil", name], f"-{i}") for i, name in enumerate(refused)}
    for name, reason in refused.items():
        is_left(world, names[name], f"serving-name-{reason}")
    is_approved(world, world.serving_csr("evil", ["evil", "10.9.1.1"], "-fine"))


def test_nodes_get_no_names_or_addresses_of_other_nodes(kubeadms, start):  # noqa: F811
    world = kubeadms
    start(*NODES).ready()
    world.node("victim", addresses("victim", "10.9.2.1"))
    is_approved(world, world.serving_csr("victim", ["victim", "10.9.2.1"]))
    world.node("evil", addresses("evil", "10.9.2.2", "10.9.2.1", "victim"))
    is_left(world, world.serving_csr("evil", ["evil", "10.9.2.1"]), "serving-name-taken")
    is_left(world, world.serving_csr("evil", ["evil", "victim"], "-name"), "serving-name-not-own")
    # The addresses in evil's Node do not keep the victim from using them.
    is_approved(world, world.serving_csr("victim", ["victim", "10.9.2.1"], "-again"))
    # An address stays bound to a Node while the Node exists, even if its status no longer has the address.
    world.write_addresses("victim", addresses("victim"))
    is_left(world, world.serving_csr("evil", ["evil", "10.9.2.1"], "-later"), "serving-name-taken")
    # A new node whose address is also in another Node's status waits until the other node removes the address.
    world.node("late", addresses("late", "10.9.2.2"))
    late = world.serving_csr("late", ["late", "10.9.2.2"])
    is_left(world, late, "serving-name-taken")
    world.write_addresses("evil", addresses("evil"))
    is_approved(world, late)


def test_first_addresses_outlive_the_approver(kubeadms, start, api, program, plane):  # noqa: F811
    world = kubeadms
    first = start(*NODES).ready()
    world.node("moving", addresses("moving", "10.9.3.1", "10.9.3.2"))
    is_approved(world, world.serving_csr("moving", ["moving", "10.9.3.1", "10.9.3.2"]))
    first.end()
    second = start(*NODES).ready()
    world.write_addresses("moving", addresses("moving", "10.9.3.1", "10.9.3.9"))
    moved = world.serving_csr("moving", ["moving", "10.9.3.1", "10.9.3.9"], "-moved")
    is_left(world, moved, "serving-address-changed")
    config = plane.kubeconfig("approver")
    told = subprocess.run([program, "explain", moved, "-o", "json", NODES[0], f"--workload-cluster-kubeconfig={config}",
                           f"--management-cluster-kubeconfig={config}", f"--leader-elect-resource-namespace={NAMESPACE}"],
                          capture_output=True, text=True, check=True)
    assert json.loads(told.stdout)["reason"] == "serving-address-changed", "the controller's reason"
    is_approved(world, world.serving_csr("moving", ["moving", "10.9.3.1"], "-fewer"))
    code, _ = api("PATCH", BINDINGS, {"data": {"moving": None}})
    assert code == 200
    is_approved(world, moved)
    second.end()
    start(*NODES, "--nodes-allowed-cidrs=10.9.3.0/24").ready()
    world.write_addresses("moving", addresses("moving", "10.9.3.7", "10.9.4.1"))
    is_approved(world, world.serving_csr("moving", ["moving", "10.9.3.7"], "-within"))
    is_left(world, world.serving_csr("moving", ["moving", "10.9.4.1"], "-outside"), "serving-address-not-allowed")


def test_a_first_certificate_without_addresses_binds_nothing(kubeadms, start):  # noqa: F811
    world = kubeadms
    start(*NODES).ready()
    world.node("bare", addresses("bare", "10.9.6.1"))
    is_approved(world, world.serving_csr("bare", ["bare"]))
    is_approved(world, world.serving_csr("bare", ["bare", "10.9.6.1"], "-more"))
    world.write_addresses("bare", addresses("bare", "10.9.6.1", "10.9.6.2"))
    is_left(world, world.serving_csr("bare", ["bare", "10.9.6.2"], "-other"), "serving-address-changed")
    is_approved(world, world.serving_csr("bare", ["bare"], "-again"))


def test_nodes_attest_nothing_while_the_cluster_is_unknown(kubeadms, start, api):  # noqa: F811
    world = kubeadms
    start(*NODES).ready()
    world.node("early", addresses("early", "10.9.5.1"))
    api("DELETE", "/api/v1/namespaces/kube-system/configmaps/kubeadm-config")
    name = world.serving_csr("early", ["early", "10.9.5.1"])
    is_left(world, name, "serving-cluster-unknown")
    world.config_map("kubeadm-config", {"ClusterConfiguration": CLUSTER}, "kube-system")
    is_approved(world, name)
    api("DELETE", API_SERVERS)
    unheard = world.serving_csr("early", ["early", "10.9.5.1"], "-unheard")
    is_left(world, unheard, "serving-cluster-unknown")
    world.api_servers("10.9.0.101")
    is_approved(world, unheard)
    api("DELETE", BINDINGS)
    again = world.serving_csr("early", ["early", "10.9.5.1"], "-again")
    is_left(world, again, "serving-cluster-unknown")
    assert api("GET", BINDINGS)[0] == 404, "whoever deletes it must make it again"
    world.config_map("cluster-machine-approver-nodes", {})
    is_approved(world, again)


def test_machines_of_another_cluster_do_not_count(world, start, plane, program):  # noqa: F811
    capi = "--api-group-version=cluster.x-k8s.io/v1beta1"
    both = start(capi, "--disable-status-controller").ready()
    world.machine("ours", group=CAPI, cluster="one")
    is_approved(world, world.client_csr("ours"))
    world.machine("theirs", group=CAPI, cluster="two")
    theirs = world.client_csr("theirs")
    is_left(world, theirs, "machine-list-failed")
    both.end()
    start(capi, "--machine-cluster=one", "--machine-namespace=machines", "--disable-status-controller").ready()
    is_left(world, theirs, "client-no-machine-with-internal-dns")
    world.machine("ours-too", group=CAPI, cluster="one")
    is_approved(world, world.client_csr("ours-too"))
    config = plane.kubeconfig("approver")
    for flags, reason in ((["--machine-cluster=one"], "client-no-machine-with-internal-dns"),
                          ([], "machine-list-failed")):
        told = subprocess.run([program, "explain", theirs, "-o", "json", capi, *flags,
                               f"--workload-cluster-kubeconfig={config}", f"--management-cluster-kubeconfig={config}"],
                              capture_output=True, text=True, check=True)
        assert json.loads(told.stdout)["reason"] == reason


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
    api.apply(TOP / "deploy/approver/components/inventory-configmap/used.yaml", NAMESPACE)
    api("PATCH", f"/api/v1/namespaces/{NAMESPACE}/configmaps/cluster-machine-approver-used", {"data": None})
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


def test_several_inventories_are_used_together(kubeadms, start, tmp_path):  # noqa: F811
    world = kubeadms
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
