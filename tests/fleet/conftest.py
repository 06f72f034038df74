# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the hosts of tests/cluster, and clusters on which operations run."""

import pytest

from cluster.clusters import Cluster
from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import
from fleet.runs import import_image, install_operator


@pytest.fixture(name="equip", scope="module")
def _equip(kubeadm, tmp_path_factory):
    """Returns a function that imports kubeadm's image on a cluster's hosts and installs the operator in the cluster."""

    def equip(cluster, operator=True):
        directory = tmp_path_factory.mktemp("image")
        import_image(cluster, kubeadm, directory)
        if operator:
            install_operator(cluster, kubeadm.with_name("slipway-operator"), directory)
        return cluster

    return equip


@pytest.fixture(name="new_fleet", scope="module")
def _new_fleet(bench, kubeadm, note_of_module, request, equip):
    """Returns a function that creates an equipped cluster; its arguments are those of Cluster.create."""

    def new_fleet(names, workers, operator=True):
        cluster = Cluster(bench, kubeadm, note_of_module)
        request.addfinalizer(cluster.down)
        cluster.create([*names, *workers], workers=workers)
        return equip(cluster, operator)

    return new_fleet
