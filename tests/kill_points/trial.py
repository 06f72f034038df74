# SPDX-License-Identifier: Apache-2.0
"""One command that is killed before its effects, again and again, and what must be true afterwards."""

import itertools

from cluster.trees import difference
from kill_points import effects
from kill_points.states import node_state, split_pairs


class Trial:
    """`prepare` brings a machine to the state before and returns it; `state` is what must be equal after."""

    def __init__(self, name, prepare, arguments, state=node_state):
        self.name = name
        self._prepare = prepare
        self._arguments = arguments
        self._state = state
        self.again = arguments  # what is run after the kill
        self.cuts = []
        self.found, self.numbers, self.expected = [], [], {}  # effects and state of the undisturbed run
        self.tried, self.failures = 0, []

    def undisturbed(self):
        """Its effects, and the state that it leaves."""
        machine = self._prepare()
        result, found = effects.run(machine, self._arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return found, self._state(machine.host)

    def seconds(self):
        """How long it takes with nobody who follows it."""
        outcome = self._prepare().kubeadm(*self._arguments, timeout=400)
        assert outcome.code == 0, outcome.text
        return outcome.seconds

    def choose(self, sample):
        """Runs it undisturbed, and knows then where to kill it."""
        self.found, self.expected = self.undisturbed()
        self.numbers = effects.changing(self.found)
        if sample.by_time:
            self.name += ", by time"
            self.cuts = [effects.Cut(seconds=moment) for moment in sample.moments(self.seconds())]
        else:
            self.cuts = [effects.Cut(number=number) for number in sample.of(self.numbers)]

    def attempt(self, cut, report):
        """One point, and what came of it."""
        reached, wrong = self._killed_and_run_again(cut)
        if wrong:
            print(f"{self.name}: {wrong}\n", flush=True)
            self.failures.append(wrong)
        self.tried += bool(reached or wrong)
        report.add(self.name, len(self.cuts) if cut.seconds else len(self.numbers), self.tried, len(self.failures))

    def check(self):
        """That all went well, and that a power cut would have taken nothing."""
        assert self.tried, f"{self.name}: no point was reached"
        wrong = self.failures + effects.lost_by_a_power_cut(self.found)
        assert not wrong, f"{self.name}: {len(self.failures)} of {self.tried} points:\n" + "\n\n".join(wrong)

    def _killed_and_run_again(self, cut):
        """Whether that point was reached (effects of phases side by side differ in number), and what is wrong
        after a kill there and a second run; nothing when all is well."""
        machine = self._prepare()
        killed, made = effects.run(machine, self._arguments, cut)
        reached = killed.returncode == effects.KILLED
        if killed.returncode not in (0, effects.KILLED):
            return True, f"ended with {killed.returncode} before it was killed:\n{killed.stdout}{killed.stderr}"
        # At once, and it has to succeed: also where the run before had done all but say so.
        wrong = [] if killed.returncode == 0 else self._again(machine)
        wrong += split_pairs(machine.host)
        wrong += difference(self.expected, self._state(machine.host)).splitlines()
        return reached, "\n".join([point(cut, made), *wrong]) if wrong else None

    def _again(self, machine):
        outcome = machine.kubeadm(*self.again, timeout=400)
        return [] if outcome.code == 0 else [f"again, exit {outcome.code}:", *outcome.text.splitlines()]

    def run(self, report, sample):
        """Tries the points, and asks what a power cut would have taken."""
        by_turns([self], report, sample)


def by_turns(trials, report, sample):
    """A point of each by turns, where each leaves what the next begins with."""
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
