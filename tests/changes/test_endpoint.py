# SPDX-License-Identifier: Apache-2.0
"""A cluster gets its first or another control-plane endpoint: kubeadm endpoint set and finish."""

import time

import pytest

from cluster import kubernetes
from cluster.client import Client
from cluster.clusters import ENDPOINT, Cluster

pytestmark = pytest.mark.ours

OTHER = "other.bench:6443"


def endpoint(machine, *arguments):
    outcome = machine.kubeadm("endpoint", *arguments, "--yes")
    assert outcome.code == 0, outcome.text
    return outcome


def server(host, file="admin.conf"):
    text = host.read(f"/etc/kubernetes/{file}")
    return next(line.split()[-1] for line in text.splitlines() if "server:" in line)


def data(host, name, namespace="kube-system"):
    return host.kubectl("-n", namespace, "get", "configmap", name, "-o", "yaml")


def lead(machine, name, target):
    """Makes `name` resolve to the host `target` on `machine`, in addition to its other names."""
    lines = [line for line in machine.host.read("/etc/hosts").splitlines() if name not in line]
    machine.host.write("/etc/hosts", "\n".join([*lines, f"{target.host.address} {name}"]) + "\n")


def api_server(host):
    """Returns the id of the API server's container."""
    path = "jsonpath={.status.containerStatuses[0].containerID}"
    return host.kubectl("-n", "kube-system", "get", "pod", f"kube-apiserver-{host.name}", "-o", path)


def answers(host, name):
    """Returns whether the API server serves that name with a certificate of the cluster's CA."""
    run = host.run(
        "curl", "-s", "--cacert", "/etc/kubernetes/pki/ca.crt", f"https://{name}/livez", check=False
    )
    return run.stdout == "ok"


@pytest.fixture
def single(bench, kubeadm, note, request):
    """A control plane that was created without an endpoint, and a worker."""
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    first = cluster.machine("cp-one")
    assert first.init().code == 0
    cluster.join_worker()
    cluster.wait_healthy()
    yield cluster


def test_a_cluster_gets_an_endpoint_and_loses_its_first_node(single, note):
    first, worker = single.machines
    host = first.host
    old = f"https://{host.address}:6443"
    refused = first.kubeadm("endpoint", "set", "nowhere.bench:6443", "--yes")
    assert refused.code != 0 and "does not reach this cluster" in refused.text, refused.text
    shown = first.kubeadm("endpoint", "set", ENDPOINT, "--dry-run")
    assert shown.code == 0 and "admin.conf names it" in shown.text, shown.text
    assert server(host) == old and not answers(host, ENDPOINT)
    started = api_server(host)
    begin = time.monotonic()
    with Client(host, writes=True) as client:
        endpoint(first, "set", ENDPOINT)
        note("endpoint set", time.monotonic() - begin)
        time.sleep(5)
    assert client.failed == [], f"{len(client.failed)} of {client.asked} requests were lost"
    assert not client.lost() and api_server(host) == started
    assert answers(host, ENDPOINT) and answers(host, f"{host.address}:6443")
    assert server(host) == server(host, "super-admin.conf") == f"https://{ENDPOINT}"
    assert server(host, "kubelet.conf") == server(host, "scheduler.conf") == old
    assert f"controlPlaneEndpoint: {ENDPOINT}" in data(host, "kubeadm-config")
    assert ENDPOINT in data(host, "cluster-info", "kube-public")
    assert f"https://{ENDPOINT}" in data(host, "kube-proxy")
    again = endpoint(first, "set", ENDPOINT)
    assert "is done" in again.text, again.text
    drifted = first.kubeadm("drift")
    assert drifted.code == 0, drifted.text
    # The worker still has the old endpoint.
    behind = first.kubeadm("endpoint", "finish", "--yes")
    assert behind.code != 0 and "worker" in behind.text, behind.text
    other = worker.kubeadm("endpoint", "set", OTHER, "--yes")
    assert other.code != 0 and server(worker.host, "kubelet.conf") == old, other.text
    endpoint(worker, "set", ENDPOINT)
    assert server(worker.host, "kubelet.conf") == f"https://{ENDPOINT}"
    single.wait_healthy()
    # A second control plane joins, and the first leaves.
    second = single.join_control_plane("cp-two")
    assert "Finished" in endpoint(first, "finish").text
    single.wait_healthy()
    assert first.kubeadm("reset", "--force").code == 0
    for machine in (worker, second):
        single.point(machine, second)
    second.host.kubectl("delete", "node", "cp-one")
    kubernetes.wait_healthy(second.host, expected_nodes=["cp-two", "worker"])


def test_killed_runs_are_completed_by_the_next(single):
    first, worker = single.machines
    for seconds in (0.3, 0.6, 1, 1.5, 2.5):
        first.host.run(
            "timeout", "-s", "KILL", str(seconds), "kubeadm", "endpoint", "set", ENDPOINT, "--yes",
            check=False,
        )
        worker.host.run(
            "timeout", "-s", "KILL", str(seconds), "kubeadm", "endpoint", "set", "--yes", check=False
        )
    endpoint(first, "set", ENDPOINT)
    endpoint(worker, "set")
    single.wait_healthy()
    assert server(first.host) == server(worker.host, "kubelet.conf") == f"https://{ENDPOINT}"
    assert "Finished" in endpoint(first, "finish").text
    assert "Nothing is left to finish" in endpoint(first, "finish").text


def test_two_control_planes_change_their_endpoint(bench, kubeadm, note, request):
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    cluster.create(["cp-one", "cp-two"])
    first, second = cluster.machines
    for machine in cluster.machines:
        lead(machine, "other.bench", second)
    waits = endpoint(first, "set", OTHER)
    assert "the cluster waits for cp-two" in waits.text, waits.text
    assert ENDPOINT in data(first.host, "kubeadm-config") and server(first.host).endswith(ENDPOINT)
    endpoint(second, "set")
    assert f"controlPlaneEndpoint: {OTHER}" in data(first.host, "kubeadm-config")
    assert server(second.host).endswith(OTHER)
    endpoint(first, "set")
    assert server(first.host).endswith(OTHER)
    # The old endpoint still works, even with certificates that are issued before `finish`.
    assert first.kubeadm("certs", "renew", "apiserver").code == 0
    assert answers(first.host, ENDPOINT) and answers(second.host, OTHER)
    half = endpoint(first, "finish")
    assert "Run 'kubeadm endpoint finish' there" in half.text, half.text
    assert not answers(first.host, ENDPOINT)
    assert "Finished" in endpoint(second, "finish").text
    for machine in cluster.machines:
        assert "Nothing is left to finish" in endpoint(machine, "finish").text
    assert "api.bench" not in data(first.host, "kubeadm-config")
    cluster.wait_healthy()
    for machine in cluster.machines:
        drifted = machine.kubeadm("drift")
        assert drifted.code == 0, drifted.text
