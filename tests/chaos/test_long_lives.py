# SPDX-License-Identifier: Apache-2.0
"""Two hosts run twenty clusters, one after the other, with equal and with different configurations, and with upgrades.
An earlier cluster must not change the next cluster's run, or the leftovers of its reset."""

import dataclasses
import statistics

import pytest

from cluster import kubernetes, trees
from cluster.clusters import Cluster, etcd_members
from cluster.upgrades import HOST, NEW, OLD, apply, assert_old_and_serves
from components import recipes

pytestmark = pytest.mark.ours

LIVES = 20


@dataclasses.dataclass(frozen=True)
class Life:
    """One cluster: its edits of the bench's configuration, the role of the second host, and whether it is upgraded."""

    name: str
    edits: tuple = ()  # pairs: text of the bench's configuration → its replacement
    joins: str = ""  # "control plane", "worker"
    upgraded: bool = False


KUBERNETES = f"kubernetesVersion: {NEW}"
KINDS = [
    Life("a control plane joins", joins="control plane"),
    Life(
        "other keys, domain and data directory",
        edits=(
            (
                KUBERNETES,
                f"{KUBERNETES}\nencryptionAlgorithm: ECDSA-P256\nclusterName: other\n"
                "etcd: {local: {dataDir: /var/lib/etcd-other}}",
            ),
            ("podSubnet:", "dnsDomain: other.example\n  podSubnet:"),
        ),
    ),
    Life(
        "other networks, a worker joins",
        edits=(("podSubnet: 10.244.0.0/16", "podSubnet: 10.245.0.0/16\n  serviceSubnet: 10.97.0.0/16"),),
        joins="worker",
    ),
    Life("the release before, upgraded", edits=((KUBERNETES, f"kubernetesVersion: {OLD}"),), upgraded=True),
]


def leftovers(host):
    """Returns state that must not grow from cluster to cluster: files, iptables chains, cgroups, containers, mounts."""
    text = host.run("sh", "-c", "iptables-save 2>/dev/null | grep -c '^:KUBE' || true").stdout.strip()
    return {
        "files": trees.tree(host),
        "chains": int(text or 0),
        "cgroups": host.run(
            "sh", "-c", "find /sys/fs/cgroup -maxdepth 4 -type d -name 'kubepods*' | sort"
        ).stdout.split(),
        "containers": kubernetes.kept_by_runtime(host),
        "mounts": host.run("sh", "-c", "grep -c /var/lib/kubelet /proc/mounts || true").stdout.strip(),
    }


def configure(machine, original, life):
    text = original
    for old, new in life.edits:
        assert old in text, f"{life.name}: the configuration has no {old!r}"
        text = text.replace(old, new)
    machine.host.write("/root/init.yaml", text)


def join(cluster, second, role):
    token, pin, key = cluster.credentials()
    arguments = (
        cluster.control_plane_arguments(token, pin, key)
        if role == "control plane"
        else cluster.worker_arguments(token, pin)
    )
    outcome = second.join(*arguments)
    assert outcome.code == 0, outcome.text
    kubernetes.wait_healthy(cluster.first.host, expected_nodes=["cp-one", "second"])


def reset(machine):
    """Resets the node and deletes the backups of upgrades, which a reset keeps by default."""
    outcome = machine.kubeadm("reset", "--force", "--cleanup-tmp-dir")
    assert outcome.code == 0, outcome.text


def live(cluster, second, life):
    """Runs one cluster from init to reset; returns the seconds of its init."""
    first = cluster.first
    began = cluster.init()
    kubernetes.wait_healthy(first.host, expected_nodes=["cp-one"])
    if life.joins:
        join(cluster, second, life.joins)
        reset(second)
        assert len(etcd_members(first.host)) == 1
    if life.upgraded:
        assert_old_and_serves(first.host)
        outcome = apply(first)
        assert outcome.code == 0, outcome.text
        first.host.use_kubelet(recipes.DEFAULT_RELEASE)
        kubernetes.wait_healthy(first.host)
    reset(first)
    if life.upgraded:
        first.host.use_kubelet(recipes.PREVIOUS_RELEASE)
    return began.seconds


def test_twenty_clusters_on_the_same_two_hosts(bench, kubeadm, note):
    cluster = Cluster(bench, kubeadm, note)
    first = cluster.machine("cp-one", **HOST)
    second = cluster.machine("second", **HOST)
    try:
        first.host.write(
            "/root/init.yaml",
            first.host.read("/root/init.yaml").replace(f"kubernetesVersion: {OLD}", KUBERNETES),
        )
        original = first.host.read("/root/init.yaml")
        seconds, left = {}, {}
        for number in range(LIVES):
            life = KINDS[number % len(KINDS)]
            configure(first, original, life)
            try:
                seconds.setdefault(life.name, []).append(live(cluster, second, life))
            except AssertionError as failure:
                raise AssertionError(f"life {number + 1} of {LIVES}: {life.name}: {failure}") from failure
            if number < len(KINDS):
                continue  # the first cluster of each kind may leave files that are created only once
            remains = leftovers(first.host)
            before = left.setdefault(life.name, remains)
            difference = trees.difference(before["files"], remains["files"])
            assert not difference, f"life {number + 1}: {life.name}: since the second of its kind:\n{difference}"
            for what in ("chains", "cgroups", "containers", "mounts"):
                assert remains[what] == before[what], f"life {number + 1}: {life.name}: {what}"
        for name, taken in seconds.items():
            note(f"init, the first of its kind: {name}", taken[0])
            note(f"init, the last of its kind: {name}", taken[-1])
            # The speed is not limited, but a wait that ran into its timeout would fail here.
            assert statistics.median(taken[1:]) < taken[0] + 30, f"{name}: {taken}"
    finally:
        cluster.down()
