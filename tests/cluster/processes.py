# SPDX-License-Identifier: Apache-2.0
"""Processes identified by pid and start time, so that another process with a reused pid is not mistaken for them."""

import dataclasses
import os
import signal
import time
from pathlib import Path


def _stat(pid):
    """Returns the fields of /proc/PID/stat after the command's name; None if the process does not exist."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


@dataclasses.dataclass(frozen=True)
class Process:
    pid: int
    start: int  # in clock ticks since boot

    @classmethod
    def of(cls, pid):
        fields = _stat(pid)
        return cls(pid, int(fields[19])) if fields else None

    @classmethod
    def own(cls):
        return cls.of(os.getpid())

    def alive(self):
        fields = _stat(self.pid)
        return bool(fields) and int(fields[19]) == self.start and fields[0] != "Z"

    def kill(self, number=signal.SIGKILL, timeout=10):
        """Sends the signal and waits until the process is gone. Returns whether it is gone."""
        if self.alive():
            try:
                os.kill(self.pid, number)
            except ProcessLookupError:
                return True
        return wait_until(lambda: not self.alive(), timeout)


def children(pid):
    """Returns the pids whose parent is `pid`."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [number for number in numbers if (fields := _stat(number)) and int(fields[1]) == pid]


def kill_below(pid):
    """Sends SIGKILL to all descendants of `pid`."""
    for child in children(pid):
        process = Process.of(child)
        kill_below(child)
        if process:
            process.kill()


def wait_until(holds, timeout, pause=0.02):
    """Calls `holds` repeatedly until it returns a true value or `timeout` seconds have passed. Returns the last
    value."""
    deadline = time.monotonic() + timeout
    while not (answer := holds()):
        if time.monotonic() > deadline:
            return answer
        time.sleep(pause)
    return answer
