# SPDX-License-Identifier: Apache-2.0
"""The cgroups of a host, on machines with cgroups version 1 and with version 2.

A host gets one cgroup in each hierarchy, and a cgroup namespace makes this cgroup the root that the host sees. Version
2 allows no processes in a cgroup whose children have controllers. There the host's own processes are in the child
cgroup `init`.
"""

import contextlib
from pathlib import Path

from cluster.processes import wait_until


class CgroupError(RuntimeError):
    pass


def parse_mounts(mountinfo):
    """Returns [(directory, options)] for the hierarchies of version 1, or [(directory, "")] for the only one of version
    2."""
    first, second = [], []
    for line in mountinfo.splitlines():
        before, _, after = line.partition(" - ")
        kind, _, super_options = after.split(" ", 2)
        directory = Path(before.split()[4])
        options = ",".join(word for word in super_options.split(",") if word not in ("rw", "ro"))
        if kind == "cgroup":
            first.append((directory, "none," + options if options.startswith("name=") else options))
        elif kind == "cgroup2":
            second.append((directory, ""))
    if any("memory" in options.split(",") for _, options in first):
        return first
    if second:
        return second[:1]
    raise CgroupError("this machine has no cgroups mounted")


class Cgroups:
    """The cgroups called `name` ("slipway-7/alpha")."""

    def __init__(self, name):
        self.name = name
        self.hierarchies = parse_mounts(Path("/proc/self/mountinfo").read_text())
        self.version = 1 if self.hierarchies[0][1] else 2
        self.directories = [directory / name for directory, _ in self.hierarchies]

    def create(self):
        for directory, options in self.hierarchies:
            path = directory
            for part in Path(self.name).parts:
                if self.version == 2:
                    self._enable_controllers(path)
                path = path / part
                path.mkdir(exist_ok=True)
                if "cpuset" in options.split(","):
                    self._copy_cpuset(path)
                self._weigh(path)
        if self.version == 2:
            (self.directories[0] / "init").mkdir(exist_ok=True)

    def _enable_controllers(self, path):
        controllers = (path / "cgroup.controllers").read_text().split()
        try:
            (path / "cgroup.subtree_control").write_text(
                " ".join("+" + name for name in controllers)
            )
        except OSError as error:
            raise CgroupError(f"cannot hand out controllers below {path}: {error}") from error

    def _weigh(self, path):
        """Gives the cgroup ten times the default share. Otherwise a whole host would get the share of one process."""
        for name, value in (("cpu.shares", 10240), ("cpu.weight", 1000)):
            if (path / name).exists():
                (path / name).write_text(str(value))

    def _copy_cpuset(self, path):
        for name in ("cpuset.cpus", "cpuset.mems"):
            (path / name).write_text((path.parent / name).read_text())

    def joined(self):
        """Returns the files to which a process writes "0" before it creates or enters the host's namespaces."""
        return [str(directory / "cgroup.procs") for directory in self.directories]

    def leaves(self):
        """Returns the files to which a process writes "0" when it is in the host's cgroup namespace."""
        if self.version == 1:
            return []
        return [str(self.directories[0] / "init" / "cgroup.procs")]

    def entrance(self):
        """Returns the files to which a process writes "0" when it enters the host later."""
        return self.leaves() or self.joined()

    def mounts_inside(self):
        """Returns lines "NAME OPTIONS" of cgroup mounts for host/init; empty for version 2."""
        if self.version == 2:
            return ""
        return "".join(f"{directory.name} {options}\n" for directory, options in self.hierarchies)

    def remove(self):
        """Removes the cgroups and all cgroups below them. Their processes must be dead or about to die."""
        for directory in self.directories:
            if not wait_until(lambda directory=directory: _remove_tree(directory), timeout=5):
                raise CgroupError(f"{directory} is still in use")


def _remove_tree(directory):
    if not directory.exists():
        return True
    for path in sorted((path for path in directory.rglob("*") if path.is_dir()), reverse=True):
        with contextlib.suppress(OSError):
            path.rmdir()
    with contextlib.suppress(OSError):
        directory.rmdir()
    return not directory.exists()
