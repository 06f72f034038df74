# SPDX-License-Identifier: Apache-2.0
"""Upgrades that fail or are refused must leave the cluster as it was."""

import contextlib
import json
import re

import pytest

from cluster import kubernetes
from cluster.clusters import etcd_members
from cluster.edits import runs_with
from cluster.kubernetes import control_plane_containers
from cluster.processes import wait_until
from cluster.test_doctor import ETCDCTL, PKI
from cluster.upgrades import (
    IGNORED,
    NEW,
    OLD,
    apply,
    assert_old_and_serves,
    kubernetes_version,
    made_by_upstream,
    patch,
    take_new_kubeadm,
)
from components import recipes, store

pytestmark = pytest.mark.ours

SOON = 30  # limit in seconds for errors found before any change
AFTER_A_POD = 120  # limit in seconds for errors found after the Pod of the health check has run


@pytest.fixture(scope="module")
def single(bench, kubeadm, note_of_module, request):
    """One control plane of the previous release. Each test leaves it healthy and at that release."""
    cluster = made_by_upstream(bench, note_of_module, ["alpha"])
    request.addfinalizer(cluster.down)
    take_new_kubeadm(cluster, kubeadm)
    yield cluster.first


def settled(host):
    """Returns the containers when the API's status agrees with the runtime, because the status of a replaced Pod is
    updated late."""
    told = [control_plane_containers(host)]

    def same_again():
        told.append(control_plane_containers(host))
        return told[-1] == told[-2] and set(told[-1].values()) <= kubernetes.running(host)

    assert wait_until(same_again, timeout=60, pause=5)
    return told[-1]


def test_plan_and_diff_show_the_effect_of_an_upgrade(single):
    host = single.host
    plan = single.kubeadm("upgrade", "plan", "-o", "json")
    assert plan.code == 0, plan.text
    offer = json.loads(plan.stdout)["availableUpgrades"][0]
    rows = {row["name"]: (row["currentVersion"], row["newVersion"]) for row in offer["components"]}
    assert rows["kube-apiserver"] == (OLD, NEW)
    assert rows["etcd"] == tuple(recipes.RELEASES[name].etcd for name in (recipes.PREVIOUS_RELEASE, recipes.DEFAULT_RELEASE))
    assert "upgrade-health-check" not in host.kubectl("-n", "kube-system", "get", "pods,jobs")
    diff = single.kubeadm("upgrade", "diff", NEW)
    assert diff.code == 0, diff.text
    assert f"+    image: registry.k8s.io/kube-scheduler:{NEW}" in diff.stdout


def test_an_unavailable_image_stops_no_pod(single):
    before = control_plane_containers(single.host)
    image = "spec: {containers: [{name: kube-scheduler, image: 'slipway.test/none:1'}]}"
    outcome = apply(single, patch(single.host, "kube-scheduler", image))
    assert outcome.code == 1
    assert "lost by this upgrade" not in outcome.stderr, "a patch that is given for the first time is not an edit"
    assert "nothing was changed" in outcome.stderr
    assert "slipway.test/none:1" in outcome.stderr
    assert outcome.seconds < 90  # a silent name server is queried for half a minute
    assert control_plane_containers(single.host) == before
    assert kubernetes_version(single.host) == OLD


def test_bad_versions_are_refused_with_nothing_changed(single):
    before = settled(single.host)
    for version, said in (("v1.38.0", "v1.38.0"), ("v1.33.0", "v1.33.0"), ("newest", "newest")):
        outcome = single.kubeadm("upgrade", "apply", version, "--yes", IGNORED)
        assert outcome.code == 1 and said in outcome.stderr, outcome.text
    assert control_plane_containers(single.host) == before


def scheduler_runs(host):
    return runs_with(host, "--kubeconfig=/etc/kubernetes/scheduler.conf")


@contextlib.contextmanager
def without_a_manifest(host):
    host.run("mv", "/etc/kubernetes/manifests/kube-scheduler.yaml", "/root/")
    try:
        yield
    finally:
        host.run("mv", "/root/kube-scheduler.yaml", "/etc/kubernetes/manifests/")
        assert wait_until(lambda: scheduler_runs(host), timeout=120)


@contextlib.contextmanager
def with_half_a_manifest(host):
    path = "/etc/kubernetes/manifests/kube-scheduler.yaml"
    whole = host.read(path)
    host.write(path, whole[: len(whole) // 2] + "\n  ]: {")
    # Waits until the kubelet, which polls every 20 s, has read the broken manifest. Otherwise it could read it late,
    # and stop the scheduler during the next test.
    assert wait_until(lambda: not scheduler_runs(host), timeout=120)
    try:
        yield
    finally:
        host.write(path, whole)
        assert wait_until(lambda: scheduler_runs(host), timeout=120)


@contextlib.contextmanager
def without_its_configuration(host):
    saved = json.loads(host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "json"))
    host.kubectl("-n", "kube-system", "delete", "cm", "kubeadm-config")
    try:
        yield
    finally:
        for given in ("resourceVersion", "uid"):
            del saved["metadata"][given]
        host.write("/root/saved.json", json.dumps(saved))
        host.kubectl("create", "-f", "/root/saved.json")


@contextlib.contextmanager
def with_a_node_that_is_not_ready(host):
    labels = {"node-role.kubernetes.io/control-plane": ""}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gone", "labels": labels}}
    host.write("/root/node.json", json.dumps(node))
    host.kubectl("create", "-f", "/root/node.json")
    try:
        yield
    finally:
        host.kubectl("delete", "node", "gone")


@contextlib.contextmanager
def without_room_for_backups(host):
    host.run("mkdir", "-p", "/etc/kubernetes/tmp")
    host.run("mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", "/etc/kubernetes/tmp")
    host.run("dd", "if=/dev/zero", "of=/etc/kubernetes/tmp/full", "bs=4096", "count=1")
    try:
        yield
    finally:
        host.run("umount", "/etc/kubernetes/tmp")


def start_etcd_member(host, name, port):
    """Starts another voting etcd member as a process of the node."""
    peer = f"https://127.0.0.1:{port + 1}"
    # Adds it as a learner first: a voter that is still starting could cost the majority, and controllers their Leases.
    add = [*ETCDCTL, "member", "add", name, "--learner", f"--peer-urls={peer}"]
    # etcd accepts a new member only if all members have been healthy for some seconds.
    answer = wait_until(
        lambda: (done := host.run(*add, check=False)).returncode == 0 and done.stdout, timeout=120
    )
    assert answer
    members = re.search('ETCD_INITIAL_CLUSTER="(.*)"', answer).group(1)
    certificates = [
        f"--{peer_or_not}{flag}={PKI}/etcd/{file}"
        for peer_or_not, kind in (("", "server"), ("peer-", "peer"))
        for flag, file in (
            ("cert-file", f"{kind}.crt"), ("key-file", f"{kind}.key"), ("trusted-ca-file", "ca.crt")
        )
    ]
    client = f"https://127.0.0.1:{port}"
    # Uses the new version of etcd, because the node's etcd may already have it. An older member could then not join.
    host.copy(store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / "etcd", f"/root/etcd-of-{name}")
    with open(host.logs / f"etcd-{name}.log", "w", encoding="utf-8") as output:
        member = host.start(
            f"/root/etcd-of-{name}", f"--name={name}", f"--data-dir=/root/etcd-{name}", "--initial-cluster-state=existing",
            f"--initial-cluster={members}", f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}", *certificates, output=output,
        )
    identity = re.search(r"Member\s+(\w+) added", answer).group(1)
    promote = [*ETCDCTL, "member", "promote", identity]
    assert wait_until(lambda: host.run(*promote, check=False).returncode == 0, timeout=30)
    return member


@contextlib.contextmanager
def with_an_etcd_member_that_is_away(host):
    """Adds two etcd members and kills one of them. The remaining two of three are a majority without a spare member."""
    well = start_etcd_member(host, "well", 2479)
    dead = start_etcd_member(host, "dead", 2579)
    assert wait_until(lambda: sum(", started," in line for line in etcd_members(host)) == 3, timeout=30)
    host.kill(dead)
    try:
        yield
    finally:
        for name in ("dead", "well"):
            member = next(line for line in etcd_members(host) if f" {name}," in line)
            host.run(*ETCDCTL, "member", "remove", member.split(",")[0])
        host.kill(well)


@pytest.mark.parametrize(
    "state, said, within",
    [
        (without_a_manifest, "kube-scheduler.yaml", SOON),
        (with_half_a_manifest, "kube-scheduler", SOON),
        (without_its_configuration, "kubeadm-config", SOON),
        (with_a_node_that_is_not_ready, "gone", SOON),
        (without_room_for_backups, "/etc/kubernetes/tmp", AFTER_A_POD),
        (with_an_etcd_member_that_is_away, "etcd member dead", AFTER_A_POD),
    ],
)
def test_a_bad_state_is_named_and_nothing_changed(single, state, said, within):
    host = single.host
    with state(host):
        before = settled(host)
        manifests = host.run("sh", "-c", "sha256sum /etc/kubernetes/manifests/*").stdout
        outcome = apply(single)
        assert outcome.code == 1 and said in outcome.stderr, outcome.text
        assert outcome.seconds < within
        assert host.run("sh", "-c", "sha256sum /etc/kubernetes/manifests/*").stdout == manifests
        after = control_plane_containers(host)
    # One of the damaged states breaks the scheduler's manifest, so that the scheduler may stop at any time.
    for running in (before, after):
        running.pop((f"kube-scheduler-{host.name}", "kube-scheduler"), None)
    assert after == before
    kubernetes.wait_healthy(host)


# Keep these tests last: from here on, etcd has the new minor version.
def test_a_component_that_does_not_serve_is_rolled_back(single):
    command = "spec: {containers: [{name: kube-controller-manager, command: [kube-controller-manager, --no-such-flag]}]}"
    outcome = apply(single, patch(single.host, "kube-controller-manager", command))
    assert outcome.code == 1
    assert "unknown flag: --no-such-flag" in outcome.stderr
    assert "The old manifests are back" in outcome.stderr
    assert kubernetes_version(single.host) == OLD
    assert_old_and_serves(single.host)


def test_etcd_that_does_not_serve_is_rolled_back(single):
    command = "spec: {containers: [{name: etcd, command: [etcd, --no-such-flag]}]}"
    outcome = apply(single, patch(single.host, "etcd", command))
    assert outcome.code == 1
    assert "The old manifests are back" in outcome.stderr
    assert_old_and_serves(single.host)


@pytest.fixture
def last_of_two(bench, kubeadm, note, request):
    """Two control planes of the previous release. The first has been upgraded, the second has not."""
    cluster = made_by_upstream(bench, note, ["gamma", "delta"])
    request.addfinalizer(cluster.down)
    take_new_kubeadm(cluster, kubeadm)
    outcome = apply(cluster.first)
    assert outcome.code == 0, outcome.text
    yield cluster


@pytest.mark.long
def test_a_member_that_all_others_wait_for_is_not_rolled_back(last_of_two):
    """The upgrade of the last node fails after its etcd has been upgraded. All members have then agreed on the new
    version, so this etcd must not be rolled back, although the other components are."""
    first, second = (machine.host for machine in last_of_two.machines)
    broken = "- {op: add, path: /spec/containers/0/command/-, value: --no-such-argument}"
    flag = patch(second, "kube-apiserver0+json", broken)
    outcome = last_of_two.machines[-1].kubeadm("upgrade", "node", IGNORED, flag, timeout=400)
    assert outcome.code == 1, outcome.text
    etcd = recipes.RELEASES[recipes.DEFAULT_RELEASE].etcd
    assert f"etcd stays at {etcd}" in outcome.stderr, outcome.text
    assert f"etcd:{etcd}" in second.read("/etc/kubernetes/manifests/etcd.yaml")
    assert OLD in second.read("/etc/kubernetes/manifests/kube-apiserver.yaml")
    assert len(etcd_members(first)) == 2
    kubernetes.wait_healthy(second, expected_nodes=["gamma", "delta"])
    again = last_of_two.machines[-1].kubeadm("upgrade", "node", IGNORED, timeout=400)
    assert again.code == 0, again.text
    kubernetes.wait_healthy(second, expected_nodes=["gamma", "delta"])
