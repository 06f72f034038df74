# SPDX-License-Identifier: Apache-2.0
"""Options: `--each N` is the number of configurations for each command and seed, `--seeds N` the number of seeds.
`--releases MINOR…` selects the releases whose upstream kubeadm is compared with ours, `--release MINOR` the release of
tests that compare one."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from components import recipes  # noqa: E402
from differential import programs  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--releases", nargs="+", choices=sorted(recipes.ALL_RELEASES),
                     default=[recipes.DEFAULT_RELEASE, recipes.PREVIOUS_RELEASE],
                     help="whose upstream's kubeadm is held against ours")
    parser.addoption("--release", choices=sorted(recipes.ALL_RELEASES), default=recipes.DEFAULT_RELEASE,
                     help="the same for the tests of joins, resets, tokens and others, which take one release")
    parser.addoption("--each", type=int, default=40, help="configurations of a test")
    parser.addoption("--seeds", type=int, default=2, help="tests of each command")


def pytest_configure(config):
    programs.choose(config.getoption("release"))


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(1, metafunc.config.getoption("seeds") + 1))
    elif "release" in metafunc.fixturenames:
        metafunc.parametrize("release", metafunc.config.getoption("releases"))
