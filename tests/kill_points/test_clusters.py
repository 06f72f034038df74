# SPDX-License-Identifier: Apache-2.0
"""Commands on nodes of real clusters, killed before a sample of their effects."""

import dataclasses
import json
import re
from collections.abc import Callable

import pytest

from cluster import kubernetes
from cluster.clusters import ENDPOINT, INIT, Cluster, etcd_members
from cluster.conftest import Machine
from cluster.processes import wait_until
from changes.test_endpoint import lead
from changes.test_readdress import move, other_address
from cluster.trees import difference
from cluster.upgrades import NEW, OLD, made_by_upstream, take_new_kubeadm
from kill_points import effects
from kill_points.effects import changing
from kill_points.states import cluster_state, node_state, split_pairs
from kill_points.steps import cuts
from kill_points.trial import Trial, by_turns, point

pytestmark = pytest.mark.ours

IGNORED = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap"


class Guest:
    """A host that is recreated for each attempt, with or without a cluster next to it."""

    def __init__(self, bench, kubeadm, note, name):
        self._up = lambda: bench.host(name, kubeadm=kubeadm)
        self._note = note
        self.machine = None

    def fresh(self):
        self.down()
        self.machine = Machine(self._up(), self._note)
        return self.machine

    def down(self):
        if self.machine:
            self.machine.host.down()
        self.machine = None


@pytest.fixture
def guest(bench, kubeadm, note):
    made = Guest(bench, kubeadm, note, "guest")
    yield made
    made.down()


def initialised(bench, kubeadm, note, request, settings=""):
    """Creates a cluster of one host, with these settings in its ClusterConfiguration."""
    made = Cluster(bench, kubeadm, note)
    request.addfinalizer(made.down)
    host = made.machine("cp-one").host
    host.write(INIT, host.read(INIT).replace("networking:", f"{settings}networking:"))
    made.init()
    return made


@pytest.fixture
def cluster(bench, kubeadm, note, request):
    return initialised(bench, kubeadm, note, request)


def both(host):
    return node_state(host) | cluster_state(host)


def test_init(guest, kill_points, report):
    Trial("init", guest.fresh, ("init", "--config", "/root/init.yaml"), both).run(report, kill_points)


def test_reset(guest, kill_points, report):
    def prepare():
        machine = guest.fresh()
        assert machine.init().code == 0
        return machine

    def left(host):
        return node_state(host) | {"containers": str(kubernetes.kept_by_runtime(host))}

    Trial("reset", prepare, ("reset", "--force"), left).run(report, kill_points)


class Joining:
    """A guest that joins the cluster repeatedly."""

    def __init__(self, cluster, guest):
        self.cluster = cluster
        self.guest = guest

    @property
    def first(self):
        return self.cluster.first.host

    def prepare(self):
        """Prepares a fresh host, and removes the previous host from the cluster."""
        if self.guest.machine:
            self.guest.machine.kubeadm("reset", "--force")
        self.first.kubectl("delete", "node", "guest", "--ignore-not-found")
        machine = self.guest.fresh()
        self.cluster.point(machine, self.cluster.first)
        return machine

    def state(self, host):
        if host.path("/etc/kubernetes/kubelet.conf").exists():  # the host has a Node from this point on
            assert wait_until(lambda: "node/guest" in self.first.kubectl("get", "nodes", "-o", "name"), 30)
        members = [line.split(", ")[1:3] + line.split(", ")[-1:] for line in etcd_members(self.first)]
        return node_state(host) | cluster_state(self.first) | {"members": json.dumps(sorted(members))}


def test_a_worker_joins(cluster, guest, kill_points, report):
    joining = Joining(cluster, guest)
    token, pin, _ = cluster.credentials()
    arguments = ("join", *cluster.worker_arguments(token, pin), IGNORED)
    Trial("join of a worker", joining.prepare, arguments, joining.state).run(report, kill_points)


def test_a_control_plane_joins(cluster, guest, kill_points, report):
    joining = Joining(cluster, guest)
    token, pin, key = cluster.credentials()
    arguments = ("join", *cluster.control_plane_arguments(token, pin, key), IGNORED)
    Trial("join of a control plane", joining.prepare, arguments, joining.state).run(report, kill_points)


def test_a_control_plane_is_reset(cluster, guest, kill_points, report):
    joining = Joining(cluster, guest)
    token, pin, key = cluster.credentials()

    def prepare():
        machine = joining.prepare()
        outcome = machine.join(*cluster.control_plane_arguments(token, pin, key))
        assert outcome.code == 0, outcome.text
        return machine

    Trial("reset of a control plane", prepare, ("reset", "--force"), joining.state).run(report, kill_points)


APPLY = ("upgrade", "apply", NEW, "--yes", IGNORED)
PATH = (*APPLY, "--path")
NODE = ("upgrade", "node", IGNORED)
ROLLBACK = ("upgrade", "rollback", "--yes")


class Upgrading:
    """Nodes of the previous release that are alternately upgraded and rolled back. Each upgrade prepares the next
    rollback, and each rollback the next upgrade."""

    def __init__(self, bench, kubeadm, note, names):
        self.cluster = made_by_upstream(bench, note, names)
        take_new_kubeadm(self.cluster, kubeadm)

    def brought_to(self, version, command):
        """Returns a `prepare` function for trials on the last machine."""
        machine = self.cluster.machines[-1]

        def prepare():
            if runs_release(machine.host) != version:
                succeeds(machine, command)
            return machine

        return prepare

    def state(self, host):
        return node_state(host) | cluster_state(self.cluster.first.host)


def succeeds(machine, command):
    outcome = machine.kubeadm(*command, timeout=400)
    assert outcome.code == 0, outcome.text


def runs_release(host):
    """Returns the release of the host's own API server."""
    manifest = host.read("/etc/kubernetes/manifests/kube-apiserver.yaml")
    return re.search(r"image: .*/kube-apiserver:(v\S+)", manifest).group(1)


@pytest.fixture
def upgrading(bench, kubeadm, note, request):
    """One node, which has been upgraded once. etcd's data stay with the newer etcd even after a rollback, so the first
    upgrade differs from later ones."""
    made = Upgrading(bench, kubeadm, note, ["alpha"])
    request.addfinalizer(made.cluster.down)
    succeeds(made.cluster.first, APPLY)
    yield made


@pytest.fixture
def upgrading_two(bench, kubeadm, note, request):
    """Two nodes, which were both upgraded once."""
    made = Upgrading(bench, kubeadm, note, ["alpha", "beta"])
    request.addfinalizer(made.cluster.down)
    succeeds(made.cluster.first, APPLY)
    succeeds(made.cluster.machines[-1], NODE)
    yield made


def test_an_upgrade_is_applied_and_undone(upgrading, kill_points, report):
    there = Trial("upgrade apply", upgrading.brought_to(OLD, ROLLBACK), APPLY, upgrading.state)
    back = Trial("upgrade rollback", upgrading.brought_to(NEW, APPLY), ROLLBACK, upgrading.state)
    by_turns([there, back], report, kill_points)


def test_an_upgrade_by_a_path_is_applied(upgrading, kill_points, report):
    prepare = upgrading.brought_to(OLD, ROLLBACK)
    Trial("upgrade apply --path", prepare, PATH, upgrading.state).run(report, kill_points)


def test_another_node_is_upgraded(upgrading_two, kill_points, report):
    prepare = upgrading_two.brought_to(OLD, ROLLBACK)
    Trial("upgrade node", prepare, NODE, upgrading_two.state).run(report, kill_points)


# The successor of a restarted controller waits until the old Lease expires: 15 s by default.
LEASES = """
  extraArgs:
  - {name: leader-elect-lease-duration, value: 6s}
  - {name: leader-elect-renew-deadline, value: 4s}
  - {name: leader-elect-retry-period, value: 1s}
"""


@pytest.fixture
def cluster_of_short_leases(bench, kubeadm, note, request):
    return initialised(bench, kubeadm, note, request, f"controllerManager:{LEASES}scheduler:{LEASES}")


@pytest.mark.parametrize("authority", ["front-proxy", "etcd", "kubernetes"])
def test_an_authority_is_replaced(cluster_of_short_leases, authority, kill_points, report):
    """Each round performs the three steps of a rotation, each of which is killed at another point."""
    machine = cluster_of_short_leases.first
    arguments = ("certs", "rotate-ca", authority)
    steps = [undisturbed(machine, arguments, kill_points) for _ in range(3)]
    before = without_backups(machine.host)
    name, points = f"certs rotate-ca {authority}", sum(step.effects for step in steps)
    if kill_points.by_time:
        name += ", by time"
    tried = 0
    every = max(3, *(step.choices for step in steps))
    rounds = every if kill_points.most is None else max(kill_points.most // 3, 1)
    offset = 0.5 if kill_points.offset is None else kill_points.offset
    for number in kill_points.share.of(range(rounds)):
        for step, run in enumerate(steps):
            command = (*arguments, "--again") if step == 0 else arguments
            try:
                tried += killed_and_given_again(machine, command, run.cut((number + offset) / rounds))
            except AssertionError:
                report.add(name, points, tried + 1, 1)
                raise
            report.add(name, points, tried, 0)
    assert tried, "no point was reached"
    assert difference(before, without_backups(machine.host)) == ""


CHANGE = ("config", "apply", "--set", "scheduler.extraArgs.v=3", "--set", "kubelet.maxPods=99", "--yes")
UNDO = ("config", "undo", "--yes")
CHANGE_JOURNAL = "/var/lib/slipway/operation-config-apply.json"


def test_a_configuration_is_applied(cluster, kill_points, report):
    machine = cluster.first

    def prepare():
        if machine.host.path(CHANGE_JOURNAL).exists():
            succeeds(machine, UNDO)
        return machine

    Trial("config apply", prepare, CHANGE, both).run(report, kill_points)


TRY = (*CHANGE, "--try", "20m")


def without_change(machine):
    """Rolls back an earlier configuration change, if there is one, and returns the machine."""
    if machine.host.path(CHANGE_JOURNAL).exists():
        succeeds(machine, UNDO)
    return machine


def test_a_configuration_is_tried(cluster, kill_points, report):
    Trial("config apply --try", lambda: without_change(cluster.first), TRY, both).run(report, kill_points)


def test_a_trial_is_confirmed(cluster, kill_points, report):
    def prepare():
        succeeds(without_change(cluster.first), TRY)
        return cluster.first

    Trial("config confirm", prepare, ("config", "confirm"), both).run(report, kill_points)


def test_certificates_are_renewed_and_used(cluster, kill_points, report):
    arguments = ("certs", "renew", "all", "--restart")
    Trial("certs renew all --restart", lambda: cluster.first, arguments, both).run(report, kill_points)


def test_a_configuration_is_rolled_back(cluster, kill_points, report):
    machine = cluster.first

    def prepare():
        if not machine.host.path(CHANGE_JOURNAL).exists():
            succeeds(machine, CHANGE)
        return machine

    Trial("config undo", prepare, UNDO, both).run(report, kill_points)


def test_a_node_gets_another_address(guest, kill_points, report):
    """The node alternately gets the new address and the old one. Only the first direction is killed."""

    machine = guest.fresh()
    assert machine.init().code == 0
    old, new = machine.host.address, other_address(machine.host.address)

    def command(of, to):
        return ("node", "readdress", "--from", of, "--to", to, "--yes")

    def prepare():
        if new in machine.host.run("ip", "addr", "show", "dev", "eth0").stdout:
            move(machine.host, new, old)
            succeeds(machine, command(new, old))
        move(machine.host, old, new)
        return machine

    Trial("node readdress", prepare, command(old, new), both).run(report, kill_points)


def test_a_kubelet_gets_another_certificate(cluster, kill_points, report):
    machine = cluster.first

    def prepare():
        machine.host.run("rm", "-f", "/var/lib/kubelet/pki/kubelet-client-current.pem")
        machine.host.run("systemctl", "restart", "kubelet", check=False)
        return machine

    Trial("node recover", prepare, ("node", "recover"), both).run(report, kill_points)


def test_a_cluster_gets_another_endpoint(cluster, kill_points, report):
    """The cluster alternately gets the new endpoint and the old one. Only the first direction is killed."""
    machine = cluster.first
    other = "other.bench:6443"

    def set_to(name):
        return ("endpoint", "set", name, "--yes")

    def prepare():
        lead(machine, "other.bench", machine)
        if other in machine.host.read("/etc/kubernetes/admin.conf"):
            succeeds(machine, set_to(ENDPOINT))
            succeeds(machine, ("endpoint", "finish", "--yes"))
        machine.host.run("sh", "-c", "rm -rf /etc/kubernetes/tmp/kubeadm-endpoint-finish-*")  # not by the first run
        return machine

    Trial("endpoint set", prepare, set_to(other), both).run(report, kill_points)


def test_the_previous_endpoint_is_given_up(cluster, kill_points, report):
    machine = cluster.first
    other = "other.bench:6443"
    finish = ("endpoint", "finish", "--yes")

    def prepare():
        lead(machine, "other.bench", machine)
        if other in machine.host.read("/etc/kubernetes/admin.conf"):
            succeeds(machine, ("endpoint", "set", ENDPOINT, "--yes"))
            succeeds(machine, finish)
        succeeds(machine, ("endpoint", "set", other, "--yes"))
        return machine

    Trial("endpoint finish", prepare, finish, both).run(report, kill_points)


def without_backups(host):
    """Returns the node's files and the cluster's objects. Leaves out the backups of a rotation, because a second
    rotation replaces those of the first."""
    files = {path: text for path, text in node_state(host).items() if "/tmp/kubeadm-rotate-ca-" not in path}
    return files | cluster_state(host)


@dataclasses.dataclass(frozen=True)
class Undisturbed:
    """An undisturbed run of a command, and the points at which to kill it."""

    effects: int
    choices: int  # the number of different points
    cut: Callable[[float], effects.Cut]  # returns the point after a fraction (0 to 1) of the run


def undisturbed(machine, arguments, kill_points):
    """Runs a command undisturbed; returns its effects and its points."""
    if kill_points.by_time:
        outcome = machine.kubeadm(*arguments, timeout=400)
        assert outcome.code == 0, outcome.text
        return Undisturbed(0, 0, lambda part: effects.Cut(seconds=max(outcome.seconds * part, 0.01)))
    result, found = effects.run(machine, arguments, timeout=400)
    assert result.returncode == 0, result.stdout + result.stderr
    number = len(changing(found))
    if kill_points.by_steps:
        points = cuts(found)
        return Undisturbed(number, len(points), lambda part: points[int(part * len(points))])
    return Undisturbed(number, number, lambda part: effects.Cut(number=max(int(number * part), 1)))


def killed_and_given_again(machine, arguments, cut):
    """Runs the command twice, the first time with a kill. Returns False if the first run ended before the kill."""
    killed, made = effects.run(machine, arguments, cut, timeout=400)
    if killed.returncode != 0:
        assert killed.returncode == effects.KILLED, killed.stdout + killed.stderr
        outcome = machine.kubeadm(*arguments, timeout=400)
        assert outcome.code == 0, f"{point(cut, made)}; again:\n{outcome.text}"
    assert split_pairs(machine.host) == []
    return killed.returncode != 0
