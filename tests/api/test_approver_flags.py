# SPDX-License-Identifier: Apache-2.0
"""Effects of the flags and of the configuration file: which API server the approver queries, and which machines it
refuses."""

import pytest

from approver import MAPI, NAMESPACE, World
from control_plane import eventually
from test_approver import api, program, start  # noqa: F401 - fixtures

MACHINES = "--api-group-version=machine.openshift.io/v1beta1"
RBAC = "rbac.authorization.k8s.io"


@pytest.fixture
def world(api):  # noqa: F811
    world = World(api)
    world.clear()
    return world


def is_left(world, name, reason):
    eventually(lambda: reason in world.events(name))
    assert world.conditions(name) == []


def account(api, plane, name, *bindings):  # noqa: F811
    """Returns a kubeconfig of a new account with these bindings (kind and name of a role)."""
    accounts = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
    api.make(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})
    for kind, role in bindings:
        inside = "" if kind == "ClusterRole" else f"/namespaces/{NAMESPACE}"
        api.make(f"/apis/{RBAC}/v1{inside}/{'cluster' if not inside else ''}rolebindings", {
            "apiVersion": f"{RBAC}/v1", "kind": "RoleBinding" if inside else "ClusterRoleBinding",
            "metadata": {"name": f"{name}-{role}"}, "roleRef": {"apiGroup": RBAC, "kind": kind, "name": role},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": NAMESPACE}]})
    _, answer = api("POST", f"{accounts}/{name}/token",
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    plane._write_kubeconfig(name, {"token": answer["status"]["token"]})
    return plane.kubeconfig(name)


def test_the_management_cluster_is_asked_for_machines_only(world, api, plane, start):  # noqa: F811
    """The approver gets two accounts, each with the rights for one of its two clusters. A query to the wrong cluster
    would be refused, so an approval shows that each cluster got the right queries."""
    api.make(f"/apis/{RBAC}/v1/clusterroles", {
        "apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "machines-only"},
        "rules": [{"apiGroups": [MAPI], "resources": ["machines"], "verbs": ["get", "list", "watch"]}]})
    api.make(f"/apis/{RBAC}/v1/clusterroles", {
        "apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "clients"},
        "rules": [{"apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "verbs": ["approve"],
                   "resourceNames": ["kubernetes.io/kube-apiserver-client-kubelet"]}]})
    management = account(api, plane, "management", ("ClusterRole", "machines-only"))
    workload = account(api, plane, "workload", ("ClusterRole", "cluster-machine-approver"),
                       ("ClusterRole", "clients"), ("Role", "machine-approver"))
    start(MACHINES, "--disable-status-controller", f"--management-cluster-kubeconfig={management}",
          f"--workload-cluster-kubeconfig={workload}").ready()
    world.machine("hosted")
    name = world.client_csr("hosted")
    eventually(lambda: world.certificate(name))


def test_machines_of_other_namespaces_do_not_attest(world, start):  # noqa: F811
    start(MACHINES, "--machine-namespace=elsewhere", "--disable-status-controller").ready()
    world.machine("outside")
    is_left(world, world.client_csr("outside"), "client-no-machine-with-internal-dns")


def test_client_certificates_can_be_switched_off(world, start, tmp_path):  # noqa: F811
    config = tmp_path / "config.yaml"
    config.write_text("nodeClientCert:\n  disabled: true\n")
    start(MACHINES, f"--config={config}", "--disable-status-controller").ready()
    world.machine("off")
    is_left(world, world.client_csr("off"), "client-flow-disabled")
    world.node("on")
    world.machine("on-machine", node="on", addresses=[{"type": "Hostname", "address": "on"}])
    serving = world.serving_csr("on", ["on"])
    eventually(lambda: world.certificate(serving))


def test_a_group_without_a_version_is_the_preferred_one(world, start):  # noqa: F811
    start("--apigroup=machine.openshift.io", "--disable-status-controller").ready()
    world.machine("preferred")
    name = world.client_csr("preferred")
    eventually(lambda: world.certificate(name))


def test_the_leader_writes_an_event(world, api, start):  # noqa: F811
    leader = start(MACHINES, "--disable-status-controller").ready()
    eventually(leader.leads)
    eventually(lambda: "LeaderElection" in world.events("cluster-machine-approver-leader"))
