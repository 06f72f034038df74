# SPDX-License-Identifier: Apache-2.0
"""The effects of a command, one after the other, and a way to kill the command before any of them."""

import dataclasses
import os
import subprocess
from pathlib import Path

from cluster.hosts import PROJECT

SOURCE = Path(__file__).resolve().parent / "stopper.c"
STOPPER = PROJECT / "build" / "stopper"
KILLED = 137
SAYING_WHAT_IT_SENDS = ("-v", "7")  # the stopper needs this output to recognize read-only requests
# Directories that must survive a power failure; all others (/run, /tmp) are lost in any case.
LASTING = ("/etc/", "/var/lib/", "/root/")


@dataclasses.dataclass(frozen=True)
class Effect:
    number: int | None  # None if the effect changes nothing
    verb: str
    what: tuple

    def __str__(self):
        return f"{self.number}: {self.verb} {' '.join(self.what)}"


def compiled():
    """Returns the program that kills, recompiled if its source is newer."""
    if not STOPPER.exists() or STOPPER.stat().st_mtime < SOURCE.stat().st_mtime:
        STOPPER.parent.mkdir(exist_ok=True)
        part = STOPPER.with_name(f"stopper.{os.getpid()}")
        subprocess.run(["gcc", "-O2", "-static", "-Wall", "-Wextra", "-o", part, SOURCE], check=True)
        part.rename(STOPPER)
    return STOPPER


def parsed(text):
    """Returns the effects in a record."""
    found = []
    for line in text.removesuffix("\n").split("\n") if text else []:
        number, verb, *what = line.split("\t")
        found.append(Effect(None if number == "-" else int(number), verb, tuple(what)))
    return found


@dataclasses.dataclass(frozen=True)
class Cut:
    """The point at which a command is killed: before an effect, or after some seconds, even during a wait.

    With `after`, effects count from the first line of the command's output that has all of these texts.
    """

    number: int = 0
    seconds: float = 0.0
    after: tuple = ()

    def __str__(self):
        return "@".join([str(self.number), *(["\n".join(self.after)] if self.after else [])])


def run(machine, arguments, cut=Cut(), timeout=300):
    """Runs kubeadm and kills it at the cut (by default not at all). Returns its outcome and, unless it is killed by
    time, its effects."""
    host = machine.host
    if cut.seconds:
        late = ("timeout", "--foreground", "-s", "KILL", f"{cut.seconds:.2f}")
        return host.run(*late, "kubeadm", *arguments, check=False, timeout=timeout), []
    host.copy(compiled(), "/usr/local/bin/stopper")
    # Commands empty other directories, but not /var/log.
    record = ["/usr/local/bin/stopper", "/var/log/effects.log", str(cut)]
    result = host.run(*record, "kubeadm", *arguments, *SAYING_WHAT_IT_SENDS, check=False, timeout=timeout)
    return result, parsed((host.logs / "effects.log").read_text(errors="replace"))


@dataclasses.dataclass(frozen=True)
class Share:
    """The part of all points that one of several concurrent runs tries."""

    part: int = 1
    parts: int = 1

    def of(self, points):
        return points[self.part - 1 :: self.parts]

    def __str__(self):
        return "" if self.parts == 1 else f" ({self.part} of {self.parts})"


@dataclasses.dataclass(frozen=True)
class Sample:
    """Chooses at most `most` points of a command to try; None means all points. They are spread evenly from the
    first to the last point. `offset` shifts them by this fraction (0 to 1) of their distance."""

    most: int | None
    offset: float | None = None
    by_time: bool = False  # kills at times instead of before effects
    by_steps: bool = False  # three points of each step instead of a number of points
    share: Share = Share()

    def at_least(self, number):
        return self if self.most is None else dataclasses.replace(self, most=max(self.most, number))

    def of(self, numbers):
        return self.share.of(self._spread(numbers))

    def _spread(self, numbers):
        count, last = self.most, len(numbers) - 1
        if count is None or len(numbers) <= count:
            return numbers
        if self.offset is None:
            chosen = {round(at * last / max(count - 1, 1)) for at in range(count)}
        else:
            chosen = {min(int((at + self.offset) * len(numbers) / count), last) for at in range(count)}
        return [numbers[place] for place in sorted(chosen)]

    def moments(self, seconds):
        """Returns evenly spread times in seconds, for a command that takes `seconds`."""
        count, offset = self.most or round(seconds / 0.1), 0.5 if self.offset is None else self.offset
        return self.share.of([seconds * (at + offset) / count for at in range(count)])


def changing(effects):
    """Returns the numbers of the effects that change something. The command may be killed before each of them."""
    return [effect.number for effect in effects if effect.number]


def lost_by_a_power_cut(effects):
    """Returns descriptions of files and names that were never synced. A power failure may lose them although the
    command has reported success."""
    dirty, names, lost = set(), {}, []
    for effect in effects:
        path = effect.what[0] if effect.what else ""
        if effect.verb in ("create", "write", "truncate"):
            dirty.add(path)
        if effect.verb in ("create", "mkdir", "unlink"):
            names.setdefault(os.path.dirname(path.rstrip("/")), []).append(effect)
        elif effect.verb == "rename":
            if path in dirty:
                lost.append(f"{effect}: its content was not synced before")
                dirty.discard(path)
            for each in effect.what:
                names.setdefault(os.path.dirname(each), []).append(effect)
        elif effect.verb == "sync":
            dirty.discard(path)
            names.pop(path, None)
    gone = {effect.what[0] for effect in effects if effect.verb in ("unlink", "rename")}
    names = {directory: left for directory, left in names.items() if directory not in gone}
    lost += [f"the content of {path} was never synced" for path in sorted(dirty - gone)]
    lost += [f"{directory} was not synced after {left[-1]}" for directory, left in names.items()]
    return [line for line in lost if any(part in line for part in LASTING)]
