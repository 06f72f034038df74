# SPDX-License-Identifier: Apache-2.0
"""Backups, restores and rollbacks to a backup, killed before a sample of their effects."""

import pytest

from changes.test_backup_s3 import BUCKET, ENDPOINT, LOCK, PASSPHRASE, ROOT, Server
from cluster import kubernetes
from cluster.clusters import etcd_members
from cluster.upgrades import OLD
from kill_points.states import cluster_state, node_state
from kill_points.test_clusters import APPLY, ROLLBACK, Guest, Upgrading, both
from kill_points.trial import Trial

pytestmark = pytest.mark.ours

BACKUPS = "/root/backups"
BACKUP = "/root/backup.tar.zst"
CREDENTIALS = "[default]\naws_access_key_id=bench\naws_secret_access_key=bench-secret\n"


@pytest.fixture
def guest(bench, kubeadm, note):
    made = Guest(bench, kubeadm, note, "guest")
    yield made
    made.down()


def initialised(guest):
    machine = guest.fresh()
    assert machine.init().code == 0
    kubernetes.wait_healthy(machine.host, only=["guest"])
    return machine


def test_a_killed_backup_leaves_no_partial_file(guest, kill_points, report):
    """Each file in the directory of backups must be a complete backup, even after a killed run."""
    machine = initialised(guest)
    machine.host.run("mkdir", BACKUPS)

    def prepare():
        machine.host.run("sh", "-c", f"rm -rf {BACKUPS}/*")
        return machine

    def whole(host):
        names = [path.name for path in host.path(BACKUPS).iterdir()]
        assert names
        broken = [name for name in names if machine.kubeadm("backup", "verify", f"{BACKUPS}/{name}").code != 0]
        files = {path: text for path, text in node_state(host).items() if BACKUPS not in path}
        return files | {"broken": str(broken)}

    Trial("backup create", prepare, ("backup", "create", BACKUPS, "--plaintext"), whole).run(report, kill_points)


def test_a_killed_backup_to_s3_leaves_no_partial_object(guest, kill_points, report):
    machine = initialised(guest)
    host = machine.host
    server = Server(host)
    host.write(PASSPHRASE, "correct horse battery staple\n", mode=0o600)
    host.write("/root/.aws/credentials", CREDENTIALS, mode=0o600)
    host.write("/root/.aws/config", f"[default]\nendpoint_url = {ENDPOINT}\n")

    def prepare():
        host.run("sh", "-c", f"rm -rf {ROOT}/{BUCKET}/*")
        return machine

    def whole(host):
        names = server.objects()
        assert names
        commands = [("backup", "verify", f"s3://{BUCKET}/{name}", *LOCK) for name in names]
        broken = [command[2] for command in commands if machine.kubeadm(*command).code != 0]
        files = {path: text for path, text in node_state(host).items() if ROOT not in path}
        return files | {"broken": str(broken)}

    arguments = ("backup", "create", f"s3://{BUCKET}/", *LOCK)
    Trial("backup create to S3", prepare, arguments, whole).run(report, kill_points)


def test_restore(guest, kill_points, report):
    machine = initialised(guest)
    outcome = machine.kubeadm("backup", "create", BACKUP, "--plaintext")
    assert outcome.code == 0, outcome.text
    content = machine.host.path(BACKUP).read_bytes()

    def prepare():
        fresh = guest.fresh()
        fresh.host.path(BACKUP).write_bytes(content)
        return fresh

    def state(host):
        kubernetes.wait_healthy(host, only=["guest"])
        return both(host) | {"members": str(len(etcd_members(host)))}

    Trial("restore", prepare, ("restore", BACKUP, "--yes"), state).run(report, kill_points)


def test_a_rollback_with_data(bench, kubeadm, note, request, kill_points, report):
    made = Upgrading(bench, kubeadm, note, ["alpha"])
    request.addfinalizer(made.cluster.down)
    host = made.cluster.first.host
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    upgrade = made.brought_to(OLD, ROLLBACK)

    def prepare():
        machine = upgrade()
        outcome = machine.kubeadm(*APPLY, timeout=400)
        assert outcome.code == 0, outcome.text
        machine.host.kubectl("create", "configmap", "lost", "--from-literal=x=y")
        return machine

    def state(restored):
        return node_state(restored) | cluster_state(restored)

    trial = Trial("upgrade rollback --with-data", prepare, (*ROLLBACK, "--with-data"), state)
    trial.synced_by_program.append("/var/lib/etcd")
    trial.run(report, kill_points)
