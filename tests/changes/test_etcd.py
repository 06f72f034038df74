# SPDX-License-Identifier: Apache-2.0
"""The etcd of a control plane has lost its majority, or one member: kubeadm etcd, join --replace-dead-member."""

import json
import time

import pytest

from cluster import kubernetes
from cluster.clusters import INIT, Cluster, etcd_members
from cluster.conftest import Machine
from cluster.test_doctor import PKI

pytestmark = pytest.mark.ours

JOURNAL = "/var/lib/slipway/operation-etcd-recover.json"
KEPT = "/var/lib/etcd/member.before-recover"
NAMES = ("cp-one", "cp-two", "cp-three")


@pytest.fixture
def three(bench, kubeadm, note, request):
    """Three control planes."""
    made = Cluster(bench, kubeadm, note)
    request.addfinalizer(made.down)
    made.create(NAMES)
    yield made


def lose(cluster, *machines):
    for machine in machines:
        machine.host.down()
        cluster.machines.remove(machine)


def revision(host, name):
    return int(host.kubectl("get", "configmap", name, "-o", "jsonpath={.metadata.resourceVersion}"))


def status(machine):
    return json.loads(machine.kubeadm("etcd", "status", "-o", "json").stdout)


def refused(machine, *command, because):
    outcome = machine.kubeadm(*command, timeout=120)
    assert outcome.code != 0 and because in outcome.text, outcome.text
    assert machine.host.path("/etc/kubernetes/manifests/etcd.yaml").exists()
    assert machine.host.path("/var/lib/etcd/member/wal").exists()
    assert not machine.host.path(KEPT).exists()


def test_two_of_three_are_lost_and_join_again(three, note):
    first, second, third = three.machines
    host = first.host
    refused(first, "etcd", "recover", "--yes", because="etcd has its majority")
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    seen = revision(host, "kept")
    lose(three, third)
    refused(first, "etcd", "recover", "--yes", because="etcd has its majority")
    refused(first, "etcd", "remove", "cp-two", "--yes", because="not a majority")
    lose(three, second)
    state = status(first)
    assert state["quorum"] is False
    assert [member["healthy"] for member in state["members"] if member["name"] != "cp-one"] == [False, False]

    shown = first.kubeadm("etcd", "recover", "--dry-run", timeout=120)
    assert shown.code == 0 and "lost: cp-two" in shown.text and "lost: cp-three" in shown.text, shown.text
    assert not host.path(KEPT).exists()
    begin = time.monotonic()
    outcome = first.kubeadm("etcd", "recover", "--yes", timeout=400)
    note("recovered", time.monotonic() - begin)
    assert outcome.code == 0, outcome.text
    assert "cp-two, cp-three" in outcome.text, outcome.text
    assert not host.path(JOURNAL).exists()
    assert host.path(KEPT).stat().st_mode & 0o777 == 0o700
    assert sorted(entry.name for entry in host.path("/var/lib/etcd").iterdir()) == ["member", "member.before-recover"]
    assert len(etcd_members(host)) == 1
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"
    # Revisions do not go backwards. A client that watches from an old revision is told to list again.
    host.kubectl("create", "configmap", "later", "--from-literal=x=y")
    assert revision(host, "later") > seen + 1_000_000_000
    event = host.kubectl("get", "--raw", "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=20"
                         f"&resourceVersion={seen}", check=False, timeout=60)
    assert '"code":410' in event or "too old resource version" in event, event

    host.kubectl("delete", "node", "cp-two", "cp-three")
    for name in NAMES[1:]:
        three.join_control_plane(name)
    assert len(etcd_members(host)) == 3
    three.wait_healthy()
    assert status(first)["healthy"]
    again = first.kubeadm("etcd", "recover", "--yes")
    assert again.code != 0 and "etcd has its majority" in again.text, again.text


def test_a_killed_recovery_is_resumed(three):
    first, second, third = three.machines
    host = first.host
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    lose(three, second, third)
    command = ("kubeadm", "etcd", "recover", "--yes")
    # The first run queries the lost members for about 16 s. A run that resumes begins immediately.
    for seconds in (17, 18, 19, 0.5, 1, 1.5, 2, 3):
        host.run("timeout", "-s", "KILL", str(seconds), *command, check=False)
    outcome = host.run(*command, check=False, timeout=400)
    if outcome.returncode != 0:  # the last run had finished before it was killed
        assert "etcd has its majority" in outcome.stderr, outcome.stdout + outcome.stderr
    assert not host.path(JOURNAL).exists()
    assert len(etcd_members(host)) == 1
    assert host.kubectl("get", "configmap", "kept", "-o", "jsonpath={.data.x}") == "y"


def test_a_new_machine_takes_the_place_of_a_dead_member(three):
    lose(three, three.machines[2])
    first = three.first
    first.host.kubectl("delete", "node", "cp-three")
    again = three.machine("cp-three")
    arguments = three.control_plane_arguments(*three.credentials())
    outcome = again.join(*arguments)
    assert outcome.code != 0 and "whose data are gone" in outcome.text, outcome.text
    assert again.kubeadm("reset", "--force").code == 0
    outcome = again.join(*arguments, "--replace-dead-member")
    assert outcome.code == 0, outcome.text
    assert len(etcd_members(first.host)) == 3
    assert status(first)["healthy"]
    kubernetes.wait_healthy(first.host, only=list(NAMES))


HTTP = "etcd: {local: {extraArgs: [{name: listen-client-http-urls, value: 'https://127.0.0.1:2382'}]}}\n"


def test_http_has_a_port_of_its_own_if_the_user_wants(bench, kubeadm, note, request):
    machine = Machine(bench.host("split", kubeadm=kubeadm), note)
    host = machine.host
    request.addfinalizer(host.down)
    host.write(INIT, host.read(INIT).replace("networking:", HTTP + "networking:"))
    assert machine.init().code == 0
    kubernetes.wait_healthy(host, only=["split"])

    def get(port, path):
        client = [f"--cacert={PKI}/etcd/ca.crt", f"--cert={PKI}/etcd/healthcheck-client.crt",
                  f"--key={PKI}/etcd/healthcheck-client.key"]
        client = [word for option in client for word in option.split("=")]
        return host.run("curl", "-sf", "--max-time", "5", *client, f"https://127.0.0.1:{port}{path}", check=False)

    for path, expected in (("/health", '"health":"true"'), ("/version", "etcdserver"), ("/metrics", "etcd_")):
        assert expected in get(2382, path).stdout, path
        assert get(2379, path).returncode != 0, path
    assert status(machine)["healthy"]
    outcome = machine.kubeadm("etcd", "snapshot", "/root/etcd.db")
    assert outcome.code == 0, outcome.text
