# SPDX-License-Identifier: Apache-2.0
"""An IPv6-only cluster: its API, its etcd, its Pods and its Services."""

import ipaddress
import re

import pytest

from cluster.clusters import INIT, Cluster, etcd_members

PODS = "fd00:10:244::/56"
SERVICES = "fd00:10:96::/112"
CNI = "/etc/cni/net.d/10-bench.conflist"


class SixCluster(Cluster):
    """A cluster whose hosts have an IPv6 address in addition to the bench's address, and whose Pods have only IPv6."""

    def address(self, machine):
        return f"fd00:77::{machine.host.address.rsplit('.', 1)[1]}"

    def point(self, machine, target):
        names = machine.host.read("/etc/hosts").replace(target.host.address, self.address(target))
        machine.host.write("/etc/hosts", f"{names}{self.address(target)} api.bench\n")

    def machine(self, name, **options):
        machine = super().machine(name, **options)
        host = machine.host
        host.run("ip", "address", "add", f"{self.address(machine)}/64", "dev", "eth0", "nodad")
        host.run("ip", "route", "add", "default", "via", "fd00:77::1", "dev", "eth0")
        host.run("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.default.forwarding=1")
        network = re.sub(r'"subnet": "[^"]*"', f'"subnet": "fd00:10:244:{len(self.machines)}::/64"', host.read(CNI))
        host.write(CNI, network.replace("0.0.0.0/0", "::/0"))
        return machine

    def init(self, *flags):
        host = self.first.host
        text = re.sub("podSubnet: .*", f"podSubnet: {PODS}\n  serviceSubnet: {SERVICES}", host.read(INIT))
        endpoint = f'localAPIEndpoint:\n  advertiseAddress: "{self.address(self.first)}"\nnodeRegistration:'
        host.write(INIT, text.replace("nodeRegistration:", endpoint))
        return super().init(*flags)


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module):
    cluster = SixCluster(bench, kubeadm, note_of_module)
    try:
        cluster.machine("six-one")
        cluster.init()
        yield cluster
    finally:
        cluster.down()


def test_services_and_pods_have_addresses_of_ipv6_and_answer(cluster):
    cluster.wait_healthy()
    host = cluster.first.host
    api = host.kubectl("get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}")
    assert ipaddress.ip_address(api) in ipaddress.ip_network(SERVICES)
    assert host.run("curl", "-sk", f"https://[{api}]/livez").stdout == "ok"
    pods = host.kubectl("-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-dns", "-o", "jsonpath={.items[*].status.podIP}")
    assert all(ipaddress.ip_address(pod) in ipaddress.ip_network(PODS) for pod in pods.split()) and pods


def test_a_control_plane_joins_and_its_member_votes(cluster):
    key = re.search(
        r"^[0-9a-f]{64}$",
        cluster.first.kubeadm("init", "phase", "upload-certs", "--upload-certs", "--config", INIT).stdout,
        re.M,
    ).group()
    command = cluster.first.host.run("kubeadm", "token", "create", "--print-join-command").stdout.split()
    machine = cluster.machine("six-two")
    outcome = machine.join(*command[2:], "--control-plane", "--certificate-key", key,
                           "--apiserver-advertise-address", cluster.address(machine))
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    members = etcd_members(machine.host, loopback="[::1]")
    assert sorted(re.search(r"https://(\S+):2379", member).group(1) for member in members) == sorted(
        f"[{cluster.address(each)}]" for each in cluster.machines
    )
    assert not [member for member in members if member.endswith("true")]  # no member is a learner
