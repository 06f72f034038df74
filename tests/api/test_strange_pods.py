# SPDX-License-Identifier: Apache-2.0
"""A worker's kubelet creates mirror Pods in a real API server with NodeRestriction. kubeadm must not take them for a
control plane's Pods, whatever their names and labels."""

import json
import tempfile
from pathlib import Path

import pytest
import yaml

from control_plane import ControlPlane
from test_upgrade_plan import ENDPOINT, NODE, PODS, Cluster, mirror_pod

WORKER = "worker"
KUBELET = {"user": f"system:node:{WORKER}", "groups": ("system:nodes", "system:authenticated")}
EVIL = "10.66.66.66:6443"
MANIFEST = {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "kube-apiserver", "namespace": "kube-system",
                         "annotations": {ENDPOINT: "10.77.0.1:6443"}},
            "spec": {"containers": [{"name": "kube-apiserver", "image": "reg/kube-apiserver:v1.37.0",
                                     "command": ["kube-apiserver", "--advertise-address=10.77.0.1"]}]}}


@pytest.fixture(scope="module")
def cluster(request):
    with tempfile.TemporaryDirectory(prefix="slipway-strange-") as directory:
        plane = ControlPlane(Path(directory), say=lambda _: None, guarded=True)
        try:
            plane.start()
            it = Cluster(request, plane)
            it.store()
            for component in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
                (it.etc / f"kubernetes/manifests/{component}.yaml").write_text(yaml.safe_dump(MANIFEST))
            yield it
        finally:
            plane.stop()


@pytest.fixture(scope="module")
def worker(cluster):
    """The Node of the worker. The tests act as its kubelet."""
    code, node = cluster.api("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": WORKER}}, **KUBELET)
    assert code == 201, node
    return node


def put(cluster, pod):
    """Creates a Pod as the worker's kubelet, and replaces a Pod of the same name."""
    cluster.api("DELETE", f"{PODS}/{pod['metadata']['name']}?gracePeriodSeconds=0")
    code, answer = cluster.api("POST", PODS, pod, **KUBELET)
    assert code == 201, answer


def test_a_kubelet_cannot_give_its_node_the_label_of_the_control_plane(cluster, worker):
    code, answer = cluster.api("PATCH", f"/api/v1/nodes/{WORKER}", {"metadata": {"labels": {
        "node-role.kubernetes.io/control-plane": ""}}}, **KUBELET)
    assert code == 403, answer


@pytest.mark.parametrize("tag", ["latest", "v9.9.9"])
def test_a_workers_pod_has_no_say_in_the_clusters_version(cluster, worker, tag):
    put(cluster, mirror_pod("kube-apiserver", tag, worker, EVIL))
    done, _ = cluster.plan("v1.37.2", "-o", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["availableUpgrades"][0]["components"]
    assert {row["currentVersion"] for row in rows if row["name"] == "kube-apiserver"} == {"v1.37.0"}
    assert "different versions" not in done.stderr


def test_a_plan_needs_no_mirror_pod(cluster, worker):
    """A mirror Pod may be missing for minutes after its static Pod was replaced. The plan must then use the API
    server's version, which here is the newest version."""
    name = f"kube-apiserver-{NODE}"
    kept = cluster.api("GET", f"{PODS}/{name}")[1]
    cluster.api("DELETE", f"{PODS}/{name}?gracePeriodSeconds=0")
    try:
        done, _ = cluster.plan("v1.37.2")
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith("[upgrade/versions] There is nothing to upgrade to\n")
    finally:
        kept["metadata"] = {key: kept["metadata"][key] for key in ("name", "labels", "annotations", "ownerReferences")}
        cluster.api.make(PODS, kept)


@pytest.mark.parametrize("words", [["upgrade", "diff", "v1.37.2"],
                                   ["upgrade", "node", "--dry-run", "--ignore-preflight-errors=all"]],
                         ids=["diff", "node"])
def test_a_pod_of_the_api_servers_name_redirects_no_client_to_its_node(cluster, worker, words):
    put(cluster, mirror_pod("kube-apiserver", "v1.37.0", worker, EVIL, name=f"kube-apiserver-{NODE}"))
    done = cluster.run(*words)
    assert done.returncode == 0, done.stderr
    assert "--advertise-address=10.77.0.1" in done.stdout
    # A dry run also prints the lists that it received, so the output may contain the address elsewhere.
    for place in ("--advertise-address=", "host: ", "https://"):
        assert place + "10.66.66.66" not in done.stdout + done.stderr
