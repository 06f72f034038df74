# SPDX-License-Identifier: Apache-2.0
"""Clusters are changed while a client writes and reads back: no acknowledged write is lost."""

import contextlib

import pytest

from cluster.client import Client
from cluster.clusters import ENDPOINT, Cluster
from cluster.processes import wait_until
from changes.test_endpoint import OTHER, answers, endpoint, lead, server
from changes.test_readdress import move, other_address, readdress
from changes.test_recover import CURRENT, restart_kubelet

pytestmark = pytest.mark.ours

CHANGE = ("--set", "apiServer.extraArgs.v=1", "--yes")


@contextlib.contextmanager
def writing(note, what, host, addresses=()):
    """Runs a client during the block. Checks that all acknowledged writes exist, and notes the longest pause."""
    with Client(host, addresses, writes=True) as client:
        yield
    note(f"{what}: longest pause", client.longest_pause)
    assert not client.unread, client.unread
    assert wait_until(lambda: client.lost() == set(), timeout=30), client.lost()


def config(machine, *words):
    outcome = machine.kubeadm("config", *words, timeout=400)
    assert outcome.code == 0, outcome.text


def test_a_single_control_plane(cluster, note):
    cluster.wait_healthy()
    with writing(note, "config apply, one control plane", cluster.first.host):
        config(cluster.first, "apply", *CHANGE)
    with writing(note, "config undo, one control plane", cluster.first.host):
        config(cluster.first, "undo", "--yes")
    cluster.wait_healthy()


@pytest.fixture(scope="module")
def three(bench, kubeadm, note_of_module):
    """Three control planes and a worker."""
    made = Cluster(bench, kubeadm, note_of_module)
    made.create(["cp-one", "cp-two", "cp-three", "worker"], workers=["worker"])
    yield made
    made.down()


def addresses(cluster):
    return [machine.host.address for machine in cluster.machines[:3]]


def test_three_control_planes_apply_a_configuration_and_roll_it_back(three, note):
    first, second, third = three.machines[:3]
    with writing(note, "config apply, three control planes", first.host, addresses(three)):
        config(first, "apply", *CHANGE)
        for machine in (second, third):
            config(machine, "apply", "node", "--yes")
    with writing(note, "config undo, three control planes", first.host, addresses(three)):
        config(first, "undo", "--yes")
        for machine in (second, third):
            config(machine, "apply", "node", "--yes")
    three.wait_healthy()


def test_a_member_of_three_moves(three, note):
    first, second, third, worker = (machine.host for machine in three.machines)
    old, new = second.address, other_address(second.address)
    with writing(note, "a member moves", first, [*addresses(three), new]):
        move(second, old, new, [first, third, worker])
        readdress(three.machines[1], "--to", new)
    three.wait_healthy()


def test_a_worker_is_recovered(three, note):
    first, worker = three.first, three.machines[3]
    token, _, _ = three.credentials()
    worker.host.run("rm", CURRENT)
    restart_kubelet(worker.host)
    with writing(note, "a worker is recovered", first.host, [first.host.address]):
        outcome = worker.kubeadm("node", "recover", "--token", token)
    assert outcome.code == 0, outcome.text
    three.wait_healthy()


# Keep this test last, because the earlier tests need the endpoint that all nodes know. cp-two has moved, so the new
# endpoint leads to cp-three.
def test_the_endpoint_of_three_changes(three, note):
    first, second, third, worker = three.machines
    for machine in three.machines:
        lead(machine, "other.bench", third)
    asked = [first.host.address, third.host.address]
    with writing(note, "endpoint set and finish, three control planes", first.host, asked):
        endpoint(first, "set", OTHER)
        for machine in (second, third):
            endpoint(machine, "set")
        # All API servers now serve the new name, so the nodes that waited for the others complete the change.
        for machine in (first, second, worker):
            endpoint(machine, "set")
        assert answers(third.host, ENDPOINT) and answers(third.host, OTHER)
        for machine in (first, second):
            assert "Run 'kubeadm endpoint finish' there" in endpoint(machine, "finish").text
        assert "Finished" in endpoint(third, "finish").text
    named = {server(machine.host) for machine in (first, second, third)}
    assert named == {server(worker.host, "kubelet.conf")} == {f"https://{OTHER}"}
    assert not answers(first.host, ENDPOINT)
    three.wait_healthy()
