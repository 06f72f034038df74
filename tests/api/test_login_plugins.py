# SPDX-License-Identifier: Apache-2.0
"""Users who log in with a plugin (client.authentication.k8s.io), against a real API server: kubeadm treats a
kubeconfig as kubectl does."""

import base64
import json
import pathlib
import subprocess

import pytest
import yaml

from control_plane import program

V1 = "client.authentication.k8s.io/v1"
PLUGIN = """#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" >>"$(dirname "$0")/asked"
echo "the plugin speaks" >&2
cat "$ANSWER"
"""


class User:
    """A kubeconfig whose user logs in by the program ./bin/plugin next to it."""

    def __init__(self, plane, directory, kubeadm):
        self.plane, self.directory, self.kubeadm = plane, directory, kubeadm
        (directory / "bin").mkdir()
        (directory / "bin/plugin").write_text(PLUGIN)
        (directory / "bin/plugin").chmod(0o755)
        self.config = directory / "config"
        self.write()

    def write(self, version=V1, **more):
        config = yaml.safe_load(self.plane.kubeconfig().read_text())
        for cluster in config["clusters"]:
            name = cluster["cluster"].pop("certificate-authority", None)
            if name:
                with open(name, "rb") as file:
                    cluster["cluster"]["certificate-authority-data"] = base64.b64encode(file.read()).decode()
        for user in config["users"]:
            user["user"] = {"exec": {
                "apiVersion": version, "command": "./bin/plugin", "args": ["$(touch x)"], "interactiveMode": "Never",
                "env": [{"name": "ANSWER", "value": str(self.directory / "answer")}], **more}}
        self.config.write_text(yaml.safe_dump(config))

    def answer(self, status, version=V1):
        (self.directory / "answer").write_text(json.dumps(
            {"kind": "ExecCredential", "apiVersion": version, "status": status}))

    def answer_admin(self, version=V1):
        self.answer({"clientCertificateData": pathlib.Path(self.plane.certificates.path("admin.crt")).read_text(),
                     "clientKeyData": pathlib.Path(self.plane.certificates.path("admin.key")).read_text()}, version)

    def asked(self):
        return [json.loads(line) for line in (self.directory / "bin/asked").read_text().splitlines() if line]

    def run(self, *words, command=None):
        return subprocess.run([command or self.kubeadm, *words, "--kubeconfig", self.config], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, cwd="/", timeout=120, check=False)


@pytest.fixture
def user(plane, tmp_path, request):
    return User(plane, tmp_path, request.config.getoption("--kubeadm"))


@pytest.mark.parametrize("version", [V1, V1 + "beta1"])
def test_a_certificate_of_a_plugin_logs_in(user, version):
    user.write(version)
    user.answer_admin(version)
    done = user.run("token", "list")
    assert done.returncode == 0, done.stderr
    assert "the plugin speaks" in done.stderr
    assert user.asked() == [{"kind": "ExecCredential", "apiVersion": version, "spec": {"interactive": False}}]
    assert not (user.directory / "x").exists()


def test_the_plugin_gets_the_cluster_information_that_kubectl_gives(user):
    user.write(provideClusterInfo=True)
    user.answer_admin()
    assert user.run("token", "list").returncode == 0
    done = user.run("get", "namespaces", command=program("kubectl"))
    assert done.returncode == 0, done.stderr
    ours, *theirs = user.asked()
    assert theirs and all(info == ours for info in theirs)
    assert ours["spec"]["cluster"]["server"] and ours["spec"]["cluster"]["certificate-authority-data"]


def test_a_token_that_the_server_does_not_know_is_asked_for_once_more(user):
    user.answer({"token": "not-of-this-cluster"})
    done = user.run("token", "list")
    assert done.returncode == 1
    assert len(user.asked()) == 2
    assert "Unauthorized" in done.stderr or "log in" in done.stderr
    assert "not-of-this-cluster" not in done.stdout + done.stderr


def test_secrets_are_in_no_log(user):
    user.answer_admin()
    done = user.run("token", "list", "--v=10")
    assert done.returncode == 0, done.stderr
    key = pathlib.Path(user.plane.certificates.path("admin.key")).read_text().splitlines()[1]
    assert key not in done.stdout + done.stderr


@pytest.mark.parametrize("words", [
    ["certs", "renew", "admin.conf", "--dry-run"],
    ["upgrade", "plan", "v1.37.2", "--ignore-preflight-errors=all"],
    ["reset", "phase", "remove-etcd-member", "--dry-run"],
    ["init", "phase", "bootstrap-token"],
])
def test_every_command_that_takes_a_kubeconfig_logs_in(user, words):
    """Checks only the login, not the exit status: the cluster has no objects that the commands need."""
    user.answer_admin()
    done = user.run(*words)
    if words[0] == "reset" and not (user.directory / "bin/asked").exists():
        pytest.skip("without a manifest of etcd no command queries the cluster")
    assert user.asked(), done.stdout + done.stderr
    assert "cannot log in" not in done.stdout + done.stderr
    assert "the plugin speaks" in done.stderr


def test_a_missing_plugin_is_named_with_its_install_hint(user):
    user.write(command="no-such-plugin", installHint="apt install no-such-plugin")
    done = user.run("token", "list")
    assert done.returncode == 1
    assert 'logs in by the program "no-such-plugin", which cannot be run' in done.stderr
    assert "apt install no-such-plugin" in done.stderr


def test_a_discovery_file_logs_in(user):
    """A join with a discovery file logs in for the cluster's public information, and for its configuration."""
    user.answer_admin()
    done = subprocess.run(
        [user.kubeadm, "join", "phase", "kubelet-start", "--discovery-file", user.config, "--node-name", "n",
         "--cri-socket", "unix:///run/none.sock", "--dry-run"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd="/", timeout=120, check=False,
        env={"PATH": "/usr/bin:/bin", "KUBEADM_JOIN_DRYRUN_DIR": str(user.directory / "dry")})
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(user.asked()) == 2
    assert "Would write file \"/var/lib/kubelet/kubeadm-flags.env\"" in done.stdout
