# SPDX-License-Identifier: Apache-2.0
"""An upgrade first backs up its node. If it fails, etcd's data are restored from that backup, and no watcher misses
events."""

import json
import re
import threading

import pytest

from cluster import kubernetes
from cluster.conftest import Machine
from cluster.processes import wait_until
from cluster.upgrades import (
    IGNORED,
    NEW,
    OLD,
    apply,
    assert_images,
    assert_old_and_serves,
    kubernetes_version,
    made_by_upstream,
    of_kubernetes,
    patch,
    take_new_kubeadm,
)
from components import recipes

pytestmark = pytest.mark.ours

BACKUPS = "/var/lib/slipway/upgrade-backups"
OLD_ETCD = recipes.RELEASES[recipes.PREVIOUS_RELEASE].etcd
NEW_ETCD = recipes.RELEASES[recipes.DEFAULT_RELEASE].etcd
# etcd runs, and migrates its data to its version, but refuses every client.
DEAF = "- {op: add, path: /spec/containers/0/command/-, value: --client-cert-allowed-hostname=nobody.invalid}"
IMPATIENT = f"""apiVersion: kubeadm.k8s.io/v1beta4
kind: UpgradeConfiguration
apply: {{ignorePreflightErrors: [{IGNORED.partition("=")[2].replace(",", ", ")}], patches: {{directory: /root/patches}}}}
timeouts: {{upgradeManifests: 1m0s}}
"""


@pytest.fixture
def single(bench, kubeadm, note, request):
    cluster = made_by_upstream(bench, note, ["alpha"])
    request.addfinalizer(cluster.down)
    take_new_kubeadm(cluster, kubeadm)
    yield cluster.first


def backups(host):
    return sorted(path for path in host.path(BACKUPS).iterdir() if path.name.endswith(".tar.zst"))


def latest_revision(host):
    listed = json.loads(host.kubectl("get", "--raw", "/api/v1/namespaces/default/configmaps?limit=1"))
    return int(listed["metadata"]["resourceVersion"])


def write(host, name):
    host.kubectl("create", "configmap", name, "--from-literal=x=y")


def assert_no_watcher_is_blind(host, seen):
    """Checks that a client which watches from a lost revision is told to list again. Otherwise it would get no
    events."""
    write(host, "after")
    path = f"/api/v1/namespaces/default/configmaps?watch=1&resourceVersion={seen}&timeoutSeconds=20"
    event = host.kubectl("get", "--raw", path, check=False, timeout=60)
    assert '"code":410' in event or "too old resource version" in event, event
    assert latest_revision(host) > seen + 1_000_000


def assert_gone(host, name):
    assert "NotFound" in host.run("kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf", "get", "configmap", name,
                                  check=False).stderr


def test_a_rollback_with_data_crosses_the_minor_version(single):
    host = single.host
    write(host, "kept")
    refused = single.kubeadm("upgrade", "rollback", "--with-data", "--yes")
    assert refused.code != 0 and "no upgrade of this node" in refused.text, refused.text
    outcome = apply(single)
    assert outcome.code == 0, outcome.text
    (backup,) = backups(host)
    assert f"{BACKUPS}/{backup.name}: " in outcome.text and "not encrypted" in outcome.text, outcome.text
    assert backup.stat().st_mode & 0o777 == 0o600 and backup.parent.stat().st_mode & 0o777 == 0o700
    listed = single.kubeadm("backup", "list", BACKUPS)
    assert listed.code == 0 and backup.name in listed.text, listed.text
    assert f"etcd:{NEW_ETCD}" in host.read("/etc/kubernetes/manifests/etcd.yaml")

    for number in range(20):
        write(host, f"lost-{number}")
    seen = latest_revision(host)
    content = backup.read_bytes()
    damaged = bytearray(content)
    damaged[len(damaged) // 2] ^= 1
    backup.write_bytes(bytes(damaged))
    refused = single.kubeadm("upgrade", "rollback", "--with-data", "--yes")
    assert refused.code != 0, refused.text
    kubernetes.wait_healthy(host)
    backup.write_bytes(content)
    planned = single.kubeadm("upgrade", "rollback", "--with-data", "--dry-run")
    assert planned.code == 0, planned.text
    count, now, then = map(int, re.search(r"(\d+) writes since the backup are lost: etcd is at revision (\d+), and the "
                                          r"backup at (\d+)", planned.text).groups())
    assert count == now - then >= 20 and now >= seen, planned.text

    outcome = single.kubeadm("upgrade", "rollback", "--with-data", "--yes", timeout=400)
    assert outcome.code == 0, outcome.text
    assert f"etcd:{OLD_ETCD}" in host.read("/etc/kubernetes/manifests/etcd.yaml")
    assert kubernetes_version(host) == OLD
    assert_old_and_serves(host)
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"
    assert_gone(host, "lost-7")
    assert_no_watcher_is_blind(host, seen)
    # The same upgrade succeeds without the fault.
    outcome = apply(single)
    assert outcome.code == 0, outcome.text
    assert_images(host, of_kubernetes([host.name], NEW))


def test_no_watcher_is_blind_after_a_failed_upgrade(single):
    """The new etcd migrates its data and then refuses clients, so that the upgrade fails. The old etcd cannot read the
    migrated data, which must be restored from the backup."""
    host = single.host
    patch(host, "etcd0+json", DEAF)
    host.write("/root/upgrade.yaml", IMPATIENT)
    seen = [latest_revision(host)]
    stop = threading.Event()

    def keep_writing():
        for number in range(10_000):
            if stop.is_set():
                return
            made = host.run("kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf", "--request-timeout=2s", "create",
                            "configmap", f"during-{number}", "-o", "jsonpath={.metadata.resourceVersion}", check=False)
            if made.returncode == 0:
                seen.append(int(made.stdout))

    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        outcome = single.kubeadm("upgrade", "apply", NEW, "--yes", "--config", "/root/upgrade.yaml", timeout=580)
    finally:
        stop.set()
        writer.join()
    assert outcome.code == 1 and "Putting back etcd's data" in outcome.text, outcome.text
    assert "The old manifests are back" in outcome.text, outcome.text
    assert_old_and_serves(host)
    before = [revision for revision in seen if revision < 1_000_000_000]
    assert len(before) > 3, seen
    assert_no_watcher_is_blind(host, max(before))


def test_an_upgrade_without_a_backup(single, bench, kubeadm, note, request):
    host = single.host
    host.run("mkdir", "-p", BACKUPS)
    host.run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", BACKUPS)
    outcome = apply(single)
    assert outcome.code == 0 and "this node is not backed up" in outcome.text, outcome.text
    assert not backups(host)
    refused = single.kubeadm("upgrade", "rollback", "--with-data", "--yes")
    assert refused.code != 0 and "the upgrade made no backup" in refused.text, refused.text
    host.run("umount", BACKUPS)
    again = single.kubeadm("upgrade", "rollback", "--yes", timeout=400)
    assert again.code == 0, again.text
    outcome = apply(single, "--no-backup")
    assert outcome.code == 0 and "[upgrade/backup]" not in outcome.text, outcome.text
    assert not backups(host)


def test_a_reset_makes_a_backup_only_if_asked(bench, kubeadm, note, request):
    machine = Machine(bench.host("first", kubeadm=kubeadm), note)
    host = machine.host
    request.addfinalizer(host.down)
    assert machine.init().code == 0
    kubernetes.wait_healthy(host, only=["first"])
    refused = machine.kubeadm("reset", "--force", "--backup", "/var/lib/etcd/b.tar.zst", "--plaintext")
    assert refused.code != 0 and "the reset removes the files in /var/lib/etcd" in refused.text, refused.text
    refused = machine.kubeadm("reset", "--force", "--backup", "/root/b.tar.zst")
    assert refused.code != 0 and "--plaintext" in refused.text, refused.text
    refused = machine.kubeadm("reset", "--force", "--backup", "/none/b.tar.zst", "--plaintext")
    assert refused.code != 0 and "nothing was reset" in refused.text, refused.text
    kubernetes.wait_healthy(host, only=["first"])
    host.write(f"{BACKUPS}/kubeadm-first-20260101T000000Z.tar.zst", "of an upgrade")
    outcome = machine.kubeadm("reset", "--force", "--backup", "/root/b.tar.zst", "--plaintext", timeout=300)
    assert outcome.code == 0, outcome.text
    assert wait_until(lambda: not host.path(BACKUPS).exists(), 5), "keys must not stay on a retired host"
    assert host.path("/root/b.tar.zst").stat().st_mode & 0o777 == 0o600
    verified = machine.kubeadm("backup", "verify", "/root/b.tar.zst", timeout=200)
    assert verified.code == 0, verified.text
