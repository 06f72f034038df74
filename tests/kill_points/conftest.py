# SPDX-License-Identifier: Apache-2.0
"""The hosts of tests/cluster, and at how many of its effects each command is killed."""

import pytest

from cluster import conftest as real_hosts
from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import
from kill_points.report import Report


def pytest_addoption(parser):
    real_hosts.pytest_addoption(parser)
    parser.addoption(
        "--kill-points",
        default="8",
        help="how many points are tried of each command, evenly spread: a number, or all",
    )


@pytest.fixture(scope="session")
def kill_points(pytestconfig):
    """The most points of a command that are tried; None for all of them."""
    given = pytestconfig.getoption("--kill-points")
    return None if given == "all" else int(given)


@pytest.fixture(scope="session")
def report():
    """Where each command's points are written down: build/kill-points.txt."""
    return Report()
