# SPDX-License-Identifier: Apache-2.0
"""The hosts of tests/cluster; `--releases MINOR…` selects the minor versions."""

from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import
from cluster.conftest import pytest_addoption as _add_options_of_cluster
from minors import steps


def pytest_addoption(parser):
    _add_options_of_cluster(parser)
    parser.addoption("--releases", nargs="+", choices=steps.MINORS, default=steps.OLDER,
                     help="minor versions of the clusters, and of upgrades from or to them")


def pytest_generate_tests(metafunc):
    """A test has one of these parameters: `release` (a selected one), `step` (an upgrade from or to a selected one),
    `way` (several hops) or `algorithm` (of a cluster's keys)."""
    selected = metafunc.config.getoption("releases")
    tables = {
        "release": selected,
        "step": steps.between(selected),
        "way": [way for way in steps.WAYS if way.selected_by in selected],
        "algorithm": steps.KEYS if steps.V1_38 in selected else [],
    }
    for name in set(tables) & set(metafunc.fixturenames):
        scope = "module" if name == "algorithm" else None
        metafunc.parametrize(name, tables[name], ids=steps.name_of, scope=scope)
