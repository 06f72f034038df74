# SPDX-License-Identifier: Apache-2.0
"""A command that is killed repeatedly before its effects, and the conditions that must hold afterwards."""

import dataclasses
import itertools

from cluster.trees import difference
from kill_points import effects, steps
from kill_points.states import node_state, split_pairs


@dataclasses.dataclass
class Tally:
    """Counts the points of a command or of one of its steps, by result."""

    points: int
    tried: int = 0
    failed: int = 0

    def count(self, failed):
        self.tried += 1
        self.failed += failed

    def add_to(self, report, name):
        report.add(name, self.points, self.tried, self.failed)


class Trial:
    """Tests of one command. `prepare` brings a machine to the initial state and returns it. `state(host)` must be the
    same after a killed and a second run as after an undisturbed run."""

    def __init__(self, name, prepare, arguments, state=node_state):
        self.name = name
        self._prepare = prepare
        self._arguments = arguments
        self._state = state
        self.again = arguments  # the command after the kill
        self.synced_by_program = []  # directories that kubeadm syncs by sync(1), which the tracer does not see
        self.cuts = []
        self.found, self.expected = [], {}  # effects and state of the undisturbed run
        self.tally, self.steps = Tally(0), {}  # steps by name
        self.failures = []

    def undisturbed(self, reporting=False):
        """Runs the command without a kill. Returns its effects and the resulting state. With `reporting`, the command
        reports its steps as events, if it can."""
        machine = self._prepare()
        if reporting and steps.has_events(machine, self._arguments):
            self._arguments = (*self._arguments, *steps.REPORTING)
        result, found = effects.run(machine, self._arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return found, self._state(machine.host)

    def seconds(self):
        """Returns the duration of the command without a tracer."""
        outcome = self._prepare().kubeadm(*self._arguments, timeout=400)
        assert outcome.code == 0, outcome.text
        return outcome.seconds

    def choose(self, sample):
        """Runs the command without a kill, and chooses the points at which to kill it."""
        self.found, self.expected = self.undisturbed(sample.by_steps)
        numbers = effects.changing(self.found)
        self.tally = Tally(len(numbers))
        if sample.by_time:
            self.name += ", by time"
            self.cuts = [effects.Cut(seconds=moment) for moment in sample.moments(self.seconds())]
            self.tally = Tally(len(self.cuts))
        elif sample.by_steps:
            self.cuts = sample.share.of(steps.cuts(self.found))
            self.steps = {each.name: Tally(len(each.effects)) for each in steps.steps_of(self.found)}
        else:
            self.cuts = [effects.Cut(number=number) for number in sample.of(numbers)]

    def attempt(self, cut, report):
        """Tries one point, and records its result."""
        reached, wrong, made = self._killed_and_run_again(cut)
        if wrong:
            print(f"{self.name}: {wrong}\n", flush=True)
            self.failures.append(wrong)
        if reached or wrong:
            self.tally.count(bool(wrong))
            self._count_step(cut, made, bool(wrong))
        self.tally.add_to(report, self.name)
        for number, (name, tally) in enumerate(self.steps.items(), start=1):
            tally.add_to(report, f"{self.name}, step {number:02} {name}")

    def _count_step(self, cut, made, failed):
        """Counts the point for the step in which the command was actually killed. It may differ from the planned step,
        because concurrent effects vary in number."""
        name, effect = steps.struck(made, cut) if self.steps else (None, None)
        if name:
            print(f"{self.name}: in step {name!r}, before {effect}", flush=True)
            self.steps.setdefault(name, Tally(0)).count(failed)

    def check(self):
        """Checks that all points succeeded, and that a power failure would have lost nothing."""
        assert self.tally.tried, f"{self.name}: no point was reached"
        missed = [f"no point in step {name!r} was reached" for name in self._missed()]
        wrong = self.failures + missed + [
            line for line in effects.lost_by_a_power_cut(self.found) if line.split()[0] not in self.synced_by_program
        ]
        assert not wrong, f"{self.name}: {len(self.failures)} of {self.tally.tried} points:\n" + "\n\n".join(wrong)

    def _missed(self):
        """Returns steps in which the command was never killed, although a point was chosen there."""
        chosen = {steps.struck(self.found, cut)[0] for cut in self.cuts}
        return [name for name, tally in self.steps.items() if name in chosen and not tally.tried]

    def _killed_and_run_again(self, cut):
        """Kills the command at that point and runs it again. Returns whether the point was reached, the defects, and
        the effects of the first run.

        Concurrent phases differ in their number of effects, so the point may not be reached. The list of defects is
        empty after a success.
        """
        machine = self._prepare()
        killed, made = effects.run(machine, self._arguments, cut)
        reached = killed.returncode == effects.KILLED
        if killed.returncode not in (0, effects.KILLED):
            return True, f"ended with {killed.returncode} before it was killed:\n{killed.stdout}{killed.stderr}", made
        # Runs the command again immediately. It must succeed, even if the killed run had done everything except for its
        # report.
        wrong = [] if killed.returncode == 0 else self._again(machine)
        wrong += split_pairs(machine.host)
        wrong += difference(self.expected, self._state(machine.host)).splitlines()
        return reached, "\n".join([point(cut, made), *wrong]) if wrong else None, made

    def _again(self, machine):
        outcome = machine.kubeadm(*self.again, timeout=400)
        return [] if outcome.code == 0 else [f"again, exit {outcome.code}:", *outcome.text.splitlines()]

    def run(self, report, sample):
        """Tries the points, and checks what a power failure would have lost."""
        by_turns([self], report, sample)


def by_turns(trials, report, sample):
    """Tries one point of each trial in turn: each trial leaves the initial state of the next one."""
    for trial in trials:
        trial.choose(sample)
    for cuts in itertools.zip_longest(*(trial.cuts for trial in trials)):
        for trial, cut in zip(trials, cuts):
            if cut:
                trial.attempt(cut, report)
    for trial in trials:
        trial.check()


def point(cut, made):
    if cut.seconds:
        return f"after {cut.seconds:.2f} s"
    name, effect = steps.struck(made, cut)
    return f"in step {name!r}, before {effect or cut.number}"
