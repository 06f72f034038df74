# SPDX-License-Identifier: Apache-2.0
"""Upstream's kubeadm of the next minor version and our kubeadm manage a cluster of the newest release together."""

import json

import pytest

from cluster import echo
from cluster.clusters import Cluster
from cluster.test_control_planes import voters
from cluster.upgrades import IGNORED, assert_images, upstream
from components import recipes
from minors import steps
from minors.test_each import of_all

pytestmark = pytest.mark.ours

TARGET = (steps.version(steps.NEXT), *steps.allowing(steps.NEXT), IGNORED)
ROW = recipes.RELEASES[steps.NEWEST]
# v1.38 changes the certificates of ECDSA keys. Without the tags, each program would install its own versions of etcd
# and CoreDNS.
SETTINGS = f"""encryptionAlgorithm: ECDSA-P256
etcd:
  local:
    imageTag: {ROW.etcd}
dns:
  imageTag: {ROW.coredns}
kubernetesVersion:"""


@pytest.fixture(autouse=True)
def _of_the_next(pytestconfig):
    if steps.NEXT not in pytestconfig.getoption("releases"):
        pytest.skip(f"tests upstream's kubeadm of v{steps.NEXT}")


def plan(machine):
    """Returns the versions to which the plan upgrades: component → version."""
    outcome = machine.kubeadm("upgrade", "plan", *TARGET, "--output", "json")
    assert outcome.code == 0, outcome.text
    upgrade = json.loads(outcome.stdout)["availableUpgrades"][0]
    return {part["name"]: part["newVersion"] for part in upgrade["components"]}


@pytest.mark.parametrize("maker", ["ours", "upstream"])
def test_both_programs_manage_one_cluster(bench, kubeadm, note, maker):
    first, other = (kubeadm, upstream(steps.NEXT))[:: 1 if maker == "ours" else -1]
    cluster = Cluster(bench, first, note)
    try:
        host = cluster.machine("cp-one", release=steps.NEWEST).host
        host.write("/root/init.yaml", host.read("/root/init.yaml").replace("kubernetesVersion:", SETTINGS))
        cluster.init()
        second = cluster.join_control_plane("cp-two", kubeadm=other, release=steps.NEWEST)
        worker = cluster.join_worker(kubeadm=other, release=steps.NEWEST)
        note("all Ready after the joins", cluster.wait_healthy())
        echo.deploy(host, patience=90)
        echo.assert_answers(host)
        # Both programs find the same upgrade, and change nothing.
        assert plan(cluster.first) == plan(second)
        for machine in (cluster.first, second):
            outcome = machine.kubeadm("upgrade", "apply", *TARGET, "--yes", "--dry-run", timeout=300)
            assert outcome.code == 0, outcome.text
        assert_images(host, of_all(["cp-one", "cp-two"], steps.NEWEST))
        host.copy(other, "/usr/local/bin/kubeadm")
        outcome = cluster.first.kubeadm("certs", "renew", "all")
        assert outcome.code == 0, outcome.text
        for machine in (worker, second):
            outcome = machine.kubeadm("reset", "--force", timeout=200)
            assert outcome.code == 0, outcome.text
        assert voters(host) == ["cp-one"]
    finally:
        cluster.down()
