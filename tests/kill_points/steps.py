# SPDX-License-Identifier: Apache-2.0
"""The steps that a command reports, and the points in them at which it is killed."""

import dataclasses
import itertools
import json
import os
import re

from kill_points.effects import Cut, changing

REPORTING = ("--output", "json")
BEFORE = "before the first report"
VARIABLE = r"\S*\d\S*"  # numbers, times, and names with numbers may differ each time
FEWEST_LETTERS = 8  # A line with fewer letters outside of its variable words does not begin a step.
FEW_EFFECTS = 20  # If a command has at most this number of effects, every effect is a point.


def has_events(machine, arguments):
    """Returns True if the command reports its steps as events; other commands report lines of text."""
    text = machine.kubeadm(*arguments, "--help").text
    return "one JSON event a line" in " ".join(text.split())


@dataclasses.dataclass
class Step:
    """The effects between two reports of a command."""

    name: str
    texts: tuple  # parts of the output line that begins the step
    effects: list

    def cuts(self):
        """Returns cuts before the first, the last and the middle effect, and before the first effect in each place."""
        last = len(self.effects)
        places = [place(effect) for effect in self.effects]
        return self._before([1, last, last // 2 + 1, *(places.index(each) + 1 for each in places)])

    def all_cuts(self):
        return self._before(range(1, len(self.effects) + 1))

    def _before(self, numbers):
        return [Cut(number, after=self.texts) for number in dict.fromkeys(numbers)]


def place(effect):
    """Returns the directory, server or program that an effect changes."""
    what = effect.what[-1]
    return os.path.dirname(what.rstrip("/")) if what.startswith("/") and effect.verb != "send" else what


def steps_of(found):
    """Returns the steps of a run that change something, in order."""
    steps = [Step(BEFORE, (), [])]
    for at, effect in enumerate(found):
        name, texts = beginning(effect.what[0]) if effect.verb == "say" else (None, ())
        if name and line_with(found, texts) == at:
            steps.append(Step(name, texts, []))
        elif effect.number:
            steps[-1].effects.append(effect)
    return [step for step in steps if step.effects]


def cuts(found):
    """Returns the points at which a command with these effects is killed. The first points are one of each step, so
    that a run that is ended early has tried all steps."""
    steps = steps_of(found)
    few = sum(len(step.effects) for step in steps) <= FEW_EFFECTS
    rounds = itertools.zip_longest(*(step.all_cuts() if few else step.cuts() for step in steps))
    return [cut for one_of_each in rounds for cut in one_of_each if cut]


def event_in(line):
    """Returns the event of a line of output; {} if the line is text."""
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


def beginning(line):
    """Returns the name of the step that begins with a line of output, and the texts that identify the line. Returns
    None and () if the line begins no step."""
    event = event_in(line)
    kind, phase, text = event.get("type"), event.get("phase", ""), event.get("text", "")
    if kind in ("phase_started", "phase_finished"):
        return phase if kind == "phase_started" else f"after {phase}", (field("type", kind), field("phase", phase))
    if event and kind not in ("message", "progress"):
        return None, ()
    line = (text if event else line).split("\n")[0]
    first, *others = re.split(VARIABLE, line)
    if len(first) + sum(map(len, others)) < FEWEST_LETTERS:
        return None, ()
    texts = (field("type", kind), field("text", first)[:-1]) if event else (first,)
    texts += tuple(json.dumps(each, ensure_ascii=False)[1:-1] if event else each for each in others if each.strip())
    return f"{phase}: {re.sub(VARIABLE, '…', line)}".removeprefix(": "), texts


def field(name, value):
    """Returns a field in the form of kubeadm's events."""
    return f'"{name}":{json.dumps(value, ensure_ascii=False)}'


def struck(made, cut):
    """Returns the name of the step in which a command was killed, and the effect before which it was killed. Returns
    None for both if the point was not reached."""
    places = [(step.name, effect) for step in steps_of(made) for effect in step.effects]
    at = first_after(made, cut.after) + cut.number - 1
    return places[at] if cut.number and at < len(places) else (None, None)


def first_after(made, texts):
    """Returns the number of effects before the line of output with these texts; 0 without texts."""
    return len(changing(made[: line_with(made, texts)])) if texts else 0


def line_with(made, texts):
    """Returns the index of the first line of output with these texts, as the stopper finds it."""
    lines = enumerate(made)
    return next((at for at, line in lines if line.verb == "say" and has_texts(line.what[0], texts)), len(made))


def has_texts(line, texts):
    return all(text in line for text in texts)
