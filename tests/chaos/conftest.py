# SPDX-License-Identifier: Apache-2.0
"""Imports the fixtures of tests/cluster, and runs each test once for every fault."""

from chaos.faults import FAULTS, OF_THE_MACHINE
from cluster import conftest as real_hosts
from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import


def pytest_addoption(parser):
    real_hosts.pytest_addoption(parser)
    parser.addoption(
        "--set-clock",
        action="store_true",
        help="also with the fault stepped-clock, which sets the clock of this machine wrong and right again",
    )


def pytest_generate_tests(metafunc):
    if "fault" in metafunc.fixturenames:
        faults = FAULTS | (OF_THE_MACHINE if metafunc.config.getoption("--set-clock") else {})
        metafunc.parametrize("fault", [faults[name] for name in sorted(faults)], ids=sorted(faults))
