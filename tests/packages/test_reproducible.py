# SPDX-License-Identifier: Apache-2.0
"""The same commit gives the same bytes, independently of the directory and of a compiler cache."""

import datetime
import json
import os
import subprocess

import pytest

from packages.conftest import TOP


def built_elsewhere(directory, commit, date):
    """Builds the packages of these sources in another directory, which is not a repository."""
    sources = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, check=True).stdout
    (directory / "src").mkdir()
    subprocess.run(["xargs", "-0", "cp", "--parents", "-t", directory / "src"], cwd=TOP, input=sources, check=True)
    seconds = int(datetime.datetime.fromisoformat(date).timestamp())
    environment = {**os.environ, "CCACHE_DISABLE": "1", "SLIPWAY_COMMIT": commit, "SLIPWAY_COMMIT_TIME": str(seconds)}
    for key in ("SLIPWAY_SIGNING_KEY", "SLIPWAY_GPG_KEY"):
        environment.pop(key, None)
    subprocess.run(["packaging/package", directory / "packages", directory / "src/build/other"],
                   cwd=directory / "src", env=environment, check=True, stdout=subprocess.DEVNULL)
    return directory / "packages"


def test_two_builds_in_two_directories_give_the_same_bytes(packages, portable, pytestconfig, tmp_path):
    """Takes as long as a first build, so it runs only on request: --again."""
    if not pytestconfig.getoption("--again"):
        pytest.skip("a second build in another directory is made with --again only")
    version = subprocess.run([portable / "bin/kubeadm", "version", "-o", "json"], capture_output=True, text=True,
                             check=True)
    built = json.loads(version.stdout)["clientVersion"]
    commit = built["gitCommit"] + ("-changed" if built["gitTreeState"] == "dirty" else "")
    other = built_elsewhere(tmp_path, commit, built["buildDate"])
    assert (other / "SHA256SUMS").read_text() == (packages / "SHA256SUMS").read_text()
