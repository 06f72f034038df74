# SPDX-License-Identifier: Apache-2.0
"""containerd of Debian releases, unpacked from their packages."""

import os
import shutil
import subprocess

from cluster.template import PROGRAMS
from components import store

SUITES = {"12": "bookworm", "13": "trixie"}  # by the version of Debian
MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class DebianError(RuntimeError):
    pass


def containerd(version, say):
    """Returns the directory with the containerd programs of that Debian version; downloads them once."""
    target = store.root() / "runtimes" / f"debian-{version}"
    with store.locked(store.root() / "runtimes.lock", say):
        if not target.exists():
            say(f"downloading containerd of Debian {version}, once")
            _make(SUITES[version], target)
    return target


def _make(suite, target):
    work = target.with_suffix(".new")
    shutil.rmtree(work, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial", "root", "programs"):
        (work / name).mkdir(parents=True)
    mirror = os.environ.get("SLIPWAY_MIRROR", MIRROR)
    (work / "sources.list").write_text(f"deb [signed-by={KEYS}] {mirror} {suite} main\n")
    own = {"Dir::Etc::sourcelist": work / "sources.list", "Dir::Etc::sourceparts": "-",
           "Dir::State::lists": work / "lists", "Dir::Cache": work / "cache", "APT::Sandbox::User": "root"}
    options = [word for name, value in own.items() for word in ("-o", f"{name}={value}")]
    _run(["apt-get", *options, "-q", "update"], work)
    _run(["apt-get", *options, "-q", "download", "containerd"], work)
    for package in work.glob("*.deb"):
        _run(["dpkg-deb", "-x", package, work / "root"], work)
    for program in PROGRAMS:
        shutil.copy2(work / "root" / "usr" / "bin" / program, work / "programs")
    (work / "programs").rename(target)
    shutil.rmtree(work)


def _run(argv, directory):
    result = subprocess.run(argv, cwd=directory, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise DebianError(f"{' '.join(map(str, argv))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
