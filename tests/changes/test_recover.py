# SPDX-License-Identifier: Apache-2.0
"""A kubelet without a usable certificate gets a new certificate, and its Pods keep running: kubeadm node recover."""

import re

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster
from cluster.conftest import Machine

pytestmark = pytest.mark.ours

CONF = "/etc/kubernetes/kubelet.conf"
CURRENT = "/var/lib/kubelet/pki/kubelet-client-current.pem"


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request):
    made = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(made.down)
    made.machine("first")
    made.init()
    token, pin, _ = made.credentials()
    outcome = made.machine("worker").join(*made.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    made.wait_healthy()
    yield made


def containers(cluster, node):
    """Returns the containers of the node's Pods."""
    return kubernetes.containers(cluster.first.host, "--all-namespaces", f"--field-selector=spec.nodeName={node}")


def expire(host):
    """Replaces the kubelet's certificate by an expired one with the right name."""
    host.run(
        "sh",
        "-c",
        "cd /root && openssl genrsa -out k.pem 2048 2>/dev/null && "
        f"openssl req -new -key k.pem -subj /O=system:nodes/CN=system:node:{host.name} -out k.csr && "
        "openssl x509 -req -in k.csr -CA /etc/kubernetes/pki/ca.crt -CAkey /etc/kubernetes/pki/ca.key "
        "-not_before 20200101000000Z -not_after 20210101000000Z -out k.crt 2>/dev/null && "
        f"cat k.crt k.pem > {CURRENT}",
    )


def restart_kubelet(host):
    host.run("systemctl", "restart", "kubelet")


def recover(cluster, machine, *arguments, **options):
    before = containers(cluster, machine.host.name)
    outcome = machine.kubeadm("node", "recover", *arguments, **options)
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    assert containers(cluster, machine.host.name) == before
    assert CURRENT in machine.host.read(CONF)
    return outcome


def test_a_valid_certificate_stays(cluster):
    host = cluster.first.host
    before = host.run("cat", CURRENT).stdout
    outcome = cluster.first.kubeadm("node", "recover")
    assert outcome.code == 0 and "is good until" in outcome.text, outcome.text
    assert host.run("cat", CURRENT).stdout == before


def test_an_expired_certificate_is_replaced_on_a_control_plane(cluster):
    host = cluster.first.host
    expire(host)
    restart_kubelet(host)
    shown = cluster.first.kubeadm("node", "recover", "--dry-run")
    assert "it expired at 2021-01-01" in shown.text and "signed by the CA" in shown.text, shown.text
    assert "2021" in host.run("openssl", "x509", "-in", CURRENT, "-noout", "-enddate").stdout
    outcome = recover(cluster, cluster.first)
    assert "it expired at 2021-01-01" in outcome.text
    kept = re.search(r"replaced file is in (\S+)", outcome.text).group(1)
    assert sorted(host.run("find", kept, "-type", "f").stdout.split()) == [kept + CONF, kept + CURRENT]
    again = cluster.first.kubeadm("node", "recover")
    assert "is good until" in again.text


def test_a_lost_certificate_is_replaced_on_a_worker(cluster):
    first, worker = cluster.machines
    worker.host.run("rm", CURRENT)
    restart_kubelet(worker.host)
    refused = worker.kubeadm("node", "recover")
    assert refused.code != 0 and "kubeadm token create" in refused.text, refused.text
    token, pin, _ = cluster.credentials()
    wrong = worker.kubeadm("node", "recover", "--token", "abcdef.0123456789abcdef")
    assert wrong.code != 0, wrong.text
    recover(cluster, worker, "--token", token)
    # Certificate, kubeconfig and CA are lost.
    worker.host.run("rm", CURRENT, CONF, "/etc/kubernetes/pki/ca.crt")
    restart_kubelet(worker.host)
    recover(
        cluster,
        worker,
        f"{first.host.address}:6443",
        "--node-name=worker",
        f"--token={token}",
        f"--discovery-token-ca-cert-hash={pin}",
    )


def test_a_lost_certificate_and_kubelet_conf_are_replaced_on_a_control_plane(cluster):
    host = cluster.first.host
    host.run("rm", CURRENT, CONF)
    restart_kubelet(host)
    recover(cluster, cluster.first, "--node-name=first")


def test_killed_runs_are_completed_by_the_next(cluster):
    host = cluster.first.host
    before = containers(cluster, "first")
    for seconds in (0.2, 0.5, 1, 2):
        host.run("rm", "-f", CURRENT)
        host.run("timeout", "-s", "KILL", str(seconds), "kubeadm", "node", "recover", "--force", check=False)
    # Simulates a kill before the kubelet's restart: the kubelet has not loaded the valid certificate.
    host.run("rm", "-f", CURRENT)
    outcome = cluster.first.kubeadm("node", "recover")
    assert outcome.code == 0, outcome.text
    again = cluster.first.kubeadm("node", "recover")
    assert "is good until" in again.text, again.text
    cluster.wait_healthy()
    assert CURRENT in host.read(CONF)
    assert containers(cluster, "first") == before


EXPIRED = r"""
set -e
resign() { # certificate authority
  openssl x509 -in $1 -CA $2.crt -CAkey $2.key -not_before 20200101000000Z -not_after 20210101000000Z -out /tmp/new.crt
}
again() { resign $1 $2; cat /tmp/new.crt > $1; }
cd /etc/kubernetes/pki
for name in apiserver apiserver-kubelet-client; do again $name.crt ca; done
for name in apiserver-etcd-client etcd/server etcd/peer etcd/healthcheck-client; do again $name.crt etcd/ca; done
again front-proxy-client.crt front-proxy-ca
for file in /etc/kubernetes/{admin,super-admin,controller-manager,scheduler}.conf; do
  sed -n 's/ *client-certificate-data: //p' $file | base64 -d > /tmp/old.crt
  resign /tmp/old.crt ca
  sed -i "s|client-certificate-data: .*|client-certificate-data: $(base64 -w0 /tmp/new.crt)|" $file
done
"""


def test_a_control_plane_recovers_from_expired_certificates(bench, kubeadm, note, request):
    """All certificates are expired, as on a machine that was off for a year. The kubelet does not start, so no Pod
    runs. `certs renew all` and `node recover` must repair the node."""
    machine = Machine(bench.host("alone", kubeadm=kubeadm), note)
    host = machine.host
    request.addfinalizer(host.down)
    assert machine.init().code == 0
    kubernetes.wait_healthy(host)
    host.run("bash", "-c", EXPIRED)
    expire(host)
    host.run("sh", "-c", "systemctl stop kubelet; pkill -KILL etcd; pkill -KILL kube-; systemctl start kubelet")

    refused = machine.kubeadm("certs", "renew", "all", "--restart", timeout=300)
    assert refused.code == 1 and "nothing has been renewed: the kubelet of this node does not answer" in refused.text
    assert "run 'kubeadm certs renew all' and then 'kubeadm node recover'" in refused.text, refused.text
    for command in (("certs", "renew", "all"), ("node", "recover")):
        outcome = machine.kubeadm(*command, timeout=250)
        assert outcome.code == 0, outcome.text
    kubernetes.wait_healthy(host)
