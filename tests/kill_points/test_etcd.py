# SPDX-License-Identifier: Apache-2.0
"""Commands that maintain etcd, killed before some of their changes, and run again."""

import json

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster, etcd_members
from cluster.processes import wait_until
from kill_points.states import cluster_state, node_state
from kill_points.trial import Trial

pytestmark = pytest.mark.ours

SAVED = "/var/log/saved.tar"
PLACES = "etc/kubernetes var/lib/etcd var/lib/slipway"
STOP = """set -e; cd /; export CONTAINERD_NAMESPACE=k8s.io; systemctl stop kubelet
for each in $(ctr tasks list -q); do ctr tasks kill -s KILL $each || true; done
while ctr tasks list | grep -q RUNNING; do sleep 0.2; done
"""
SAVE = f"{STOP} tar -cf {SAVED} {PLACES}"
RESTORE = f"{STOP} find {PLACES} -mindepth 1 -delete; tar -xf {SAVED}; systemctl start kubelet"


@pytest.fixture
def cluster(bench, kubeadm, note, request):
    made = Cluster(bench, kubeadm, note)
    request.addfinalizer(made.down)
    return made


def test_all_members_are_defragmented(cluster, kill_points, report):
    cluster.create(["cp-one", "cp-two", "cp-three"])
    machine = cluster.first

    def state(host):
        etcd = json.loads(machine.kubeadm("etcd", "status", "-o", "json").stdout)
        return node_state(host) | cluster_state(host) | {"healthy": str(etcd["healthy"])}

    Trial("etcd defrag --all", lambda: machine, ("etcd", "defrag", "--all"), state).run(report, kill_points)


def test_a_lost_majority_is_recovered(cluster, kill_points, report):
    """One of three members survives; every trial begins with its data of that moment."""
    cluster.create(["cp-one", "cp-two", "cp-three"])
    machine = cluster.first
    host = machine.host
    host.kubectl("create", "configmap", "kept", "--from-literal=x=y")
    host.kubectl("delete", "node", "cp-two", "cp-three")
    for lost in cluster.machines[1:]:
        lost.host.down()
    del cluster.machines[1:]
    host.run("sh", "-c", SAVE)

    def prepare():
        host.run("sh", "-c", RESTORE)
        # Without a majority, a member that has started serves no clients.
        assert wait_until(lambda: host.run("pgrep", "-x", "etcd", check=False).returncode == 0, 120)
        return machine

    def state(recovered):
        kubernetes.wait_healthy(recovered, only=["cp-one"])
        return node_state(recovered) | cluster_state(recovered) | {"members": str(len(etcd_members(recovered)))}

    trial = Trial("etcd recover", prepare, ("etcd", "recover", "--yes"), state)
    trial.synced_by_program.append("/var/lib/etcd")
    trial.run(report, kill_points)
