# SPDX-License-Identifier: Apache-2.0
"""A real cluster by arm64's kubeadm, under an emulator: two control planes and a worker, from init to reset."""

import json

import pytest

from cluster import echo
from cluster.clusters import etcd_members, leftovers
from cluster.upgrades import IGNORED
from components import recipes

pytestmark = pytest.mark.ours


def succeeds(machine, *command):
    outcome = machine.kubeadm(*command, timeout=580)
    assert outcome.code == 0, outcome.text
    return outcome


def test_a_cluster_from_init_to_reset(cluster):
    first = cluster.machine("cp-one")
    told = json.loads(first.kubeadm("version", "-o", "json").stdout)
    assert told["clientVersion"]["platform"] == "linux/arm64"
    cluster.init()
    token, pin, key = cluster.credentials()
    second, worker = cluster.machine("cp-two"), cluster.machine("worker")
    for machine, arguments in (
        (second, cluster.control_plane_arguments(token, pin, key)),
        (worker, cluster.worker_arguments(token, pin)),
    ):
        outcome = machine.join(*arguments)
        assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    echo.deploy(first.host, patience=90)
    echo.assert_answers(first.host)
    assert len(etcd_members(first.host)) == 2

    succeeds(first, "certs", "renew", "all", "--restart")
    succeeds(second, "upgrade", "node", IGNORED)
    succeeds(first, "upgrade", "apply", recipes.RELEASES[recipes.DEFAULT_RELEASE].version, "--yes", IGNORED)
    assert succeeds(first, "drift").stdout
    cluster.wait_healthy()

    for machine in (worker, second):
        succeeds(machine, "reset", "--force", "--cleanup-tmp-dir")  # where upgrades keep what they replace
        assert leftovers(machine.host) == []
    assert len(etcd_members(first.host)) == 1
    succeeds(first, "reset", "--force")
