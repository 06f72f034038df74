# SPDX-License-Identifier: Apache-2.0
"""Addresses in a cluster's objects. `doctor` sends them no credentials, and queries no address from an unauthorized
Pod. Upgrades must not configure a kubelet with such an address, or take a version from such a Pod."""

import json

import pytest

from programs import run
from world import Server, answer, kubeconfig

ENDPOINT = "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint"


def node(name, **labels):
    return {"metadata": {"name": name, "labels": labels}}


def pod(name, on, owner, endpoint, mirror="x", tag="v1.36.0"):
    annotations = {ENDPOINT: endpoint, **({"kubernetes.io/config.mirror": mirror} if mirror else {})}
    return {"metadata": {"name": name, "namespace": "kube-system", "annotations": annotations,
                         "labels": {"component": "kube-apiserver", "tier": "control-plane"},
                         "ownerReferences": [owner] if owner else []},
            "spec": {"nodeName": on, "containers": [{"name": "x", "image": f"x:{tag}"}]}}


def owner(name, kind="Node"):
    return {"apiVersion": "v1", "kind": kind, "name": name, "uid": "u", "controller": True}


def config_map(name, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "kube-system"}, "data": data}


CONFIG_MAPS = [
    config_map("kubeadm-config", ClusterConfiguration="apiVersion: kubeadm.k8s.io/v1beta4\n"
               "kind: ClusterConfiguration\nkubernetesVersion: v1.36.0\ncontrolPlaneEndpoint: api.example.org:6443\n"
               "networking: {serviceSubnet: 10.96.0.0/12, dnsDomain: cluster.local}\netcd: {local: {dataDir: /x}}\n"
               "certificatesDir: /etc/kubernetes/pki\n"),
    config_map("kubelet-config", kubelet="apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n")]


def cluster(pods):
    """Returns a function that responds as an API server with two nodes: cp of the control plane, and worker."""
    nodes = [node("cp", **{"node-role.kubernetes.io/control-plane": ""}), node("worker")]
    lists = {"/api/v1/nodes": nodes, "/api/v1/namespaces/kube-system/pods": pods,
             "/api/v1/namespaces/kube-system/configmaps": CONFIG_MAPS,
             "/apis/apps/v1/namespaces/kube-system/deployments": []}
    objects = {f"{path}/{each['metadata']['name']}": each for path, items in lists.items() for each in items}
    texts = {"/readyz": "ok", "/version": {"gitVersion": "v1.36.0"}}
    review = {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1",
              "status": {"userInfo": {"username": "system:node:cp"}}}

    def behave(request):
        path, _, query = request.split()[1].partition("?")
        if path.endswith("/selfsubjectreviews"):
            yield answer(201, review)
        elif path in texts:
            yield answer(200, texts[path])
        elif path in lists:
            items = nodes[:1] if lists[path] is nodes and "labelSelector" in query else lists[path]
            yield answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items})
        elif path in objects:
            yield answer(200, objects[path])
        else:
            yield answer(404, {"kind": "Status", "apiVersion": "v1", "reason": "NotFound", "code": 404})

    return behave


@pytest.fixture
def other(ours, tmp_path):
    """Another API server, which refuses all credentials."""
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
def test_an_address_named_by_another_user_is_not_queried(kubeadm, ours, other, tmp_path, stranger):
    name, on, owned_by, *mirror = stranger
    diagnose(kubeadm, ours, tmp_path, [pod(name, on, owned_by, other.address, *mirror)])
    assert other.requests == []


MANIFEST = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {
    "name": "kube-apiserver", "namespace": "kube-system", "annotations": {ENDPOINT: "10.77.0.1:6443"}},
    "spec": {"containers": [{"name": "kube-apiserver", "image": "registry.k8s.io/kube-apiserver:v1.36.0",
                             "command": ["kube-apiserver", "--advertise-address=10.77.0.1"]}]}})
PLANS = {"diff": ["upgrade", "diff", "v1.36.1"],
         "node": ["upgrade", "node", "--dry-run", "--etcd-upgrade=false", "--certificate-renewal=false",
                  "--ignore-preflight-errors=all"]}


@pytest.mark.parametrize("words", PLANS.values(), ids=PLANS.keys())
@pytest.mark.parametrize("pods", [
    [pod("kube-apiserver-cp", "worker", owner("worker"), "10.66.66.66:6443")],
    [pod("kube-apiserver-cp", "cp", owner("cp"), "10.66.66.66:6443")], []], ids=["a stranger's", "stale", "none"])
def test_the_manifest_says_where_this_nodes_api_server_is(kubeadm, ours, tmp_path, words, pods):
    with Server(cluster(pods), ours.server(tmp_path)) as server:
        files = {"config": kubeconfig(server.url, ours.pem()), "manifest": MANIFEST}
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        laid = {f"/etc/kubernetes/{name}": tmp_path / "config" for name in ("admin.conf", "kubelet.conf")}
        laid |= {f"/etc/kubernetes/manifests/{name}.yaml": tmp_path / "manifest"
                 for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler")}
        done = run([kubeadm, *words], laid=laid)
    assert done.code == 0, done
    assert "--advertise-address=10.77.0.1" in done.stdout
    # A dry run also prints the lists that it received, so the output may contain the address elsewhere.
    for place in ("--advertise-address=", "host: ", "https://"):
        assert place + "10.66.66.66" not in done.stdout + done.stderr


@pytest.mark.parametrize("tag", ["latest", "v9.9.9"])
@pytest.mark.parametrize("own", [True, False], ids=["shown", "missing"])
def test_a_workers_pod_has_no_say_in_the_version(kubeadm, ours, tmp_path, tag, own):
    pods = [pod("kube-apiserver-worker", "worker", owner("worker"), "10.66.66.66:6443", tag=tag)]
    pods += [pod("kube-apiserver-cp", "cp", owner("cp"), "10.77.0.1:6443")] if own else []
    with Server(cluster(pods), ours.server(tmp_path)) as server:
        (tmp_path / "config").write_text(kubeconfig(server.url, ours.pem()))
        (tmp_path / "manifest").write_text(MANIFEST)
        done = run([kubeadm, "upgrade", "plan", "v1.36.1", "--ignore-preflight-errors=all"], laid={
            "/etc/kubernetes/admin.conf": tmp_path / "config", "/etc/kubernetes/kubelet.conf": tmp_path / "config",
            "/etc/kubernetes/manifests/kube-apiserver.yaml": tmp_path / "manifest"})
    assert done.code == 0, done
    assert "Cluster version: 1.36.0" in done.stdout
    assert "kubeadm upgrade apply v1.36.1" in done.stdout
