# SPDX-License-Identifier: Apache-2.0
"""Joins without a shared secret: a machine shows its cloud's signed document to the approver's endpoint. The documents
are signed with keys of this test, in Amazon's format."""

import sys
from pathlib import Path

import pytest

from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.test_bound_tokens import PATIENCE, exists, remove

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/api"))
from identity_documents import Signer, aws_document  # noqa: E402

pytestmark = [pytest.mark.ours, pytest.mark.long]

PLUGINS = TOP / "deploy/approver/plugins"
NAME = "machine-approver.slipway.svc"
ISSUE = f"""set -eu
mkdir -p /root/identity && cd /etc/kubernetes/pki
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /root/identity/tls.key -subj /CN=machine-approver |
    openssl x509 -req -CA ca.crt -CAkey ca.key -days 1 -out /root/identity/tls.crt -extfile /root/names
"""


def install(cluster, kubeadm):
    """Creates a control plane without any token, and the endpoint's certificate. The approver's Deployment is off."""
    host = cluster.machine("control").host
    host.copy(kubeadm.with_name("cluster-machine-approver"), "/usr/local/bin/cluster-machine-approver")
    cluster.init("--kubelet-serving-certs", "--node-bound-tokens")
    host.kubectl("-n", "kube-system", "scale", "deployment/machine-approver", "--replicas=0")
    host.kubectl("-n", "kube-system", "wait", "--for=delete", "pod", "-l", "app=machine-approver",
                 f"--timeout={PATIENCE}s")
    host.write("/root/names", f"subjectAltName=DNS:{NAME}\nextendedKeyUsage=serverAuth\n")
    host.run("sh", "-c", ISSUE)


def serve(cluster, log, *flags):
    """Starts the approver with its endpoint as a process of the first host; returns what ends it."""
    host = cluster.first.host
    started = host.start(
        "/usr/local/bin/cluster-machine-approver", *flags, "--leader-elect=false",
        "--leader-elect-resource-namespace=kube-system", "--disable-status-controller",
        "--workload-cluster-kubeconfig=/etc/kubernetes/admin.conf",
        "--management-cluster-kubeconfig=/etc/kubernetes/admin.conf", "--identity-cert-dir=/root/identity", output=log)
    assert wait_until(lambda: host.run("curl", "-sf", "http://127.0.0.1:9191/readyz", check=False).returncode == 0, 60)
    return lambda: host.kill(started)


def discovery(cluster):
    """The published kubeconfig, which has the cluster's CA and no user."""
    return cluster.first.host.kubectl("-n", "kube-public", "get", "configmap", "cluster-info",
                                      "-o", "jsonpath={.data.kubeconfig}")


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request, tmp_path_factory):
    """A control plane whose approver knows the documents of this test."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    install(cluster, kubeadm)
    host = cluster.first.host
    cluster.signer = Signer("amazon")
    host.write("/root/amazon.pem", cluster.signer.pem())
    for name in ("aws-identity", "identity_plugin.py"):
        host.copy(PLUGINS / name, f"/usr/local/bin/{name}")
    log = open(tmp_path_factory.mktemp("approver") / "approver.log", "wb")  # noqa: SIM115 - the process's
    request.addfinalizer(log.close)
    request.addfinalizer(serve(
        cluster, log, "--inventory=nodes,tokens", "--identity-exec=/usr/local/bin/aws-identity",
        "--identity-exec-args=--certificates=/root/amazon.pem,--account=111122223333"))
    yield cluster


def join(cluster, machine, *flags, **claims):
    """`kubeadm join` with the published file, which has the cluster's CA and no user, and a document."""
    host = machine.host
    host.write("/root/discovery.conf", discovery(cluster))
    host.write("/root/document", aws_document(cluster.signer, **{"instanceId": host.name, "privateIp": host.address,
                                                                 **claims}), mode=0o600)
    return machine.join("--discovery-file", "/root/discovery.conf", "--identity-document", "/root/document", *flags)


def test_a_machine_joins_with_its_document(cluster):
    worker = cluster.machine("i-0a1")
    outcome = join(cluster, worker)
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    assert worker.host.run("test", "-e", "/var/lib/kubelet/pki/machine-identity.pem", check=False).returncode != 0
    assert worker.host.run("test", "-e", "/etc/kubernetes/bootstrap-kubelet.conf", check=False).returncode != 0
    thief = cluster.machine("thief")
    outcome = join(cluster, thief, "--node-name", "i-0a1", instanceId="i-0a1")
    assert outcome.code != 0 and "client-node-exists" in outcome.text, outcome.text
    remove(cluster, thief)
    remove(cluster, worker)


def test_a_machine_gets_no_other_name(cluster):
    """Whatever the creator of the machine has written into its document (kubernetes/kops#18583)."""
    thief = cluster.machine("thief")
    outcome = join(cluster, thief, "--node-name", "victim", instanceId="i-0b1", tags={"Name": "victim"})
    assert outcome.code != 0, outcome.text
    assert 'the machine\'s node is "i-0b1", and the request is for "victim"' in outcome.text
    assert not exists(cluster, "node", "victim")
    remove(cluster, thief)


def test_an_endpoint_of_another_ca_gets_no_document(cluster):
    host = cluster.first.host
    host.run("sh", "-c", "mkdir -p /root/other && cd /root/other && openssl req -x509 -newkey ec -pkeyopt "
             f"ec_paramgen_curve:P-256 -nodes -keyout k -out c -subj /CN={NAME} -addext subjectAltName=DNS:{NAME}")
    with open("/dev/null", "wb") as output:
        server = host.start("openssl", "s_server", "-www", "-accept", "9199", "-cert", "/root/other/c", "-key", "/root/other/k",
                            output=output)
        try:
            worker = cluster.machine("i-0c1")
            outcome = join(cluster, worker, "--identity-endpoint", "api.bench:9199")
            assert outcome.code != 0 and "is not the approver's endpoint" in outcome.text, outcome.text
            remove(cluster, worker)
        finally:
            host.kill(server)
