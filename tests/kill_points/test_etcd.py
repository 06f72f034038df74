# SPDX-License-Identifier: Apache-2.0
"""Maintenance of etcd, killed before a sample of its effects."""

import json

import pytest

from cluster.clusters import Cluster
from kill_points.states import cluster_state, node_state
from kill_points.trial import Trial

pytestmark = pytest.mark.ours


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
