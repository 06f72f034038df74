# SPDX-License-Identifier: Apache-2.0
"""`kubeadm reset` on hosts of real clusters: it removes everything that belongs to the cluster, and keeps files of
other programs."""

import re

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster, etcd_members
from cluster.processes import wait_until
from cluster.trees import difference, tree

EMPTY = ["/etc/kubernetes/manifests", "/etc/kubernetes/pki", "/var/lib/kubelet", "/var/lib/etcd"]
PROGRAMS = ["kubelet", "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"]


def entries(host, directory):
    return host.run("find", directory, "-mindepth", "1").stdout.split()


def mounts_below(host, directory):
    targets = [line.split()[1] for line in host.run("cat", "/proc/mounts").stdout.splitlines()]
    return [target for target in targets if target.startswith(directory + "/")]


def programs(host):
    """Returns the programs of the cluster that run in the host."""
    names = host.run("sh", "-c", "cat /proc/[0-9]*/comm", check=False).stdout.split()
    return sorted({name for name in names if name in {each[:15] for each in PROGRAMS}})


def check_gone(host):
    for directory in EMPTY:
        assert entries(host, directory) == [], directory
    assert [path for path in entries(host, "/etc/kubernetes") if path.endswith(".conf")] == []
    assert mounts_below(host, "/var/lib/kubelet") == []
    assert kubernetes.kept_by_runtime(host) == []
    assert programs(host) == []


def test_reset_leaves_nothing_and_init_works_again(machine):
    host = machine.host
    before = tree(host)
    assert machine.init().code == 0
    host.run("sh", "-c", "mkdir -p /root/.kube && cp /etc/kubernetes/admin.conf /root/.kube/config")
    outcome = machine.kubeadm("reset", "--force")
    assert outcome.code == 0, outcome.text
    check_gone(host)
    assert "kubeconfig /root/.kube/config, which points to the cluster" in outcome.stdout
    host.run("rm", "-r", "/root/.kube")
    assert difference(before, tree(host)) == ""
    # A second reset has nothing to do, and reports this.
    assert machine.kubeadm("reset", "--force").code == 0
    assert machine.init().code == 0
    machine.note("all Ready after init", kubernetes.wait_healthy(host))


@pytest.mark.ours
def test_foreign_data_survives_and_all_removes_the_network(machine):
    host = machine.host
    assert machine.init().code == 0
    machine.note("all Ready after init", kubernetes.wait_healthy(host))
    host.run("sh", "-c", "mkdir -p /root/.kube && cp /etc/kubernetes/admin.conf /root/.kube/config")
    host.write("/srv/precious/data", "mine")
    host.run("mkdir", "-p", "/var/lib/kubelet/foreign")
    host.run("mount", "--bind", "/srv/precious", "/var/lib/kubelet/foreign")
    host.run("ln", "-s", "/srv/precious", "/var/lib/kubelet/link")
    host.run("iptables", "-A", "INPUT", "-p", "tcp", "--dport", "9999", "-j", "ACCEPT")
    assert "KUBE-" in host.run("iptables-save").stdout
    outcome = machine.kubeadm("reset", "--force", "--all")
    assert outcome.code == 0, outcome.text
    # The directory is a mount point here. Entries that no kubelet writes stay in it, and are reported.
    foreign = ["/var/lib/kubelet/foreign", "/var/lib/kubelet/link"]
    assert sorted(entries(host, "/var/lib/kubelet")) == foreign
    assert all(path.rsplit("/", 1)[1] in outcome.text for path in foreign), outcome.text
    host.run("rm", "-d", *foreign)
    check_gone(host)
    assert host.read("/srv/precious/data") == "mine"
    rules = host.run("iptables-save").stdout
    assert "KUBE-" not in rules
    assert "--dport 9999" in rules
    assert not host.path("/root/.kube/config").exists()


@pytest.mark.ours
def test_mounts_and_links_are_emptied_and_init_works_again(machine):
    """An installer has mounted or linked some of the node's directories. A reset must empty them and keep the mounts
    and links, so that the next init works."""
    host = machine.host
    for name, place in (("etcd", "/var/lib/etcd"), ("kubelet", "/var/lib/kubelet")):
        host.run("mkdir", "-p", f"/srv/{name}", place)
        host.run("mount", "--bind", f"/srv/{name}", place)
    host.run("mkdir", "-p", "/srv/pki", "/etc/kubernetes")
    host.run("ln", "-s", "/srv/pki", "/etc/kubernetes/pki")
    assert machine.init().code == 0
    host.write("/srv/etcd/mine", "mine")
    outcome = machine.kubeadm("reset", "--force", "--output", "json")
    assert outcome.code == 2, outcome.text
    assert entries(host, "/var/lib/etcd") == ["/var/lib/etcd/mine"]
    assert "DirAvailable--var-lib-etcd" in outcome.stdout
    host.run("rm", "/srv/etcd/mine")
    outcome = machine.kubeadm("reset", "--force", "--output", "json")
    assert outcome.code == 0, outcome.text
    check_gone(host)
    assert entries(host, "/srv/pki/") == []
    assert host.path("/etc/kubernetes/pki").is_symlink()
    assert machine.init().code == 0


@pytest.mark.ours
def test_bad_states_are_named_and_reset_continues(machine):
    """A run of init was killed early: a manifest is malformed, and neither the API server nor the runtime answers. The
    reset must name the problems, and still remove everything."""
    host = machine.host
    assert machine.kubeadm("init", "phase", "certs", "all", "--config", "/root/init.yaml").code == 0
    assert machine.kubeadm("init", "phase", "kubeconfig", "all", "--config", "/root/init.yaml").code == 0
    host.write("/etc/kubernetes/manifests/etcd.yaml", "spec: {containers: [")
    host.service("containerd", "stop")
    outcome = machine.kubeadm("reset", "--force")
    assert outcome.code == 0, outcome.text
    assert outcome.seconds < 60
    assert "etcd.yaml" in outcome.text
    assert "container runtime" in outcome.text
    for directory in EMPTY:
        assert entries(host, directory) == [], directory


@pytest.fixture
def pair(bench, kubeadm, note, request):
    """Two control planes with stacked etcd."""
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    first = cluster.machine("cp-one")
    outcome = cluster.init("--upload-certs")
    key = re.search(r"--certificate-key ([0-9a-f]{64})", outcome.text).group(1)
    token = re.search(r"--token (\S+)", outcome.text).group(1)
    pin = re.search(r"--discovery-token-ca-cert-hash (\S+)", outcome.text).group(1)
    second = cluster.machine("cp-two")
    second.before = tree(second.host)
    joined = second.join(*cluster.control_plane_arguments(token, pin, key))
    assert joined.code == 0, joined.text
    assert len(etcd_members(first.host)) == 2
    yield first, second


def test_a_control_plane_leaves_the_etcd_cluster(pair):
    first, second = pair
    outcome = second.kubeadm("reset", "--force")
    assert outcome.code == 0, outcome.text
    check_gone(second.host)
    assert difference(second.before, tree(second.host)) == ""
    # An election may be needed first, because the leader may just have left.
    ready = ["kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "--raw", "/readyz"]
    assert wait_until(lambda: first.host.run(*ready, check=False).stdout == "ok", timeout=60)
    members = etcd_members(first.host)
    assert len(members) == 1
    assert "cp-one" in members[0]


@pytest.mark.long
@pytest.mark.ours
def test_the_majority_is_not_given_up_without_consent(pair):
    first, second = pair
    first.host.down()
    outcome = second.kubeadm("reset", stdin="y\n")
    assert outcome.code == 1, outcome.text
    assert outcome.seconds < 120  # half of etcd's timeout is for members that do not answer
    assert "etcd member cp-one" in outcome.text
    assert entries(second.host, "/var/lib/etcd") != []
    outcome = second.kubeadm("reset", "--force")
    assert outcome.code == 0, outcome.text
    check_gone(second.host)


@pytest.mark.long
@pytest.mark.ours
def test_a_member_of_unknown_state_keeps_its_data(pair):
    """This node's etcd is down, and the other member is unreachable. A reset without --force must keep this member's
    data, which the other member may need for a majority."""
    first, second = pair
    first.host.down()
    second.host.service("kubelet", "stop")
    second.host.run("pkill", "-KILL", "-x", "etcd")
    outcome = second.kubeadm("reset", stdin="y\n")
    assert outcome.code == 1, outcome.text
    assert "by its manifest etcd has other members" in outcome.text
    assert "give --force" in outcome.text
    assert entries(second.host, "/var/lib/etcd") != []
    outcome = second.kubeadm("reset", "--force")
    assert outcome.code == 0, outcome.text
    check_gone(second.host)
