# SPDX-License-Identifier: Apache-2.0
"""Machines that join with a signed document of their cloud: the endpoint, a plug-in, and a real API server that signs."""

import http.client
import json
import socket
import ssl
import time

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from approver import CSRS, NAMESPACE, TOP, request_pem
from control_plane import eventually
from identity_documents import Signer, aws_document, rfc3339
from test_approver import api, program, start, world  # noqa: F401 - fixtures

DEPLOY = TOP / "deploy/approver"
NAME = "machine-approver.slipway.svc"
GROUP = "system:bootstrappers:kubeadm:node-bound-token"
MAP = "kubeadm-node-identities"
CLUSTER = """apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
networking: {podSubnet: 10.244.0.0/16, serviceSubnet: 10.96.0.0/12}
"""


class Endpoint:
    """An approver with exactly the permissions of deploy/, whose endpoint has a certificate of the cluster's CA."""

    def __init__(self, directory, plane, start, *flags):  # noqa: F811
        self.ca = plane.certificates.path("ca.crt")
        plane.certificates.sign("identity", "/CN=machine-approver",
                                f"subjectAltName=DNS:{NAME}\nextendedKeyUsage=serverAuth")
        for part in ("crt", "key"):
            (directory / f"tls.{part}").write_text(open(plane.certificates.path(f"identity.{part}")).read())
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.approver = start(
            *flags, f"--leader-elect-resource-namespace={NAMESPACE}", "--disable-status-controller",
            f"--identity-cert-dir={directory}", f"--identity-bind-address=127.0.0.1:{self.port}").ready()

    def post(self, question):
        """Sends a question as `join` does; returns the status and the answer."""
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=30, context=ssl.create_default_context(cafile=self.ca))
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        connection.sock = connection._context.wrap_socket(plain, server_hostname=NAME)
        connection.request("POST", "/v1alpha1/identity", json.dumps(question))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


class Documents(Endpoint):
    """The endpoint with the plug-in for Amazon's documents."""

    def __init__(self, directory, plane, start):  # noqa: F811
        self.signer = Signer("amazon")
        (directory / "amazon.pem").write_text(self.signer.pem())
        super().__init__(
            directory, plane, start, "--inventory=tokens,nodes",
            f"--identity-exec={DEPLOY / 'plugins/aws-identity'}",
            f"--identity-exec-args=--certificates={directory / 'amazon.pem'},--account=111122223333")

    def ask(self, node, key, document=None, **claims):
        """Asks for the certificate of the node with a document; returns the status and the answer."""
        document = document or aws_document(self.signer, **{"instanceId": node, **claims})
        return self.post({"request": request_pem(f"system:node:{node}", key=key).decode(), "document": document})

    def certificate(self, node, key, **more):
        """Repeats the question until the certificate is there."""
        def ask():
            status, answer = self.ask(node, key, **more)
            assert status in (200, 202), answer
            return answer.get("certificate")
        return x509.load_pem_x509_certificate(eventually(ask).encode())

    def refusal(self, node, key, **more):
        """Repeats the question until it is refused."""
        def ask():
            status, answer = self.ask(node, key, **more)
            assert status in (202, 403), answer
            return status == 403 and answer["message"]
        return eventually(ask)


def install(world, api):  # noqa: F811
    """The permissions and objects of the components, and of a kubeadm with bound tokens."""
    world.clear()
    for file in ("inventory-tokens/rbac.yaml", "inventory-tokens/used.yaml", "token-bindings/bindings.yaml",
                 "inventory-nodes/rbac.yaml", "inventory-nodes/nodes.yaml", "machine-identities/rbac.yaml",
                 "../overlays/kubeadm/cluster-facts.yaml"):
        api.apply(DEPLOY / "components" / file, NAMESPACE)
    api("DELETE", f"/api/v1/namespaces/kube-system/configmaps/{MAP}")
    api.make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": "kubeadm:node-bound-tokens:kubelet-bootstrap"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:node-bootstrapper"},
        "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": GROUP}]})


@pytest.fixture
def endpoint(world, api, start, plane, tmp_path):  # noqa: F811
    install(world, api)
    return Documents(tmp_path, plane, start)


@pytest.fixture
def key():
    return ec.generate_private_key(ec.SECP256R1())


def names_of(certificate):
    return [certificate.subject.get_attributes_for_oid(oid)[0].value
            for oid in (NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME)]


def test_a_document_gets_the_certificate_of_its_node(endpoint, world, key):  # noqa: F811
    certificate = endpoint.certificate("i-0a1", key)
    assert names_of(certificate) == ["system:nodes", "system:node:i-0a1"]
    assert certificate.public_key() == key.public_key()
    (request,) = world.api("GET", CSRS)[1]["items"]
    assert request["spec"]["username"] == "machine-approver:proven-machine"
    assert request["spec"]["extra"]["identity.slipway/node"] == ["i-0a1"]
    assert endpoint.certificate("i-0a1", key) == certificate, "the same question again"


def test_a_document_of_another_node_is_refused(endpoint, world, key):  # noqa: F811
    """Also if the creator of the machine has written that name into it (kubernetes/kops#18583)."""
    document = aws_document(endpoint.signer, instanceId="i-0b1", hostname="victim",
                            tags={"Name": "victim", "kubernetes.io/node": "victim"})
    message = endpoint.refusal("victim", key, document=document)
    assert 'the machine\'s node is "i-0b1", and the request is for "victim"' in message
    assert world.api("GET", CSRS)[1]["items"] == []


def test_forged_documents_are_refused(endpoint, world, key):  # noqa: F811
    assert "none of Amazon's certificates" in endpoint.refusal(
        "i-0c1", key, document=aws_document(Signer("amazon"), instanceId="i-0c1"))
    assert "account 999999999999 is not one" in endpoint.refusal("i-0c1", key, accountId="999999999999")
    assert world.api("GET", CSRS)[1]["items"] == []


def test_an_old_machine_gets_no_certificate(endpoint, key):
    assert "client-outside-time-window" in endpoint.refusal("i-0d1", key, pendingTime=rfc3339(3 * 3600))


def test_a_node_that_has_joined_gets_no_second_certificate(endpoint, world, key):  # noqa: F811
    endpoint.certificate("i-0e1", key)
    world.node("i-0e1")
    other = ec.generate_private_key(ec.SECP256R1())
    assert "client-node-exists" in endpoint.refusal("i-0e1", other)


def test_a_replayed_document_gets_no_certificate_before_the_node_exists(endpoint, key):
    """A thief with a copy of the document has another key."""
    endpoint.certificate("i-0f1", key)
    thief = ec.generate_private_key(ec.SECP256R1())
    eventually(lambda: "certificate-in-flight" in endpoint.ask("i-0f1", thief)[1]["message"])


def test_a_withdrawn_node_gets_no_certificate(endpoint, world, key):  # noqa: F811
    world.config_map(MAP, {"tokens": "bound-only", "withdrawn.i-0a2": json.dumps({"since": rfc3339()})}, "kube-system")
    eventually(lambda: "node-withdrawn" in endpoint.ask("i-0a2", key)[1]["message"])


def test_serving_certificates_have_only_the_addresses_of_the_document(endpoint, world, key):  # noqa: F811
    world.config_map("kubeadm-config", {"ClusterConfiguration": CLUSTER}, "kube-system")
    world.api_servers("192.0.2.1")
    endpoint.certificate("i-0b2", key, privateIp="10.0.3.8")
    addresses = [{"type": "Hostname", "address": "i-0b2"}, {"type": "InternalIP", "address": "10.0.3.8"},
                 {"type": "ExternalIP", "address": "10.0.3.9"}]
    world.node("i-0b2", addresses)
    other = world.serving_csr("i-0b2", ["i-0b2", "10.0.3.9"], "-other")
    eventually(lambda: "serving-address-changed" in world.events(other))
    assert world.conditions(other) == []
    assert eventually(lambda: world.certificate(world.serving_csr("i-0b2", ["i-0b2", "10.0.3.8"])))


def test_the_approvers_account_may_impersonate_one_user_only(endpoint, plane, api):  # noqa: F811
    account = f"system:serviceaccount:{NAMESPACE}:machine-approver-sa"

    def may(resource, name="", group="", subresource=""):
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
            "user": account, "groups": ["system:serviceaccounts", "system:authenticated"],
            "resourceAttributes": {"verb": "impersonate", "resource": resource, "name": name, "group": group,
                                   "subresource": subresource}}}
        return api("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)[1]["status"]["allowed"]

    assert may("users", "machine-approver:proven-machine") and may("groups", GROUP)
    assert may("userextras", "any-node", "authentication.k8s.io", "identity.slipway/node")
    for user in ("admin", "kubernetes-admin", "system:kube-controller-manager", "system:node:control", ""):
        assert not may("users", user)
    for group in ("system:masters", "system:nodes", "system:bootstrappers", ""):
        assert not may("groups", group)
    assert not may("userextras", "x", "authentication.k8s.io", "scopes")
    assert not may("serviceaccounts", "default")


def test_silence_and_nonsense_cost_little(endpoint, key):
    for body in ("", "{", '{"document":"x"}', "x" * 70_000):
        with socket.create_connection(("127.0.0.1", endpoint.port)) as plain:
            context = ssl.create_default_context(cafile=endpoint.ca)
            with context.wrap_socket(plain, server_hostname=NAME) as connection:
                connection.sendall(f"POST /v1alpha1/identity HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n{body}"
                                   .encode())
                assert connection.recv(100)[:12] in (b"HTTP/1.1 400", b"")
    silent = [socket.create_connection(("127.0.0.1", endpoint.port)) for _ in range(64)]
    begin = time.monotonic()
    endpoint.certificate("i-0c2", key)
    assert time.monotonic() - begin < 30
    for each in silent:
        each.close()
