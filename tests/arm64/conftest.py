# SPDX-License-Identifier: Apache-2.0
"""The hosts of tests/cluster, on which arm64's kubeadm runs under an emulator; all else there is the machine's."""

import shutil
from pathlib import Path

import pytest

from cluster import hosts
from cluster.clusters import Cluster
from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import

PROGRAM = hosts.PROJECT / "build" / "bin-arm64" / "kubeadm"
PLACE = "/usr/local/lib/arm64"


class EmulatedCluster(Cluster):
    """Each of its hosts has the emulator and arm64's program, which `kubeadm` leads to."""

    def machine(self, name, kubeadm=None, **options):
        made = super().machine(name, kubeadm, **options)
        made.host.copy(PROGRAM, f"{PLACE}/kubeadm")
        made.host.copy(Path(shutil.which("qemu-aarch64")), f"{PLACE}/qemu-aarch64")
        return made


@pytest.fixture(scope="session")
def kubeadm(tmp_path_factory):
    """What leads to the emulated program, below the same path on each host."""
    if not PROGRAM.exists():
        pytest.exit(f"{PROGRAM} is missing: ./dev build --arch arm64 makes it", 3)
    script = tmp_path_factory.mktemp("emulated") / "kubeadm"
    script.write_text(f'#!/bin/sh\nexec {PLACE}/qemu-aarch64 {PLACE}/kubeadm "$@"\n')
    script.chmod(0o755)
    return script


@pytest.fixture
def cluster(bench, kubeadm, note, request):
    made = EmulatedCluster(bench, kubeadm, note)
    request.addfinalizer(made.down)
    yield made
