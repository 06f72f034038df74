# SPDX-License-Identifier: Apache-2.0
"""Phases of `kubeadm init` that need only an API server, run by our kubeadm."""

import subprocess

import pytest
import yaml

from control_plane import eventually
from test_client import TOKEN

CONFIG = {
    "apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "InitConfiguration",
    "bootstrapTokens": [{"token": ".".join(TOKEN)}],
    "localAPIEndpoint": {"advertiseAddress": "10.77.0.1", "bindPort": 6443},
    "nodeRegistration": {"name": "n2", "criSocket": "unix:///run/containerd/containerd.sock"},
    "timeouts": {"kubernetesAPICall": "20s"},
}
CLUSTER = {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration",
           "kubernetesVersion": "v1.37.2", "clusterName": "tested"}


@pytest.fixture(scope="module")
def phase(request, plane):
    """Returns a function that runs `kubeadm init phase WORDS` as admin and returns the output."""
    config = plane.directory / "kubeadm.yaml"
    config.write_text(yaml.safe_dump_all([CONFIG, CLUSTER]))

    def run(*words):
        done = subprocess.run(
            [request.config.getoption("--kubeadm"), "init", "phase", *words, "--config", config,
             "--kubeconfig", plane.kubeconfig()], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_upload_config_can_be_repeated(phase, driver):
    for _ in range(2):
        phase("upload-config", "all")
    stored = driver("get", "configmaps", "kube-system", "kubeadm-config")["data"]["ClusterConfiguration"]
    assert yaml.safe_load(stored)["clusterName"] == "tested"
    kubelet = driver("get", "configmaps", "kube-system", "kubelet-config")["data"]["kubelet"]
    assert yaml.safe_load(kubelet)["kind"] == "KubeletConfiguration"
    for name in ("kubeadm:nodes-kubeadm-config", "kubeadm:kubelet-config"):
        assert driver("get", "rolebindings", "kube-system", name)["roleRef"]["name"] == name


def test_bootstrap_token_makes_a_signed_cluster_info(phase, driver):
    phase("bootstrap-token")
    secret = driver("get", "secrets", "kube-system", f"bootstrap-token-{TOKEN[0]}")
    assert secret["type"] == "bootstrap.kubernetes.io/token"

    def signed():
        info = driver("get", "configmaps", "kube-public", "cluster-info")["data"]
        return f"jws-kubeconfig-{TOKEN[0]}" in info and "certificate-authority-data" in info["kubeconfig"]

    eventually(signed)
    assert driver("get", "clusterroles", "", "kubeadm:get-nodes")["rules"][0]["resources"] == ["nodes"]


def test_addons_are_accepted_by_a_real_server(phase):
    phase("addon", "all")
    phase("addon", "all")
