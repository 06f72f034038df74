# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the output of ./dev package, clean Debian roots, and real hosts."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cluster import hosts  # noqa: E402
from packages.roots import Root, base_root  # noqa: E402

TOP = Path(__file__).resolve().parents[2]
ARCHITECTURE = subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()


def pytest_addoption(parser):
    group = parser.getgroup("packages")
    group.addoption("--packages", type=Path, default=TOP / "build" / "packages",
                    help="the directory that ./dev package filled")
    group.addoption("--again", action="store_true",
                    help="compile everything a second time, in another directory and without ccache, "
                         "and compare the bytes: takes as long as a first build")


@pytest.fixture(scope="session")
def packages(pytestconfig):
    directory = pytestconfig.getoption("--packages")
    if not (directory / "SHA256SUMS").exists():
        pytest.exit(f"{directory} has no packages: ./dev package makes them", 3)
    return directory


@pytest.fixture(scope="session")
def kubeadm_package(packages):
    return next(packages.glob(f"slipway-kubeadm_*_{ARCHITECTURE}.deb"))


@pytest.fixture(scope="session")
def approver_package(packages):
    return next(packages.glob(f"slipway-machine-approver_*_{ARCHITECTURE}.deb"))


@pytest.fixture(scope="session")
def operator_package(packages):
    return next(packages.glob(f"slipway-operator_*_{ARCHITECTURE}.deb"))


@pytest.fixture(scope="session")
def portable(packages, tmp_path_factory):
    """The unpacked tarball."""
    directory = tmp_path_factory.mktemp("portable")
    archive = next(packages.glob(f"slipway-*-linux-{ARCHITECTURE}.tar.xz"))
    subprocess.run(["tar", "-xf", archive, "-C", directory], check=True)
    return directory / archive.name.removesuffix(".tar.xz")


@pytest.fixture
def debian(tmp_path):
    """A clean Debian 12 root directory, which is removed after the test. Writes go to a layer over the shared
    directory."""
    root = Root(tmp_path / "root")
    layers = [tmp_path / "root-changes", tmp_path / "root-work"]
    for directory in (root.path, *layers):
        directory.mkdir()
    options = f"lowerdir={base_root()},upperdir={layers[0]},workdir={layers[1]}"
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, root.path], check=True)
    yield root
    subprocess.run(["umount", root.path], check=True)
    for directory in layers:
        shutil.rmtree(directory)


@pytest.fixture(scope="session")
def bench():
    with hosts.Bench.create(say=hosts.quiet) as bench:
        yield bench
