# SPDX-License-Identifier: Apache-2.0
"""`kubeadm etcd` against real etcd processes, from a root directory that looks like a control plane's."""

import base64
import hashlib
import http.client
import json
import os
import shutil
import ssl
import subprocess
import time

import pytest

from control_plane import program
from test_etcd import NAMES, Cluster, etcd_driver  # noqa: F401  # pylint: disable=unused-import

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="--rootfs needs root")

API_SERVER = """apiVersion: v1
kind: Pod
metadata: {{name: kube-apiserver}}
spec:
  containers:
  - name: kube-apiserver
    command:
    - kube-apiserver
    - --etcd-servers={servers}
    - --etcd-cafile=/etc/kubernetes/pki/ca.crt
    - --etcd-certfile=/etc/kubernetes/pki/etcd.crt
    - --etcd-keyfile=/etc/kubernetes/pki/etcd.key
    volumeMounts:
    - {{name: k8s-certs, mountPath: /etc/kubernetes/pki}}
  volumes:
  - {{name: k8s-certs, hostPath: {{path: /etc/kubernetes/pki}}}}
"""
QUOTA = 16 << 20  # bytes, for the members in a test of the alarm NOSPACE
HEALING_LIMIT = 60  # seconds, from the start of the command to a healthy etcd that takes writes
VALUE = base64.b64encode(os.urandom(200_000)).decode()


class Node:
    """A root directory with the files of a control plane, in which kubeadm runs."""

    def __init__(self, root, cluster, kubeadm):
        self.root, self.cluster, self.kubeadm = root, cluster, kubeadm
        pki = root / "etc/kubernetes/pki"
        manifests = root / "etc/kubernetes/manifests"
        pki.mkdir(parents=True)
        manifests.mkdir()
        for name in ("ca.crt", "etcd.crt", "etcd.key"):
            shutil.copy(cluster.certificates.path(name), pki / name)
        servers = ",".join(cluster.client.values())
        (manifests / "kube-apiserver.yaml").write_text(API_SERVER.format(servers=servers))

    def run(self, *words, stdin="", code=0):
        done = subprocess.run([self.kubeadm, "--rootfs", self.root, "etcd", *words], capture_output=True, text=True,
                              input=stdin, timeout=300, check=False)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def ask(self, *words):
        return json.loads(self.run(*words, "-o", "json").stdout)

    def fails(self, *words, stdin=""):
        return self.run(*words, stdin=stdin, code=1).stderr


@pytest.fixture
def three(tmp_path, etcd_driver, request):  # noqa: F811  # pylint: disable=redefined-outer-name
    """A node with a cluster of three etcd members."""
    made = Cluster(tmp_path / "etcd", etcd_driver)
    made.flags["quota-backend-bytes"] = QUOTA
    try:
        made.start("cp1")
        made.wait_healthy(1)
        for name in NAMES[1:]:
            made.join(name)
        made.wait_healthy(3)
        yield Node(tmp_path / "root", made, request.config.getoption("--kubeadm"))
    finally:
        made.stop()


def put(cluster, name, key, value):
    """Writes a value by etcd's JSON gateway. Returns the status and the text of the answer."""
    context = ssl.create_default_context(cafile=cluster.certificates.path("ca.crt"))
    context.load_cert_chain(cluster.certificates.path("etcd.crt"), cluster.certificates.path("etcd.key"))
    connection = http.client.HTTPSConnection(cluster.client[name].removeprefix("https://"), context=context, timeout=30)
    try:
        body = {"key": base64.b64encode(key.encode()).decode(), "value": value}
        connection.request("POST", "/v3/kv/put", json.dumps(body))
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def leader(node):
    return node.ask("status")["leader"]


def test_status_has_a_row_for_each_member(three):
    state = three.ask("status")
    assert (state["kind"], state["healthy"], state["quorum"]) == ("EtcdStatus", True, True)
    assert [member["name"] for member in state["members"]] == list(NAMES)
    assert state["leader"] in NAMES
    for member in state["members"]:
        assert member["dbSize"] >= member["dbSizeInUse"] > 0
        assert member["dbSizeQuota"] in (QUOTA, None)  # None for etcd before 3.6
        assert member["alarms"] == []
    assert {member["id"] for member in three.ask("members")["members"]} == {m["id"] for m in state["members"]}
    text = three.run("status").stdout
    assert "3 of 3 voting members are healthy, etcd has its majority" in text

    three.cluster.kill("cp3")
    state = three.ask("status")  # requires exit status 0
    assert (state["healthy"], state["quorum"]) == (False, True)
    dead = next(member for member in state["members"] if member["name"] == "cp3")
    assert not dead["healthy"] and "connection refused" in dead["problem"] and dead["dbSize"] is None
    assert "kubeadm etcd remove cp3" in three.run("status").stdout

    three.cluster.kill("cp2")
    state = three.ask("status")
    assert state["quorum"] is False
    assert "kubeadm etcd recover" in three.run("status").stdout
    assert len(three.ask("members")["members"]) == 3
    three.cluster.kill("cp1")
    assert "--endpoint" in three.fails("status")


def test_a_snapshot_is_whole_and_private(three, tmp_path):
    put(three.cluster, "cp1", "key", VALUE)
    saved = three.ask("snapshot", "/etcd.db")
    path = three.root / "etcd.db"
    content = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o600
    assert hashlib.sha256(content[:-32]).digest() == content[-32:]
    assert hashlib.sha256(content).hexdigest() == saved["sha256"]
    assert saved["size"] == len(content)
    # etcd's own tool must accept the snapshot.
    subprocess.run([program("etcdutl"), "snapshot", "restore", path, "--data-dir", tmp_path / "restored"], check=True,
                   capture_output=True)
    assert "exists already" in three.fails("snapshot", "/etcd.db")
    for name in ("cp2", "cp3"):
        three.cluster.kill(name)
    assert three.ask("snapshot", "/last.db")["member"] == "cp1"  # even without a majority
    assert sorted(entry.name for entry in three.root.iterdir() if entry.is_file()) == ["etcd.db", "last.db"]


def test_defragmentation_frees_space_with_the_leader_last(three):
    for _ in range(20):
        assert put(three.cluster, "cp1", "key", VALUE)[0] == 200
    full = {member["name"]: member["dbSize"] for member in three.ask("status")["members"]}
    revision = three.ask("status")["revision"]
    assert three.ask("compact")["revision"] == revision
    assert three.ask("compact")["revision"] == revision  # a second compaction changes nothing
    assert "present revision" in three.fails("compact", "--revision", str(revision + 5))
    one = three.ask("defrag", "cp2")
    assert [member["name"] for member in one["members"]] == ["cp2"]
    first = leader(three)
    planned = three.ask("defrag", "--all", "--dry-run")
    assert planned["dryRun"] and [member["sizeAfter"] for member in planned["members"]] == [None] * 3
    assert "3. defragment member " + first in three.run("defrag", "--all", "--dry-run").stdout
    freed = three.ask("defrag", "--all", "--timeline", "/defrag.svg")
    assert "defragment/" + first in (three.root / "defrag.svg").read_text()
    order = [member["name"] for member in freed["members"]]
    assert sorted(order) == list(NAMES) and order[-1] == first
    state = three.ask("status")
    assert state["healthy"]
    for member in state["members"]:
        assert member["dbSize"] < full[member["name"]]
    # Without one member, a defragmentation would cost the majority.
    three.cluster.kill("cp3")
    assert "majority" in three.fails("defrag", "cp2")
    assert "cp3" in three.fails("defrag", "--all")


def test_a_full_etcd_takes_writes_again_within_a_minute(three):
    answer = (200, "")
    for _ in range(400):
        answer = put(three.cluster, "cp1", "key", VALUE)
        if answer[0] != 200:
            break
    assert "space exceeded" in answer[1], answer
    state = three.ask("status")
    assert state["quorum"] and not state["healthy"]
    assert any("NOSPACE" in member["alarms"] for member in state["members"]), state
    assert "defrag --clear-alarm" in three.run("status").stdout
    begin = time.monotonic()
    freed = three.ask("defrag", "--clear-alarm")
    for name in NAMES:
        assert put(three.cluster, name, "key", VALUE)[0] == 200
    assert three.ask("status")["healthy"]
    healed = time.monotonic() - begin
    print(f"\netcd is healthy {healed:.1f} s after the start of the command")
    assert healed < HEALING_LIMIT
    assert freed["alarmsCleared"] and freed["compactedRevision"] > 0
    assert "no member of etcd has raised" in three.fails("defrag", "--clear-alarm")


def test_a_quota_that_the_data_fill_is_named(three):
    if three.ask("status")["members"][0]["dbSizeQuota"] is None:
        pytest.skip("etcd tells its quota from 3.6 on")
    for number in range(800):  # until the data fill the quota: a defragmentation then frees too little
        if put(three.cluster, "cp1", f"key-{number}", VALUE)[0] == 200:
            continue
        done = subprocess.run([three.kubeadm, "--rootfs", three.root, "etcd", "defrag", "--clear-alarm"], text=True,
                              capture_output=True, timeout=300, check=False)
        if "quota-backend-bytes" in done.stdout + done.stderr:
            break
        assert done.returncode == 0, done
    else:
        pytest.fail("the quota was never full")
    full = any(member["alarms"] for member in three.ask("status")["members"])
    assert full == (done.returncode != 0)


def test_a_dead_member_is_removed_and_no_other(three):
    three.cluster.kill("cp3")
    refused = three.fails("remove", "cp2", "--yes")
    assert "not a majority" in refused and "nothing was changed" in refused
    assert len(three.ask("members")["members"]) == 3
    plan = three.run("remove", "cp3", "--dry-run").stdout
    assert "voting members afterwards: cp1, cp2" in plan
    assert len(three.ask("members")["members"]) == 3
    assert three.fails("remove", "cp3", stdin="n\n")
    assert "no member" in three.fails("remove", "cp9", "--yes")
    dead = next(member["id"] for member in three.ask("members")["members"] if member["name"] == "cp3")
    events = [json.loads(line) for line in three.run("remove", dead, "--yes", "--output", "json").stdout.splitlines()]
    assert events[-1]["type"] == "run_finished" and events[-1]["ok"], events
    plan = next(event["value"] for event in events if event["type"] == "result" and event["name"] == "plan")
    assert [step["id"] for step in plan["steps"]] == ["remove"]
    assert sorted(member["name"] for member in three.ask("members")["members"]) == ["cp1", "cp2"]
    assert three.ask("status")["healthy"]
