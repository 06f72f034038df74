# SPDX-License-Identifier: Apache-2.0
"""The hosts of tests/cluster, and the number of effects before which each command is killed."""

import pytest

from cluster import conftest as real_hosts
from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import
from kill_points.effects import Sample, Share
from kill_points.report import Report


def pytest_addoption(parser):
    real_hosts.pytest_addoption(parser)
    parser.addoption(
        "--kill-points",
        default="8",
        help="how many points are tried of each command, evenly spread: a number, all, or steps: before the first, "
        "the middle and the last effect of each step",
    )
    parser.addoption(
        "--kill-offset",
        type=float,
        default=None,
        help="moves the points by that part (0 to 1) of the distance between two: others than before",
    )
    parser.addoption(
        "--kill-share",
        default="1/1",
        help="only the I-th of N parts of these points, as I/N: several runs side by side, each with its share",
    )
    parser.addoption(
        "--kill-by-time",
        action="store_true",
        help="kill at moments of a command's time, evenly spread, instead of before its effects",
    )


@pytest.fixture(scope="session")
def kill_points(pytestconfig):
    """The points at which a command is killed."""
    given = pytestconfig.getoption("--kill-points")
    part, parts = pytestconfig.getoption("--kill-share").split("/")
    return Sample(
        None if given in ("all", "steps") else int(given),
        pytestconfig.getoption("--kill-offset"),
        pytestconfig.getoption("--kill-by-time"),
        given == "steps",
        Share(int(part), int(parts)),
    )


@pytest.fixture(scope="session")
def report(kill_points):
    """The results of each command's points, in build/kill-points.txt."""
    return Report(kill_points.share)
