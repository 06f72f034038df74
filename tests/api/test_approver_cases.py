"""A third of upstream's recorded decisions, end to end: the real API server makes the requests, the
approver decides. Passed over when the records do not lie beside the checkout."""

import json

import pytest

from approver import CSRS, MAPI, TOP, World, eventually
from test_approver import api, program, start  # noqa: F401 - fixtures

RECORDS = TOP.parent / "shared/approver/cases.json"
# What the API server itself would refuse or add, and what needs other times than now, is left out.
REASONS = {"serving-machine-ok", "client-ok", "serving-cn-mismatch", "serving-org-missing",
           "client-machine-has-noderef", "client-node-exists", "client-no-machine-with-internal-dns",
           "serving-exhausted", "serving-usage-missing", "client-not-bootstrapper", "client-empty-node-name"}


def chosen():
    if not RECORDS.exists():
        return []
    cases = json.loads(RECORDS.read_text())["cases"]
    return [case for case in cases
            if case["function"] == "authorizeCSR" and case["expected"]["reason"] in REASONS
            and not case["inputs"]["kubelet"] and not case["inputs"]["config"]["nodeClientCert"]
            and not case["inputs"]["csr"]["metadata"].get("creationTimestamp")]


@pytest.fixture(scope="module")
def anybody(api):  # noqa: F811
    """Whoever asks may make requests here: who may is not what is tested."""
    root = "/apis/rbac.authorization.k8s.io/v1"
    api.make(f"{root}/clusterroles", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "asks"},
        "rules": [{"apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests"],
                   "verbs": ["create"]}]})
    api.make(f"{root}/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "asks"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "asks"},
        "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "system:authenticated"}]})
    return api


def clear(api):  # noqa: F811
    api("DELETE", f"/apis/{MAPI}/v1beta1/namespaces/machines/machines")
    api("DELETE", "/api/v1/nodes")
    api("DELETE", CSRS)


@pytest.mark.skipif(not chosen(), reason="no recorded decisions beside this checkout")
def test_recorded_decisions_hold_end_to_end(anybody, start):  # noqa: F811
    cases = chosen()
    assert len(cases) >= 17, "a third of the recorded decisions"
    start().ready()
    world = World(anybody)
    for number, case in enumerate(cases):
        clear(anybody)
        inputs = case["inputs"]
        for i, machine in enumerate(inputs["machines"]):
            status = machine.get("status") or {}
            world.machine(f"m-{i}", addresses=status.get("addresses") or [])
            anybody("PATCH", f"/apis/{MAPI}/v1beta1/namespaces/machines/machines/m-{i}/status", {"status": status})
        for node in inputs["nodes"]:
            world.node(node["metadata"]["name"])
        settle(world, f"settled-{number}")
        spec = inputs["csr"]["spec"]
        client = "client auth" in (spec["usages"] or [])
        name = f"case-{number}"
        anybody.make(CSRS, {
            "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
            "spec": {"request": spec["request"], "usages": spec["usages"], "signerName":
                     "kubernetes.io/kube-apiserver-client-kubelet" if client else "kubernetes.io/kubelet-serving"}},
            user=spec["username"], groups=[g for g in spec["groups"] if g != "system:authenticated"])
        # One that is approved for sure comes after it.
        world.machine("last", addresses=[{"type": "InternalDNS", "address": f"last-{number}"}])
        last = world.client_csr(f"last-{number}")
        eventually(lambda last=last: world.conditions(last))
        approved = case["expected"]["decision"] == "approve"
        if approved:
            eventually(lambda name=name: world.conditions(name))
        assert (world.conditions(name) == ["Approved"]) == approved, case["id"]



def settle(world, marker):
    """Returns when the approver has seen what was made before: it approves one more."""
    world.machine(marker)
    name = world.client_csr(marker)
    eventually(lambda: world.conditions(name))
