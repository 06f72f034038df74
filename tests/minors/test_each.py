# SPDX-License-Identifier: Apache-2.0
"""Clusters of each older minor version: created by ours, by upstream's kubeadm of that version, and by both
together."""

import pytest

from cluster import echo
from cluster.clusters import Cluster
from cluster.upgrades import IGNORED, assert_images, kubelets, of_kubernetes, upstream
from components import recipes
from minors import steps

pytestmark = pytest.mark.ours


@pytest.mark.parametrize("release", steps.OLDER)
def test_a_control_plane_another_and_a_worker(bench, kubeadm, note, release):
    cluster = Cluster(bench, kubeadm, note)
    try:
        steps.make(cluster, ["cp-one", "cp-two", "worker"], release, workers=["worker"])
        host = cluster.first.host
        row = recipes.RELEASES[release]
        nodes = ("cp-one", "cp-two")
        assert_images(host, of_kubernetes(nodes, row.version) | {f"etcd-{node}": row.etcd for node in nodes})
        assert set(kubelets(host).values()) == {row.version}
        echo.deploy(host, patience=90)
        echo.assert_answers(host)
        assert cluster.first.kubeadm("certs", "renew", "all").code == 0
    finally:
        cluster.down()


@pytest.mark.parametrize("release", steps.OLDER)
@pytest.mark.parametrize("maker", ["ours", "upstream"])
def test_the_other_joins_renews_and_resets(bench, kubeadm, note, release, maker):
    first, other = (kubeadm, upstream(release))[:: 1 if maker == "ours" else -1]
    cluster = Cluster(bench, first, note)
    try:
        steps.make(cluster, ["cp-one"], release)
        token, pin, key = cluster.credentials()
        second = cluster.machine("cp-two", kubeadm=other, release=release)
        outcome = second.join(*cluster.control_plane_arguments(token, pin, key))
        assert outcome.code == 0, outcome.text
        worker = cluster.machine("worker", kubeadm=other, release=release)
        outcome = worker.join(*cluster.worker_arguments(token, pin))
        assert outcome.code == 0, outcome.text
        note("all Ready after the joins", cluster.wait_healthy())
        cluster.first.host.copy(other, "/usr/local/bin/kubeadm")
        outcome = cluster.first.kubeadm("certs", "renew", "all")
        assert outcome.code == 0, outcome.text
        outcome = second.kubeadm("reset", "--force", timeout=200)
        assert outcome.code == 0, outcome.text
    finally:
        cluster.down()


@pytest.mark.parametrize("release", steps.OLDER)
@pytest.mark.parametrize("maker", ["ours", "upstream"])
def test_the_other_upgrades(bench, kubeadm, note, release, maker):
    following = steps.after(release)[0]
    first, other = (kubeadm, upstream(following)) if maker == "ours" else (upstream(release), kubeadm)
    cluster = Cluster(bench, first, note)
    try:
        steps.make(cluster, ["cp-one"], release, also=(following,))
        host = cluster.first.host
        host.copy(other, "/usr/local/bin/kubeadm")
        outcome = cluster.first.kubeadm(
            "upgrade", "apply", steps.version(following), "--yes", IGNORED, timeout=580
        )
        assert outcome.code == 0, outcome.text
        note("all Ready after the upgrade", cluster.wait_healthy())
        etcd = {"etcd-cp-one": recipes.RELEASES[following].etcd}
        assert_images(host, of_kubernetes(["cp-one"], steps.version(following)) | etcd)
    finally:
        cluster.down()
