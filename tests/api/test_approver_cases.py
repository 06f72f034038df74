# SPDX-License-Identifier: Apache-2.0
"""A third of upstream's recorded decisions, end to end: the real API server stores the requests, and the approver
decides. Skipped if the records are not next to the checkout."""

import contextlib
import json
import socket
import ssl
import threading

import pytest

from approver import CSRS, MAPI, TOP, World
from control_plane import eventually
from test_approver import api, program, start  # noqa: F401 - fixtures

RECORDS = TOP.parent / "shared/approver/cases.json"
# Leaves out requests that the API server would refuse or change, and cases that need another time than now.
REASONS = {"serving-machine-ok", "client-ok", "serving-cn-mismatch", "serving-org-missing",
           "client-machine-has-noderef", "client-node-exists", "client-no-machine-with-internal-dns",
           "serving-exhausted", "serving-usage-missing", "client-not-bootstrapper", "client-empty-node-name",
           "serving-not-a-node-user", "serving-too-few-groups", "serving-group-missing", "serving-usage-count",
           "serving-renewal-ok", "serving-renewal-egress-ok"}
OPENSHIFT = {"networks": "/apis/config.openshift.io/v1/networks",
             "hostSubnets": "/apis/network.openshift.io/v1/hostsubnets"}


def chosen():
    if not RECORDS.exists():
        return []
    cases = json.loads(RECORDS.read_text())["cases"]
    return [case for case in cases
            if case["function"] == "authorizeCSR" and case["expected"]["reason"] in REASONS
            and not case["inputs"]["config"]["nodeClientCert"] and case["inputs"]["csr"]["spec"].get("usages")
            and case["inputs"]["csr"]["spec"]["groups"] != ["system:nodes"]  # the API server adds system:authenticated
            and (case["inputs"]["kubelet"] or not case["inputs"]["csr"]["metadata"].get("creationTimestamp"))]


@contextlib.contextmanager
def kubelet(given, directory):
    """Serves the case's certificate on a separate port. Yields the port, or None if the case has no certificate."""
    if not given:
        yield None
        return
    (directory / "kubelet.pem").write_text(given["certPEM"] + "\n" + given["keyPEM"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "kubelet.pem")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            with contextlib.suppress(OSError):
                while True:
                    plain, _ = listener.accept()
                    with contextlib.suppress(OSError):
                        context.wrap_socket(plain, server_side=True).close()

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def anybody(api):  # noqa: F811
    """Lets every user create requests, because the right to create them is not under test."""
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


def build(world, inputs, port):
    """Creates the objects of the case in the cluster."""
    world.clear()
    for path in OPENSHIFT.values():
        world.api("DELETE", path)
    world.config_map("csr-controller-ca", {"ca-bundle.crt": inputs.get("caBundle") or ""}, "openshift-config-managed")
    for key, path in OPENSHIFT.items():
        for item in inputs[key]:
            world.api.make(path, item)
    for i, machine in enumerate(inputs["machines"]):
        status = machine.get("status") or {}
        world.machine(f"m-{i}", addresses=status.get("addresses") or [])
        world.api("PATCH", f"/apis/{MAPI}/v1beta1/namespaces/machines/machines/m-{i}/status", {"status": status})
    for node in inputs["nodes"]:
        world.node(node["metadata"]["name"], (node.get("status") or {}).get("addresses"), port)


def ask(world, name, spec):
    client = "client auth" in (spec["usages"] or [])
    world.api.make(CSRS, {
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
        "spec": {"request": spec["request"], "usages": spec["usages"], "signerName":
                 "kubernetes.io/kube-apiserver-client-kubelet" if client else "kubernetes.io/kubelet-serving"}},
        user=spec["username"], groups=[g for g in spec["groups"] if g != "system:authenticated"])


@pytest.mark.skipif(not chosen(), reason="no recorded decisions beside this checkout")
def test_recorded_decisions_hold_end_to_end(anybody, start, tmp_path):  # noqa: F811
    cases = chosen()
    assert len(cases) >= 39, "a third of the 115 recorded cases"
    start().ready()
    world = World(anybody)
    for number, case in enumerate(cases):
        with kubelet(case["inputs"]["kubelet"], tmp_path) as port:
            build(world, case["inputs"], port)
            settle(world, f"settled-{number}")
            name = f"case-{number}"
            ask(world, name, case["inputs"]["csr"]["spec"])
            # A request that is certainly approved follows: its approval shows that the approver has seen the case.
            settle(world, f"last-{number}")
            approved = case["expected"]["decision"] == "approve"
            if approved:
                eventually(lambda name=name: world.conditions(name))
            assert (world.conditions(name) == ["Approved"]) == approved, case["id"]
    world.config_map("csr-controller-ca", {"ca-bundle.crt": ""}, "openshift-config-managed")
    world.clear()


def settle(world, marker):
    """Creates an object that the approver certainly approves, and waits for the approval: it has then seen all earlier
    objects."""
    world.machine(marker)
    name = world.client_csr(marker)
    eventually(lambda: world.conditions(name))
