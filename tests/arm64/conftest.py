# SPDX-License-Identifier: Apache-2.0
"""The hosts of tests/cluster, on which kubeadm for arm64 runs under an emulator."""

import pytest

from cluster import hosts
from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import
from cluster.emulated import EmulatedCluster, write_script

PROGRAM = hosts.PROJECT / "build" / "bin-arm64" / "kubeadm"


@pytest.fixture(scope="session")
def kubeadm(tmp_path_factory):
    """A script that runs the emulated program. It has the same path on each host."""
    if not PROGRAM.exists():
        pytest.exit(f"{PROGRAM} is missing: ./dev build --arch arm64 makes it", 3)
    return write_script(tmp_path_factory.mktemp("emulated") / "kubeadm")


@pytest.fixture
def cluster(bench, kubeadm, note, request):
    made = EmulatedCluster(bench, PROGRAM, "qemu-aarch64", kubeadm, note)
    request.addfinalizer(made.down)
    yield made
