# SPDX-License-Identifier: Apache-2.0
"""Replaces certificates of a running control plane while a client sends requests."""

import json

import pytest

from cluster import kubernetes
from cluster.client import Client
from cluster.conftest import Machine
from cluster.processes import wait_until

pytestmark = pytest.mark.ours

PKI = "/etc/kubernetes/pki"

HOSTED = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "hosted"},
    "spec": {
        "containers": [
            {
                "name": "kube-scheduler",
                "image": "slipway.test/echo:1",
                "imagePullPolicy": "Never",
                "args": ["serve", ":8080"],
            }
        ]
    },
}

@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module):
    """A host on which init has run. The tests of this file share it, and leave it healthy."""
    host = bench.host("first", kubeadm=kubeadm)
    machine = Machine(host, note_of_module)
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    kubernetes.wait_healthy(host)
    yield machine
    host.down()


def serial(host, name):
    command = f"openssl x509 -noout -serial -in {PKI}/{name}.crt"
    return host.run("sh", "-c", command).stdout.strip()


def served_serial(host, address, client=""):
    command = (
        f"openssl s_client -connect {address} {client} </dev/null 2>/dev/null"
        " | openssl x509 -noout -serial"
    )
    return host.run("sh", "-c", command).stdout.strip()


def test_one_certificate_restarts_its_component_only(cluster, note):
    host = cluster.host
    scheduler = f"kube-scheduler-{host.name}", "kube-scheduler"
    before = kubernetes.control_plane_containers(host)
    shown = host.run("kubeadm", "certs", "renew", "scheduler.conf", "--restart", "-o", "json")
    result = json.loads(shown.stdout)
    assert result["restarted"] == ["kube-scheduler"]
    assert [row["outcome"] for row in result["certificates"]] == ["renewed"]
    assert wait_until(
        lambda: kubernetes.control_plane_containers(host)[scheduler] != before[scheduler], timeout=60
    )
    after = kubernetes.control_plane_containers(host)
    assert {name for name in before if before[name] != after[name]} == {scheduler}


def test_a_container_of_the_same_name_in_another_pod_is_left_alone(cluster):
    """A Pod outside of the control plane has containers with the names of components, for example a hosted control
    plane. A restart must not stop them."""
    host = cluster.host
    host.write("/root/hosted.json", json.dumps(HOSTED))
    host.kubectl("apply", "-f", "/root/hosted.json")
    host.kubectl("wait", "--for=condition=Ready", "pod/hosted", "--timeout=60s")
    try:
        hosted = json.loads(host.kubectl("get", "pod", "hosted", "-o", "json"))
        before = {each["containerID"] for each in hosted["status"]["containerStatuses"]}
        host.run("kubeadm", "certs", "renew", "scheduler.conf", "--restart", timeout=400)
        assert before <= kubernetes.running(host)
    finally:
        host.kubectl("delete", "pod", "hosted", "--grace-period=0", "--force")


def test_everything_is_renewed_restarted_and_served(cluster, note):
    host = cluster.host
    before = {name: serial(host, name) for name in ("apiserver", "etcd/server", "etcd/peer")}
    with Client(host) as client:
        done = host.run("kubeadm", "certs", "renew", "all", "--restart", timeout=400, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        # Waits for the end of the last restart, so that the client observes it.
        assert wait_until(lambda: host.run("kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf",
                                           "get", "--raw", "/readyz", check=False).returncode == 0,
                          timeout=60)
    note(f"outage, {len(client.failed)} of {client.asked} requests failed", client.outage)
    for name in before:
        assert serial(host, name) != before[name]
    assert served_serial(host, f"{host.address}:6443") == serial(host, "apiserver")
    assert served_serial(host, "127.0.0.1:2379") == serial(host, "etcd/server")
    assert client.asked > len(client.failed)
    assert client.outage < 120
    kubernetes.wait_healthy(host)


def test_consecutive_restarts_cause_no_crash_loop(cluster):
    """etcd is restarted three times in a row. The kubelet must not count the restarts as failures, because it would
    delay the next start by up to five minutes."""
    host = cluster.host
    log = host.logs / "kubelet.log"
    before = len(log.read_bytes())
    for _ in range(3):
        host.run("kubeadm", "certs", "renew", "etcd-server", "--restart", timeout=400)
    assert b"restarting failed container=etcd" not in log.read_bytes()[before:]


def test_certificates_that_are_not_due_are_left_alone(cluster):
    host = cluster.host
    before = serial(host, "apiserver")
    shown = host.run("kubeadm", "certs", "auto-renew", "run", "--textfile", "/root/certs.prom")
    assert "nothing to renew" in shown.stdout
    assert serial(host, "apiserver") == before
    metrics = host.read("/root/certs.prom")
    assert 'kubeadm_certificate_expiration_timestamp_seconds{name="apiserver",ca="ca"' in metrics
    assert "kubeadm_certs_renew_last_run_success 1" in metrics


def test_old_certificates_are_restored_if_the_new_ones_do_not_serve(cluster):
    """The controller manager gets a certificate of an unknown CA, with which it cannot log in. The old certificate must
    be restored."""
    host = cluster.host
    conf = "/etc/kubernetes/controller-manager.conf"
    before = host.read(conf)
    host.run("kubeadm", "init", "phase", "certs", "ca", "--cert-dir", "/root/other")
    done = host.run(
        *("kubeadm", "certs", "renew", "controller-manager.conf"),
        *("--restart", "--cert-dir", "/root/other"),
        check=False,
        timeout=600,
    )
    assert done.returncode != 0
    assert "The old certificates are back and in use" in done.stderr, done.stderr
    assert host.read(conf) == before
    kubernetes.wait_healthy(host)


def test_the_cluster_is_compared_with_a_file(cluster):
    host = cluster.host
    same = host.run("kubeadm", "config", "diff", "/root/init.yaml")
    assert "configured as the file says" in same.stdout, same.stdout
    host.run("sh", "-c", "sed 's/^kind: ClusterConfiguration/&\\nclusterName: other/' "
             "/root/init.yaml >/root/other.yaml")
    other = host.run("kubeadm", "config", "diff", "/root/other.yaml", "-o", "json")
    found = [row["path"] for row in json.loads(other.stdout)["differences"]]
    assert found == ["clusterName"]
