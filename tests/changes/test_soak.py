# SPDX-License-Identifier: Apache-2.0
"""An upgrade that soaks: the new programs behave as the old minor version, so that a rollback loses nothing."""

import json

import pytest

from cluster import kubernetes
from cluster.client import Client
from cluster.upgrades import (
    IGNORED,
    NEW,
    OLD,
    apply,
    assert_images,
    kubernetes_version,
    made_by_upstream,
    of_kubernetes,
    patch,
    take_new_kubeadm,
)
from components import recipes

pytestmark = pytest.mark.ours

OLD_ETCD = recipes.RELEASES[recipes.PREVIOUS_RELEASE].etcd
NEW_ETCD = recipes.RELEASES[recipes.DEFAULT_RELEASE].etcd
BEHAVES_AS = OLD.removeprefix("v").rpartition(".")[0]


def manifests(machine):
    return {name: machine.host.read(f"/etc/kubernetes/manifests/{name}.yaml")
            for name in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd")}


def assert_soaks(machine):
    for name, text in manifests(machine).items():
        if name == "etcd":
            assert f"etcd:{OLD_ETCD}" in text
        else:
            assert f":{NEW}" in text and f"--emulated-version={BEHAVES_AS}\n" in text, text
    version = json.loads(machine.host.kubectl("get", "--raw", "/version"))
    assert version["emulationMinor"] == BEHAVES_AS.partition(".")[2], version


def assert_soaks_no_longer(machine, version, etcd):
    for name, text in manifests(machine).items():
        assert f"etcd:{etcd}" in text if name == "etcd" else f":{version}" in text, text
        assert "emulated-version" not in text


def test_one_control_plane_soaks_rolls_back_and_commits(bench, kubeadm, note):
    cluster = made_by_upstream(bench, note, ["alpha"])
    try:
        machine = cluster.first
        host = machine.host
        take_new_kubeadm(cluster, kubeadm)
        refused = machine.kubeadm("upgrade", "commit", "--yes")
        assert refused.code != 0 and "no record of 'kubeadm upgrade apply --soak'" in refused.text, refused.text
        with Client(host, writes=True) as client:
            broken = "- {op: add, path: /spec/containers/0/command/-, value: --no-such-argument}"
            failed = apply(machine, "--soak", patch(host, "kube-apiserver0+json", broken))
            assert failed.code == 1, failed.text
            early = machine.kubeadm("upgrade", "commit", "--yes", IGNORED)
            assert early.code != 0 and "is not complete" in early.text, early.text
            outcome = apply(machine, "--soak")
            assert outcome.code == 0, outcome.text
            assert f"behaves as v{BEHAVES_AS}" in outcome.text and "upgrade commit" in outcome.text, outcome.text
            assert_soaks(machine)
            planned = machine.kubeadm("upgrade", "plan", IGNORED, timeout=200)
            assert f"behaves as v{BEHAVES_AS}" in planned.text, planned.text
            drifted = machine.kubeadm("drift")
            assert drifted.code == 0, drifted.text
            # The same command again has nothing to do, and still soaks.
            again = apply(machine, "--soak")
            assert again.code == 0, again.text
            assert_soaks(machine)
            back = machine.kubeadm("upgrade", "rollback", "--yes", timeout=400)
            assert back.code == 0, back.text
            assert_soaks_no_longer(machine, OLD, OLD_ETCD)
            assert kubernetes_version(host) == OLD
            kubernetes.wait_healthy(host)
            outcome = apply(machine, "--soak")
            assert outcome.code == 0, outcome.text
            committed = machine.kubeadm("upgrade", "commit", "--yes", IGNORED, timeout=400)
            assert committed.code == 0, committed.text
        assert not client.lost() and not client.unread
        note(f"soak, rollback, soak, commit: {len(client.written)} writes, {len(client.failed)} failed", client.outage)
        assert_soaks_no_longer(machine, NEW, NEW_ETCD)
        stored = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
        assert "emulated-version" not in stored
        assert_images(host, of_kubernetes(["alpha"], NEW) | {"etcd-alpha": NEW_ETCD})
        drifted = machine.kubeadm("drift")
        assert drifted.code == 0, drifted.text
        nothing = machine.kubeadm("upgrade", "commit", "--yes", IGNORED)
        assert nothing.code != 0 and "nothing to commit" in nothing.text, nothing.text
    finally:
        cluster.down()


def test_three_control_planes_soak_and_commit_without_a_failed_write(bench, kubeadm, note):
    names = ["alpha", "beta", "gamma"]
    cluster = made_by_upstream(bench, note, names)
    try:
        first, *others = cluster.machines
        take_new_kubeadm(cluster, kubeadm)
        addresses = [machine.host.address for machine in cluster.machines]
        with Client(first.host, addresses, writes=True) as client:
            outcome = apply(first, "--soak")
            assert outcome.code == 0, outcome.text
            for machine in others:
                followed = machine.kubeadm("upgrade", "node", IGNORED, timeout=400)
                assert followed.code == 0, followed.text
            for machine in cluster.machines:
                assert_soaks(machine)
            # Back on all nodes, the last one first, and forth again.
            for machine in reversed(cluster.machines):
                back = machine.kubeadm("upgrade", "rollback", "--yes", timeout=400)
                assert back.code == 0, back.text
                assert_soaks_no_longer(machine, OLD, OLD_ETCD)
            assert apply(first, "--soak").code == 0
            for machine in others:
                assert machine.kubeadm("upgrade", "node", IGNORED, timeout=400).code == 0
            committed = first.kubeadm("upgrade", "commit", "--yes", IGNORED, timeout=400)
            assert committed.code == 0, committed.text
            for machine in others:
                followed = machine.kubeadm("upgrade", "node", IGNORED, timeout=400)
                assert followed.code == 0, followed.text
            for machine in cluster.machines:
                assert_soaks_no_longer(machine, NEW, NEW_ETCD)
        note(f"three soak, go back, soak, commit: {len(client.written)} writes", client.outage)
        assert not client.failed and not client.lost() and not client.unread
    finally:
        cluster.down()
