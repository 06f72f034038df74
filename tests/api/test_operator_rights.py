# SPDX-License-Identifier: Apache-2.0
"""Compares the rights in deploy/fleet with the requests of slipway-operator, which runs with only that account's
rights. The nodes have no kubelet: the test ends the Pods of the Jobs itself."""

import contextlib
import json
import subprocess

import pytest

from approver import PLURALS, Api
from control_plane import eventually, free_ports
from test_approver_deploy import render
from test_approver_rights import account_of, audited, install, requests_of, rights_of, unused  # noqa: F401 - fixture
from test_operator_chart import FLEET, NAMESPACE, operator  # noqa: F401 - fixture

OPERATIONS = "/apis/operations.slipway/v1alpha1/clusteroperations"
NODES = ("cp-1", "cp-2")


@pytest.fixture(scope="module")
def api(audited):  # noqa: F811
    """An API server with two Ready nodes. The first has a Pod without a controller."""
    api = Api(audited)
    install(api, render(FLEET))
    eventually(lambda: api("GET", OPERATIONS)[0] == 200)
    for name in NODES:
        api.make("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {
            "name": name, "labels": {"node-role.kubernetes.io/control-plane": ""}}})
    pods = "/api/v1/namespaces/default/pods"
    eventually(lambda: api("GET", "/api/v1/namespaces/default/serviceaccounts/default")[0] == 200)
    api.make(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "lonely"}, "spec": {
        "nodeName": NODES[0], "containers": [{"name": "c", "image": "none", "imagePullPolicy": "Never"}]}})
    return api


def beat(api):
    """Reports the nodes as Ready, and ends the Pods of Jobs with success, as kubelets do."""
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": ""}]}}
    for name in NODES:
        api("PATCH", f"/api/v1/nodes/{name}/status", ready)
    pods = f"/api/v1/namespaces/{NAMESPACE}/pods"
    for pod in api("GET", pods)[1]["items"]:
        if pod["status"].get("phase") == "Pending":
            api("PATCH", f"{pods}/{pod['metadata']['name']}/status", {"status": {"phase": "Succeeded"}})


def create(api, name, spec):
    api.make(OPERATIONS, {"apiVersion": "operations.slipway/v1alpha1", "kind": "ClusterOperation",
                          "metadata": {"name": name}, "spec": spec})


def status_of(api, name):
    beat(api)
    return api("GET", f"{OPERATIONS}/{name}")[1].get("status", {})


def completes(api, name):
    eventually(lambda: status_of(api, name).get("phase") in ("Complete", "Failed"), limit=120)
    status = status_of(api, name)
    assert status["phase"] == "Complete", json.dumps(status, indent=1)


@contextlib.contextmanager
def running(operator, api, plane, account, log):  # noqa: F811
    """Runs the operator with the account's permissions during the block. Expects exit status 0 at its end."""
    _, answer = api("POST", "/api/v1/namespaces/{}/serviceaccounts/{}/token".format(*account),
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    config = plane.token_kubeconfig(answer["status"]["token"])
    [port] = free_ports(1)
    with open(log, "wb") as out:
        process = subprocess.Popen([operator, f"--kubeconfig={config}", "--image=none", "--history=1",
                                    f"--metrics-port={port}"], stdout=out, stderr=out)
    try:
        yield
    finally:
        process.terminate()
        assert process.wait(timeout=20) == 0, log.read_text()


def test_every_right_is_used_and_none_is_missing(api, audited, operator, tmp_path):  # noqa: F811
    objects = render(FLEET)
    assert {item["kind"] for item in objects} - set(PLURALS) == {"Deployment", "NetworkPolicy"}
    account = account_of(objects)
    with running(operator, api, audited, account, tmp_path / "log"):
        drain = {"enabled": True, "force": True, "gracePeriodSeconds": 0}
        create(api, "rotation", {"rotateCA": {"authority": "etcd"}, "drain": drain})
        completes(api, "rotation")
        assert api("GET", "/api/v1/namespaces/default/pods/lonely")[0] == 404
        create(api, "renewal", {"renewCertificates": {}})
        completes(api, "renewal")
        eventually(lambda: api("GET", f"{OPERATIONS}/rotation")[0] == 404)  # beyond the limit of the history
    events = requests_of(audited, account, 0)
    denied = {(event["verb"], event["requestURI"]) for event in events if event["responseStatus"]["code"] == 403}
    assert denied == set(), (tmp_path / "log").read_text()
    assert unused(rights_of(objects, account), events, set()) == set()


def test_a_health_gate_waits_for_its_permission_and_its_condition(api, audited, operator, tmp_path):  # noqa: F811
    """An operation has a health gate on a Deployment, which the operator may not read. It waits for the permission, and
    then for the condition: without a kubelet, the Deployment is not available."""
    rbac, deployments = "/apis/rbac.authorization.k8s.io/v1", "/apis/apps/v1/namespaces/default/deployments"
    labels = {"app": "web"}
    api.make(deployments, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "replicas": 1, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": {
            "nodeSelector": {"no": "node"}, "containers": [{"name": "c", "image": "none"}]}}}})
    account = account_of(render(FLEET))
    create(api, "gated", {"renewCertificates": {}, "healthGates": [{
        "apiVersion": "apps/v1", "resource": "deployments", "namespace": "default", "name": "web",
        "condition": "Available"}]})
    with running(operator, api, audited, account, tmp_path / "log"):
        eventually(lambda: "is forbidden" in status_of(api, "gated").get("message", ""))
        api.make(f"{rbac}/clusterroles", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "gates"},
            "rules": [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]}]})
        api.make(f"{rbac}/clusterrolebindings", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "gates"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "gates"},
            "subjects": [{"kind": "ServiceAccount", "namespace": account[0], "name": account[1]}]})
        eventually(lambda: "deployments default/web: Available is False" in status_of(api, "gated").get("message", ""))
        assert status_of(api, "gated")["progress"] == "0/2"
        api("PATCH", f"{deployments}/web", {"spec": {"replicas": 0}})
        completes(api, "gated")
