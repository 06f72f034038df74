# SPDX-License-Identifier: Apache-2.0
"""kubeadm node rename: renames a worker, but refuses if data on the worker would be lost."""

import json

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster

pytestmark = pytest.mark.ours

ADMIN = "/root/admin.conf"
JOURNAL = "/var/lib/slipway/operation-node-rename.json"

# A Pod with a local volume on the worker.
LOCAL = """
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  capacity: {storage: 1Mi}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {path: /root}
  nodeAffinity:
    required:
      nodeSelectorTerms:
      - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [worker]}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk}
spec: {accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 1Mi}}, volumeName: disk}
---
apiVersion: v1
kind: Pod
metadata: {name: keeper}
spec:
  containers: [{name: pause, image: IMAGE, volumeMounts: [{name: disk, mountPath: /disk}]}]
  volumes: [{name: disk, persistentVolumeClaim: {claimName: disk}}]
"""


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module):
    made = Cluster(bench, kubeadm, note_of_module)
    made.machine("first")
    made.init()
    token, pin, _ = made.credentials()
    worker = made.machine("worker")
    outcome = worker.join(*made.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    made.wait_healthy()
    worker.host.write(ADMIN, made.first.host.read("/etc/kubernetes/admin.conf"), 0o600)
    yield made
    made.down()


def rename(machine, to, *flags, **options):
    return machine.kubeadm("node", "rename", "--to", to, "--kubeconfig", ADMIN, *flags, timeout=300, **options)


def node(host, name):
    """Returns the Node; None if it does not exist."""
    found = host.kubectl("get", "nodes", "-o", "json")
    return next((each for each in json.loads(found)["items"] if each["metadata"]["name"] == name), None)


def drain(host, name):
    host.kubectl("drain", name, "--ignore-daemonsets", "--delete-emptydir-data", "--force", timeout=200)


def healthy(cluster, name):
    kubernetes.wait_healthy(cluster.first.host, expected_nodes=["first", name])


def test_a_rename_that_would_lose_data_is_refused(cluster):
    first, worker = cluster.machines
    host = first.host
    image = host.run("kubeadm", "config", "images", "list").stdout.split("pause:")[1].split()[0]
    host.write("/root/local.yaml", LOCAL.replace("IMAGE", f"registry.k8s.io/pause:{image}"))
    host.kubectl("apply", "-f", "/root/local.yaml")
    host.kubectl("wait", "--for=condition=Ready", "pod/keeper", "--timeout=90s", timeout=100)
    refused = rename(worker, "other", "--yes")
    assert refused.code == 1, refused.text
    for reason in ("kubectl cordon worker", "default/keeper", "PersistentVolumes", "disk"):
        assert reason in refused.text, refused.text
    drain(host, "worker")
    refused = rename(worker, "other", "--dry-run")
    assert refused.code == 1 and "disk" in refused.text and "kubectl" not in refused.text, refused.text
    assert node(host, "worker") and not worker.host.path(JOURNAL).exists()
    host.kubectl("delete", "pvc/disk", "pv/disk")
    host.kubectl("uncordon", "worker")
    healthy(cluster, "worker")


def test_a_control_plane_keeps_its_name(cluster):
    refused = cluster.first.kubeadm("node", "rename", "--to", "other")
    assert refused.code == 1 and "etcd member" in refused.text, refused.text


def test_a_drained_worker_is_renamed(cluster, note):
    first, worker = cluster.machines
    host = first.host
    host.kubectl("label", "node", "worker", "node-role.kubernetes.io/worker=", "disk=ssd")
    host.kubectl("taint", "node", "worker", "gpu=yes:PreferNoSchedule")
    drain(host, "worker")
    before = node(host, "worker")
    shown = rename(worker, "renamed", "--dry-run")
    assert shown.code == 0 and "Node renamed is created" in shown.text, shown.text
    assert node(host, "worker") and not worker.host.path(JOURNAL).exists()
    outcome = rename(worker, "renamed", "--yes")
    assert outcome.code == 0, outcome.text
    note("renamed", outcome.seconds)
    after = node(host, "renamed")
    assert node(host, "worker") is None
    assert after["spec"]["podCIDR"] == before["spec"]["podCIDR"]
    assert after["spec"]["unschedulable"]
    assert "gpu" in {taint["key"] for taint in after["spec"]["taints"]}
    labels = after["metadata"]["labels"]
    assert labels["disk"] == "ssd" and "node-role.kubernetes.io/worker" in labels
    assert labels["kubernetes.io/hostname"] == "renamed"
    assert "--hostname-override=renamed" in worker.host.read("/var/lib/kubelet/kubeadm-flags.env")
    host.kubectl("uncordon", "renamed")
    healthy(cluster, "renamed")
    assert "is good until" in worker.kubeadm("node", "recover").text
    restarted = worker.host.run("systemctl", "restart", "kubelet", check=False)
    assert restarted.returncode == 0
    healthy(cluster, "renamed")


def test_killed_runs_are_completed_by_the_next(cluster):
    first, worker = cluster.machines
    drain(first.host, "renamed")
    for seconds in (0.2, 0.8, 2, 5):
        worker.host.run(
            "timeout", "-s", "KILL", str(seconds), "kubeadm", "node", "rename", "--to", "worker", "--yes",
            "--kubeconfig", ADMIN, check=False,
        )
    if worker.host.path(JOURNAL).exists():
        other = rename(worker, "third", "--yes")
        assert other.code == 1 and "was interrupted here" in other.text, other.text
    if node(first.host, "renamed") or worker.host.path(JOURNAL).exists():
        outcome = rename(worker, "worker", "--yes")
        assert outcome.code == 0, outcome.text
    assert node(first.host, "renamed") is None
    assert node(first.host, "worker")["metadata"]["labels"]["disk"] == "ssd"
    # The new name is the machine's own host name, so the kubelet needs no argument for it.
    assert "hostname-override" not in worker.host.read("/var/lib/kubelet/kubeadm-flags.env")
    first.host.kubectl("uncordon", "worker")
    healthy(cluster, "worker")
