# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian releases, unpacked from their packages, which need not be installed for that."""

import os
import shutil
import subprocess

from components import store

SUITES = {"12": "bookworm", "13": "trixie"}  # by the version of Debian
MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class DebianError(RuntimeError):
    pass


def programs(package, names, version, say):
    """Returns the directory with the programs `names` of a package of that Debian version; downloads them once."""
    target = store.root() / "debian" / f"{package}-{version}"
    with store.locked(store.root() / "debian.lock", say):
        if not target.exists():
            say(f"downloading {package} of Debian {version}, once")
            _make(package, names, SUITES[version], target)
    return target


def _make(package, names, suite, target):
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
    _run(["apt-get", *options, "-q", "download", package], work)
    for archive in work.glob("*.deb"):
        _run(["dpkg-deb", "-x", archive, work / "root"], work)
    for name in names:
        shutil.copy2(work / "root" / "usr" / "bin" / name, work / "programs")
    (work / "programs").rename(target)
    shutil.rmtree(work)


def _run(argv, directory):
    result = subprocess.run(argv, cwd=directory, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise DebianError(f"{' '.join(map(str, argv))}: exit {result.returncode}\n{result.stdout}{result.stderr}")
