# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of the approver: REST calls as any user, certificate requests of kubelets, approver processes."""

import base64
import http.client
import ipaddress
import json
import os
import signal
import socket
import ssl
import subprocess
import time
import urllib.request
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from control_plane import eventually

TOP = Path(__file__).resolve().parents[2]
NAMESPACE = "openshift-cluster-machine-approver"
BOOTSTRAPPER = "system:serviceaccount:openshift-machine-config-operator:node-bootstrapper"
BOOTSTRAPPER_GROUPS = ["system:serviceaccounts:openshift-machine-config-operator", "system:serviceaccounts"]
CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
MAPI, CAPI = "machine.openshift.io", "cluster.x-k8s.io"
PLURALS = {"ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings", "Role": "roles",
           "RoleBinding": "rolebindings", "ServiceAccount": "serviceaccounts", "Lease": "leases",
           "CustomResourceDefinition": "customresourcedefinitions", "ConfigMap": "configmaps",
           "Namespace": "namespaces"}
NAMESPACED = ("Role", "RoleBinding", "ServiceAccount", "Lease", "ConfigMap")


class Api:
    """Calls the API as the administrator, or as the given `user` with `groups`."""

    def __init__(self, plane):
        self.plane = plane
        self.context = ssl.create_default_context(cafile=plane.certificates.path("ca.crt"))
        self.context.load_cert_chain(plane.certificates.path("admin.crt"), plane.certificates.path("admin.key"))
        self.connection = None

    def __call__(self, method, path, body=None, user=None, groups=()):
        lines = [("Content-Type", "application/json")]
        if method == "PATCH":
            lines = [("Content-Type", "application/merge-patch+json")]
        if user:
            lines += [("Impersonate-User", user), *(("Impersonate-Group", group) for group in groups)]
        data = json.dumps(body).encode() if body is not None else b""
        for again in (True, False):
            try:
                return self._once(method, path, data, lines)
            except (http.client.HTTPException, OSError):
                self.connection = None
                if not again:
                    raise

    def _once(self, method, path, data, lines):
        if self.connection is None:
            self.connection = http.client.HTTPSConnection("127.0.0.1", self.plane.port, context=self.context,
                                                          timeout=30)
        self.connection.putrequest(method, path)
        for name, value in [*lines, ("Content-Length", str(len(data)))]:
            self.connection.putheader(name, value)
        self.connection.endheaders(data)
        answer = self.connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text.startswith(b"{") else text.decode()

    def make(self, path, body, **caller):
        status, answer = self("POST", path, body, **caller)
        assert status in (201, 409), answer
        return answer

    def apply(self, file, namespace=None):
        """Creates the objects of a file of deploy/ or testdata/."""
        for item in yaml.safe_load_all(file.read_text()):
            self.put(item, namespace)

    def put(self, item, namespace=None):
        """Creates a missing object in its own namespace, or else in `namespace`. If `namespace` is given, a binding's
        subjects get this namespace."""
        for subject in item.get("subjects", []):
            subject["namespace"] = namespace or subject.get("namespace")
        self.make(self.place(item, namespace), item)

    @staticmethod
    def place(item, namespace=None):
        """Returns the path of the collection for the object."""
        kind, group = item["kind"], item["apiVersion"]
        namespace = item["metadata"].get("namespace") or namespace
        root = f"/apis/{group}" if "/" in group else f"/api/{group}"
        inside = f"/namespaces/{namespace}" if kind in NAMESPACED else ""
        return f"{root}{inside}/{PLURALS[kind]}"


def request_pem(common_name, names=(), organization="system:nodes", key=None):
    """Returns a certificate request; `names` are IP addresses, DNS names and URIs."""
    def general(name):
        if "://" in name:
            return x509.UniformResourceIdentifier(name)
        try:
            return x509.IPAddress(ipaddress.ip_address(name))
        except ValueError:
            return x509.DNSName(name)

    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization),
        x509.NameAttribute(NameOID.COMMON_NAME, common_name)]))
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName([general(name) for name in names]), False)
    signed = builder.sign(key or ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM)


class World:
    """Creates, reads and deletes Machines, Nodes and certificate requests in the cluster."""

    def __init__(self, api):
        self.api = api

    def machine(self, name, node=None, addresses=None, group=MAPI, cluster=None):
        path = f"/apis/{group}/v1beta1/namespaces/machines/machines"
        machine = {"apiVersion": f"{group}/v1beta1", "kind": "Machine", "metadata": {"name": name}}
        if cluster:
            machine["spec"] = {"clusterName": cluster}
        self.api.make(path, machine)
        status = {"addresses": addresses or [{"type": "InternalDNS", "address": name}]}
        if node:
            status["nodeRef"] = {"name": node}
        code, answer = self.api("PATCH", f"{path}/{name}/status", {"status": status})
        assert code == 200, answer

    def delete_machine(self, name, group=MAPI):
        self.api("DELETE", f"/apis/{group}/v1beta1/namespaces/machines/machines/{name}")

    def node(self, name, addresses=None, port=None):
        self.api.make("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        status = {"addresses": addresses} if addresses else {}
        if port:
            status["daemonEndpoints"] = {"kubeletEndpoint": {"Port": port}}
        if status:
            code, answer = self.api("PATCH", f"/api/v1/nodes/{name}/status", {"status": status})
            assert code == 200, answer

    def client_csr(self, node, user=BOOTSTRAPPER, groups=BOOTSTRAPPER_GROUPS, suffix="", pem=None, **more):
        return self._csr(f"client-{node}{suffix}", pem or request_pem(f"system:node:{node}", **more),
                         "kubernetes.io/kube-apiserver-client-kubelet", "client auth", user, groups)

    def token_csr(self, node, suffix=""):
        """Creates the request of a kubelet with a bootstrap token."""
        return self.client_csr(node, "system:bootstrap:abcdef", ["system:bootstrappers"], suffix)

    def config_map(self, name, data, namespace=NAMESPACE):
        path = f"/api/v1/namespaces/{namespace}/configmaps"
        self.api.make(path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
        code, answer = self.api("PATCH", f"{path}/{name}", {"data": data})
        assert code == 200, answer

    def api_servers(self, *addresses):
        """Writes the EndpointSlice "kubernetes" with these addresses, because the API server under test writes none."""
        path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
        self.api.make(path, {
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": {"name": "kubernetes"},
            "addressType": "IPv4", "endpoints": [], "ports": []})
        code, answer = self.api("PATCH", f"{path}/kubernetes", {"endpoints": [{"addresses": [*addresses]}]})
        assert code == 200, answer

    def clear(self):
        """Deletes all machines, nodes and requests, and kubeadm's rules that make the controller manager approve
        requests."""
        for rule in ("bootstrap", "certificate-rotation"):  # phases in other tests create these on the same server
            self.api("DELETE", f"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/kubeadm:node-autoapprove-{rule}")
        for group in (MAPI, CAPI):
            self.api("DELETE", f"/apis/{group}/v1beta1/namespaces/machines/machines")
        self.api("DELETE", "/api/v1/nodes")
        self.api("DELETE", CSRS)

    def write_addresses(self, node, addresses):
        """Writes the status of a Node as the node's kubelet does."""
        code, answer = self.api("PATCH", f"/api/v1/nodes/{node}/status", {"status": {"addresses": addresses}},
                                user=f"system:node:{node}", groups=["system:nodes"])
        assert code == 200, answer

    def serving_csr(self, node, names, suffix=""):
        return self._csr(f"serving-{node}{suffix}", request_pem(f"system:node:{node}", names),
                         "kubernetes.io/kubelet-serving", "server auth",
                         f"system:node:{node}", ["system:nodes"])

    def _csr(self, name, pem, signer, usage, user, groups):
        self.api.make(CSRS, {
            "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
            "metadata": {"name": name},
            "spec": {"signerName": signer, "request": base64.b64encode(pem).decode(),
                     "usages": ["digital signature", "key encipherment", usage]}}, user=user, groups=groups)
        return name

    def csr(self, name):
        return self.api("GET", f"{CSRS}/{name}")[1]

    def conditions(self, name):
        return [condition["type"] for condition in self.csr(name).get("status", {}).get("conditions", [])]

    def certificate(self, name):
        return self.csr(name).get("status", {}).get("certificate")

    def events(self, name):
        _, answer = self.api("GET", f"/api/v1/namespaces/{NAMESPACE}/events")
        return [event["reason"] for event in answer["items"] if event["involvedObject"]["name"] == name]


class Approver:
    """A process of the approver with exactly the rights of deploy/. `under` is a command that starts the approver, for
    example with a changed clock."""

    def __init__(self, program, plane, log, *flags, scheme="http", environment=None, under=()):
        self.scheme = scheme
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        config = str(plane.kubeconfig("approver"))
        self.log = log
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                [*under, program, f"--workload-cluster-kubeconfig={config}", f"--management-cluster-kubeconfig={config}",
                 f"--metrics-bind-address=127.0.0.1:{self.port}", "--leader-elect-lease-duration=3s",
                 "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=250ms", "-v=2", *flags],
                stdout=out, stderr=out, env={**os.environ, **(environment or {})})

    def get(self, path, token=None):
        request = urllib.request.Request(f"{self.scheme}://127.0.0.1:{self.port}{path}")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        context = ssl._create_unverified_context() if self.scheme == "https" else None
        with urllib.request.urlopen(request, timeout=10, context=context) as answer:
            return answer.read().decode()

    def metric(self, name):
        """Returns the value of the first metric line with this prefix."""
        return next(float(line.rsplit(" ", 1)[1]) for line in self.get("/metrics").splitlines()
                    if line.startswith(name))

    def ready(self):
        def ask():
            assert self.process.poll() is None, Path(self.log).read_text()
            try:
                return self.get("/readyz")
            except OSError:
                return None
        eventually(ask)
        return self

    def leads(self):
        return "leader_election_master_status{name=\"cluster-machine-approver-leader\"} 1" in self.get("/metrics")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=20)
