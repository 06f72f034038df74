# SPDX-License-Identifier: Apache-2.0
"""Clean root directories of Debian 12, which is older than the build root. mmdebstrap creates them once."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from components import store

SUITE = "bookworm"
# Files in which dpkg and apt record their own work.
OWN_RECORDS = ("var/lib/dpkg/", "var/log/", "var/cache/", "var/lib/apt/", "etc/ld.so.cache",
               "var/lib/systemd/deb-systemd-helper")


def base_root():
    """Returns the directory of a clean root, which all tests share. Copy it before changes."""
    directory = store.root() / "debian-12"
    with open(directory.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (directory / "complete").exists():
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            mirror = [os.environ["SLIPWAY_MIRROR"]] if "SLIPWAY_MIRROR" in os.environ else []
            subprocess.run(["mmdebstrap", "--quiet", "--variant=minbase", "--include=init-system-helpers",
                            SUITE, directory / "root", *mirror], check=True)
            (directory / "complete").touch()
    return directory / "root"


class Root:
    """A root directory with a system in it."""

    def __init__(self, path):
        self.path = Path(path)

    def run(self, *argv, check=True):
        """Runs a command in the root, without this machine's environment."""
        return subprocess.run(["chroot", self.path, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", *argv],
                              check=check, capture_output=True, text=True, timeout=120)

    def install(self, package, check=True):
        shutil.copy(package, self.path / "tmp" / "package.deb")
        done = self.run("dpkg", "-i", "/tmp/package.deb", check=False)
        (self.path / "tmp" / "package.deb").unlink()
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def files(self):
        """Returns path → content, except for dpkg's and apt's own records."""
        found = {}
        for path in sorted(self.path.rglob("*")):
            name = str(path.relative_to(self.path))
            if name.startswith(OWN_RECORDS):
                continue
            if path.is_symlink():
                found[name] = path.readlink()
            elif path.is_dir():
                found[name] = "directory"
            else:
                found[name] = path.stat().st_mode, path.stat().st_size
        return found
