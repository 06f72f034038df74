# SPDX-License-Identifier: Apache-2.0
"""A real issuer of OpenID Connect (dex) on a host, and an API server that trusts its tokens."""

import json

import yaml

from cluster.processes import wait_until
from components import store

URL = "https://127.0.0.1:5556/dex"
DIRECTORY = "/etc/kubernetes/issuer"
CONFIG = f"{DIRECTORY}/authentication.yaml"
PASSWORD = "bench-password"
HASH = "$2b$10$slipwaybenchdexuser01OoqrUCxb7a0PW8pHPHdkCRTYfhrXVkXS"  # bcrypt, of PASSWORD
API_SERVER = f"""apiServer:
  extraArgs: [{{name: authentication-config, value: {CONFIG}}}]
  extraVolumes: [{{name: issuer, hostPath: {DIRECTORY}, mountPath: {DIRECTORY}, readOnly: true}}]
"""


class Issuer:
    """dex with a user for each node. Its tokens have the node's name as `name`."""

    def __init__(self, host, nodes):
        self._host = host
        host.copy(store.Builder(lambda _: None).tool("dex"), "/usr/local/bin/dex")
        host.run("mkdir", "-p", DIRECTORY)
        host.run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-days", "2", "-subj", "/CN=issuer", "-addext", "subjectAltName=IP:127.0.0.1",
                 "-keyout", f"{DIRECTORY}/tls.key", "-out", f"{DIRECTORY}/tls.crt")
        host.write(f"{DIRECTORY}/dex.yaml", yaml.safe_dump({
            "issuer": URL, "storage": {"type": "memory"},
            "web": {"https": "127.0.0.1:5556", "tlsCert": f"{DIRECTORY}/tls.crt", "tlsKey": f"{DIRECTORY}/tls.key"},
            "oauth2": {"passwordConnector": "local", "skipApprovalScreen": True},
            "staticClients": [{"id": "nodes", "name": "nodes", "secret": "bench"}],
            "enablePasswordDB": True,
            "staticPasswords": [{"email": f"{node}@nodes.example", "hash": HASH, "username": node, "userID": node}
                                for node in nodes]}))
        host.write(CONFIG, yaml.safe_dump({
            "apiVersion": "apiserver.config.k8s.io/v1", "kind": "AuthenticationConfiguration",
            "jwt": [{
                "issuer": {"url": URL, "audiences": ["nodes"],
                           "certificateAuthority": host.read(f"{DIRECTORY}/tls.crt")},
                "claimMappings": {
                    "username": {"expression": "'oidc:' + claims.sub"},
                    "groups": {"expression": "['system:bootstrappers:kubeadm:node-bound-token']"},
                    "extra": [{"key": "identity.slipway/node", "valueExpression": "claims.name"}]},
                "userValidationRules": [{"expression": "!user.username.startsWith('system:')",
                                         "message": "no issuer names users of Kubernetes"}]}]}))
        with open(host.logs / "dex.log", "w", encoding="utf-8") as log:
            host.start("dex", "serve", f"{DIRECTORY}/dex.yaml", output=log)
        assert wait_until(lambda: self._get("/.well-known/openid-configuration").returncode == 0, 60)

    def _get(self, path, *words):
        return self._host.run("curl", "-sf", "--cacert", f"{DIRECTORY}/tls.crt", *words, URL + path, check=False)

    def token(self, node):
        """A fresh token of the node's user."""
        fields = {"grant_type": "password", "scope": "openid profile", "username": f"{node}@nodes.example",
                  "password": PASSWORD}
        words = [word for name, value in fields.items() for word in ("--data-urlencode", f"{name}={value}")]
        answer = self._get("/token", "-u", "nodes:bench", *words)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return json.loads(answer.stdout)["id_token"]
