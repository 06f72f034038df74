# SPDX-License-Identifier: Apache-2.0
"""Fixtures: a management cluster, and a cluster of each kubeadm, which the tests of a file use one after the other."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "api"))

from cluster.conftest import *  # noqa: E402,F401,F403
from cluster_api.life import Life  # noqa: E402
from cluster_api.management import Management  # noqa: E402
from components import store  # noqa: E402

FAILED = pytest.StashKey()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Remembers that a test of a cluster failed: the later ones would only repeat it."""
    report = (yield).get_result()
    if report.failed and hasattr(item, "callspec"):
        item.session.stash.setdefault(FAILED, set()).add(item.callspec.params.get("maker"))


def pytest_runtest_setup(item):
    if hasattr(item, "callspec") and item.callspec.params.get("maker") in item.session.stash.get(FAILED, set()):
        pytest.skip("an earlier step of this cluster failed")


@pytest.fixture(scope="module", params=["ours", "upstream"])
def maker(request):
    """The kubeadm of the hosts."""
    return request.param


@pytest.fixture(scope="module")
def gates():
    """The feature gates of the managers."""
    return ""


@pytest.fixture(scope="module")
def management(tmp_path_factory, maker, gates):
    """A management cluster for the cluster of one kubeadm: no object of another cluster is left in it."""
    it = Management(tmp_path_factory.mktemp(f"management-{maker}"), gates)
    try:
        it.start()
        yield it
    finally:
        it.stop()


@pytest.fixture(scope="module")
def life(management, bench, kubeadm, maker):
    """The cluster of one kubeadm. The tests of the file are the steps of its life, in their order."""
    programs = {"ours": lambda _: kubeadm,
                "upstream": lambda minor: store.release_directory(minor) / "upstream" / "kubeadm"}
    it = Life(management, bench, programs[maker], maker)
    yield it
    it.stop()
    assert it.provider.failures == []
