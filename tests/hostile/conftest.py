# SPDX-License-Identifier: Apache-2.0
"""Fixtures for untrusted input: data from a network or a file that are not verified yet."""

import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

from world import Authority  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--bin", type=Path, default=TOP / "build" / "bin", help="directory of both programs")
    parser.addoption("--odd-fields", type=int, default=20,
                     help="for each command, how many objects and lists at the top of an object, and how many other "
                          "fields, get another type; 0 is all of them (hours)")
    parser.addoption("--seconds", type=float, default=20,
                     help="how long one input may take: 20 is meant for release builds, others are 5 times slower")


@pytest.fixture(scope="session")
def kubeadm(request):
    return request.config.getoption("--bin") / "kubeadm"


@pytest.fixture(scope="session")
def approver(request):
    return request.config.getoption("--bin") / "cluster-machine-approver"


@pytest.fixture(scope="session")
def seconds(request):
    return request.config.getoption("--seconds")


@pytest.fixture(scope="session")
def ours():
    return Authority("ours")


@pytest.fixture(scope="session")
def public():
    """A CA that every machine trusts, and that signs certificates for anyone, for example an attacker."""
    return Authority("public")


@pytest.fixture(scope="session")
def machine_cas(public, tmp_path_factory):
    """A machine's CA directory, with the bundle and with each CA under its hash."""
    directory = tmp_path_factory.mktemp("machine-cas")
    (directory / "public.pem").write_text(public.pem())
    (directory / "ca-certificates.crt").write_text(public.pem())
    name = subprocess.run(["openssl", "x509", "-noout", "-hash", "-in", directory / "public.pem"], check=True,
                          text=True, capture_output=True).stdout.strip()
    (directory / f"{name}.0").write_text(public.pem())
    return directory
