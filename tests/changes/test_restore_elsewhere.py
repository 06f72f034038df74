# SPDX-License-Identifier: Apache-2.0
"""Restores that need more than one command: at another address, and with an external etcd."""

import re

import pytest

from changes.test_backup import PASSPHRASE, replace, revision, unpacked, watch_from
from changes.test_readdress import move, named, other_address
from cluster import kubernetes
from cluster.clusters import INIT, etcd_members
from cluster.conftest import Machine
from cluster.upgrades import HOST, IGNORED, NEW, assert_images, of_kubernetes, upstream
from components import recipes, store

pytestmark = pytest.mark.ours

BACKUP = "/root/backup.tar.zst"
SNAPSHOT = "/root/snapshot.db"
PKI = "/srv/pki"  # of the external etcd and its client
DATA = "/srv/etcd"
EXTERNAL = f"""etcd:
  external:
    endpoints: [https://127.0.0.1:2379]
    caFile: {PKI}/etcd/ca.crt
    certFile: {PKI}/apiserver-etcd-client.crt
    keyFile: {PKI}/apiserver-etcd-client.key
"""
STATIC_PODS = [name for name in kubernetes.STATIC_PODS if name != "etcd"]


@pytest.fixture
def makes(bench, kubeadm, note, request):
    """Returns a function that creates the host `first`, repeatedly. The last one is removed after the test."""
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


def start_etcd(host):
    """Starts etcd as a process without kubeadm."""
    with open(host.logs / "etcd.log", "a", encoding="utf-8") as log:
        host.start("/root/etcd", f"--data-dir={DATA}", "--listen-client-urls=https://127.0.0.1:2379",
                   "--advertise-client-urls=https://127.0.0.1:2379", f"--cert-file={PKI}/etcd/server.crt",
                   f"--key-file={PKI}/etcd/server.key", f"--trusted-ca-file={PKI}/etcd/ca.crt", "--client-cert-auth",
                   output=log)


def test_a_control_plane_comes_back_beside_its_external_etcd(makes):
    def fresh():
        machine = makes()
        machine.host.run("mkdir", "-p", f"{PKI}/etcd")
        for name in ("etcd", "etcdutl"):
            machine.host.copy(store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / name, f"/root/{name}")
        return machine

    machine = fresh()
    host = machine.host
    for name in ("etcd-ca", "etcd-server", "apiserver-etcd-client"):
        succeed(machine, "init", "phase", "certs", name, "--cert-dir", PKI)
    start_etcd(host)
    host.write(INIT, host.read(INIT).replace("networking:", EXTERNAL + "networking:"))
    assert machine.init().code == 0
    kubernetes.wait_healthy(host, static_pods=STATIC_PODS)
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    made = machine.kubeadm("backup", "create", BACKUP, "--plaintext")
    assert made.code == 0 and "the keys of its hosts are not in the backup" in made.text, made.text
    manifest, entries = unpacked(host.path(BACKUP).read_bytes())
    assert manifest["etcd"]["external"] and entries["etcd/snapshot.db"]
    # No image of this etcd is known, so no other etcd can serve the snapshot.
    succeed(machine, "backup", "verify", BACKUP)
    unserved = machine.kubeadm("backup", "verify", BACKUP, "--require-etcd")
    assert unserved.code != 0, unserved.text
    host.kubectl("create", "configmap", "lost", "--from-literal=x=y")
    seen = revision(host, "lost")
    own = [f"{PKI}/etcd/{name}" for name in ("ca.crt", "server.crt", "server.key")]
    machine = replace(host, fresh, [BACKUP, *own])
    host = machine.host
    refused = machine.kubeadm("restore", BACKUP, "--yes")
    assert refused.code != 0 and "kubeadm does not run the etcd of this backup" in refused.text, refused.text
    bump = re.search(r"--bump-revision (\d+) --mark-compacted", refused.text)[1]
    assert "nothing was changed" in refused.text, refused.text
    host.path(SNAPSHOT).write_bytes(entries["etcd/snapshot.db"])
    host.run("/root/etcdutl", "snapshot", "restore", SNAPSHOT, "--data-dir", DATA, "--bump-revision", bump,
             "--mark-compacted")
    start_etcd(host)
    host.service("kubelet", "stop")
    for part in ("pki", "config"):
        succeed(machine, "restore", BACKUP, "--only", part, "--yes")
    host.service("kubelet", "start")
    kubernetes.wait_healthy(host, static_pods=STATIC_PODS)
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"
    host.kubectl("create", "configmap", "later", "--from-literal=x=y")
    assert revision(host, "later") > seen + 900_000_000
    event = watch_from(host, seen)
    assert '"code":410' in event or "too old resource version" in event, event
