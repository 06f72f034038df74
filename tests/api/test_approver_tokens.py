# SPDX-License-Identifier: Apache-2.0
"""Bootstrap tokens that are bound to a node: a real API server gets hostile requests, none of which is approved."""

import base64
import json

import pytest

from approver import CSRS, NAMESPACE, TOP, request_pem
from control_plane import eventually
from test_approver import api, program, start, world  # noqa: F401 - fixtures
from test_approver_inventories import is_approved, is_left

DEPLOY = TOP / "deploy/approver/components"
MAP = "kubeadm-node-identities"
GROUPS = ["system:bootstrappers", "system:bootstrappers:kubeadm:node-bound-token"]
CREATED = "2026-01-01T00:00:00Z"


@pytest.fixture
def tokens(world, api, start):  # noqa: F811
    """An approver with the inventory `tokens` and exactly the permissions of deploy/."""
    api.apply(DEPLOY / "inventory-tokens/rbac.yaml", NAMESPACE)
    api.apply(DEPLOY / "inventory-tokens/used.yaml", NAMESPACE)
    api.apply(DEPLOY / "token-bindings/bindings.yaml", NAMESPACE)
    api("PATCH", f"/api/v1/namespaces/{NAMESPACE}/configmaps/cluster-machine-approver-used", {"data": None})
    api("DELETE", f"/api/v1/namespaces/kube-system/configmaps/{MAP}")
    approver = start("--inventory=tokens", "--disable-status-controller").ready()
    return Tokens(world, approver)


class Tokens:
    def __init__(self, world, approver):  # noqa: F811
        self.world, self.approver = world, approver

    def bind(self, **nodes):
        """Writes the ConfigMap of bindings: token id → the node's name, or the complete binding as a dict."""
        data = {"tokens": "bound-only"}
        for token, value in nodes.items():
            value = value if isinstance(value, dict) else {"node": value}
            data[f"token.{token}"] = json.dumps({"created": CREATED, **value})
        self.world.config_map(MAP, data, "kube-system")

    def ask(self, token, node, suffix="", **more):
        return self.world.client_csr(node, f"system:bootstrap:{token}", GROUPS, f"-{token}{suffix}", **more)


def test_each_token_gets_its_node_only(tokens):
    tokens.bind(aaaaaa="node-a", bbbbbb="node-b")
    for token, node in (("aaaaaa", "node-b"), ("bbbbbb", "node-a"), ("aaaaaa", "node-c")):
        is_left(tokens.world, tokens.ask(token, node), "client-token-of-another-node")
    is_left(tokens.world, tokens.ask("cccccc", "node-a"), "client-token-not-bound")
    is_approved(tokens.world, tokens.ask("aaaaaa", "node-a"))
    is_approved(tokens.world, tokens.ask("bbbbbb", "node-b"))


# Names that a thief could try with the token of node alpha.
OTHERS = ["node-b", "alpha.", "alpha.example.com", "a.alpha", "alphaa", "al_pha", "control", "alph", "a", "alpha-",
          "kubernetes", "localhost", "10.0.0.1", "xn--alpha", "alpha:x", "system:node:alpha"]


def test_no_other_name_is_approved(tokens):
    tokens.bind(aaaaaa="alpha")
    tokens.world.node("control")
    asked = []
    for i, name in enumerate([*OTHERS, "ALPHA", "Alpha"]):
        code, answer = tokens.world.api("POST", CSRS, hostile(f"hostile-{i}", f"system:node:{name}"),
                                        user="system:bootstrap:aaaaaa", groups=GROUPS)
        assert code == 201, answer
        asked.append(f"hostile-{i}")
    eventually(lambda: all(tokens.world.events(name) for name in asked))
    assert [name for name in asked if tokens.world.conditions(name)] == []
    is_approved(tokens.world, tokens.ask("aaaaaa", "alpha"))


def hostile(name, common_name):
    return {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
            "spec": {"signerName": "kubernetes.io/kube-apiserver-client-kubelet",
                     "request": base64.b64encode(request_pem(common_name)).decode(),
                     "usages": ["digital signature", "key encipherment", "client auth"]}}


def test_a_node_that_exists_gets_no_second_certificate(tokens):
    tokens.bind(aaaaaa="beta")
    tokens.world.node("beta")
    is_left(tokens.world, tokens.ask("aaaaaa", "beta"), "client-node-exists")


def test_a_second_key_waits_for_the_node(tokens):
    """A node's request was approved, but its Node does not exist yet. A second request with the same token, possibly of
    a thief, must wait."""
    tokens.bind(aaaaaa={"node": "gamma", "created": CREATED})
    is_approved(tokens.world, tokens.ask("aaaaaa", "gamma"))
    is_left(tokens.world, tokens.ask("aaaaaa", "gamma", "-second"), "certificate-in-flight")


def test_a_token_of_one_use_is_for_one_key(tokens, api):  # noqa: F811
    tokens.bind(aaaaaa={"node": "delta", "once": True})
    first = tokens.ask("aaaaaa", "delta")
    is_approved(tokens.world, first)
    used = api("GET", f"/api/v1/namespaces/{NAMESPACE}/configmaps/cluster-machine-approver-used")[1]["data"]
    assert len(used) == 1
    api("DELETE", f"{CSRS}/{first}")
    is_left(tokens.world, tokens.ask("aaaaaa", "delta", "-second"), "client-entry-used")


def test_a_map_that_cannot_be_read_stops_all(tokens):
    tokens.bind(aaaaaa="epsilon")
    tokens.world.config_map(MAP, {"token.bbbbbb": "no JSON"}, "kube-system")
    is_left(tokens.world, tokens.ask("aaaaaa", "epsilon"), "machine-list-failed")


def test_the_blanket_rule_is_shown(tokens, api):  # noqa: F811
    bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    assert tokens.approver.metric("machine_approver_blanket_rule ") == 0
    api.make(bindings, {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
                        "metadata": {"name": "kubeadm:node-autoapprove-bootstrap"},
                        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                                    "name": "system:certificates.k8s.io:certificatesigningrequests:nodeclient"}})
    eventually(lambda: tokens.approver.metric("machine_approver_blanket_rule ") == 1)
    api("DELETE", f"{bindings}/kubeadm:node-autoapprove-bootstrap")
    eventually(lambda: tokens.approver.metric("machine_approver_blanket_rule ") == 0)


def test_no_node_and_no_token_may_write_the_bindings(tokens):
    tokens.bind(aaaaaa="node-a")
    path = f"/api/v1/namespaces/kube-system/configmaps/{MAP}"
    body = {"data": {"token.aaaaaa": json.dumps({"node": "node-b", "created": CREATED})}}
    for user, groups in (("system:bootstrap:aaaaaa", GROUPS), ("system:node:node-b", ["system:nodes"])):
        assert tokens.world.api("PATCH", path, body, user=user, groups=groups)[0] == 403
        assert tokens.world.api("GET", path, user=user, groups=groups)[0] == 403
