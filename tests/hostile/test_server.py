# SPDX-License-Identifier: Apache-2.0
"""A malicious or broken server: each command that queries it must end with an error, soon, and in little memory.
"""

import json

import pytest

from answers import BEHAVIOURS, TOKEN
from programs import run
from world import Server, answer, cluster_info, kubeconfig

MOST_MIB = 300
MOST_SECONDS = 80  # kubeadm retries for a minute if a server reports that it is busy
CONFIG = """apiVersion: kubeadm.k8s.io/v1beta4
kind: %s
timeouts: {discovery: 3s, kubernetesAPICall: 3s, tlsBootstrap: 3s, upgradeManifests: 3s}
"""
JOIN = CONFIG % "JoinConfiguration" + "nodeRegistration: {name: cp-one, ignorePreflightErrors: [all]}\n"

# Commands that query the API server of a kubeconfig; `{init}` and `{upgrade}` are files with short timeouts. The
# kubeconfig is in the argument of --kubeconfig, and at its default path. Commands that need a complete node are in
# test_node.py.
COMMANDS = {
    "token list": ["token", "list"],
    "token create": ["token", "create"],
    "token delete": ["token", "delete", "abcdef"],
    "upload-config": ["init", "phase", "upload-config", "kubeadm", "--config", "{init}"],
    "upload-certs": ["init", "phase", "upload-certs", "--upload-certs", "--config", "{init}"],
    "bootstrap-token": ["init", "phase", "bootstrap-token", "--config", "{init}"],
    "addon": ["init", "phase", "addon", "all", "--config", "{init}"],
    "certs check-expiration": ["certs", "check-expiration"],
    "certs renew": ["certs", "renew", "all"],
    "config diff": ["config", "diff", "{init}"],
    "doctor": ["doctor"],
    "reset": ["reset", "--force", "--dry-run"],
    "reset of etcd": ["reset", "phase", "remove-etcd-member"],
    "upgrade diff": ["upgrade", "diff", "v1.36.0"],
    "upgrade apply's phase": ["upgrade", "apply", "phase", "post-upgrade", "v1.36.0", "--config", "{upgrade}"],
    "upgrade node's phase": ["upgrade", "node", "phase", "control-plane", "--config", "{upgrade}"],
    "upgrade plan": ["upgrade", "plan", "v1.36.0", "--ignore-preflight-errors=all"],
    "upgrade apply": ["upgrade", "apply", "v1.36.0", "--yes", "--config", "{upgrade}"],
    "upgrade node": ["upgrade", "node", "--config", "{upgrade}"],
}
# These commands work without a server, and report which queries failed.
MAY_SUCCEED = {"certs check-expiration", "reset", "reset of etcd"}


def check(outcome, seconds=MOST_SECONDS):
    assert outcome.mib <= MOST_MIB and outcome.seconds <= seconds, outcome
    assert outcome.code >= 0, outcome
    assert len(outcome.stderr) < 64_000 and ((outcome.stderr + outcome.stdout).strip() or
                                              outcome.code == 0), outcome
    assert "std::" not in outcome.stderr and "json.exception" not in outcome.stderr, outcome
    assert not set("\x1b\r\x07\u202e") & set(outcome.stderr + outcome.stdout), "it moves the cursor"
    assert TOKEN.split(".")[1] not in outcome.stderr + outcome.stdout and "a-secret-token" not in outcome.stderr


@pytest.fixture
def files(tmp_path):
    (tmp_path / "init").write_text(CONFIG % "InitConfiguration" + "nodeRegistration: {name: cp-one}\n---\n"
                                   "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                                   "kubernetesVersion: v1.36.0\n")
    (tmp_path / "upgrade").write_text(CONFIG % "UpgradeConfiguration" + "apply: {ignorePreflightErrors: [all]}\n"
                                      "node: {ignorePreflightErrors: [all]}\n")
    (tmp_path / "manifest").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\n")
    return tmp_path


def node(files, config):
    """The files of a control-plane node that commands read before they query a server."""
    manifests = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
    return {"/etc/kubernetes/admin.conf": config,
            **{f"/etc/kubernetes/manifests/{name}.yaml": files / "manifest" for name in manifests}}


def serve(behave, context):
    server = None

    def call(request):
        yield from behave(server, request)

    server = Server(call, context)
    return server


def is_refusal(behave):
    return behave in [BEHAVIOURS[name] for name in ("hangs up", "truncates", "never ends", "401", "403", "429", "503")]


ABOUT_OBJECTS = ("has wrong types within", "has the wrong types", "never ends its list", "is null", "is a list", "403",
                 "429", "503", "has a bomb for a configuration", "has brackets for a configuration",
                 "has another kind of configuration", "configures a version to come", "configures an endless version",
                 "configures a file as its endpoint", "writes on the terminal in all that it has")


def is_about_objects(behave):
    """Returns True if the commands themselves must handle the answer, not the client library."""
    return behave in [BEHAVIOURS[name] for name in ABOUT_OBJECTS]


# All commands use the same client library, so only one of them gets all behaviours.
PAIRS = [(name, word) for name in COMMANDS for word, behave in BEHAVIOURS.items()
         if name == "token list" or is_about_objects(behave)]


@pytest.mark.parametrize("name, word", PAIRS)
def test_commands(kubeadm, ours, files, name, word):
    behave = BEHAVIOURS[word]
    with serve(behave, ours.server(files)) as server:
        (files / "kubeconfig").write_text(kubeconfig(server.url, ours.pem()))
        words = [word.format(init=files / "init", upgrade=files / "upgrade") for word in COMMANDS[name]]
        outcome = run([kubeadm, *words, "--kubeconfig", files / "kubeconfig"], limit=2 * MOST_SECONDS,
                      laid=node(files, files / "kubeconfig"))
        check(outcome)
        assert server.requests, "nothing was asked"
        if is_refusal(behave) and name not in MAY_SUCCEED:
            assert outcome.code != 0, outcome


@pytest.mark.parametrize("behave", BEHAVIOURS.values(), ids=BEHAVIOURS.keys())
@pytest.mark.parametrize("pinned", [False, True])
def test_join_by_token(kubeadm, ours, files, behave, pinned):
    with serve(behave, ours.server(files)) as server:
        trust = f"caCertHashes: ['{ours.pin()}']" if pinned else "unsafeSkipCAVerification: true"
        (files / "join").write_text(JOIN + "discovery:\n  bootstrapToken:\n    token: " + TOKEN +
                                    f"\n    apiServerEndpoint: {server.address}\n    {trust}\n")
        outcome = run([kubeadm, "join", "--config", files / "join"], limit=2 * MOST_SECONDS)
        check(outcome)
        assert outcome.code != 0 and server.requests, outcome
        assert server.secrets() == []


@pytest.mark.parametrize("behave", BEHAVIOURS.values(), ids=BEHAVIOURS.keys())
def test_join_by_file(kubeadm, ours, files, behave):
    with serve(behave, ours.server(files)) as server:
        (files / "discovery").write_text(kubeconfig(server.url, ours.pem()))
        (files / "join").write_text(JOIN + f"discovery:\n  file: {{kubeConfigPath: {files / 'discovery'}}}\n"
                                    f"  tlsBootstrapToken: {TOKEN}\n")
        outcome = run([kubeadm, "join", "--config", files / "join"], limit=2 * MOST_SECONDS)
        check(outcome)
        assert outcome.code != 0 and server.requests, outcome


PUBLISHED = {
    "nested anchors": "".join(f"[&a{i} " for i in range(900)) + "x, " * 250_000 + "y" + "]" * 900,
    "brackets": "[" * 900_000,
    "long data": json.dumps({"clusters": [{"name": "", "cluster": {"server": "https://x:1",
                                                                   "certificate-authority-data": "QUFB" * 250_000}}]}),
    "no CA": json.dumps({"clusters": [{"name": "", "cluster": {"server": "https://x:1"}}]}),
    "a server of another scheme": json.dumps({"clusters": [{"name": "", "cluster": {"server": "file:///etc/passwd"}}]}),
    "nothing": "",
}


@pytest.mark.parametrize("text", PUBLISHED.values(), ids=PUBLISHED.keys())
@pytest.mark.parametrize("signer", ["nobody", "a stranger", "the cluster"])
def test_join_by_published_cluster_info(kubeadm, ours, files, text, signer):
    """A server publishes a hostile cluster-info: unsigned, signed with another token, or signed with the right token.
    The join must fail within the limits and send no credential. Its error must name a wrong signature."""
    key = {"nobody": None, "a stranger": TOKEN[:7] + "f" * 16, "the cluster": TOKEN}[signer]
    with Server(lambda request: iter([answer(200, cluster_info(text, key))]), ours.server(files)) as server:
        trust = f"caCertHashes: ['{ours.pin()}']" if signer != "nobody" else "unsafeSkipCAVerification: true"
        (files / "join").write_text(JOIN + "discovery:\n  bootstrapToken:\n    token: " + TOKEN +
                                    f"\n    apiServerEndpoint: {server.address}\n    {trust}\n")
        outcome = run([kubeadm, "join", "--config", files / "join"], limit=2 * MOST_SECONDS)
        check(outcome)
        assert outcome.code != 0 and server.secrets() == [], outcome
        if signer == "a stranger":
            assert "JWS" in outcome.stderr, outcome
