# SPDX-License-Identifier: Apache-2.0
"""The admission policies of deploy/approver/components/admission-policy in a real API server."""

import base64

import pytest
import yaml

from approver import BOOTSTRAPPER, BOOTSTRAPPER_GROUPS, CSRS, World, request_pem
from control_plane import eventually
from test_approver_deploy import DEPLOY
from test_approver_rights import api, audited  # noqa: F401 - fixtures

APPROVER = "system:serviceaccount:cluster-machine-approver:machine-approver-sa"
MANAGER = "system:serviceaccount:kube-system:certificate-controller"
STAMP = "rubber-stamp"
BREAK_GLASS = "machine-approver:break-glass"
CLIENT, SERVING = "kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"
RBAC = "rbac.authorization.k8s.io"
PATHS = {"ValidatingAdmissionPolicy": "validatingadmissionpolicies",
         "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings"}


def approve(api, name, user=None, groups=(), kind="Approved"):  # noqa: F811
    """Approves a request, or sets another condition; returns status code and message."""
    request = api("GET", f"{CSRS}/{name}")[1]
    conditions = request.setdefault("status", {}).setdefault("conditions", [])
    conditions.append({"type": kind, "status": "True", "reason": "Test", "message": "by a test"})
    code, answer = api("PUT", f"{CSRS}/{name}/approval", request, user=user, groups=groups)
    return code, answer.get("message", "")


@pytest.fixture(scope="module")
def locked(api):  # noqa: F811
    """Installs the policies, and gives the approver and the user STAMP the permission to approve for both signers."""
    api.make(f"/apis/{RBAC}/v1/clusterroles", {
        "apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": {"name": "approve-kubelets"}, "rules": [
            {"apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests/approval"],
             "verbs": ["update"]},
            {"apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "verbs": ["approve"],
             "resourceNames": [CLIENT, SERVING]}]})
    api.make(f"/apis/{RBAC}/v1/clusterrolebindings", {
        "apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "approve-kubelets"},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "approve-kubelets"},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": user} for user in (APPROVER, STAMP)]})
    api.make(f"/apis/{RBAC}/v1/clusterrolebindings", {
        "apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "bootstrappers"},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "system:node-bootstrapper"},
        "subjects": [{"apiGroup": RBAC, "kind": "Group", "name": "system:bootstrappers"}]})
    for file in ("approvals.yaml", "expiry.yaml"):
        for item in yaml.safe_load_all((DEPLOY / "components/admission-policy" / file).read_text()):
            api.make(f"/apis/{item['apiVersion']}/{PATHS[item['kind']]}", item)
    numbers = iter(range(1000))

    def refused():
        name = World(api).serving_csr("probe", ["probe"], f"-{next(numbers)}")
        return approve(api, name, STAMP)[0] == 403

    eventually(refused)
    return api


@pytest.fixture
def world(locked):
    world = World(locked)
    world.clear()
    return world


def renewal(world, suffix=""):
    """Creates a node's request for its next client certificate."""
    return world.client_csr("n1", "system:node:n1", ["system:nodes"], f"-renewal{suffix}")


def test_the_approver_approves_both_kinds(world, locked):
    for name in (world.serving_csr("n1", ["n1"]), world.client_csr("n1")):
        assert approve(locked, name, APPROVER)[0] == 200
        assert world.conditions(name) == ["Approved"]


def test_another_account_with_the_right_cannot_approve(world, locked):
    for name in (world.serving_csr("n1", ["n1"]), world.client_csr("n1"), renewal(world)):
        code, message = approve(locked, name, STAMP)
        assert (code, world.conditions(name)) == (403, [])
        assert STAMP in message and BREAK_GLASS in message


def test_an_administrator_needs_the_group(world, locked):
    name = world.serving_csr("n1", ["n1"])
    assert approve(locked, name)[0] == 403
    assert approve(locked, name, "jane", ["system:masters", BREAK_GLASS])[0] == 200


def test_the_controller_manager_approves_client_certificates_of_nodes_and_tokens(world, locked):
    assert approve(locked, renewal(world), MANAGER)[0] == 200
    assert approve(locked, world.token_csr("n2"), MANAGER)[0] == 200
    other = world.client_csr("n3", BOOTSTRAPPER, BOOTSTRAPPER_GROUPS)
    code, message = approve(locked, other, MANAGER)
    assert code == 403 and MANAGER in message
    assert approve(locked, world.serving_csr("n1", ["n1"]), MANAGER)[0] == 403


def test_denials_are_not_restricted(world, locked):
    name = world.serving_csr("n1", ["n1"])
    assert approve(locked, name, STAMP, kind="Denied")[0] == 200
    assert world.conditions(name) == ["Denied"]


def test_other_signers_are_not_restricted(world, locked):
    code, answer = ask(locked, "kubernetes.io/kube-apiserver-client", "jane", "jane", 10 * 366 * 24 * 3600)
    assert code == 201, answer
    assert approve(locked, answer["metadata"]["name"])[0] == 200


def ask(api, signer, common_name, name, seconds):  # noqa: F811
    """Requests a certificate with that lifetime; returns status code and answer."""
    usage = "server auth" if signer == SERVING else "client auth"
    pem = request_pem(common_name, ["n1"] if signer == SERVING else ())
    return api("POST", CSRS, {
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
        "spec": {"signerName": signer, "request": base64.b64encode(pem).decode(), "expirationSeconds": seconds,
                 "usages": ["digital signature", usage]}})


@pytest.mark.parametrize("signer", (CLIENT, SERVING))
def test_the_lifetime_of_kubelets_certificates_is_bounded(signer, world, locked):
    longest = 366 * 24 * 3600
    name = signer.rsplit("/", 1)[-1]
    code, answer = ask(locked, signer, "system:node:n1", f"{name}-long", longest + 1)
    assert code == 422, answer
    assert f"at most {longest}, is {longest + 1}" in answer["message"]
    code, answer = ask(locked, signer, "system:node:n1", f"{name}-fine", longest)
    assert code == 201, answer
