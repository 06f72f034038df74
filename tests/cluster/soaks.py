# SPDX-License-Identifier: Apache-2.0
"""Upgrades with a soak: the new programs behave as the old minor version, so that a rollback loses no write."""

import dataclasses
import json

from cluster import echo, kubernetes
from cluster.client import Client
from cluster.clusters import Cluster
from cluster.upgrades import IGNORED, assert_images, kubernetes_version, of_kubernetes, patch, upstream
from components import recipes

WRITES = 10_000  # acknowledged writes from the upgrade to the end of the rollback
COMPONENTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd")
LOAD = {"writes": True, "clients": 3, "pause": 0.02}


@dataclasses.dataclass(frozen=True)
class Step:
    """An upgrade from one minor version to the next."""

    old: str
    new: str

    @property
    def before(self):
        return recipes.ALL_RELEASES[self.old]

    @property
    def after(self):
        return recipes.ALL_RELEASES[self.new]

    def make(self, bench, kubeadm, note, names):
        """Creates a cluster of the old release with upstream's kubeadm of that release. Then replaces that program by
        `kubeadm`."""
        cluster = Cluster(bench, upstream(self.old), note)
        try:
            cluster.create(names, release=self.old, also=(self.new,))
            for machine in cluster.machines:
                machine.host.copy(kubeadm, "/usr/local/bin/kubeadm")
        except BaseException:
            cluster.down()
            raise
        return cluster

    def apply(self, machine, *flags):
        """Runs `upgrade apply --soak`."""
        allowed = ("--allow-experimental-upgrades",) if "-" in self.after.version else ()
        return machine.kubeadm("upgrade", "apply", self.after.version, "--yes", "--soak", IGNORED, *allowed, *flags,
                               timeout=400)

    def assert_soaks(self, machine):
        for name, text in manifests(machine).items():
            if name == "etcd":
                assert f"etcd:{self.before.etcd}" in text
            else:
                assert f":{self.after.version}" in text and f"--emulated-version={self.old}\n" in text, text
        version = json.loads(machine.host.kubectl("get", "--raw", "/version"))
        assert version["emulationMinor"] == self.old.partition(".")[2], version

    def run_alone(self, cluster, note):
        """Runs a soak on one control plane: upgrade, rollback, another upgrade, commit."""
        machine = cluster.first
        host = machine.host
        refused = machine.kubeadm("upgrade", "commit", "--yes")
        assert refused.code != 0 and "no record of 'kubeadm upgrade apply --soak'" in refused.text, refused.text
        self._fail(machine)
        with Client(host, **LOAD) as client:
            outcome = succeed(self.apply(machine))
            assert f"behaves as v{self.old}" in outcome.text and "upgrade commit" in outcome.text, outcome.text
            self.assert_soaks(machine)
            planned = machine.kubeadm("upgrade", "plan", IGNORED, timeout=200)
            assert f"behaves as v{self.old}" in planned.text, planned.text
            succeed(machine.kubeadm("drift"))
            # The same command again has nothing to do, and the soak continues.
            succeed(self.apply(machine))
            self.assert_soaks(machine)
            client.wait_until_written(WRITES)
            succeed(rollback(machine))
            assert_soaks_no_longer(machine, self.before)
            assert kubernetes_version(host) == self.before.version
            kubernetes.wait_healthy(host)
        report(note, "upgrade, soak, rollback", client)
        assert len(client.written) >= WRITES and not client.lost() and not client.unread
        with Client(host, **LOAD) as client:
            succeed(self.apply(machine))
            succeed(commit(machine))
        report(note, "soak, commit", client)
        assert not client.lost() and not client.unread
        self._assert_committed(machine)

    def _fail(self, machine):
        """Runs an upgrade that fails and is rolled back. A commit must then be refused."""
        broken = "- {op: add, path: /spec/containers/0/command/-, value: --no-such-argument}"
        failed = self.apply(machine, patch(machine.host, "kube-apiserver0+json", broken))
        assert failed.code == 1, failed.text
        early = commit(machine)
        assert early.code != 0 and "is not complete" in early.text, early.text
        # After these restarts, a kubelet may notice new Pods a minute late.
        echo.deploy(machine.host, patience=120)

    def _assert_committed(self, machine):
        host = machine.host
        assert_soaks_no_longer(machine, self.after)
        stored = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
        assert "emulated-version" not in stored
        node = host.name
        assert_images(host, of_kubernetes([node], self.after.version) | {f"etcd-{node}": self.after.etcd})
        succeed(machine.kubeadm("drift"))
        nothing = commit(machine)
        assert nothing.code != 0 and "nothing to commit" in nothing.text, nothing.text

    def run_together(self, cluster, note):
        """Runs a soak on three control planes: upgrade, rollback, another upgrade, commit. No write fails."""
        first, *others = cluster.machines
        addresses = [machine.host.address for machine in cluster.machines]
        with Client(first.host, addresses, **LOAD) as client:
            self._soak_together(first, others)
            client.wait_until_written(WRITES)
            for machine in reversed(cluster.machines):
                succeed(rollback(machine))
                assert_soaks_no_longer(machine, self.before)
        report(note, "three: upgrade, soak, rollback", client)
        assert len(client.written) >= WRITES
        assert not client.failed and not client.lost() and not client.unread
        with Client(first.host, addresses, **LOAD) as client:
            self._soak_together(first, others)
            succeed(commit(first))
            follow(others)
        report(note, "three: soak, commit", client)
        assert not client.failed and not client.lost() and not client.unread
        for machine in cluster.machines:
            assert_soaks_no_longer(machine, self.after)

    def _soak_together(self, first, others):
        succeed(self.apply(first))
        follow(others)
        for machine in (first, *others):
            self.assert_soaks(machine)


def manifests(machine):
    return {name: machine.host.read(f"/etc/kubernetes/manifests/{name}.yaml") for name in COMPONENTS}


def assert_soaks_no_longer(machine, release):
    for name, text in manifests(machine).items():
        assert f"etcd:{release.etcd}" in text if name == "etcd" else f":{release.version}" in text, text
        assert "emulated-version" not in text


def succeed(outcome):
    assert outcome.code == 0, outcome.text
    return outcome


def rollback(machine):
    return machine.kubeadm("upgrade", "rollback", "--yes", timeout=400)


def commit(machine):
    return machine.kubeadm("upgrade", "commit", "--yes", IGNORED, timeout=400)


def follow(machines):
    """Runs `upgrade node` on each machine."""
    for machine in machines:
        succeed(machine.kubeadm("upgrade", "node", IGNORED, timeout=400))


def report(note, what, client):
    note(f"{what}: {len(client.written)} acknowledged writes, {len(client.failed)} failed", client.longest_pause)
