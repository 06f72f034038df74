# SPDX-License-Identifier: Apache-2.0
"""Addresses that objects of a cluster name: `doctor` shows them no credentials, and asks none that a stranger named."""

import json

import pytest

from programs import run
from world import Server, answer, kubeconfig

ENDPOINT = "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint"


def node(name, **labels):
    return {"metadata": {"name": name, "labels": labels}}


def pod(name, on, owner, endpoint, mirror="x"):
    annotations = {ENDPOINT: endpoint, **({"kubernetes.io/config.mirror": mirror} if mirror else {})}
    return {"metadata": {"name": name, "namespace": "kube-system", "annotations": annotations,
                         "labels": {"component": "kube-apiserver", "tier": "control-plane"},
                         "ownerReferences": [owner] if owner else []},
            "spec": {"nodeName": on, "containers": [{"name": "x", "image": "x:v1.36.0"}]}}


def owner(name, kind="Node"):
    return {"apiVersion": "v1", "kind": kind, "name": name, "uid": "u", "controller": True}


def cluster(pods):
    """Answers as an API server whose nodes are cp, of the control plane, and worker."""
    nodes = [node("cp", **{"node-role.kubernetes.io/control-plane": ""}), node("worker")]

    def behave(request):
        path = request.split()[1]
        if path.startswith("/api/v1/nodes"):
            items = nodes[:1] if "labelSelector" in path else nodes
        elif path.startswith("/api/v1/namespaces/kube-system/pods"):
            items = pods
        elif path.startswith("/readyz"):
            yield answer(200, "ok")
            return
        else:
            yield answer(404, {"kind": "Status", "apiVersion": "v1", "reason": "NotFound", "code": 404})
            return
        yield answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items})

    return behave


@pytest.fixture
def other(ours, tmp_path):
    """Another API server, which lets no stranger in."""
    with Server(lambda request: iter([answer(401, {"kind": "Status", "code": 401})]), ours.server(tmp_path)) as server:
        yield server


def diagnose(kubeadm, ours, tmp_path, pods):
    with Server(cluster(pods), ours.server(tmp_path)) as server:
        config = tmp_path / "admin.conf"
        config.write_text(kubeconfig(server.url, ours.pem()))
        done = run([kubeadm, "doctor", "--output", "json"], laid={"/etc/kubernetes/admin.conf": config})
        assert server.secrets(), done
        return json.loads(done.stdout)


def test_an_api_server_of_the_control_plane_is_shown_no_token(kubeadm, ours, other, tmp_path):
    told = diagnose(kubeadm, ours, tmp_path, [pod("kube-apiserver-cp", "cp", owner("cp"), other.address)])
    assert len(other.requests) == 1
    assert other.secrets() == []
    assert "credentials-refused" not in {finding["id"] for finding in told["findings"]}


STRANGERS = {
    "a worker's mirror Pod": ("kube-apiserver-worker", "worker", owner("worker")),
    "a worker's, of the name of the control plane's": ("kube-apiserver-cp", "worker", owner("worker")),
    "a worker's, on the control plane": ("kube-apiserver-cp", "cp", owner("worker")),
    "a Pod without an owner": ("kube-apiserver-cp", "cp", None),
    "a Pod of a ReplicaSet": ("kube-apiserver-cp", "cp", owner("cp", "ReplicaSet")),
    "a Pod that is no mirror Pod": ("kube-apiserver-cp", "cp", owner("cp"), None),
    "a Pod of another name": ("web", "cp", owner("cp")),
}


@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS.keys())
def test_what_a_stranger_names_is_not_asked(kubeadm, ours, other, tmp_path, stranger):
    name, on, owned_by, *mirror = stranger
    diagnose(kubeadm, ours, tmp_path, [pod(name, on, owned_by, other.address, *mirror)])
    assert other.requests == []
