# SPDX-License-Identifier: Apache-2.0
"""A restore that needs more than one command: to another address."""

import pytest

from changes.test_backup import PASSPHRASE, replace
from changes.test_readdress import move, named, other_address
from cluster import kubernetes
from cluster.clusters import etcd_members
from cluster.conftest import Machine
from cluster.upgrades import HOST, IGNORED, NEW, assert_images, of_kubernetes, upstream
from components import recipes

pytestmark = pytest.mark.ours

BACKUP = "/root/backup.tar.zst"


@pytest.fixture
def makes(bench, kubeadm, note, request):
    """Makes the host `first`, again and again; the last one goes with the test."""
    made = []
    request.addfinalizer(lambda: made[-1].host.down())

    def fresh(**options):
        made.append(Machine(bench.host("first", kubeadm=kubeadm, **options), note))
        return made[-1]

    return fresh


def succeed(machine, *command, timeout=400):
    outcome = machine.kubeadm(*command, timeout=timeout)
    assert outcome.code == 0, outcome.text


def test_a_cluster_restored_at_another_address_is_upgraded_by_upstream(makes):
    machine = makes(**HOST)
    host = machine.host
    host.write(PASSPHRASE, "correct horse battery staple\n", mode=0o600)
    lock = ("--passphrase-file", PASSPHRASE)
    assert machine.init().code == 0
    kubernetes.wait_healthy(host, only=["first"])
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    host.kubectl("create", "secret", "generic", "kept", "--from-literal=password=hunter2")
    succeed(machine, "backup", "create", BACKUP, *lock)

    machine = replace(host, lambda: makes(**HOST), [BACKUP, PASSPHRASE])
    host = machine.host
    old, new = host.address, other_address(host.address)
    move(host, old, new)
    refused = machine.kubeadm("restore", BACKUP, *lock, "--yes")
    assert refused.code != 0 and f"does not have the address {old}" in refused.text, refused.text
    assert "nothing was changed" in refused.text and "kubeadm node readdress" in refused.text, refused.text
    host.run("ip", "address", "add", f"{old}/24", "dev", "eth0")
    succeed(machine, "restore", BACKUP, *lock, "--yes")
    succeed(machine, "node", "readdress", "--to", new, "--yes")
    host.run("ip", "address", "del", f"{old}/24", "dev", "eth0")
    kubernetes.wait_healthy(host, only=["first"])
    assert named(host, old) == []
    assert len(etcd_members(host)) == 1
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"
    assert host.kubectl("get", "secret", "kept", "-o", "jsonpath={.data.password}") == "aHVudGVyMg=="

    host.copy(upstream(recipes.DEFAULT_RELEASE), "/usr/local/bin/kubeadm")
    succeed(machine, "upgrade", "apply", NEW, "--yes", IGNORED, timeout=580)
    assert_images(host, of_kubernetes(["first"], NEW))
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"
