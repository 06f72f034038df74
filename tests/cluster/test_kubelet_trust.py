# SPDX-License-Identifier: Apache-2.0
"""Clients verify kubelets by the published CA alone, while the CA is replaced on real hosts. A Pod mounts the
ClusterTrustBundle. Its kubelet then writes the file that metrics-server and Prometheus would read."""

import json

import pytest

from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.test_approver import PATIENCE, SERVING, logs_work, program  # noqa: F401 - a fixture
from cluster.test_rotate_ca import step

pytestmark = pytest.mark.ours

BUNDLE = "kubernetes.io:kubelet-serving:cluster-ca"
SYNC = 240  # seconds until a kubelet has updated a mounted ClusterTrustBundle
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "reader", "namespace": "default"}, "spec": {
    "nodeName": "worker", "automountServiceAccountToken": False,
    "containers": [{"name": "reader", "image": "IMAGE", "volumeMounts": [
        {"name": "kubelet-ca", "mountPath": "/etc/kubelet-ca", "readOnly": True}]}],
    "volumes": [{"name": "kubelet-ca", "projected": {"sources": [
        {"clusterTrustBundle": {"name": BUNDLE, "path": "ca.crt"}}]}}]}}


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, program, note_of_module, request):  # noqa: F811
    """A control plane and a worker whose kubelets have certificates of the CA."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    cluster.machine("cp").host.copy(program, "/usr/local/bin/cluster-machine-approver")
    cluster.init("--kubelet-serving-certs")
    worker = cluster.machine("worker")
    token, pin, _ = cluster.credentials()
    outcome = worker.join(*cluster.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    for machine in cluster.machines:
        assert wait_until(lambda machine=machine: logs_work(cluster, machine), PATIENCE)
    cluster.wait_healthy()
    yield cluster


def published(host):
    found = json.loads(host.kubectl("get", "clustertrustbundles", BUNDLE, "-o", "json"))["spec"]
    assert found["signerName"] == "kubernetes.io/kubelet-serving"
    return found["trustBundle"]


def certificates(pem):
    return {block.strip() for block in pem.split("-----END CERTIFICATE-----") if block.strip()}


def start_reader(cluster):
    """Starts the Pod; returns the path of the mounted file on the worker."""
    first = cluster.first.host
    image = first.kubectl("-n", "kube-system", "get", "daemonset", "kube-proxy", "-o",
                          "jsonpath={.spec.template.spec.containers[0].image}")
    first.write("/root/reader.json", json.dumps(POD).replace("IMAGE", image))
    first.kubectl("apply", "-f", "/root/reader.json")
    uid = first.kubectl("get", "pod", "reader", "-o", "jsonpath={.metadata.uid}")
    path = f"/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~projected/kubelet-ca/ca.crt"
    worker = cluster.machines[1].host
    assert wait_until(lambda: worker.run("test", "-s", path, check=False).returncode == 0, PATIENCE)
    return path


def verifies(reader, ca, target):
    """Returns True if a client on `reader` that trusts only the file verifies the kubelet of `target` for its
    address."""
    done = reader.run("openssl", "s_client", "-connect", f"{target.address}:10250", "-verify_return_error", "-verify_ip",
                      target.address, "-CAfile", ca, "-no-CApath", "-no-CAstore", check=False, stdin="")
    return "Verify return code: 0 (ok)" in done.stdout


def renew(cluster, machine):
    """Makes the kubelet request another serving certificate, and waits for it."""
    machine.host.run("rm", SERVING)
    machine.host.service("kubelet", "restart")
    assert wait_until(lambda: logs_work(cluster, machine), PATIENCE)


def test_the_bundle_verifies_kubelets_before_during_and_after_a_rotation(cluster, note):
    first, worker = cluster.machines
    path = start_reader(cluster)

    def all_verified():
        return [machine.host.name for machine in cluster.machines if not verifies(worker.host, path, machine.host)] == []

    old = certificates(first.host.read("/etc/kubernetes/pki/ca.crt"))
    assert certificates(published(first.host)) == certificates(worker.host.read(path)) == old
    assert all_verified()

    for machine in cluster.machines:
        step(machine, "kubernetes", "trust")
    both = certificates(published(first.host))
    assert len(both) == 2 and old < both, "both CAs, before the new one signs"
    assert wait_until(lambda: certificates(worker.host.read(path)) == both, SYNC)
    assert all_verified()

    for machine in cluster.machines:
        step(machine, "kubernetes", "reissue")
    for machine in cluster.machines:
        renew(cluster, machine)
    assert certificates(published(first.host)) == both
    assert all_verified()

    for machine in cluster.machines:
        step(machine, "kubernetes", "drop")
    new = both - old
    assert certificates(published(first.host)) == new == certificates(first.host.read("/etc/kubernetes/pki/ca.crt"))
    assert wait_until(lambda: certificates(worker.host.read(path)) == new, SYNC)
    assert all_verified()
    worker.host.write("/root/old.crt", "".join(f"{each}\n-----END CERTIFICATE-----\n" for each in old))
    assert not verifies(worker.host, "/root/old.crt", worker.host), "the old CA is gone"


def test_doctor_names_a_stale_bundle(cluster):
    host = cluster.first.host
    good = published(host)

    def found():
        return "kubelet-trust-stale" in host.run("kubeadm", "doctor", check=False).stdout

    assert not found()
    other = host.read("/etc/kubernetes/pki/front-proxy-ca.crt")
    for pem, expected in ((other, True), (good, False)):
        host.kubectl("patch", "clustertrustbundle", BUNDLE, "--type=merge", "-p", json.dumps({"spec": {"trustBundle": pem}}))
        assert found() == expected
