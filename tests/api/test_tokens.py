# SPDX-License-Identifier: Apache-2.0
"""Bootstrap tokens with a real API server and controller manager: the commands, the signer, and discovery by the signed
ConfigMap."""

import json
import shlex
import ssl
import subprocess
import time
import urllib.error
import urllib.request

import pytest
import yaml

from conftest import Failure
from control_plane import eventually
from test_client import failure

SOON = 80  # limit in seconds for reporting a permanent failure
CONFIG = {
    "apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "InitConfiguration",
    "bootstrapTokens": [{"token": "initia.0123456789abcdef", "ttl": "1h"}],
    "localAPIEndpoint": {"advertiseAddress": "10.77.0.1", "bindPort": 6443},
    "nodeRegistration": {"name": "n3", "criSocket": "unix:///run/containerd/containerd.sock"},
}


class Kubeadm:
    """Calls kubeadm as admin; returns its output."""

    def __init__(self, program, plane):
        self.program, self.plane = program, plane
        self.config = plane.directory / "tokens.yaml"
        cluster = {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration",
                   "kubernetesVersion": "v1.37.2", "certificatesDir": str(plane.directory / "shared"),
                   "encryptionAlgorithm": "ECDSA-P256"}
        self.config.write_text(yaml.safe_dump_all([CONFIG, cluster]))

    def run(self, *words, stdin=None):
        return subprocess.run([self.program, *words, "--kubeconfig", self.plane.kubeconfig()], text=True,
                              input=stdin, capture_output=True, timeout=120, check=False)

    def __call__(self, *words, stdin=None):
        done = self.run(*words, stdin=stdin)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def phase(self, *words):
        return self("init", "phase", *words, "--config", self.config)

    def tokens(self):
        text, found, decoder = self("token", "list", "-o", "json").lstrip(), [], json.JSONDecoder()
        while text:
            token, end = decoder.raw_decode(text)
            found.append(token)
            text = text[end:].lstrip()
        return {token["token"]: token for token in found}


class Discovery:
    """Discovers the cluster by a token. Returns the kubeconfig, or raises a Failure."""

    def __init__(self, program, plane):
        self.program, self.endpoint = program, f"127.0.0.1:{plane.port}"

    def start(self, token, *pins):
        process = subprocess.Popen([self.program, self.endpoint, *pins], text=True, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(token)
        process.stdin.close()
        return process

    def __call__(self, token, *pins):
        done = subprocess.run([self.program, self.endpoint, *pins], input=token, text=True,
                              capture_output=True, timeout=90, check=False)
        if done.returncode == 1:
            raise Failure(**json.loads(done.stdout))
        assert done.returncode == 0, done.stderr
        return yaml.safe_load(done.stdout)

    def refused_soon(self, token, *pins):
        begin = time.monotonic()
        refusal = failure(lambda: self(token, *pins))
        assert time.monotonic() - begin < SOON, str(refusal)
        assert token.split(".")[1] not in str(refusal)
        return refusal


@pytest.fixture(scope="module")
def kubeadm(request, plane):
    it = Kubeadm(request.config.getoption("--kubeadm"), plane)
    it.phase("bootstrap-token")
    return it


@pytest.fixture(scope="module")
def discover(request, plane):
    build = request.config.getoption("--build")
    subprocess.run(["cmake", "--build", build, "--target", "discovery_driver"], check=True,
                   stdout=subprocess.DEVNULL)
    return Discovery(build / "bin" / "discovery_driver", plane)


@pytest.fixture
def joining(kubeadm):
    """A new token and the pin, as in a join command."""
    words = shlex.split(kubeadm("token", "create", "--print-join-command"))
    return words[words.index("--token") + 1], words[words.index("--discovery-token-ca-cert-hash") + 1]


def status(url):
    """Returns the status that an anonymous caller gets."""
    try:
        with urllib.request.urlopen(url, context=ssl._create_unverified_context(), timeout=10) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def signed(driver, token):
    info = driver("get", "configmaps", "kube-public", "cluster-info")
    return f"jws-kubeconfig-{token.split('.')[0]}" in info["data"]


def test_tokens_are_created_listed_and_deleted(kubeadm, driver):
    token = kubeadm("token", "create", "--ttl", "2h", "--description", "made by a test").strip()
    listed = kubeadm.tokens()[token]
    assert listed["description"] == "made by a test"
    assert listed["usages"] == ["authentication", "signing"]
    assert token in kubeadm("token", "list")
    identity = token.split(".")[0]
    assert kubeadm("token", "delete", identity) == f'bootstrap token "{identity}" deleted\n'
    assert token not in kubeadm.tokens()
    again = kubeadm.run("token", "delete", identity)
    assert again.returncode == 1
    assert identity in again.stderr


def test_tokens_may_come_by_standard_input(kubeadm):
    token = kubeadm("token", "generate").strip()
    assert kubeadm("token", "create", "-", stdin=token + "\n").strip() == token
    twice = kubeadm.run("token", "create", "-", stdin=token)
    assert twice.returncode == 1
    assert "already exists" in twice.stderr
    assert token.split(".")[1] not in twice.stderr
    kubeadm("token", "delete", "-", stdin=token)
    assert token not in kubeadm.tokens()


def test_a_dry_run_changes_nothing(kubeadm, joining):
    token, _ = joining
    before = kubeadm.tokens()
    assert 'action CREATE on resource "secrets"' in kubeadm("token", "create", "--dry-run")
    assert 'action DELETE on resource "secrets"' in kubeadm("token", "delete", token, "--dry-run")
    assert kubeadm.tokens() == before


def test_discovery_accepts_the_right_pin(discover, joining, plane, driver):
    token, pin = joining
    found = discover(token, "sha256:" + "0" * 64, pin)
    assert found["clusters"][0]["cluster"]["server"] == plane.server
    assert found["users"] == [{"name": "tls-bootstrap-token-user", "user": {"token": token}}]
    joiner = plane.directory / "joiner.conf"
    joiner.write_text(yaml.safe_dump(found))
    # A response shows that the CA is right. These errors show that the API server authenticates the token.
    assert failure(lambda: driver("get", "nodes", "", "none", config=joiner)).kind in (
        "not found", "forbidden")


def test_discovery_refuses_a_wrong_pin(discover, joining):
    token, pin = joining
    refusal = discover.refused_soon(token, "sha256:" + "0" * 64)
    assert refusal.kind == "unauthorized"
    assert pin in str(refusal)


def test_discovery_refuses_a_wrong_secret(discover, joining, driver):
    token, pin = joining
    eventually(lambda: signed(driver, token))
    refusal = discover.refused_soon(token.split(".")[0] + ".ffffffffffffffff", pin)
    assert refusal.kind == "unauthorized"
    assert "JWS" in str(refusal)


def test_discovery_refuses_an_expired_token(discover, kubeadm, joining, driver):
    _, pin = joining
    token = kubeadm("token", "create", "--ttl", "1s").strip()
    eventually(lambda: token not in kubeadm.tokens())  # the token cleaner removes it
    eventually(lambda: not signed(driver, token))
    refusal = discover.refused_soon(token, pin)
    assert refusal.kind == "not found"
    assert "expired" in str(refusal)


def test_discovery_refuses_a_deleted_token(discover, kubeadm, joining, driver):
    token, pin = joining
    eventually(lambda: signed(driver, token))
    kubeadm("token", "delete", token)
    eventually(lambda: not signed(driver, token))
    assert discover.refused_soon(token, pin).kind == "not found"


def test_discovery_waits_for_a_cluster_info_of_a_new_control_plane(discover, kubeadm, joining, driver, plane):
    token, pin = joining
    driver("delete", "configmaps", "kube-public", "cluster-info")
    with plane.just_made(), discover.start(token, pin) as process:
        assert "cluster-info was not found" in process.stderr.readline()
        # Scripts extract the token from this line.
        assert "[bootstrap-token] Using token: initia.0123456789abcdef\n" in kubeadm.phase("bootstrap-token")
        assert token in process.stdout.read()
    assert process.returncode == 0
    assert discover(token, pin)["users"][0]["user"]["token"] == token  # discovery waits for the signer


def test_discovery_waits_for_the_rule_of_a_new_control_plane(discover, kubeadm, joining, driver, plane):
    token, pin = joining
    info = f"{plane.server}/api/v1/namespaces/kube-public/configmaps/cluster-info"
    driver("delete", "rolebindings", "kube-public", "kubeadm:bootstrap-signer-clusterinfo")
    eventually(lambda: status(info) == 403)
    with plane.just_made(), discover.start(token, pin) as process:
        assert "is new" in process.stderr.readline()
        kubeadm.phase("bootstrap-token")
        assert token in process.stdout.read()
    assert process.returncode == 0


def test_upload_certs_can_be_repeated(kubeadm, driver):
    made = subprocess.run([kubeadm.program, "init", "phase", "certs", "all", "--config", kubeadm.config],
                          capture_output=True, text=True, timeout=120, check=False)
    assert made.returncode == 0, made.stderr
    owners, keys = [], []
    for _ in range(2):
        storing, using, key = kubeadm.phase("upload-certs", "--upload-certs").splitlines()
        assert storing.endswith(' in the "kube-system" Namespace')  # scripts remove the line up to here
        assert using.endswith("Using certificate key:")
        keys.append(key)
        secret = driver("get", "secrets", "kube-system", "kubeadm-certs")
        owners.append(secret["metadata"]["ownerReferences"][0]["name"])
        assert set(secret["data"]) == {"ca.crt", "ca.key", "front-proxy-ca.crt", "front-proxy-ca.key",
                                       "sa.pub", "sa.key", "etcd-ca.crt", "etcd-ca.key"}
    assert len(set(owners)) == 2  # each upload is owned by a separate token, and expires with it
    assert len(set(keys)) == 2
    assert driver("get", "secrets", "kube-system", owners[1])["type"] == "bootstrap.kubernetes.io/token"
