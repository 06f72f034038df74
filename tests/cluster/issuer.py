# SPDX-License-Identifier: Apache-2.0
"""A real OpenID Connect issuer: the API server of another cluster, and the configuration of API servers that trust its
tokens."""

import yaml

from cluster.clusters import INIT

NAMESPACE = "machines"
AUDIENCE = "nodes"
DIRECTORY = "/etc/kubernetes/issuer"
CONFIG = f"{DIRECTORY}/authentication.yaml"


def add_to_api_server(host, text):
    """Adds fields to the API server's configuration for a later `kubeadm init` on the host."""
    host.write(INIT, host.read(INIT).replace("networking:", "apiServer:\n" + text + "networking:"))


class Issuer:
    """A cluster whose ServiceAccounts are the identities of machines. Each node has a ServiceAccount of its name."""

    def __init__(self, machine, nodes):
        self._host = machine.host
        self.url = f"https://{self._host.address}:6443"
        add_to_api_server(self._host, f"  extraArgs: [{{name: service-account-issuer, value: {self.url}}}]\n")
        outcome = machine.init()
        assert outcome.code == 0, outcome.text
        # An issuer's keys must be public.
        self._host.kubectl("create", "clusterrolebinding", "issuer",
                           "--clusterrole=system:service-account-issuer-discovery", "--group=system:unauthenticated")
        self._host.kubectl("create", "namespace", NAMESPACE)
        for node in nodes:
            self._host.kubectl("-n", NAMESPACE, "create", "serviceaccount", node)

    def token(self, node):
        """Returns a fresh token for the machine of the node."""
        return self._host.kubectl("-n", NAMESPACE, "create", "token", node, f"--audience={AUDIENCE}").strip()

    def trust(self, host):
        """Makes the API server that `kubeadm init` will start on the host trust the issuer."""
        host.run("mkdir", "-p", DIRECTORY)
        host.write(CONFIG, yaml.safe_dump({
            "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration",
            "jwt": [{
                "issuer": {"url": self.url, "audiences": [AUDIENCE],
                           "certificateAuthority": self._host.read("/etc/kubernetes/pki/ca.crt")},
                "claimValidationRules": [{
                    "expression": f"claims['kubernetes.io'].namespace == '{NAMESPACE}'",
                    "message": "not the ServiceAccount of a machine"}],
                "claimMappings": {
                    "username": {"expression": "'oidc:' + claims.sub"},
                    "groups": {"expression": "['system:bootstrappers:kubeadm:node-bound-token']"},
                    "extra": [{"key": "identity.slipway/node",
                               "valueExpression": "claims['kubernetes.io'].serviceaccount.name"}]},
                "userValidationRules": [{"expression": "!user.username.startsWith('system:')",
                                         "message": "no issuer names users of Kubernetes"}]}]}))
        add_to_api_server(host, f"""  extraArgs: [{{name: authentication-config, value: {CONFIG}}}]
  extraVolumes: [{{name: issuer, hostPath: {DIRECTORY}, mountPath: {DIRECTORY}, readOnly: true}}]
""")
