# SPDX-License-Identifier: Apache-2.0
"""Nodes get other IP addresses, and the cluster keeps its data: kubeadm node readdress."""

import json
import time

import pytest

from cluster import kubernetes
from cluster.clusters import INIT, Cluster, etcd_members
from cluster.conftest import Machine
from cluster.processes import wait_until
from changes.test_endpoint import api_server
from cluster.test_ipv6 import SixCluster

pytestmark = pytest.mark.ours

JOURNAL = "/var/lib/slipway/operation-node-readdress.json"


def other_address(address):
    """Returns an unused address of the same network."""
    network, last = address.rsplit(".", 1)
    return f"{network}.{int(last) + 100}"


def move(host, old, new, others=()):
    """Replaces the host's old address by the new one. Changes the routes of the hosts `others` to its Pods."""
    routes = [
        line
        for line in host.run("ip", "route", "show").stdout.splitlines()
        if "dev eth0" in line and "proto kernel" not in line
    ]
    host.run("ip", "addr", "del", f"{old}/24", "dev", "eth0")
    host.run("ip", "addr", "add", f"{new}/24", "dev", "eth0")
    for route in routes:
        host.run("ip", "route", "replace", *route.split())
    for other in others:
        other.run("ip", "route", "replace", host.pods, "via", new)


def named(host, address):
    """Returns the files that still contain the address, except for backups."""
    found = host.run(
        "grep",
        "-rlFw",
        "--exclude-dir=tmp",
        "--exclude-dir=pods",
        address,
        "/etc/kubernetes",
        "/var/lib/kubelet",
        check=False,
    )
    return found.stdout.split()


def internal_address(host, node):
    return host.kubectl(
        "get", "node", node, "-o", 'jsonpath={.status.addresses[?(@.type=="InternalIP")].address}'
    )


def state(host):
    """Returns the state in the journal of the node's last readdress; None without a journal."""
    journal = host.path(JOURNAL)
    return json.loads(journal.read_text())["state"] if journal.exists() else None


def readdress(machine, *arguments):
    outcome = machine.kubeadm("node", "readdress", *arguments, "--yes", timeout=400)
    assert outcome.code == 0, outcome.text
    return outcome


@pytest.fixture
def single(bench, kubeadm, note, request):
    """A control plane whose only endpoint is its own address, and a worker."""
    first = Machine(bench.host("first", kubeadm=kubeadm), note)
    request.addfinalizer(first.host.down)
    assert first.init().code == 0
    worker = Machine(bench.host("worker", kubeadm=kubeadm), note)
    request.addfinalizer(worker.host.down)
    command = first.host.run("kubeadm", "token", "create", "--print-join-command").stdout.split()
    outcome = worker.join(*command[2:])
    assert outcome.code == 0, outcome.text
    kubernetes.wait_healthy(first.host, expected_nodes=["first", "worker"])
    yield first, worker


def check_moved(host, old, new):
    assert not named(host, old)
    assert state(host) == "done"
    assert internal_address(host, host.name) == new
    assert f"https://{new}:2380" in etcd_members(host)[0]
    for what in ("kubeadm-config", "kube-proxy", "kubelet-config"):
        assert old not in host.kubectl("-n", "kube-system", "get", "configmap", what, "-o", "yaml")
    assert new in host.kubectl("-n", "kube-public", "get", "configmap", "cluster-info", "-o", "yaml")
    assert host.kubectl("get", "endpointslice", "kubernetes", "-o", "jsonpath={.endpoints}").count(
        new
    )


def test_a_single_control_plane_is_repaired_after_its_address_changed(single, note):
    first, worker = single
    host = first.host
    old, new = host.address, other_address(host.address)
    host.kubectl("create", "configmap", "before", "--from-literal=x=y")
    refused = first.kubeadm("node", "readdress", "--to", new, "--yes")
    assert refused.code != 0 and "does not have the address" in refused.text, refused.text
    move(host, old, new, [worker.host])
    time.sleep(5)
    shown = first.kubeadm("node", "readdress", "--to", new, "--dry-run")
    assert shown.code == 0, shown.text
    assert "/etc/kubernetes/pki/etcd/peer.crt: issued again" in shown.text, shown.text
    assert "1. reissue certificates:" in shown.text and "All preconditions are met" in shown.text, shown.text
    assert "objects are not searched now" in shown.text, shown.text
    assert named(host, old)
    begin = time.monotonic()
    outcome = readdress(first, "--to", new)
    note("moved, nothing answering before", time.monotonic() - begin)
    assert f"--from {old} --to {new}" in outcome.text, outcome.text
    kubernetes.wait_healthy(host, only=["first"])  # its worker still uses the old address
    check_moved(host, old, new)
    assert host.kubectl("get", "configmap", "before", "-o", "jsonpath={.data.x}") == "y"
    # The worker gets the new address of its control plane.
    readdress(worker, "--from", old, "--to", new)
    kubernetes.wait_healthy(host, expected_nodes=["first", "worker"])
    drifted = first.kubeadm("drift")
    assert drifted.code == 0, drifted.text
    # Now the worker itself gets another address.
    before, after = worker.host.address, other_address(worker.host.address)
    move(worker.host, before, after, [host])
    readdress(worker, "--from", before, "--to", after)
    assert internal_address(host, "worker") == after
    kubernetes.wait_healthy(host, expected_nodes=["first", "worker"])


def test_killed_runs_are_completed_by_the_next(single):
    first, _ = single
    host = first.host
    old, new = host.address, other_address(host.address)
    move(host, old, new)
    for seconds in (0.3, 2, 6, 12):
        host.run(
            "timeout", "-s", "KILL", str(seconds), "kubeadm", "node", "readdress", "--to", new,
            "--yes", check=False,
        )
    other = first.kubeadm("node", "readdress", "--to", old, "--yes")
    if state(host) != "done":
        assert other.code != 0 and "was interrupted here" in other.text, other.text
        readdress(first, "--to", new)
    kubernetes.wait_healthy(host, only=["first"])  # its worker still uses the old address
    check_moved(host, old, new)


def test_undo_moves_a_node_back_even_if_it_is_killed_at_first(single):
    first, worker = single
    host = first.host
    old, new = host.address, other_address(host.address)
    host.kubectl("create", "configmap", "before", "--from-literal=x=y")
    move(host, old, new, [worker.host])
    events = first.kubeadm("node", "readdress", "--to", new, "--yes", "--output", "json", timeout=400)
    assert events.code == 0, events.text
    lines = [json.loads(line) for line in events.stdout.splitlines()]
    plan = next(line["value"] for line in lines if line.get("name") == "plan")
    assert plan["intent"] == {"from": old, "to": new}, plan
    assert [step["id"] for step in plan["steps"]][0] == "certificates", plan
    check_moved(host, old, new)
    shown = first.kubeadm("node", "undo", "--dry-run")
    assert shown.code == 1 and f"Back from {new} to {old}" in shown.text, shown.text
    assert f"no longer has the address {old}" in shown.text and "restore the replaced files" in shown.text, shown.text
    check_moved(host, old, new)
    refused = first.kubeadm("node", "undo", "--yes")
    assert refused.code != 0 and f"no longer has the address {old}" in refused.text, refused.text
    move(host, new, old, [worker.host])
    conf = host.read("/etc/kubernetes/scheduler.conf")
    host.write("/etc/kubernetes/scheduler.conf", conf + "# by hand\n")
    refused = first.kubeadm("node", "undo", "--yes")
    assert refused.code != 0 and "/etc/kubernetes/scheduler.conf" in refused.text, refused.text
    host.write("/etc/kubernetes/scheduler.conf", conf)
    for seconds in (0.3, 2, 6):
        host.run("timeout", "-s", "KILL", str(seconds), "kubeadm", "node", "undo", "--yes", check=False)
    if state(host):
        outcome = first.kubeadm("node", "undo", "--yes", timeout=400)
        assert outcome.code == 0, outcome.text
    assert state(host) is None
    assert not named(host, new)
    assert internal_address(host, "first") == old
    assert f"https://{old}:2380" in etcd_members(host)[0]
    kubernetes.wait_healthy(host, expected_nodes=["first", "worker"])
    assert host.kubectl("get", "configmap", "before", "-o", "jsonpath={.data.x}") == "y"
    drifted = first.kubeadm("drift")
    assert drifted.code == 0, drifted.text
    assert first.kubeadm("node", "undo", "--yes").code != 0


def test_a_trial_moves_the_node_back_unless_it_is_confirmed(single):
    machine, _ = single
    host = machine.host
    old, new = host.address, other_address(host.address)
    host.run("ip", "addr", "add", f"{new}/24", "dev", "eth0")
    outcome = readdress(machine, "--from", old, "--to", new, "--try", "20s")
    assert "kubeadm node confirm" in outcome.text
    assert state(host) == "trying"
    again = machine.kubeadm("node", "readdress", "--from", old, "--to", new, "--yes")
    assert again.code == 1 and "'kubeadm node confirm' keeps it" in again.text, again.text
    upgrade = machine.kubeadm("upgrade", "apply", "--yes", "v1.37.2")
    assert "'kubeadm node confirm' keeps it" in upgrade.text, upgrade.text
    assert wait_until(lambda: state(host) is None, timeout=300), "nobody moved the node back"
    assert not named(host, new)
    assert wait_until(lambda: internal_address(host, "first") == old, timeout=120)

    readdress(machine, "--from", old, "--to", new, "--try", "10m")
    confirmed = machine.kubeadm("node", "confirm")
    assert confirmed.code == 0, confirmed.text
    assert state(host) == "done" and not named(host, old)
    undone = machine.kubeadm("node", "undo", "--yes", timeout=400)
    assert undone.code == 0, undone.text
    assert state(host) is None
    kubernetes.wait_healthy(host, expected_nodes=["first", "worker"])


def test_one_of_three_control_planes_moves(bench, kubeadm, note, request):
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    cluster.create(["cp-one", "cp-two", "cp-three"])
    first, second, third = cluster.machines
    old, new = second.host.address, other_address(second.host.address)
    move(second.host, old, new, [first.host, third.host])
    readdress(second, "--to", new)
    cluster.wait_healthy()
    assert not named(second.host, old)
    members = etcd_members(first.host)
    assert len(members) == 3 and all(", started, " in line for line in members), members
    assert any(f"https://{new}:2380" in line for line in members), members
    assert not any(f"https://{old}:" in line for line in members), members
    assert internal_address(first.host, "cp-two") == new


def test_a_single_ipv6_control_plane_moves(bench, kubeadm, note, request):
    cluster = SixCluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    first = cluster.machine("six-one")
    cluster.init()
    host = first.host
    old = cluster.address(first)
    new = old.replace("::", "::1")
    host.run("ip", "addr", "del", f"{old}/64", "dev", "eth0")
    host.run("ip", "addr", "add", f"{new}/64", "dev", "eth0", "nodad")
    host.run("ip", "route", "replace", "default", "via", "fd00:77::1", "dev", "eth0")
    host.write("/etc/hosts", host.read("/etc/hosts").replace(old, new))
    readdress(first, "--to", new)
    cluster.wait_healthy()
    assert not named(host, old)
    assert internal_address(host, "six-one") == new
    assert f"https://[{new}]:2380" in etcd_members(host, loopback="[::1]")[0]


def test_a_dual_stack_control_plane_changes_its_second_address(bench, kubeadm, note, request):
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    first = cluster.machine("dual-one")
    host = first.host
    four = host.address
    old, new = (f"fd00:77::{prefix}{four.rsplit('.', 1)[1]}" for prefix in ("", "1:"))
    host.run("ip", "address", "add", f"{old}/64", "dev", "eth0", "nodad")
    host.run("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.default.forwarding=1")
    text = host.read(INIT).replace(
        "podSubnet: 10.244.0.0/16",
        "podSubnet: 10.244.0.0/16,fd00:10:244::/56\n  serviceSubnet: 10.96.0.0/12,fd00:10:96::/112",
    )
    ips = f'nodeRegistration:\n  kubeletExtraArgs: [{{name: node-ip, value: "{four},{old}"}}]'
    host.write(INIT, text.replace("nodeRegistration:", ips))
    cluster.init()
    cluster.wait_healthy()
    assert old in internal_address(host, "dual-one")
    started = api_server(host)
    host.run("ip", "address", "del", f"{old}/64", "dev", "eth0")
    refused = first.kubeadm("node", "readdress", "--from", old, "--to", new, "--yes")
    assert refused.code != 0 and "does not have the address" in refused.text, refused.text
    host.run("ip", "address", "add", f"{new}/64", "dev", "eth0", "nodad")
    shown = first.kubeadm("node", "readdress", "--from", old, "--to", new, "--dry-run")
    assert "kubeadm-flags.env:1: replaced" in shown.text, shown.text
    assert "Node dual-one" in shown.text, shown.text
    readdress(first, "--from", old, "--to", new)
    cluster.wait_healthy()
    assert not named(host, old)
    assert set(internal_address(host, "dual-one").split()) == {four, new}
    assert api_server(host) == started, "nothing of it names the address"
