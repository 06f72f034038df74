# SPDX-License-Identifier: Apache-2.0
"""Runs `kubeadm upgrade plan` and `diff` against a real API server. The Job that tests a cluster's health is created,
watched to its end and deleted. The test acts as the node that would run the Job."""

import datetime
import json
import subprocess
import threading

import pytest
import yaml

from approver import Api
from control_plane import eventually

NODE = "panda"
JOBS = "/apis/batch/v1/namespaces/kube-system/jobs"
PODS = "/api/v1/namespaces/kube-system/pods"
COMPONENTS = {"kube-apiserver": "v1.37.0", "kube-controller-manager": "v1.37.0", "kube-scheduler": "v1.37.0",
              "etcd": "3.6.5-0"}
ENDPOINT = "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint"
INIT = {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "InitConfiguration",
        "localAPIEndpoint": {"advertiseAddress": "10.77.0.1", "bindPort": 6443},
        "nodeRegistration": {"name": NODE, "criSocket": "unix:///run/x.sock"}}
CLUSTER = {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration", "kubernetesVersion": "v1.37.0"}

# Mounts an empty /etc and copies these files into it, visible to this process only.
IN_ETC = "mount -t tmpfs none /etc && cp -r \"$0\"/. /etc && exec \"$@\""


def mirror_pod(component, tag, node, endpoint, name=None):
    """Returns the mirror Pod that the kubelet of a Node creates for a static Pod."""
    owner = {"apiVersion": "v1", "kind": "Node", "controller": True, **{
        key: node["metadata"][key] for key in ("name", "uid")}}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name or f"{component}-{owner['name']}", "ownerReferences": [owner],
                         "annotations": {ENDPOINT: endpoint, "kubernetes.io/config.mirror": "x"},
                         "labels": {"component": component, "tier": "control-plane"}},
            "spec": {"nodeName": owner["name"], "containers": [{"name": "it", "image": f"reg/{component}:{tag}"}]}}


class Cluster:
    """A cluster of one node, as the API server stores it, and that node's /etc."""

    def __init__(self, request, plane):
        self.kubeadm = request.config.getoption("--kubeadm")
        self.plane, self.api = plane, Api(plane)
        self.etc = plane.directory / "etc"
        (self.etc / "kubernetes/manifests").mkdir(parents=True)
        plane.certificates.sign(NODE, f"/O=system:nodes/CN=system:node:{NODE}")
        plane._write_kubeconfig(NODE, {"client-certificate": plane.certificates.path(f"{NODE}.crt"),
                                       "client-key": plane.certificates.path(f"{NODE}.key")})
        for name, caller in (("admin.conf", "admin"), ("kubelet.conf", NODE)):
            (self.etc / "kubernetes" / name).write_bytes(plane.kubeconfig(caller).read_bytes())
        self.config = plane.directory / "upgrade.yaml"
        self.config.write_text(yaml.safe_dump_all([INIT, CLUSTER]))

    def run(self, *words):
        return subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", IN_ETC, self.etc,
                               self.kubeadm, *words], capture_output=True, text=True, timeout=120, check=False)

    def store(self):
        done = self.run("init", "phase", "upload-config", "all", "--config", self.config,
                        "--kubeconfig", self.plane.kubeconfig())
        assert done.returncode == 0, done.stderr
        self.api("DELETE", "/api/v1/nodes")  # other tests leave Nodes
        node = self.api.make("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {
            "name": NODE, "labels": {"node-role.kubernetes.io/control-plane": "", "kubernetes.io/hostname": NODE}}})
        self.beat()
        eventually(lambda: self.api("GET", "/api/v1/namespaces/kube-system/serviceaccounts/default")[0] == 200)
        for component, tag in COMPONENTS.items():
            self.api.make(PODS, mirror_pod(component, tag, node, "10.77.0.1:6443"))

    def beat(self):
        """Writes the heartbeat of the node's kubelet. The controller manager regards a node without a heartbeat as dead
        after 40 s."""
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        code, answer = self.api("PATCH", f"/api/v1/nodes/{NODE}/status", {"status": {
            "nodeInfo": {"kubeletVersion": "v1.37.0"},
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": now}]}})
        assert code == 200, answer

    def end_jobs(self, phase, seen):
        """Ends the Pods of Jobs with `phase` as soon as they appear, until one Job has been deleted."""
        def ended():
            for pod in self.api("GET", PODS + "?labelSelector=job-name")[1]["items"]:
                if pod["status"].get("phase") in ("Succeeded", "Failed"):
                    continue  # the Pod has ended already, or an earlier Job left it
                seen.append(pod)
                self.api("PATCH", f"{PODS}/{pod['metadata']['name']}/status", {"status": {
                    "phase": phase, "containerStatuses": [{
                        "name": pod["spec"]["containers"][0]["name"], "image": "x", "imageID": "", "ready": False,
                        "restartCount": 0, "state": {"terminated": {"exitCode": 0 if phase == "Succeeded" else 1}}}]}})
            return seen and not self.api("GET", JOBS)[1]["items"]
        eventually(ended, 60)

    def plan(self, *words, phase="Succeeded"):
        """Runs a plan; returns its outcome and the Pods of its Job."""
        self.beat()
        seen = []
        node = threading.Thread(target=self.end_jobs, args=(phase, seen))
        node.start()
        done = self.run("upgrade", "plan", *words)
        node.join()
        return done, seen


@pytest.fixture(scope="module")
def cluster(request, plane):
    it = Cluster(request, plane)
    it.store()
    for component in ("kube-apiserver", "kube-controller-manager", "kube-scheduler"):
        (it.etc / f"kubernetes/manifests/{component}.yaml").write_text("apiVersion: v1\nkind: Pod\n")
    yield it
    it.api("DELETE", f"/api/v1/nodes/{NODE}")
    for component in COMPONENTS:
        it.api("DELETE", f"{PODS}/{component}-{NODE}?gracePeriodSeconds=0")


def test_a_plan_runs_a_job_and_removes_it(cluster):
    done, pods = cluster.plan("v1.37.2", "-o", "json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    rows = {row["name"]: (row["currentVersion"], row["newVersion"])
            for row in plan["availableUpgrades"][0]["components"]}
    assert rows["kubelet"] == rows["kube-apiserver"] == ("v1.37.0", "v1.37.2")
    assert rows["etcd"][0] == "3.6.5-0"
    assert pods[0]["spec"]["securityContext"]["runAsNonRoot"] is True
    assert pods[0]["spec"]["containers"][0]["image"].startswith("registry.k8s.io/pause:")
    # The Pod is deleted with its Job.
    eventually(lambda: not cluster.api("GET", PODS + "?labelSelector=job-name")[1]["items"], 60)


def test_a_job_that_fails_stops_a_plan(cluster):
    done, _ = cluster.plan("v1.37.2", phase="Failed")
    assert done.returncode == 1
    assert "[ERROR CreateJob]" in done.stderr
    assert "[upgrade/health] FATAL: preflight checks failed" in done.stderr


def test_a_plan_without_anything_to_upgrade_to_says_so(cluster):
    done, _ = cluster.plan("v1.37.0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("[upgrade/versions] There is nothing to upgrade to\n")
    done, _ = cluster.plan("v1.37.0", "-o", "json")
    assert done.stdout == ""


def test_a_node_that_takes_no_pods_needs_no_job(cluster):
    cluster.beat()
    cluster.api("PATCH", f"/api/v1/nodes/{NODE}", {"spec": {"unschedulable": True}})
    try:
        done = cluster.run("upgrade", "plan", "v1.37.2")
    finally:
        cluster.api("PATCH", f"/api/v1/nodes/{NODE}", {"spec": {"unschedulable": False}})
    assert done.returncode == 0, done.stderr
    assert "CreateJob is skipped" in done.stderr
    assert "\tkubeadm upgrade apply v1.37.2\n" in done.stdout


def test_a_diff_shows_what_a_manifest_lacks(cluster):
    done = cluster.run("upgrade", "diff", "v1.37.2")
    assert done.returncode == 0, done.stderr
    names = [line for line in done.stdout.splitlines() if line.startswith("--- ")]
    assert names == [f"--- /etc/kubernetes/manifests/{component}.yaml"
                     for component in ("kube-apiserver", "kube-controller-manager", "kube-scheduler")]
    assert "+    image: registry.k8s.io/kube-scheduler:v1.37.2" in done.stdout


def test_a_diff_spells_the_version_as_given_and_refuses_labels(cluster):
    done = cluster.run("upgrade", "diff", "1.37.2")
    assert done.returncode == 0, done.stderr
    assert "+    image: registry.k8s.io/kube-scheduler:1.37.2" in done.stdout
    done = cluster.run("upgrade", "diff", "stable-1.37")
    assert done.returncode == 1
    assert "stable-1.37" in done.stderr
    assert done.stdout == ""


def test_the_phase_of_the_kubelets_configuration_leaves_the_nodes_socket_alone(cluster):
    """A Node has the annotation of an older kubeadm with the runtime's socket. The phase must leave it unchanged,
    because kubeadm 1.37 neither reads nor removes it."""
    socket = "kubeadm.alpha.kubernetes.io/cri-socket"
    cluster.api("PATCH", f"/api/v1/nodes/{NODE}", {"metadata": {"annotations": {socket: "unix:///run/x.sock"}}})
    done = cluster.run("upgrade", "apply", "phase", "upload-config", "kubelet", "v1.37.2")
    assert done.returncode == 0, done.stderr
    annotations = cluster.api("GET", f"/api/v1/nodes/{NODE}")[1]["metadata"]["annotations"]
    assert annotations[socket] == "unix:///run/x.sock"


def test_a_dry_run_with_patches_begins_the_first_manifest_on_a_line_of_its_own(cluster):
    patches = cluster.plane.directory / "patches"
    patches.mkdir()
    (patches / "kube-scheduler.yaml").write_text("metadata: {labels: {patched: here}}\n")
    done = cluster.run("upgrade", "apply", "phase", "control-plane", "v1.37.2", "--dry-run", "--patches", patches)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("[dryrun] Would bring the static Pods"))
    assert any(line.startswith("[patches] ") for line in lines[begin + 1:])
    assert lines[begin].endswith(": ")
    assert "    patched: here" in lines


def test_the_phase_of_the_kubelets_configuration_takes_the_annotation_off_for_older_releases(cluster):
    socket = "kubeadm.alpha.kubernetes.io/cri-socket"
    cluster.api("PATCH", f"/api/v1/nodes/{NODE}", {"metadata": {"annotations": {socket: "unix:///run/x.sock"}}})
    done = cluster.run("upgrade", "apply", "phase", "upload-config", "kubelet", "v1.36.3")
    assert done.returncode == 0, done.stderr
    annotations = cluster.api("GET", f"/api/v1/nodes/{NODE}")[1]["metadata"].get("annotations", {})
    assert socket not in annotations


def test_the_path_is_shown_with_its_hops(cluster):
    done = cluster.run("upgrade", "plan", "--path", "v1.37.2")
    assert done.returncode == 0, done.stderr
    assert "The path from " in done.stdout
    assert "\n1 of 1    v1.37.2 " in done.stdout
    assert "could not be examined" not in done.stderr
    shown = json.loads(cluster.run("upgrade", "plan", "--path", "v1.37.2", "-o", "json").stdout)
    assert [hop["version"] for hop in shown["hops"]] == ["v1.37.2"]


def test_a_feature_gate_that_is_gone_is_warned_of_and_stops_an_upgrade(cluster):
    stored = "/api/v1/namespaces/kube-system/configmaps/kubeadm-config"
    before = cluster.api("GET", stored)[1]["data"]
    gated = {**CLUSTER, "apiServer": {"extraArgs": [{"name": "feature-gates", "value": "MemoryManager=true"}]}}
    assert cluster.api("PATCH", stored, {"data": {"ClusterConfiguration": yaml.safe_dump(gated)}})[0] == 200
    try:
        done, _ = cluster.plan("v1.37.2")
        assert done.returncode == 0, done.stderr
        assert "apiServer.extraArgs sets feature gate MemoryManager=true" in done.stderr
        apply = ("upgrade", "apply", "v1.37.2", "--dry-run", "--yes", "--ignore-preflight-errors=all")
        refused = cluster.run(*apply)
        assert refused.returncode == 1
        assert "should not be upgraded" in refused.stderr
        assert "MemoryManager=true" in refused.stderr
        assert "should not be upgraded" not in cluster.run(*apply, "--force").stderr
    finally:
        assert cluster.api("PATCH", stored, {"data": before})[0] == 200
