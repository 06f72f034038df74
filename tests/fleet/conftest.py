# SPDX-License-Identifier: Apache-2.0
"""The hosts of tests/cluster, and clusters on which operations run."""

import pytest

from cluster.clusters import Cluster
from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import
from fleet.runs import import_image, install_operator


@pytest.fixture(name="equip", scope="module")
def _equip(kubeadm, tmp_path_factory):
    """Gives the hosts of a cluster kubeadm's image, and the cluster the operator."""

    def equip(cluster, operator=True):
        directory = tmp_path_factory.mktemp("image")
        import_image(cluster, kubeadm, directory)
        if operator:
            install_operator(cluster, kubeadm.with_name("slipway-operator"), directory)
        return cluster

    return equip


@pytest.fixture(name="new_fleet", scope="module")
def _new_fleet(bench, kubeadm, note_of_module, request, equip):
    """Creates an equipped cluster; its arguments are those of Cluster.create."""

    def new_fleet(names, workers, operator=True):
        cluster = Cluster(bench, kubeadm, note_of_module)
        request.addfinalizer(cluster.down)
        cluster.create([*names, *workers], workers=workers)
        return equip(cluster, operator)

    return new_fleet
