# SPDX-License-Identifier: Apache-2.0
"""One command that is killed repeatedly before its effects, and the conditions that hold afterwards."""

import itertools

from cluster.trees import difference
from kill_points import effects
from kill_points.states import node_state, split_pairs


class Trial:
    """`prepare` brings a machine to the initial state and returns it; `state` must be equal afterwards."""

    def __init__(self, name, prepare, arguments, state=node_state):
        self.name = name
        self._prepare = prepare
        self._arguments = arguments
        self._state = state
        self.again = arguments  # is run after the kill
        self.synced_by_program = []  # directories on which kubeadm runs sync(1), which the tracer does not see
        self.cuts = []
        self.found, self.numbers, self.expected = [], [], {}  # effects and state of the undisturbed run
        self.tried, self.failures = 0, []

    def undisturbed(self):
        """Its effects, and the resulting state."""
        machine = self._prepare()
        result, found = effects.run(machine, self._arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return found, self._state(machine.host)

    def seconds(self):
        """Its duration without a tracer."""
        outcome = self._prepare().kubeadm(*self._arguments, timeout=400)
        assert outcome.code == 0, outcome.text
        return outcome.seconds

    def choose(self, sample):
        """Runs it undisturbed, and chooses where to kill it."""
        self.found, self.expected = self.undisturbed()
        self.numbers = effects.changing(self.found)
        if sample.by_time:
            self.name += ", by time"
            self.cuts = [effects.Cut(seconds=moment) for moment in sample.moments(self.seconds())]
        else:
            self.cuts = [effects.Cut(number=number) for number in sample.of(self.numbers)]

    def attempt(self, cut, report):
        """One point, and its result."""
        reached, wrong = self._killed_and_run_again(cut)
        if wrong:
            print(f"{self.name}: {wrong}\n", flush=True)
            self.failures.append(wrong)
        self.tried += bool(reached or wrong)
        report.add(self.name, len(self.cuts) if cut.seconds else len(self.numbers), self.tried, len(self.failures))

    def check(self):
        """Checks that all points succeeded, and that a power failure would have lost nothing."""
        assert self.tried, f"{self.name}: no point was reached"
        wrong = self.failures + [
            line for line in effects.lost_by_a_power_cut(self.found) if line.split()[0] not in self.synced_by_program
        ]
        assert not wrong, f"{self.name}: {len(self.failures)} of {self.tried} points:\n" + "\n\n".join(wrong)

    def _killed_and_run_again(self, cut):
        """Returns whether that point was reached, and the defects after a kill there and a second run.

        Concurrent phases differ in their number of effects. The list of defects is empty after a success.
        """
        machine = self._prepare()
        killed, made = effects.run(machine, self._arguments, cut)
        reached = killed.returncode == effects.KILLED
        if killed.returncode not in (0, effects.KILLED):
            return True, f"ended with {killed.returncode} before it was killed:\n{killed.stdout}{killed.stderr}"
        # At once, and it must succeed: also where the previous run had done everything except the report.
        wrong = [] if killed.returncode == 0 else self._again(machine)
        wrong += split_pairs(machine.host)
        wrong += difference(self.expected, self._state(machine.host)).splitlines()
        return reached, "\n".join([point(cut, made), *wrong]) if wrong else None

    def _again(self, machine):
        outcome = machine.kubeadm(*self.again, timeout=400)
        return [] if outcome.code == 0 else [f"again, exit {outcome.code}:", *outcome.text.splitlines()]

    def run(self, report, sample):
        """Tries the points, and checks what a power failure would have lost."""
        by_turns([self], report, sample)


def by_turns(trials, report, sample):
    """One point of each, alternating, where each leaves the initial state of the next."""
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
    return "before " + next((str(each) for each in made if each.number == cut.number), f"{cut.number}: none")
