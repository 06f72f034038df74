# SPDX-License-Identifier: Apache-2.0
"""Three etcd members, some of them unhealthy: no command destroys the remaining majority."""

import pytest

from cluster.clusters import Cluster, etcd_members
from cluster.processes import wait_until

pytestmark = pytest.mark.ours

PKI = "/etc/kubernetes/pki/etcd"
ETCDCTL = [
    "etcdctl",
    "--endpoints=https://127.0.0.1:2379",
    f"--cacert={PKI}/ca.crt",
    f"--cert={PKI}/healthcheck-client.crt",
    f"--key={PKI}/healthcheck-client.key",
]


@pytest.fixture
def three(bench, kubeadm, note, request):
    """Three control planes."""
    made = Cluster(bench, kubeadm, note)
    request.addfinalizer(made.down)
    made.create(["cp-one", "cp-two", "cp-three"])
    yield made


def serves(host):
    """Returns True if etcd accepts a write, which requires a majority."""
    return host.run(*ETCDCTL, "put", "/slipway-test", "x", check=False, timeout=60).returncode == 0


def still_serves(host):
    """Returns True if etcd serves. Waits for an election, because the leader may just have left."""
    return wait_until(lambda: serves(host), timeout=60, pause=1)


def add_ghost(host, *flags):
    """Adds a member that will never start. etcd accepts it when all other members have been connected for 5 s."""
    command = [*ETCDCTL, "member", "add", "ghost", *flags, "--peer-urls=https://10.255.255.1:2380"]
    assert wait_until(lambda: host.run(*command, check=False).returncode == 0, 120, pause=1)


def voters(host):
    return sum(line.endswith("false") for line in etcd_members(host))


def refused(machine, *command, because):
    """Runs the command, confirmed but not forced. It must fail for that reason and leave etcd's data."""
    outcome = machine.kubeadm(*command, stdin="y\n", timeout=200)
    assert outcome.code != 0, outcome.text
    assert because in outcome.text
    assert machine.host.path("/var/lib/etcd/member/wal").exists()
    assert machine.host.path("/etc/kubernetes/manifests/etcd.yaml").exists()


@pytest.mark.long
def test_the_majority_stays(three):
    first, second, third = three.machines
    host = first.host

    # An added member that never started counts as a voter: first three of four voters are healthy, then two of three.
    add_ghost(host)
    assert voters(host) == 4
    assert still_serves(host)
    outcome = third.kubeadm("reset", "phase", "remove-etcd-member")
    assert outcome.code == 0, outcome.text
    assert voters(host) == 3
    assert still_serves(host)
    refused(second, "reset", because="which is not a majority")
    refused(second, "reset", "phase", "remove-etcd-member", because="which is not a majority")
    refused(second, "reset", "phase", "cleanup-node", because="which is not a majority")
    refused(second, "reset", "--skip-phases=remove-etcd-member", because="which is not a majority")
    for name in ("crt", "key"):  # without the client certificate, kubeadm cannot query this member
        host.run("mv", f"{PKI}/healthcheck-client.{name}", f"/root/healthcheck-client.{name}")
    refused(first, "reset", "phase", "remove-etcd-member", because="it is unknown whether etcd")
    for name in ("crt", "key"):
        host.run("mv", f"/root/healthcheck-client.{name}", f"{PKI}/healthcheck-client.{name}")
    refused(second, "certs", "renew", "etcd-server", "--restart", because="etcd would lose its majority")
    assert still_serves(host)

    # The third member has joined and then its host disappears: again two healthy members and an unhealthy one.
    ghost = next(line.split(",")[0] for line in etcd_members(host) if "10.255.255.1" in line)
    host.run(*ETCDCTL, "member", "remove", ghost)
    assert third.kubeadm("reset", "--force").code == 0
    host.kubectl("delete", "node", "cp-three")
    token, pin, key = three.credentials()
    joined = third.join(*three.control_plane_arguments(token, pin, key))
    assert joined.code == 0, joined.text
    third.host.down()
    assert still_serves(host)
    refused(second, "reset", because="which is not a majority")
    refused(first, "certs", "renew", "all", "--restart", because="etcd would lose its majority")
    assert voters(host) == 3
    assert still_serves(host)

    # The last of three members keeps its data, from which the cluster can be recreated.
    second.host.down()
    assert not serves(host)
    refused(first, "reset", because="which is not a majority")


def test_a_learner_does_not_count(three):
    host = three.first.host
    add_ghost(host, "--learner")
    assert voters(host) == 3
    outcome = three.machines[2].kubeadm("reset", "phase", "remove-etcd-member")
    assert outcome.code == 0, outcome.text
    assert voters(host) == 2
    assert still_serves(host)
    # With two healthy voters, either may restart.
    outcome = three.machines[1].kubeadm("certs", "renew", "etcd-server", "--restart", timeout=300)
    assert outcome.code == 0, outcome.text
    assert still_serves(host)
