# SPDX-License-Identifier: Apache-2.0
"""Backups are written to a bucket of a real S3 server, and restored from it."""

import json
import threading
import time

import pytest

from cluster import kubernetes
from cluster.conftest import Machine
from cluster.processes import wait_until
from components import store

pytestmark = pytest.mark.ours

ROOT = "/srv/s3"
BUCKET = "backups"
ENDPOINT = "http://127.0.0.1:7070"
KEYS = ["AWS_ACCESS_KEY_ID=bench", "AWS_SECRET_ACCESS_KEY=bench-secret", f"AWS_ENDPOINT_URL={ENDPOINT}"]
PASSPHRASE = "/root/passphrase"
LOCK = ("--passphrase-file", PASSPHRASE)


class Server:
    """versitygw, which stores objects as files below ROOT, and unfinished uploads in a hidden directory."""

    def __init__(self, host):
        self._host = host
        self._started = None
        host.copy(store.Builder(lambda _: None).tool("versitygw"), "/usr/local/bin/versitygw")
        host.run("mkdir", "-p", f"{ROOT}/{BUCKET}")
        self.start()

    def start(self):
        with open(self._host.logs / "versitygw.log", "a", encoding="utf-8") as log:
            self._started = self._host.start(
                "env", "ROOT_ACCESS_KEY=bench", "ROOT_SECRET_KEY=bench-secret", "versitygw", "--port", "127.0.0.1:7070",
                "posix", ROOT, output=log,
            )
        assert wait_until(lambda: self._host.run("curl", "-s", ENDPOINT, check=False).returncode == 0, 30)

    def kill(self):
        self._host.kill(self._started)

    def objects(self):
        directory = self._host.path(f"{ROOT}/{BUCKET}")
        return sorted(str(path.relative_to(directory)) for path in directory.rglob("*.age"))


@pytest.fixture
def single(bench, kubeadm, note, request):
    """A control plane with its S3 server, and a function that creates such a host again."""
    made = []

    def fresh():
        machine = Machine(bench.host("first", kubeadm=kubeadm), note)
        made.append(machine)
        machine.host.write(PASSPHRASE, "correct horse battery staple\n", mode=0o600)
        return machine

    request.addfinalizer(lambda: made[-1].host.down())
    machine = fresh()
    assert machine.init().code == 0
    kubernetes.wait_healthy(machine.host, only=["first"])
    yield machine, Server(machine.host), fresh


def on_s3(machine, *command, keys=None, timeout=300):
    return machine.kubeadm(*command, environment=KEYS if keys is None else keys, timeout=timeout)


def succeeds(machine, *command):
    outcome = on_s3(machine, *command)
    assert outcome.code == 0, outcome.text
    return outcome


def test_a_backup_in_a_bucket_comes_back(single):
    machine, server, fresh = single
    host = machine.host
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    succeeds(machine, "backup", "create", f"s3://{BUCKET}/nightly/", *LOCK)
    (name,) = server.objects()
    assert name.startswith("nightly/kubeadm-first-"), name
    place = f"s3://{BUCKET}/{name}"
    assert place in succeeds(machine, "backup", "list", f"s3://{BUCKET}/nightly").text
    assert "No backups" in succeeds(machine, "backup", "list", f"s3://{BUCKET}").text
    shown = json.loads(succeeds(machine, "backup", "inspect", place, *LOCK, "-o", "json").stdout)
    assert shown["manifest"]["node"]["name"] == "first" and shown["path"] == place, shown
    assert "etcd serves the snapshot" in succeeds(machine, "backup", "verify", place, *LOCK, "--require-etcd").text
    refused = on_s3(machine, "backup", "create", place, *LOCK)
    assert refused.code != 0 and "exists already" in refused.text, refused.text

    saved = host.path(f"{ROOT}/{BUCKET}/{name}").read_bytes()
    host.down()
    machine = fresh()
    server = Server(machine.host)
    machine.host.run("mkdir", "-p", f"{ROOT}/{BUCKET}/nightly")
    machine.host.path(f"{ROOT}/{BUCKET}/{name}").write_bytes(saved)
    assert on_s3(machine, "restore", place, *LOCK, "--yes", timeout=400).code == 0
    kubernetes.wait_healthy(machine.host, only=["first"])
    assert machine.host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"


def test_a_timer_backs_up_to_the_bucket_by_files_of_root(single):
    machine, server, _ = single
    host = machine.host
    refused = on_s3(machine, "backup", "schedule", "enable", f"s3://{BUCKET}/daily/", *LOCK, "--dry-run")
    assert refused.code != 0 and "AWS_ACCESS_KEY_ID" in refused.text and "/root/.aws" in refused.text, refused.text
    host.write("/root/.aws/credentials", "[default]\naws_access_key_id=bench\naws_secret_access_key=bench-secret\n",
               mode=0o600)
    host.write("/root/.aws/config", f"[default]\nendpoint_url = {ENDPOINT}\n")
    planned = machine.kubeadm("backup", "schedule", "enable", f"s3://{BUCKET}/daily", *LOCK, "--keep", "2", "--dry-run",
                              "-o", "json")
    assert planned.code == 0, planned.text
    unit = json.loads(planned.stdout)["written"][0]["content"]
    assert "bench-secret" not in unit
    command = unit.split("ExecStart=")[1].split("\n")[0].split()[1:]
    for _ in range(3):
        run = machine.kubeadm(*command, timeout=300)
        assert run.code == 0 and "etcd serves the snapshot" in run.text, run.text
        time.sleep(1)  # so that the next backup's name, which contains the second, differs
    names = server.objects()
    assert len(names) == 2 and all(name.startswith("daily/kubeadm-first-") for name in names), names
    diagnosis = json.loads(machine.kubeadm("doctor", "-o", "json").stdout)
    assert not [one for one in diagnosis["findings"] if one["id"].startswith("backup")], diagnosis


# Location, environment, and a part of the error.
UNUSABLE = [
    (f"s3://{BUCKET}/b.age", [KEYS[0], "AWS_SECRET_ACCESS_KEY=wrong", KEYS[2]], "SignatureDoesNotMatch"),
    (f"s3://{BUCKET}/b.age", ["AWS_ACCESS_KEY_ID=nobody", *KEYS[1:]], "No user exists with the provided access key"),
    (f"s3://{BUCKET}/b.age", [KEYS[2]], "there are no credentials for S3"),
    ("s3://missing/b.age", KEYS, 'the bucket "missing" does not exist'),
    (f"s3://{BUCKET}/b.age", [*KEYS[:2], "AWS_ENDPOINT_URL=http://127.0.0.1:7071"], "127.0.0.1:7071"),
]


def test_an_unusable_bucket_or_key_is_refused(single):
    machine, server, _ = single
    for place, keys, said in UNUSABLE:
        outcome = on_s3(machine, "backup", "create", place, *LOCK, keys=keys)
        assert outcome.code != 0 and said in outcome.text, outcome.text
        assert "bench-secret" not in outcome.text
    plain = on_s3(machine, "backup", "create", f"s3://{BUCKET}/b.tar.zst", "--plaintext")
    assert plain.code != 0 and "unencrypted connection" in plain.text, plain.text
    assert not server.objects()


def test_a_server_that_dies_in_the_middle_leaves_no_backup(single):
    """The S3 server is killed during the upload of a backup with several parts. No backup must remain. The data in etcd
    are random, so that compression does not make them small."""
    machine, server, _ = single
    host = machine.host
    pairs = ["--cert=/etc/kubernetes/pki/etcd/server.crt", "--key=/etc/kubernetes/pki/etcd/server.key",
             "--cacert=/etc/kubernetes/pki/etcd/ca.crt"]
    put = " ".join(["etcdctl", "--endpoints=https://127.0.0.1:2379", *pairs, "put"])
    host.run("sh", "-c", f"for i in $(seq 120); do head -c 750000 /dev/urandom | base64 -w0 | {put} big-$i; done",
             timeout=300)
    outcomes = []
    place = f"s3://{BUCKET}/dies.age"
    creating = threading.Thread(target=lambda: outcomes.append(on_s3(machine, "backup", "create", place, *LOCK)))
    creating.start()
    stored = host.path(ROOT)
    assert wait_until(lambda: any(path.stat().st_size >= 16 << 20 for path in stored.rglob("*") if path.is_file()), 120,
                      pause=0.05)
    server.kill()
    creating.join()
    assert outcomes[0].code != 0 and "127.0.0.1:7070" in outcomes[0].text, outcomes[0].text
    server.start()
    assert not server.objects()
    missing = on_s3(machine, "backup", "verify", place, *LOCK)
    assert missing.code != 0 and "does not exist" in missing.text, missing.text
    begin = time.monotonic()
    succeeds(machine, "backup", "create", place, *LOCK)
    machine.note("backup of 120 MB to the bucket", time.monotonic() - begin)
    succeeds(machine, "backup", "verify", place, *LOCK, "--require-etcd")
