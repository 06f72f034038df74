# SPDX-License-Identifier: Apache-2.0
"""Replaces certificate authorities of a running cluster, step by step and node by node."""

import json
import re

import pytest

from cluster.clusters import Cluster, etcd_members
from cluster.processes import wait_until
from cluster.client import Client
from cluster.edits import drift
from cluster.test_certs import served_serial, serial

pytestmark = pytest.mark.ours

PKI = "/etc/kubernetes/pki"
OLD_ADMIN = "/root/old-admin.conf"


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request):
    """A control-plane node and a worker, which the tests of this file share."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    cluster.machine("cp")
    cluster.init()
    token, pin, _ = cluster.credentials()
    worker = cluster.machine("worker")
    outcome = worker.join(*cluster.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    yield cluster


def rotate(machine, authority, *flags):
    outcome = machine.kubeadm("certs", "rotate-ca", authority, *flags, timeout=400)
    return outcome


def step(machine, authority, name, *flags):
    """Runs one step, which must succeed."""
    outcome = rotate(machine, authority, *flags)
    assert outcome.code == 0, outcome.text
    assert f"Step {name} is done on this node" in outcome.text, outcome.text
    return outcome


def kill_when(machine, authority, text):
    """Starts a step, and sends SIGKILL when it has printed `text`."""
    said = machine.host.logs / "killed.log"
    with open(said, "w", encoding="utf-8") as output:
        started = machine.host.start("kubeadm", "certs", "rotate-ca", authority, output=output)
    assert wait_until(lambda: text in said.read_text() or started.poll() is not None, 120, pause=0.005)
    ended = started.poll()
    machine.host.kill(started)
    assert ended is None, said.read_text()


def status(machine, authority):
    shown = rotate(machine, authority, "--dry-run", "-o", "json")
    assert shown.code == 0, shown.text
    return json.loads(shown.stdout)


def logs_work(host, node):
    """Returns True if the API server and that node's kubelet trust each other."""
    pod = host.kubectl("-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-proxy", "-o", "name",
                       f"--field-selector=spec.nodeName={node}").split()[0]
    return "proxier" in host.kubectl("-n", "kube-system", "logs", "--tail=200", pod).lower()


def test_the_kubernetes_ca_is_rotated(cluster, note):
    first, worker = cluster.machines
    host = first.host
    before = serial(host, "ca")
    host.write(OLD_ADMIN, host.read("/etc/kubernetes/admin.conf"), mode=0o600)

    refused = rotate(worker, "kubernetes")
    assert refused.code != 0
    assert "no rotation of the certificate authority of Kubernetes has begun" in refused.text
    assert status(first, "kubernetes")["decision"] == "begin"

    # No request fails until all nodes trust both CAs, even if the step is interrupted.
    with Client(host) as client:
        kill_when(first, "kubernetes", "Restarting kube-controller-manager")
        step(first, "kubernetes", "trust")
        early = rotate(first, "kubernetes")
        assert early.code != 0 and "have not done step trust: worker" in early.text, early.text
        step(worker, "kubernetes", "trust")
    assert client.failed == [], f"{len(client.failed)} of {client.asked} requests were lost"
    assert serial(host, "ca") == before

    # During the step, other commands write the same files, and report no manual change.
    assert drift(host)[1] == 0, drift(host)[0]
    same = first.kubeadm("config", "apply", "node", "--dry-run")
    assert same.code == 0 and "Nothing changes" in same.text, same.text

    with Client(host) as client:
        kill_when(first, "kubernetes", "Copies of replaced files")
        step(first, "kubernetes", "reissue")
        step(worker, "kubernetes", "reissue")
    note(f"reissue: {len(client.failed)} of {client.asked} requests failed", client.outage)
    assert client.outage < 90
    assert served_serial(host, f"{host.address}:6443") == serial(host, "apiserver")
    # A client that trusts only the old CA, and has a certificate of it, keeps working, because the old CA has signed
    # the new one.
    old = ["kubectl", "--kubeconfig", OLD_ADMIN, "get", "nodes"]
    assert host.run(*old, check=False).returncode == 0

    with Client(host) as client:
        step(first, "kubernetes", "drop")
        step(worker, "kubernetes", "drop")
    assert client.failed == [], f"{len(client.failed)} of {client.asked} requests were lost"
    assert drift(host)[1] == 0, drift(host)[0]
    assert host.run(*old, check=False).returncode != 0
    refused = host.run(*old, "--insecure-skip-tls-verify", check=False)
    assert refused.returncode != 0
    assert "nauthorized" in refused.stderr, refused.stderr

    cluster.wait_healthy()
    for machine in cluster.machines:
        report = status(machine, "kubernetes")
        assert report["decision"] == "finished"
        trusted = {pin for row in report["files"] for pin in row.get("trusts", [])}
        signers = {row["signer"] for row in report["files"] if "signer" in row}
        assert len(trusted) == 1 and signers == trusted, report
        assert logs_work(host, machine.host.name)
        left = machine.host.run("find", f"{PKI}/rotate-ca", "-type", "f", check=False).stdout
        assert left == ""
    info = host.kubectl("-n", "kube-public", "get", "configmap", "cluster-info", "-o", "json")
    assert json.loads(info)["data"]["kubeconfig"].count("certificate-authority-data") == 1
    again = rotate(first, "kubernetes")
    assert again.code == 0 and "--again" in again.text, again.text


def test_nodes_join_after_a_rotation(cluster):
    worker = cluster.machines[1]
    outcome = worker.kubeadm("reset", "--force")
    assert outcome.code == 0, outcome.text
    cluster.first.host.kubectl("delete", "node", worker.host.name)
    token, pin, _ = cluster.credentials()
    outcome = worker.join(*cluster.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    # A node that joined later does not have to repeat any step.
    report = status(cluster.first, "kubernetes")
    assert report["decision"] == "finished" and report["behind"] == [], report


def test_the_etcd_ca_is_rotated(cluster):
    first, worker = cluster.machines
    host = first.host
    refused = rotate(worker, "etcd")
    assert refused.code != 0 and "workers do not use the" in refused.text, refused.text
    old = "/root/old-etcd"
    host.run("cp", "-a", f"{PKI}/etcd", old)
    client = ["--cert", f"{old}/healthcheck-client.crt", "--key", f"{old}/healthcheck-client.key"]
    ask = ["curl", "-sk", *client, "https://127.0.0.1:2379/health"]

    step(first, "etcd", "trust")
    step(first, "etcd", "reissue")
    assert served_serial(host, "127.0.0.1:2379") == serial(host, "etcd/server")
    assert "true" in host.run(*ask, check=False).stdout
    kill_when(first, "etcd", "Restarting etcd")
    step(first, "etcd", "drop")
    assert host.run(*ask, check=False).returncode != 0
    assert serial(host, "etcd/ca") != host.run(
        "openssl", "x509", "-noout", "-serial", "-in", f"{old}/ca.crt"
    ).stdout.strip()


def test_the_front_proxy_ca_is_rotated(cluster):
    first = cluster.first
    before = serial(first.host, "front-proxy-ca")
    with Client(first.host) as client:
        step(first, "front-proxy", "trust")
    assert client.failed == []
    step(first, "front-proxy", "reissue")
    with Client(first.host) as client:
        step(first, "front-proxy", "drop")
    assert client.failed == []
    assert serial(first.host, "front-proxy-ca") != before
    read = first.host.kubectl("-n", "kube-system", "get", "configmap",
                              "extension-apiserver-authentication", "-o", "json")
    known = json.loads(read)["data"]["requestheader-client-ca-file"]
    assert known.count("BEGIN CERTIFICATE") == 1


def test_the_key_of_service_account_tokens_is_rotated(cluster):
    first = cluster.first
    host = first.host

    def known(token):
        url = f"https://{host.address}:6443/api"
        command = ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", "-K", "-", url]
        header = f'header = "Authorization: Bearer {token}"'
        return host.run(*command, stdin=header).stdout != "401"

    old = host.kubectl("create", "token", "default").strip()
    step(first, "sa", "trust")
    step(first, "sa", "reissue")
    fresh = host.kubectl("create", "token", "default").strip()
    assert known(old) and known(fresh)
    early = rotate(first, "sa")
    assert early.code != 0 and "--early" in early.text, early.text
    step(first, "sa", "drop", "--early")
    assert known(fresh) and not known(old)
    cluster.wait_healthy()


@pytest.fixture
def control_planes(bench, kubeadm, note, request):
    """Two control-plane nodes with one etcd cluster."""
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    cluster.create(["cp-one", "cp-two"])
    yield cluster


@pytest.mark.long
def test_two_control_planes_rotate_the_etcd_ca(control_planes):
    """The cluster stores the new CA encrypted, so that the second node gets it from the first."""
    first, second = control_planes.machines
    begun = step(first, "etcd", "trust", "--upload-certs")
    key = re.search(r"^[0-9a-f]{64}$", begun.text, re.M).group()
    for flags, said in (
        ([], "--upload-certs"),
        (["--certificate-key", "0" * 64], 'Secret "kubeadm-certs"'),
    ):
        refused = rotate(second, "etcd", *flags)
        assert refused.code != 0 and said in refused.text, refused.text
    step(second, "etcd", "trust", "--certificate-key", key)
    for name in ("reissue", "drop"):
        step(second, "etcd", name)
        behind = rotate(second, "etcd")
        assert "cp-one" in behind.text, behind.text
        step(first, "etcd", name)
    assert serial(first.host, "etcd/ca") == serial(second.host, "etcd/ca")
    members = [line.split(", ")[1] for line in etcd_members(second.host)]
    assert members == ["started", "started"]
    control_planes.wait_healthy()
