# SPDX-License-Identifier: Apache-2.0
"""The hosts of tests/cluster, and the number of power cuts for each command."""

import pytest

from cluster import conftest as real_hosts
from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import
from power_cuts import recorder


def pytest_addoption(parser):
    real_hosts.pytest_addoption(parser)
    parser.addoption("--cuts", type=int, default=40, help="how many cuts of each command are inspected")
    parser.addoption("--boots", type=int, default=3, help="after how many of them the host starts again")
    parser.addoption(
        "--file-systems",
        default=",".join(recorder.FILE_SYSTEMS),
        help="the file systems of the disk, separated by commas",
    )


def pytest_generate_tests(metafunc):
    if "file_system" in metafunc.fixturenames:
        metafunc.parametrize("file_system", metafunc.config.getoption("--file-systems").split(","))


@pytest.fixture
def numbers(pytestconfig):
    """The number of power cuts, and of boots."""
    return pytestconfig.getoption("--cuts"), pytestconfig.getoption("--boots")
