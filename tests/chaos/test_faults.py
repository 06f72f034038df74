# SPDX-License-Identifier: Apache-2.0
"""Under each fault, a command succeeds, or it fails with a reason and succeeds when it is repeated after the fault. No
member of etcd, no object and no quorum is lost."""

import json
import re

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster, etcd_members, leftovers
from cluster.upgrades import NEW, apply, assert_images, made_by_upstream, of_kubernetes, take_new_kubeadm

pytestmark = pytest.mark.ours

LONG = 900  # seconds that a command may take under a fault
# Words of errors with a false cause: none of the faults changes a configuration, a file or a program.
FALSE_CAUSES = ["extraArgs", "extraVolumes", "no space left", "permission denied", "is unknown to the cluster"]


@pytest.fixture
def cluster(bench, kubeadm, note, request):
    made = Cluster(bench, kubeadm, note)
    request.addfinalizer(made.down)
    made.machine("cp-one")
    yield made


def insist(machine, fault, machines, *command):
    """Runs the command under the fault. If the command fails, its error must name a cause that the fault struck, and
    the command must succeed without the fault."""
    with fault.strikes(machines):
        outcome = machine.kubeadm(*command, timeout=LONG)
    machine.note(f"{command[0]} under the fault: exit {outcome.code}", outcome.seconds)
    if outcome.code != 0:
        for words in FALSE_CAUSES:
            assert words not in outcome.stderr, outcome.text
        reason = re.search(r"^error: .*", outcome.stderr.lower(), re.MULTILINE | re.DOTALL)
        assert reason, outcome.text
        assert any(word in reason.group() for word in fault.struck), f"it names none of {fault.struck}:\n{outcome.text}"
        again = machine.kubeadm(*command, timeout=LONG)
        assert again.code == 0, f"{outcome.text}\n--- again:\n{again.text}"


IGNORED = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap,CreateJob"


def objects(host):
    """Returns the Secrets and ConfigMaps of kube-system and kube-public, which must not be lost."""
    found = set()
    for space in ("kube-system", "kube-public"):
        listed = json.loads(host.kubectl("-n", space, "get", "secrets,configmaps", "-o", "json"))
        found |= {(space, each["kind"], each["metadata"]["name"]) for each in listed["items"]}
    return {each for each in found if "bootstrap-token" not in each[2]}


def test_init(cluster, fault):
    first = cluster.first
    insist(first, fault, [first], "init", "--config", "/root/init.yaml")
    kubernetes.wait_healthy(first.host, timeout=240)


def test_a_worker_joins_and_is_reset(cluster, fault):
    cluster.init()
    worker = cluster.machine("worker")
    token, pin, _ = cluster.credentials()
    kept = objects(cluster.first.host)
    insist(worker, fault, cluster.machines, "join", *cluster.worker_arguments(token, pin), IGNORED)
    kubernetes.wait_healthy(cluster.first.host, timeout=240, expected_nodes=["cp-one", "worker"])
    insist(worker, fault, cluster.machines, "reset", "--force")
    assert leftovers(worker.host) == []
    assert kept <= objects(cluster.first.host)


def test_a_control_plane_is_reset(cluster, fault):
    cluster.init()
    second = cluster.join_control_plane("cp-two")
    insist(second, fault, cluster.machines, "reset", "--force")
    assert leftovers(second.host) == []
    assert len(etcd_members(cluster.first.host)) == 1
    cluster.first.host.kubectl("delete", "node", "cp-two")
    kubernetes.wait_healthy(cluster.first.host, timeout=240, expected_nodes=["cp-one"])


@pytest.mark.parametrize("authority", ["etcd", "kubernetes"])
def test_an_authority_is_replaced(cluster, fault, authority):
    cluster.init()
    kept = objects(cluster.first.host)
    for _ in range(3):
        insist(cluster.first, fault, cluster.machines, "certs", "rotate-ca", authority)
    kubernetes.wait_healthy(cluster.first.host, timeout=240)
    assert kept <= objects(cluster.first.host)


@pytest.fixture
def older_cluster(bench, kubeadm, note, request):
    """Creates control planes of the previous release, with the new kubeadm."""

    def make(*names):
        made = made_by_upstream(bench, note, names)
        request.addfinalizer(made.down)
        take_new_kubeadm(made, kubeadm)
        return made

    return make


@pytest.fixture
def older(older_cluster):
    return older_cluster("alpha")


def test_an_upgrade(older, fault):
    kept = objects(older.first.host)
    insist(older.first, fault, older.machines, "upgrade", "apply", NEW, "--yes", IGNORED)
    kubernetes.wait_healthy(older.first.host, timeout=240)
    assert_images(older.first.host, of_kubernetes(["alpha"], NEW))
    assert kept <= objects(older.first.host)


@pytest.fixture
def older_two(older_cluster):
    """Two control planes of the previous release. The first has been upgraded."""
    made = older_cluster("alpha", "beta")
    outcome = apply(made.first)
    assert outcome.code == 0, outcome.text
    return made


def test_another_node_is_upgraded(older_two, fault):
    first, second = older_two.machines
    kept = objects(first.host)
    insist(second, fault, older_two.machines, "upgrade", "node", IGNORED)
    kubernetes.wait_healthy(first.host, timeout=240, expected_nodes=["alpha", "beta"])
    assert_images(first.host, of_kubernetes(["beta"], NEW))
    assert len(etcd_members(first.host)) == 2
    assert kept <= objects(first.host)


def test_a_control_plane_joins(cluster, fault):
    cluster.init()
    second = cluster.machine("cp-two")
    token, pin, key = cluster.credentials()
    kept = objects(cluster.first.host)
    insist(second, fault, cluster.machines, "join", *cluster.control_plane_arguments(token, pin, key), IGNORED)
    kubernetes.wait_healthy(cluster.first.host, timeout=240, expected_nodes=["cp-one", "cp-two"])
    assert len(etcd_members(cluster.first.host)) == 2
    assert kept <= objects(cluster.first.host)


def test_certificates_are_renewed_and_used(cluster, fault):
    cluster.init()
    kept = objects(cluster.first.host)
    insist(cluster.first, fault, cluster.machines, "certs", "renew", "all", "--restart")
    kubernetes.wait_healthy(cluster.first.host, timeout=240)
    assert kept <= objects(cluster.first.host)


def test_one_of_three_leaves_and_comes_back(cluster, fault):
    cluster.init()
    for name in ("cp-two", "cp-three"):
        cluster.join_control_plane(name)
    first, _, third = cluster.machines
    kept = objects(first.host)
    insist(third, fault, cluster.machines, "reset", "--force")
    assert leftovers(third.host) == []
    assert len(etcd_members(first.host)) == 2
    first.host.kubectl("delete", "node", "cp-three")
    arguments = cluster.control_plane_arguments(*cluster.credentials())
    insist(third, fault, cluster.machines, "join", *arguments, IGNORED)
    kubernetes.wait_healthy(first.host, timeout=240, expected_nodes=["cp-one", "cp-two", "cp-three"])
    assert len(etcd_members(first.host)) == 3
    assert kept <= objects(first.host)


def test_three_are_upgraded(older_cluster, fault):
    names = ["alpha", "beta", "gamma"]
    older = older_cluster(*names)
    kept = objects(older.first.host)
    insist(older.first, fault, older.machines, "upgrade", "apply", NEW, "--yes", IGNORED)
    for other in older.machines[1:]:
        insist(other, fault, older.machines, "upgrade", "node", IGNORED)
    kubernetes.wait_healthy(older.first.host, timeout=240, expected_nodes=names)
    assert_images(older.first.host, of_kubernetes(names, NEW))
    assert len(etcd_members(older.first.host)) == 3
    assert kept <= objects(older.first.host)
