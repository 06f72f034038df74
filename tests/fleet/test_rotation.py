# SPDX-License-Identifier: Apache-2.0
"""One operation replaces a CA on two control planes and a worker, step by step."""

import pytest

from cluster.client import Client
from cluster.processes import wait_until
from cluster.test_certs import serial
from fleet.runs import NAMESPACE, Run, write_operation

pytestmark = pytest.mark.ours

WORKING = "^/var/lib/slipway/fleet/kubeadm certs rotate-ca"
KEY = "secret/new-certificate-key"


@pytest.fixture(scope="module")
def cluster(new_fleet):
    """Two control planes and a worker that have kubeadm's image."""
    return new_fleet(["cp-one", "cp-two"], ["worker"], operator=False)


def drops(cluster, name):
    """Returns the number of Nodes whose annotation shows the step "drop" of the rotation."""
    host = cluster.first.host
    marks = host.kubectl("get", "nodes", "-o",
                         f"jsonpath={{.items[*].metadata.annotations.rotate-ca\\.kubeadm\\.slipway/{name}}}")
    return marks.split().count("drop")


def test_the_ca_of_the_cluster_is_rotated(cluster, note):
    """An operation rotates the CA that issued the client certificate of its own run. The Pod of a Job is killed during
    the rotation. The operation must succeed."""
    hosts = [machine.host for machine in cluster.machines]
    before = serial(hosts[0], "ca")
    write_operation(hosts[0], "new", {"rotateCA": {"authority": "kubernetes", "dropAfter": "0s"}})
    with Client(hosts[0], [host.address for host in hosts[:2]]) as client, Run(hosts[0], "new") as run:
        assert wait_until(lambda: hosts[1].run("pgrep", "-f", WORKING, check=False).stdout, 300), run.text()
        shown = hosts[0].kubectl("-n", NAMESPACE, "get", "pods", "-o", "yaml")
        assert "--certificate-key=$(CERTIFICATE_KEY)" in shown
        hosts[1].run("pkill", "-KILL", "-f", WORKING)
        assert run.wait(1500) == 0, run.text()
    note("fleet run", run.seconds)
    note(f"{len(client.failed)} of {client.asked} reads failed, longest pause", client.longest_pause)
    assert {serial(host, "ca") for host in hosts[:2]} != {before}
    assert drops(cluster, "kubernetes") == 3
    assert hosts[0].run("kubectl", "-n", NAMESPACE, "get", KEY, check=False,
                        environment=["KUBECONFIG=/etc/kubernetes/admin.conf"]).returncode != 0
    for line in ("cp-one (trust): Done", "worker (reissue): Done", "cp-two (drop): Done"):
        assert line in run.text(), run.text()
    cluster.wait_healthy()


def test_the_etcd_ca_is_rotated_again(cluster, note):
    """Two operations rotate etcd's CA one after the other. After each one, both control planes must have the same new
    CA."""
    hosts = [machine.host for machine in cluster.machines[:2]]
    serials = [serial(hosts[0], "etcd/ca")]
    for name in ("etcd", "etcd-again"):
        write_operation(hosts[0], name, {"rotateCA": {"authority": "etcd"}})
        with Run(hosts[0], name) as run:
            assert run.wait(1200) == 0, run.text()
        note(f"fleet run {name}", run.seconds)
        assert serial(hosts[0], "etcd/ca") == serial(hosts[1], "etcd/ca") not in serials
        serials.append(serial(hosts[0], "etcd/ca"))
    cluster.wait_healthy()
