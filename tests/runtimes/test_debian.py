# SPDX-License-Identifier: Apache-2.0
"""Clusters on the containerd of Debian 12 and 13, which is older than the kubelets of these releases expect."""

import re

import pytest

from cluster import echo, kubernetes
from cluster.clusters import Cluster
from cluster.template import PROGRAMS
from components import debian, recipes


@pytest.fixture(scope="module", params=[f"{version}-{release}" for version in debian.SUITES
                                        for release in (recipes.PREVIOUS_RELEASE, recipes.DEFAULT_RELEASE)])
def cluster(request, bench, kubeadm, note_of_module):
    """A control plane and a worker."""
    version, release = request.param.split("-")
    made = Cluster(bench, kubeadm, note_of_module)
    options = {"release": release, "containerd": debian.programs("containerd", PROGRAMS, version, print)}
    request.addfinalizer(made.down)
    made.machine("cp-one", **options)
    made.printed = made.init().text
    token, pin, _ = made.credentials()
    outcome = made.machine("worker", **options).join(*made.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    yield made


def test_nodes_and_pods_become_ready(cluster):
    cluster.wait_healthy()
    echo.deploy(cluster.first.host)
    echo.assert_answers(cluster.first.host)


def test_nodes_report_the_runtime(cluster):
    shown = cluster.first.host.kubectl("get", "nodes", "-o", "jsonpath={.items[*].status.nodeInfo.containerRuntimeVersion}")
    assert set(re.findall(r"containerd://(\d+\.\d+)", shown)) in ({"1.6"}, {"1.7"})


def test_init_warns_of_the_old_runtime(cluster):
    assert "[WARNING ContainerRuntimeVersion]" in cluster.printed


def test_certificates_are_renewed_and_used(cluster):
    outcome = cluster.first.kubeadm("certs", "renew", "all", "--restart")
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()


def test_reset_leaves_no_container(cluster):
    for machine in reversed(cluster.machines):
        outcome = machine.kubeadm("reset", "--force")
        assert outcome.code == 0, outcome.text
        assert kubernetes.kept_by_runtime(machine.host) == []
