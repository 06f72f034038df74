# SPDX-License-Identifier: Apache-2.0
"""Several control planes with stacked etcd: parallel joins, failover, and joins that are killed."""

import concurrent.futures

import pytest

from cluster import kubernetes
from cluster.clusters import etcd_members
from cluster.processes import wait_until
from cluster.test_join import join_and_kill


def voters(host):
    """Returns the etcd members that have started and vote; `etcdctl` prints "is learner" as the last field of a
    line."""
    lines = [line.split(", ") for line in etcd_members(host)]
    return sorted(line[2] for line in lines if line[1] == "started" and line[-1] == "false")


def join_at_once(*joins):
    """Runs joins at the same time; each is a machine with its arguments."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        outcomes = list(pool.map(lambda join: join[0].join(*join[1]), joins))
    for outcome in outcomes:
        assert outcome.code == 0, outcome.text


def answers(host):
    """Returns True if the API server behind the endpoint creates a token for a ServiceAccount."""
    kubectl = ["kubectl", "--request-timeout=3s", "--kubeconfig=/etc/kubernetes/admin.conf"]
    token = host.run(*kubectl, "create", "token", "default", check=False)
    return token.returncode == 0


def test_control_planes_and_worker_join_at_once_and_one_may_go(cluster):
    token, pin, key = cluster.credentials()
    second, third, worker = (cluster.machine(name) for name in ("cp-two", "cp-three", "worker"))
    control_plane = cluster.control_plane_arguments(token, pin, key)
    join_at_once(
        (second, control_plane),
        (third, control_plane),
        (worker, cluster.worker_arguments(token, pin)),
    )
    cluster.note("all Ready after the joins", cluster.wait_healthy())
    assert voters(cluster.first.host) == ["cp-one", "cp-three", "cp-two"]

    cluster.first.host.down()
    for machine in (second, third, worker):
        cluster.point(machine, second)
    assert wait_until(lambda: answers(second.host), timeout=60)
    assert wait_until(lambda: answers(third.host), timeout=60)


def test_two_workers_and_a_control_plane_at_once(cluster):
    token, pin, key = cluster.credentials()
    names = ("cp-two", "worker-one", "worker-two")
    second, one, two = (cluster.machine(name) for name in names)
    worker = cluster.worker_arguments(token, pin)
    join_at_once(
        (second, cluster.control_plane_arguments(token, pin, key)), (one, worker), (two, worker)
    )
    cluster.note("all Ready after the joins", cluster.wait_healthy())
    assert voters(second.host) == ["cp-one", "cp-two"]


# The phases during which the join of a control plane is killed, one after the other on one machine.
POINTS = [
    "control-plane-prepare/certs",
    "kubelet-start",
    "etcd-join",
    "wait-control-plane",
]


@pytest.mark.ours  # upstream's kubeadm refuses to resume
def test_a_join_that_is_killed_repeatedly_is_resumed(cluster):
    token, pin, key = cluster.credentials()
    second = cluster.machine("cp-two")
    arguments = cluster.control_plane_arguments(token, pin, key)
    for phase in POINTS:
        join_and_kill(second, phase, arguments)
    outcome = second.join(*arguments)
    assert outcome.code == 0, outcome.text
    cluster.note("all Ready after the join", cluster.wait_healthy())
    assert voters(second.host) == ["cp-one", "cp-two"]


@pytest.mark.ours
def test_copied_certificates_need_no_key(cluster):
    token, pin, _ = cluster.credentials()
    second = cluster.machine("cp-two")
    arguments = [*cluster.worker_arguments(token, pin), "--control-plane"]
    refusal = second.join(*arguments)
    assert refusal.code == 1
    assert "/etc/kubernetes/pki/ca.crt" in refusal.text
    pki = "/etc/kubernetes/pki"
    shared = ["ca", "front-proxy-ca", "etcd/ca"]
    files = [f"{name}.{kind}" for name in shared for kind in ("crt", "key")]
    for name in (*files, "sa.key", "sa.pub"):
        second.host.write(f"{pki}/{name}", cluster.first.host.read(f"{pki}/{name}"), mode=0o600)
    outcome = second.join(*arguments)
    assert outcome.code == 0, outcome.text
    cluster.note("all Ready after the join", cluster.wait_healthy())


def test_wrong_certificate_key_leaves_no_member(cluster):
    token, pin, _ = cluster.credentials()
    second = cluster.machine("cp-two")
    outcome = second.join(*cluster.control_plane_arguments(token, pin, "0" * 64))
    assert outcome.code == 1
    assert "ertificate" in outcome.text
    assert voters(cluster.first.host) == ["cp-one"]
    kubernetes.wait_healthy(cluster.first.host)
