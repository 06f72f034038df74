# SPDX-License-Identifier: Apache-2.0
"""`kubeadm node withdraw` on real hosts: a stolen node with valid certificates cannot return."""

import json

import pytest

from cluster.clusters import Cluster, etcd_members
from cluster.processes import wait_until
from cluster.test_bound_tokens import PATIENCE, SHORT, exists, join, run, token_for

pytestmark = pytest.mark.ours

KUBELET = "/etc/kubernetes/kubelet.conf"


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request):
    """Two control-plane nodes and a worker. All bootstrap tokens are bound."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    program = kubeadm.with_name("cluster-machine-approver")
    cluster.machine("control").host.copy(program, "/usr/local/bin/cluster-machine-approver")
    cluster.init("--kubelet-serving-certs", "--node-bound-tokens")
    cluster.first.host.kubectl("-n", "kube-system", "rollout", "status", "deployment/machine-approver",
                               f"--timeout={PATIENCE}s")
    yield cluster


@pytest.fixture(scope="module")
def worker(cluster):
    token, pin = token_for(cluster, "stolen")
    worker = cluster.machine("stolen")
    outcome = join(worker, token, pin)
    assert outcome.code == 0, outcome.text
    return worker


def by_kubelet(worker, *words):
    """Runs kubectl with the certificate of the withdrawn node."""
    return worker.host.run("kubectl", *words, check=False, environment=[f"KUBECONFIG={KUBELET}"])


def test_the_plan_says_what_stays(cluster, worker):
    shown = run(cluster, "kubeadm", "node", "withdraw", "stolen", "--dry-run")
    assert "stay valid until 20" in shown and "nothing was changed" in shown
    assert wait_until(lambda: exists(cluster, "node", "stolen"), SHORT)
    run(cluster, "kubeadm", "node", "withdraw", "control", "--yes", code=1)
    run(cluster, "kubeadm", "node", "withdraw", "no-such-node", "--yes", code=1)


def test_a_withdrawn_node_does_not_come_back(cluster, worker):
    token, pin = token_for(cluster, "stolen")
    done = run(cluster, "kubeadm", "node", "withdraw", "stolen", "--yes")
    assert "kubeadm node admit stolen" in done
    assert not exists(cluster, "node", "stolen")
    assert token.split(".")[0] not in run(cluster, "kubeadm", "token", "list")
    # The kubelet registers its Node when it starts, with a certificate that is still valid.
    worker.host.service("kubelet", "restart")
    assert by_kubelet(worker, "get", "services", "-A").returncode == 0
    assert by_kubelet(worker, "get", "secrets", "-n", "kube-system").returncode != 0
    refused = by_kubelet(worker, "create", "-f", node_file(worker))
    assert refused.returncode != 0 and "was withdrawn" in refused.stderr, refused.stderr
    request = by_kubelet(worker, "create", "-f", request_file(worker))
    assert request.returncode != 0 and "was withdrawn" in request.stderr, request.stderr
    assert not wait_until(lambda: exists(cluster, "node", "stolen"), SHORT)
    assert "admit" in run(cluster, "kubeadm", "token", "create", "--node", "stolen", code=1)
    # Other nodes are not affected.
    assert wait_until(lambda: "Ready" in cluster.first.host.kubectl("get", "node", "control"), PATIENCE)


def node_file(worker):
    worker.host.write("/root/node.json", json.dumps(
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "stolen"}}))
    return "/root/node.json"


def request_file(worker):
    worker.host.run("sh", "-c", "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "
                    "/root/new.key -subj /O=system:nodes/CN=system:node:stolen -out /root/new.csr")
    worker.host.write("/root/request.json", json.dumps(
        {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": "renewal"},
         "spec": {"signerName": "kubernetes.io/kube-apiserver-client-kubelet",
                  "usages": ["digital signature", "client auth"],
                  "request": worker.host.run("base64", "-w0", "/root/new.csr").stdout.strip()}}))
    return "/root/request.json"


def test_an_admitted_name_joins_again(cluster, worker):
    worker.host.run("kubeadm", "reset", "--force", check=False)
    run(cluster, "kubeadm", "node", "admit", "stolen", "--yes")
    run(cluster, "kubeadm", "node", "admit", "stolen", "--yes", code=1)
    token, pin = token_for(cluster, "stolen")
    outcome = join(worker, token, pin)
    assert outcome.code == 0, outcome.text
    assert wait_until(lambda: exists(cluster, "node", "stolen"), SHORT)


def test_a_control_plane_node_leaves_etcd(cluster):
    key = [line for line in run(cluster, "kubeadm", "init", "phase", "upload-certs", "--upload-certs").splitlines()
           if len(line.strip()) == 64][0].strip()
    for name in ("cp-two", "cp-three"):
        token, pin = token_for(cluster, name)
        machine = cluster.machine(name)
        outcome = machine.join(*cluster.control_plane_arguments(token, pin, key))
        assert outcome.code == 0, outcome.text
    done = run(cluster, "kubeadm", "node", "withdraw", "cp-three", "--yes")
    assert "rotate-ca" in done and "keys of the CAs" in done
    assert len(etcd_members(cluster.first.host)) == 2
    assert not exists(cluster, "node", "cp-three")
