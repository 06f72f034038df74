# SPDX-License-Identifier: Apache-2.0
"""A cluster that upstream's kubeadm has created accepts nodes that our kubeadm joins, and the other way round."""

import pytest

from cluster.clusters import Cluster
from components import recipes, store


@pytest.fixture(scope="module")
def upstream():
    path = store.release_directory(recipes.DEFAULT_RELEASE) / "upstream" / "kubeadm"
    if not path.exists():
        pytest.exit(f"{path} is missing: tests/components/build makes it", 3)
    return path


@pytest.fixture(scope="module")
def accounts():
    """A dict: the program that created a cluster → the ServiceAccounts in that cluster's kube-system."""
    return {}


@pytest.mark.ours
@pytest.mark.parametrize("maker", ["ours", "upstream"])
def test_the_other_kubeadm_joins_nodes(bench, kubeadm, upstream, note, accounts, maker):
    first, other = (kubeadm, upstream) if maker == "ours" else (upstream, kubeadm)
    cluster = Cluster(bench, first, note)
    try:
        cluster.machine("cp-one")
        cluster.init()
        token, pin, key = cluster.credentials()
        second, worker = (cluster.machine(name, kubeadm=other) for name in ("cp-two", "worker"))
        for machine, arguments in (
            (worker, cluster.worker_arguments(token, pin)),
            (second, cluster.control_plane_arguments(token, pin, key)),
        ):
            outcome = machine.join(*arguments)
            assert outcome.code == 0, outcome.text
        note("all Ready after the joins", cluster.wait_healthy())
        listed = cluster.first.host.kubectl("get", "serviceaccounts", "-n", "kube-system", "-o", "name")
        accounts[maker] = sorted(listed.split())
    finally:
        cluster.down()


@pytest.mark.ours
def test_init_creates_the_accounts_that_controllers_create(accounts):
    if len(accounts) < 2:
        pytest.skip("needs the clusters of the test before")
    assert accounts["ours"] == accounts["upstream"]
