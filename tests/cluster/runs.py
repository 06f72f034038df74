# SPDX-License-Identifier: Apache-2.0
"""Runs of the bench on this machine. Each has a number, from which its names and its subnet are derived.

/run/slipway/N/run.json has the owner of run N and its directory. A run with an owner ends with that process. A run
without an owner (created on the command line) stays until it is removed or the machine reboots.
"""

import dataclasses
import itertools
import json
import os
import shutil
from pathlib import Path

from cluster.processes import Process
from components import store

REGISTRY = Path("/run/slipway")


@dataclasses.dataclass
class Run:
    number: int
    name: str  # "" for a run that only its owner uses
    directory: Path
    owner: Process | None

    @property
    def bridge(self):
        return f"slipway{self.number}"

    @property
    def record(self):
        return REGISTRY / str(self.number)

    def address(self, host):
        return f"10.77.{self.number}.{host}"

    def abandoned(self):
        return self.owner is not None and not self.owner.alive()

    def save(self):
        facts = {"name": self.name, "directory": str(self.directory)}
        facts["owner"] = dataclasses.asdict(self.owner) if self.owner else None
        self.record.mkdir(parents=True, exist_ok=True)
        (self.record / "run.json").write_text(json.dumps(facts))

    def forget(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        shutil.rmtree(self.record, ignore_errors=True)


def registry_lock():
    return store.locked(REGISTRY / "lock")


def all_runs():
    """Returns all registered runs, including dead ones. Hold the lock while you act on the result."""
    return [run for path in sorted(REGISTRY.glob("*/run.json")) if (run := _load(path))]


def _load(path):
    try:
        facts = json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    if "directory" not in facts:
        return None  # written by an older checkout, with another field name
    owner = Process(**facts["owner"]) if facts["owner"] else None
    return Run(int(path.parent.name), facts["name"], Path(facts["directory"]), owner)


def find(name):
    return next((run for run in all_runs() if run.name == name), None)


def register(name, owner):
    """Creates a run with an unused number. The caller must hold the lock."""
    taken = {run.number for run in all_runs()}
    number = next(number for number in itertools.count(1) if number not in taken and not _in_use(number))
    if number > 254:
        raise RuntimeError("254 runs are registered already: tests/cluster/bench reap")
    directory = store.root() / "runs" / f"{number}-{os.getpid()}"
    directory.mkdir(parents=True)
    run = Run(number, name, directory, owner)
    run.save()
    return run


def _in_use(number):
    """Returns True if a run in another registry has that number. Other root directories have other registries, but
    share the network."""
    return Path("/sys/class/net", f"slipway{number}").exists()


def orphaned_directories():
    """Returns directories of runs that are no longer registered, because the machine was restarted. Leaves out
    directories of living processes: these may be registered elsewhere, in another root directory."""
    known = {run.directory for run in all_runs()}
    return [
        path
        for path in (store.root() / "runs").glob("*")
        if path not in known and not Path("/proc", path.name.rpartition("-")[2]).exists()
    ]
