# SPDX-License-Identifier: Apache-2.0
"""Manual changes on real hosts are found, adopted, and replaced on purpose: drift and config apply."""

import json
import time

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster
from cluster.edits import EDITED, KUBELET, answers, container, drift, edit, found, manifest, runs_with
from cluster.processes import wait_until
from cluster.upgrades import NEW, apply, assert_images, made_by_upstream, take_new_kubeadm

pytestmark = pytest.mark.ours

API_SERVER = manifest("kube-apiserver")
SCHEDULER = manifest("kube-scheduler")
JOURNAL = "/var/lib/slipway/operation-config-apply.json"  # exists while a change is neither confirmed nor rolled back


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module):
    made = Cluster(bench, kubeadm, note_of_module)
    made.machine("first")
    made.init()
    made.wait_healthy()
    yield made
    made.down()


def test_a_new_cluster_has_no_drift(cluster, note):
    begin = time.monotonic()
    said, code = drift(cluster.first.host, "--all-nodes")
    note("drift", time.monotonic() - begin)
    assert code == 0, json.dumps(said["differences"], indent=1)
    assert not said["couldNotSee"], said
    assert {"etcd of first", "kubelet of first", "kube-proxy", "coredns"} <= set(said["lookedAt"])


def test_edits_are_found_and_adopted(cluster):
    host = cluster.first.host
    host.run("mkdir", "-p", "/var/log/audit")

    def change_server(pod):
        container(pod)["command"] += ["--max-requests-inflight=399"]
        container(pod).setdefault("env", []).append({"name": "GOGC", "value": "90"})
        container(pod)["volumeMounts"].append({"name": "audit", "mountPath": "/var/log/audit"})
        pod["spec"]["volumes"].append(
            {"name": "audit", "hostPath": {"path": "/var/log/audit", "type": "Directory"}}
        )

    def change_scheduler(pod):
        container(pod)["resources"]["requests"]["cpu"] = "50m"

    old = {
        identity for (pod, _), identity in kubernetes.control_plane_containers(host).items()
        if pod.startswith(("kube-apiserver", "kube-scheduler"))
    }
    edit(host, API_SERVER, change_server)
    edit(host, SCHEDULER, change_scheduler)
    edit(host, KUBELET, lambda config: config.update(maxPods=99))
    assert wait_until(lambda: not old & kubernetes.running(host), timeout=120)
    assert wait_until(lambda: runs_with(host, "--max-requests-inflight=399"), timeout=120)
    assert wait_until(lambda: answers(host), timeout=120)
    said, code = drift(host)
    assert code == EDITED, said
    assert found(said, "lost", "waits") == {
        ("kube-apiserver", "--max-requests-inflight"),
        ("kube-apiserver", "env GOGC"),
        ("kube-apiserver", "mount /var/log/audit"),
        ("kube-apiserver", "volume audit"),
        ("kube-scheduler", "resources.requests.cpu"),
        ("kubelet", "maxPods"),
    }
    outcome = cluster.first.kubeadm("drift", "--adopt")
    host.run("systemctl", "restart", "kubelet")
    assert wait_until(lambda: drift(host)[1] == 0, timeout=120)
    config = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
    assert "max-requests-inflight" in config and "GOGC" in config and "/var/log/audit" in config, outcome.text


def test_a_configuration_is_applied_and_rolled_back(cluster):
    host, machine = cluster.first.host, cluster.first
    dry = machine.kubeadm("config", "apply", "--set", "apiServer.extraArgs.v=3", "--dry-run")
    assert dry.code == 0 and "kube-apiserver is restarted" in dry.text, dry.text
    names = "apiServer.certSANs=[more.example.org]"
    done = machine.kubeadm(
        "config", "apply", "--set", "apiServer.extraArgs.v=3", "--set", names, "--yes", timeout=300
    )
    assert done.code == 0, done.text
    assert runs_with(host, "--v=3")
    shown = host.run("openssl", "x509", "-in", "/etc/kubernetes/pki/apiserver.crt", "-noout", "-text").stdout
    assert "more.example.org" in shown
    assert drift(host)[1] == 0
    back = machine.kubeadm("config", "undo", "--yes", timeout=300)
    assert back.code == 0, back.text
    assert not runs_with(host, "--v=3")
    assert "more.example.org" not in host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
    assert drift(host)[1] == 0


def test_a_configuration_that_cannot_serve_is_rolled_back(cluster):
    host, machine = cluster.first.host, cluster.first
    bad = machine.kubeadm("config", "apply", "--set", "scheduler.extraArgs.no-such=1", "--yes", timeout=400)
    assert bad.code == 1 and "rolled back" in bad.text, bad.text
    # With this argument, the controller manager answers its health check, but exits as soon as it becomes the leader.
    late = "controllerManager.extraArgs.root-ca-file=/nonexistent"
    bad = machine.kubeadm("config", "apply", "--set", late, "--yes", timeout=400)
    assert bad.code == 1 and "rolled back" in bad.text and "/nonexistent" in bad.text, bad.text
    assert drift(host)[1] == 0
    never = machine.kubeadm("config", "apply", "--set", "networking.dnsDomain=other", "--yes")
    assert never.code == 1 and "cannot be changed" in never.text, never.text


def test_a_trial_ends_by_itself(cluster):
    host, machine = cluster.first.host, cluster.first
    tried = machine.kubeadm(
        "config", "apply", "--set", "scheduler.extraArgs.v=3", "--try", "20s", "--yes", timeout=300
    )
    assert tried.code == 0, tried.text
    assert "--v=3" in host.read(SCHEDULER)
    assert wait_until(lambda: not host.path(JOURNAL).exists(), timeout=180), "the timer did not roll the change back"
    assert "--v=3" not in host.read(SCHEDULER)
    assert wait_until(lambda: drift(host)[1] == 0, timeout=120)
    tried = machine.kubeadm(
        "config", "apply", "--set", "scheduler.extraArgs.v=3", "--try", "20s", "--yes", timeout=300
    )
    assert tried.code == 0, tried.text
    assert machine.kubeadm("config", "confirm").code == 0
    time.sleep(25)
    assert "--v=3" in host.read(SCHEDULER)
    assert wait_until(lambda: runs_with(host, "--v=3"), timeout=120)


def test_killed_runs_are_completed_by_the_next(cluster):
    host, machine = cluster.first.host, cluster.first
    words = ["config", "apply", "--set", "scheduler.extraArgs.v=4", "--set", "kubelet.maxPods=98", "--yes"]
    cut_off = []
    for seconds in (0.4, 1, 2, 4, 8):
        host.run("timeout", "-s", "KILL", str(seconds), "kubeadm", *words, check=False)
        cut_off.append(host.path(JOURNAL).exists() and '"applying"' in host.read(JOURNAL))
    done = machine.kubeadm(*words, timeout=400)
    assert done.code == 0, done.text
    assert any(cut_off) and (not cut_off[-1] or "Resuming the change" in done.text), (cut_off, done.text)
    assert wait_until(lambda: runs_with(host, "--v=4"), timeout=120)
    assert wait_until(lambda: drift(host)[1] == 0, timeout=120)
    for seconds in (2, 5):
        host.run("timeout", "-s", "KILL", str(seconds), "kubeadm", "config", "undo", "--yes", check=False)
    if host.path(JOURNAL).exists():
        undone = machine.kubeadm("config", "undo", "--yes", timeout=400)
        assert undone.code == 0, undone.text
    assert "--v=3" in host.read(SCHEDULER) and "maxPods: 99" in host.read(KUBELET)
    assert wait_until(lambda: drift(host)[1] == 0, timeout=120)


def test_a_cluster_of_upstream_has_no_drift(bench, kubeadm, note):
    cluster = made_by_upstream(bench, note, ["cp"])
    try:
        take_new_kubeadm(cluster, kubeadm)
        said, code = drift(cluster.first.host, "--all-nodes")
        assert code == 0, json.dumps(said["differences"], indent=1)
        an_upgrade_is_not_taken_back(cluster.first)
    finally:
        cluster.down()


def an_upgrade_is_not_taken_back(machine):
    done = machine.kubeadm("config", "apply", "--set", "scheduler.extraArgs.v=3", "--yes", timeout=400)
    assert done.code == 0, done.text
    upgraded = apply(machine)
    assert upgraded.code == 0, upgraded.text
    refused = machine.kubeadm("config", "undo", "--yes", timeout=400)
    assert refused.code == 1 and "nothing was changed: later changes would be rolled back" in refused.text, refused.text
    assert_images(machine.host, {f"kube-scheduler-{machine.host.name}": NEW})
    assert "--v=3" in machine.host.read(SCHEDULER)
