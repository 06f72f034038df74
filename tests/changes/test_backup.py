# SPDX-License-Identifier: Apache-2.0
"""A control plane is backed up, lost, and restored: kubeadm backup, kubeadm restore."""

import base64
import contextlib
import ctypes
import io
import json
import os
import pty
import subprocess
import tarfile
import time

import pytest

from cluster import kubernetes
from cluster.clusters import INIT, Cluster, etcd_members
from cluster.conftest import Machine
from cluster.processes import wait_until
from components import store

pytestmark = pytest.mark.ours

BACKUP = "/root/backup.tar.zst.age"
IDENTITY = "/root/backup.key"
PASSPHRASE = "/root/passphrase"
JOURNAL = "/var/lib/slipway/operation-restore.json"
SCRATCH = "/var/lib/slipway/backup-verify"
ENCRYPTION = "/etc/encryption/config.yaml"
KEYS = f"""
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - secretbox: {{keys: [{{name: one, secret: {base64.b64encode(b"k" * 32).decode()}}}]}}
  - identity: {{}}
"""
API_SERVER = """apiServer:
  extraArgs: [{name: encryption-provider-config, value: /etc/encryption/config.yaml}]
  extraVolumes: [{name: encryption, hostPath: /etc/encryption, mountPath: /etc/encryption, readOnly: true}]
"""
ZSTD = ctypes.CDLL("libzstd.so.1")
for function in (ZSTD.ZSTD_compressBound, ZSTD.ZSTD_compress, ZSTD.ZSTD_decompress):
    function.restype = ctypes.c_size_t
LARGEST = 256 << 20  # bytes of an unpacked backup


@pytest.fixture(scope="session")
def age():
    """The programs age and age-keygen of the format's authors."""
    builder = store.Builder(lambda _: None)
    return {name: str(builder.tool(name)) for name in ("age", "age-keygen")}


@pytest.fixture(scope="session")
def identity(age, tmp_path_factory):
    """A file with an identity, and the identity's recipient."""
    path = tmp_path_factory.mktemp("age") / "backup.key"
    subprocess.run([age["age-keygen"], "-o", str(path)], check=True, capture_output=True)
    recipient = subprocess.run([age["age-keygen"], "-y", str(path)], check=True, capture_output=True, text=True)
    return path, recipient.stdout.strip()


@pytest.fixture
def single(bench, kubeadm, note, request):
    """A control plane with encrypted Secrets, and a function that creates such a host again."""
    made = []

    def fresh():
        machine = Machine(bench.host("first", kubeadm=kubeadm), note)
        made.append(machine)
        return machine

    request.addfinalizer(lambda: made[-1].host.down())
    machine = fresh()
    machine.host.write(ENCRYPTION, KEYS, mode=0o600)
    machine.host.write(INIT, machine.host.read(INIT).replace("networking:", API_SERVER + "networking:"))
    assert machine.init().code == 0
    kubernetes.wait_healthy(machine.host, only=["first"])
    yield machine, fresh


def create(machine, *arguments, path=BACKUP):
    outcome = machine.kubeadm("backup", "create", path, *arguments, timeout=300)
    assert outcome.code == 0, outcome.text
    return outcome


def revision(host, name):
    return int(host.kubectl("get", "configmap", name, "-o", "jsonpath={.metadata.resourceVersion}"))


def replace(host, fresh, files):
    """Destroys the host, and creates another one with its name and address. Copies `files` to it."""
    address = host.address
    saved = {path: host.path(path).read_bytes() for path in files}
    host.down()
    machine = fresh()
    assert machine.host.address == address
    for path, content in saved.items():
        machine.host.path(path).write_bytes(content)
        machine.host.path(path).chmod(0o600)
    return machine


def watch_from(host, resource_version):
    """Returns the events of a watch of ConfigMaps from that revision, which lasts at most 20 s."""
    path = f"/api/v1/namespaces/default/configmaps?watch=1&resourceVersion={resource_version}&timeoutSeconds=20"
    return host.kubectl("get", "--raw", path, check=False, timeout=60)


def test_a_lost_control_plane_comes_back(single, identity, note):
    machine, fresh = single
    host = machine.host
    key, recipient = identity
    host.copy(key, IDENTITY)
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    host.kubectl("create", "secret", "generic", "kept", "--from-literal=password=hunter2")
    host.run("mv", ENCRYPTION, ENCRYPTION + ".away")
    refused = machine.kubeadm("backup", "create", BACKUP, "--recipient", recipient)
    assert refused.code != 0 and ENCRYPTION in refused.text, refused.text
    assert "--encryption-provider-config" in refused.text and not host.path(BACKUP).exists(), refused.text
    host.run("mv", ENCRYPTION + ".away", ENCRYPTION)
    create(machine, "--recipient", recipient)
    assert host.path(BACKUP).stat().st_mode & 0o777 == 0o600
    assert b"hunter2" not in host.path(BACKUP).read_bytes()
    shown = machine.kubeadm("backup", "inspect", BACKUP, "--identity", IDENTITY, "-o", "json")
    manifest = json.loads(shown.stdout)["manifest"]
    assert manifest["node"]["address"] == host.address, manifest
    assert any(file["path"] == "/etc/kubernetes/pki/ca.key" for file in manifest["files"]), manifest
    # The node's own etcd image serves the snapshot. The node does not change.
    verified = machine.kubeadm("backup", "verify", BACKUP, "--identity", IDENTITY, "--require-etcd", timeout=300)
    assert verified.code == 0, verified.text
    assert "etcd serves the snapshot" in verified.text, verified.text
    assert not host.path(SCRATCH).exists()
    kubernetes.wait_healthy(host, only=["first"])
    # Writes after the backup are lost, although a client has seen their revisions.
    host.kubectl("create", "configmap", "lost", "--from-literal=x=y")
    seen = revision(host, "lost")
    assert seen > manifest["etcd"]["revision"]

    machine = replace(host, fresh, [BACKUP, IDENTITY])
    host = machine.host
    shown = machine.kubeadm("restore", BACKUP, "--identity", IDENTITY, "--dry-run")
    assert shown.code == 0 and "All preconditions are met" in shown.text, shown.text
    assert not host.path("/etc/kubernetes/pki/ca.crt").exists()
    begin = time.monotonic()
    outcome = machine.kubeadm("restore", BACKUP, "--identity", IDENTITY, "--yes", timeout=400)
    assert outcome.code == 0, outcome.text
    note("restored", time.monotonic() - begin)
    assert not host.path(JOURNAL).exists()
    kubernetes.wait_healthy(host, only=["first"])
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"
    assert host.kubectl("get", "secret", "kept", "-o", "jsonpath={.data.password}") == "aHVudGVyMg=="
    assert "NotFound" in host.run("kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf", "get", "configmap", "lost",
                                  check=False).stderr
    assert len(etcd_members(host)) == 1
    # A client that watches from the lost revision is told to list again.
    host.kubectl("create", "configmap", "later", "--from-literal=x=y")
    assert revision(host, "later") > seen
    event = watch_from(host, seen)
    assert '"code":410' in event or "too old resource version" in event, event
    drifted = machine.kubeadm("drift")
    assert drifted.code == 0, drifted.text
    # A restore refuses a node that has a cluster.
    refused = machine.kubeadm("restore", BACKUP, "--identity", IDENTITY, "--yes")
    assert refused.code != 0 and "has data of etcd already" in refused.text, refused.text


def test_a_daily_run_verifies_records_and_removes(single, identity):
    machine = single[0]
    host = machine.host
    recipient = identity[1]
    arguments = ["/srv/backups", "--recipient", recipient, "--keep", "2"]
    planned = machine.kubeadm("backup", "schedule", "enable", *arguments, "--dry-run", "-o", "json")
    files = json.loads(planned.stdout)["written"]
    command = files[0]["content"].split("ExecStart=")[1].split()
    assert command[1:] == ["backup", "schedule", "run", "/srv/backups", f"--recipient={recipient}", "--keep=2"], files
    # The directory may be a disk that is not mounted. It must not be created, and the failure must become an Event of
    # the node.
    failed = machine.kubeadm(*command[1:], "--textfile", "/root/backup.prom", timeout=300)
    assert failed.code != 0 and "there is no directory /srv/backups" in failed.text, failed.text
    assert not host.path("/srv/backups").exists()
    events = host.kubectl("get", "events", "-n", "default", "-o", "jsonpath={.items[*].reason}")
    assert "BackupFailed" in events.split(), events
    assert "kubeadm_backup_last_run_success 0\n" in host.read("/root/backup.prom")

    host.run("mkdir", "-m", "0700", "/srv/backups")
    host.write("/srv/backups/kubeadm-first-20200101T000000Z.tar.zst.age", "old")
    host.write("/srv/backups/notes.txt", "mine")
    for _ in range(2):
        run = machine.kubeadm(*command[1:], "--textfile", "/root/backup.prom", timeout=300)
        assert run.code == 0 and "etcd serves the snapshot" in run.text, run.text
        time.sleep(1)  # so that the next backup's name, which contains the second, differs
    names = sorted(path.name for path in host.path("/srv/backups").iterdir())
    assert len(names) == 3 and "notes.txt" in names, names
    assert "kubeadm-first-20200101T000000Z.tar.zst.age" not in names
    assert "kubeadm_backup_last_run_success 1\n" in host.read("/root/backup.prom")
    diagnosis = json.loads(machine.kubeadm("doctor", "-o", "json").stdout)
    assert not [one for one in diagnosis["findings"] if one["id"].startswith("backup")], diagnosis


def rules_of(host, address):
    """Returns whether the host's NAT rules, which kube-proxy writes, contain that address."""
    return address in host.run("iptables-save", "-t", "nat", check=False).stdout


def test_a_worker_follows_although_it_has_seen_later_revisions(single, identity, bench, kubeadm, note, request):
    machine, fresh = single
    host = machine.host
    key, recipient = identity
    host.copy(key, IDENTITY)
    worker = Machine(bench.host("worker", kubeadm=kubeadm), note)
    request.addfinalizer(worker.host.down)
    command = host.run("kubeadm", "token", "create", "--print-join-command").stdout.split()
    assert worker.join(*command[2:]).code == 0
    kubernetes.wait_healthy(host, expected_nodes=["first", "worker"])
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    create(machine, "--recipient", recipient)
    for number in range(40):  # 25 writes in each round, which the worker's kubelet and kube-proxy see
        text = "".join(service(f"lost-{number}-{each}") for each in range(25))
        host.kubectl("create", "-f", "-", stdin=text)
    seen = revision(host, "kept")
    latest = json.loads(host.kubectl("get", "--raw", "/api/v1/services?limit=1"))["metadata"]["resourceVersion"]
    assert int(latest) > seen + 1000
    # After the second restore of the same backup, the worker has also seen the revisions of the first one.
    for life in (1, 2):
        machine = replace(host, fresh, [BACKUP, IDENTITY])
        host = machine.host
        outcome = machine.kubeadm("restore", BACKUP, "--identity", IDENTITY, "--yes", timeout=400)
        assert outcome.code == 0, outcome.text
        begin = time.monotonic()
        address = f"10.244.9.{life}"
        host.kubectl("create", "-f", "-", stdin=service("new", "10.96.77.77") + ENDPOINTS.replace("ADDRESS", address))
        assert wait_until(lambda: rules_of(worker.host, address), timeout=60), "kube-proxy is blind"  # noqa: B023
        note(f"kube-proxy of the worker follows, restore {life}", time.monotonic() - begin)
        kubernetes.wait_healthy(host, expected_nodes=["first", "worker"])
        assert "lost-" not in host.kubectl("get", "services")
        for number in range(4):
            host.kubectl("create", "-f", "-", stdin="".join(service(f"lost-{number}-{each}") for each in range(25)))


def service(name, address=None):
    text = f"apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec:\n  ports: [{{port: 80}}]\n"
    return text + (f"  clusterIP: {address}\n" if address else "") + "---\n"


ENDPOINTS = """
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: new-1, labels: {kubernetes.io/service-name: new}}
addressType: IPv4
ports: [{port: 80}]
endpoints: [{addresses: [ADDRESS]}]
"""


def test_one_of_three_is_restored_and_the_others_join_again(bench, kubeadm, note, request, identity):
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    key, recipient = identity
    cluster.create(["cp-one", "cp-two", "cp-three"])
    second = cluster.machines[1]  # its etcd manifest names the first node as a peer
    second.host.copy(key, IDENTITY)
    create(second, "--recipient", recipient)
    saved = {path: second.host.path(path).read_bytes() for path in (BACKUP, IDENTITY)}
    address = second.host.address
    outcome = second.kubeadm("reset", "-f", timeout=200)
    assert outcome.code == 0, outcome.text
    refused = second.kubeadm("restore", BACKUP, "--identity", IDENTITY, "--yes", timeout=100)
    assert refused.code != 0 and "its etcd members cp-one, cp-three have a majority" in refused.text, refused.text
    assert "nothing was changed" in refused.text and not second.host.path("/etc/kubernetes/pki/ca.crt").exists()
    for machine in cluster.machines:
        machine.host.down()
    cluster.machines.clear()
    slots = [bench.host(f"unused-{number}") for number in range(1)]
    request.addfinalizer(lambda: [host.down() for host in slots])
    restored = cluster.machine("cp-two")
    assert restored.host.address == address
    for path, content in saved.items():
        restored.host.path(path).write_bytes(content)
    outcome = restored.kubeadm("restore", BACKUP, "--identity", IDENTITY, "--yes", timeout=400)
    assert outcome.code == 0, outcome.text
    assert "cp-one is no longer a member of etcd" in outcome.text, outcome.text
    assert len(etcd_members(restored.host)) == 1
    restored.host.kubectl("delete", "node", "cp-one", "cp-three")
    cluster.join_control_plane("cp-three")
    assert len(etcd_members(restored.host)) == 2
    kubernetes.wait_healthy(restored.host, only=["cp-two", "cp-three"])


def test_a_killed_restore_is_resumed(single):
    machine, fresh = single
    host = machine.host
    host.write(PASSPHRASE, "correct horse battery staple\n", mode=0o600)
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    create(machine, "--passphrase-file", PASSPHRASE)
    machine = replace(host, fresh, [BACKUP, PASSPHRASE])
    host = machine.host
    command = ("kubeadm", "restore", BACKUP, "--passphrase-file", PASSPHRASE, "--yes")
    for seconds in (1.5, 2, 3, 4, 6, 9):
        host.run("timeout", "-s", "KILL", str(seconds), *command, check=False)
    outcome = host.run(*command, check=False, timeout=400)
    if outcome.returncode != 0:  # the last run had finished before it was killed
        assert "has data of etcd already" in outcome.stderr, outcome.stdout + outcome.stderr
    assert not host.path(JOURNAL).exists()
    assert not host.path("/var/lib/etcd/restoring").exists()
    kubernetes.wait_healthy(host, only=["first"])
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"


@contextlib.contextmanager
def full_disk(host, directory, size):
    """Mounts an empty file system on the directory during the block. `size` is too small for the command's files."""
    host.run("mkdir", "-p", "-m", "0700", directory)
    host.run("mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", directory)
    try:
        yield
    finally:
        host.run("umount", directory)


def test_a_full_disk_leaves_no_part_of_a_backup_or_restore(single):
    machine, fresh = single
    host = machine.host
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    with full_disk(host, "/srv/small", "64k"):
        for target in ("/srv/small", "/srv/small/one.tar.zst"):
            failed = machine.kubeadm("backup", "create", target, "--plaintext", timeout=300)
            assert failed.code != 0 and "No space left on device" in failed.stderr, failed.text
            assert "/srv/small" in failed.stderr, failed.text
            assert host.run("ls", "-A", "/srv/small").stdout == ""
        host.write("/srv/small/kubeadm-first-20200101T000000Z.tar.zst", "old")
        failed = machine.kubeadm("backup", "schedule", "run", "/srv/small", "--plaintext", "--keep", "1", timeout=300)
        assert failed.code != 0 and "No space left on device" in failed.stderr, failed.text
        assert host.run("ls", "-A", "/srv/small").stdout == "kubeadm-first-20200101T000000Z.tar.zst\n"
    create(machine, "--plaintext")
    with full_disk(host, "/var/lib/slipway", "1m"):
        failed = machine.kubeadm("backup", "verify", BACKUP, timeout=300)
        assert failed.code != 0 and "KiB free, and verifying needs" in failed.text, failed.text
    verified = machine.kubeadm("backup", "verify", BACKUP, timeout=300)
    assert verified.code == 0, verified.text

    machine = replace(host, fresh, [BACKUP])
    host = machine.host
    with full_disk(host, "/var/lib/etcd", "1m"):
        failed = machine.kubeadm("restore", BACKUP, "--yes", timeout=300)
        assert failed.code != 0 and "the restore needs" in failed.text, failed.text
        assert "nothing was changed" in failed.text and not host.path(JOURNAL).exists(), failed.text
    with full_disk(host, "/etc/kubernetes", "32k"):
        failed = machine.kubeadm("restore", BACKUP, "--yes", timeout=300)
        assert failed.code != 0 and "No space left on device" in failed.text, failed.text
        assert host.run("ls", "-A", "/etc/kubernetes/manifests", check=False).stdout == ""
    restored = machine.kubeadm("restore", BACKUP, "--yes", timeout=300)
    assert restored.code == 0, restored.text
    kubernetes.wait_healthy(host, only=["first"])
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"


def test_parts_come_back_one_by_one(single):
    machine, fresh = single
    host = machine.host
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    create(machine, "--plaintext")
    machine = replace(host, fresh, [BACKUP])
    host = machine.host
    host.service("kubelet", "stop")
    for part in ("etcd", "pki", "config"):
        outcome = machine.kubeadm("restore", BACKUP, "--only", part, "--yes", timeout=200)
        assert outcome.code == 0, outcome.text
    again = machine.kubeadm("restore", BACKUP, "--only", "pki", "--yes")
    assert again.code == 0, again.text
    host.service("kubelet", "start")
    kubernetes.wait_healthy(host, only=["first"])
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"
    host.write("/etc/kubernetes/pki/sa.pub", "another")
    refused = machine.kubeadm("restore", BACKUP, "--only", "pki", "--yes")
    assert refused.code != 0 and "/etc/kubernetes/pki/sa.pub exists with other content" in refused.text, refused.text
    refused = machine.kubeadm("restore", BACKUP, "--only", "etcd", "--yes")
    assert refused.code != 0 and "nothing was changed" in refused.text, refused.text


def test_hostile_files_change_nothing(single, identity, age, tmp_path):
    machine, fresh = single
    host = machine.host
    key, recipient = identity
    host.copy(key, IDENTITY)
    create(machine, "--recipient", recipient)
    create(machine, "--plaintext", path="/root/plain.tar.zst")
    whole = host.path(BACKUP).read_bytes()
    plain = host.path("/root/plain.tar.zst").read_bytes()
    other = tmp_path / "other.key"
    subprocess.run([age["age-keygen"], "-o", str(other)], check=True, capture_output=True)
    host.down()
    machine = fresh()
    host = machine.host
    host.copy(key, IDENTITY)
    host.copy(other, "/root/other.key")
    before = host.run("find", "/etc/kubernetes", "/var/lib/etcd", "/var/lib/kubelet").stdout

    def refused(content, because, identity_path=IDENTITY):
        host.path(BACKUP).write_bytes(content)
        outcome = machine.kubeadm("restore", BACKUP, "--identity", identity_path, "--yes")
        assert outcome.code != 0 and because in outcome.text, outcome.text
        assert "nothing was changed" in outcome.text, outcome.text
        assert host.run("find", "/etc/kubernetes", "/var/lib/etcd", "/var/lib/kubelet").stdout == before

    refused(whole[: len(whole) // 2], "truncated")
    refused(whole[:-1], "truncated")
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 1
    refused(bytes(flipped), "changed")
    refused(whole, "none of the identities", "/root/other.key")
    refused(b"#!/bin/sh\n", "not a backup")
    # Backups are not signed. An attacker can create these archives, and encrypt them with a public key.
    manifest, entries = unpacked(plain)
    refused(packed({**manifest, "version": 2}, entries), "format 2")
    refused(packed(manifest, entries, escape="../../etc/cron.d/job"), "unsafe name")
    refused(packed(manifest, entries, escape="/etc/cron.d/job"), "unsafe name")
    refused(packed(manifest, entries, link=True), "not a plain file")
    refused(packed(manifest, entries, escape="files/etc/cron.d/job"), "does not name")
    outward = {**manifest, "files": [{**manifest["files"][0], "path": "/etc/../root/.ssh/authorized_keys"}]}
    refused(packed(outward, entries), "unsafe name")
    assert not host.path("/etc/cron.d/job").exists()


def unpacked(content):
    """Returns the manifest and the other files of an unencrypted backup."""
    with tarfile.open(fileobj=io.BytesIO(decompressed(content))) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive}
    return json.loads(files.pop("manifest.json")), files


def packed(manifest, entries, escape=None, link=False):
    """Returns a backup of these files, with an additional file named `escape`, or with a link."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **entries}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
            if escape and name == "manifest.json":
                archive.addfile(tarfile.TarInfo(escape))
            if link and name == "manifest.json":
                entry = tarfile.TarInfo("files/etc/kubernetes/admin.conf")
                entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/shadow"
                archive.addfile(entry)
    return compressed(output.getvalue())


def compressed(data):
    """Compresses the data with zstd's reference library. Returns the frame."""
    output = ctypes.create_string_buffer(ZSTD.ZSTD_compressBound(ctypes.c_size_t(len(data))))
    size = ZSTD.ZSTD_compress(output, ctypes.c_size_t(len(output)), data, ctypes.c_size_t(len(data)), 3)
    return output.raw[:size]


def decompressed(frame):
    output = ctypes.create_string_buffer(LARGEST)
    size = ZSTD.ZSTD_decompress(output, ctypes.c_size_t(LARGEST), frame, ctypes.c_size_t(len(frame)))
    assert size < LARGEST, "an error of zstd"
    return output.raw[:size]


def with_terminal(argv, passphrase, output):
    """Runs age in a pseudo-terminal, and enters the passphrase at each prompt. Returns the content of `output`."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(argv[0], argv)
    said = b""
    while True:
        try:
            said += os.read(terminal, 1024)
        except OSError:
            break
        if b"passphrase" in said:
            os.write(terminal, passphrase.encode() + b"\n")
            said = b""
    assert os.waitpid(child, 0)[1] == 0
    return output.read_bytes()


def test_the_age_program_reads_and_makes_backups(single, identity, age, tmp_path):
    machine, _ = single
    host = machine.host
    key, recipient = identity
    host.copy(key, IDENTITY)
    host.write(PASSPHRASE, "correct horse\n", mode=0o600)
    create(machine, "--recipient", recipient)
    create(machine, "--passphrase-file", PASSPHRASE, path="/root/by-passphrase.age")
    decrypted = tmp_path / "b.tar.zst"
    subprocess.run([age["age"], "-d", "-i", str(key), "-o", decrypted, host.path(BACKUP)], check=True)
    manifest, files = unpacked(decrypted.read_bytes())
    assert manifest["node"]["name"] == "first"
    assert "etcd/snapshot.db" in files and "SHA256SUMS" in files
    (tmp_path / "by-passphrase.age").write_bytes(host.path("/root/by-passphrase.age").read_bytes())
    opened = tmp_path / "by-passphrase.tar.zst"
    content = with_terminal(
        [age["age"], "-d", "-o", str(opened), str(tmp_path / "by-passphrase.age")], "correct horse", opened
    )
    assert unpacked(content)[0]["id"] != manifest["id"]
    # The other direction: kubeadm reads files that age has encrypted.
    subprocess.run([age["age"], "-r", recipient, "-o", tmp_path / "made.age", decrypted], check=True)
    host.copy(tmp_path / "made.age", "/root/made.tar.zst.age")
    made = tmp_path / "made-by-passphrase.age"
    with_terminal([age["age"], "-p", "-o", str(made), str(decrypted)], "correct horse", made)
    host.copy(made, "/root/made-by-passphrase.tar.zst.age")
    for path, keys in (("/root/made.tar.zst.age", ("--identity", IDENTITY)),
                       ("/root/made-by-passphrase.tar.zst.age", ("--passphrase-file", PASSPHRASE))):
        outcome = machine.kubeadm("backup", "verify", path, *keys, timeout=300)
        assert outcome.code == 0, outcome.text
    listed = machine.kubeadm("backup", "list", "/root", "--identity", IDENTITY)
    assert listed.code == 0 and "made.tar.zst.age" in listed.text, listed.text
