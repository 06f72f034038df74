"""The same commit gives the same bytes, wherever it is built."""

import json
import os
import subprocess

from packages.conftest import TOP


def built_elsewhere(folder, commit, options):
    """What `package` makes of these sources in another folder, which is no repository."""
    sources = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, capture_output=True, check=True).stdout
    (folder / "src").mkdir()
    subprocess.run(["xargs", "-0", "cp", "--parents", "-t", folder / "src"], cwd=TOP, input=sources, check=True)
    time = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=TOP, capture_output=True, text=True, check=True)
    environment = {**os.environ, "CCACHE_BASEDIR": str(folder / "src"), "SLIPWAY_COMMIT": commit,
                   "SLIPWAY_COMMIT_TIME": time.stdout.strip(), **options}
    environment.pop("SLIPWAY_SIGNING_KEY", None)
    subprocess.run(["packaging/package", folder / "packages", folder / "src/build/other"],
                   cwd=folder / "src", env=environment, check=True, stdout=subprocess.DEVNULL)
    return folder / "packages"


def test_two_builds_in_two_folders_give_the_same_bytes(packages, portable, pytestconfig, tmp_path):
    """What ccache still has of the first build is taken from there, unless --again forbids it."""
    version = subprocess.run([portable / "bin/kubeadm", "version", "-o", "json"], capture_output=True, text=True,
                             check=True)
    commit = json.loads(version.stdout)["clientVersion"]["gitCommit"]
    options = {"CCACHE_DISABLE": "1"} if pytestconfig.getoption("--again") else {}
    other = built_elsewhere(tmp_path, commit, options)
    assert (other / "SHA256SUMS").read_text() == (packages / "SHA256SUMS").read_text()
