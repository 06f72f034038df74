# SPDX-License-Identifier: Apache-2.0
"""The choice of kill points by the steps that a command reports, and the stopper that reaches them."""

import json
import subprocess

import pytest

from kill_points import effects, steps
from kill_points.effects import Cut, Share

FILES = "/etc/kubernetes"


def said(**event):
    return f"-\tsay\t{json.dumps(event, separators=(',', ':'), sort_keys=True)}"


def recorded(*lines):
    """Returns the effects of a record. Lines without a number get one."""
    numbered, count = [], 0
    for line in lines:
        count += not line.startswith("-")
        numbered.append(line if line.startswith("-") else f"{count}\t{line}")
    return effects.parsed("\n".join(numbered) + "\n")


def started(phase):
    return said(phase=phase, type="phase_started", time="2026-01-01T00:00:00Z")


def message(phase, text):
    return said(phase=phase, type="message", text=text)


RUN = recorded(
    said(type="run_started", command="restore"),
    "create\t/run/lock",
    started("files"),
    *[f"write\t{FILES}/{name}" for name in "abcdefg"],
    f"write\t{FILES}/pki/ca.crt",
    f"write\t{FILES}/h",
    message("files", "12 files are restored"),
    "-\tsync\t/etc",
    *[f"write\t/var/lib/etcd/{number}" for number in range(10)],
    started("etcd"),
    said(phase="etcd", type="progress", text="3 of 5 are ready"),
    "send\t127.0.0.1:2379",
    said(phase="etcd", type="progress", text="4 of 5 are ready"),
    "send\t127.0.0.1:2379",
)


def test_steps_begin_with_phases_and_messages():
    assert [(step.name, len(step.effects)) for step in steps.steps_of(RUN)] == [
        (steps.BEFORE, 1), ("files", 9), ("files: … files are restored", 10), ("etcd: … of … are ready", 2)]


def test_each_step_is_killed_at_both_ends_in_the_middle_and_in_each_place():
    names = [steps.struck(RUN, cut)[0] for cut in steps.cuts(RUN)]
    restored, ready = "files: … files are restored", "etcd: … of … are ready"
    assert names == [steps.BEFORE, "files", restored, ready, "files", restored, ready, "files", restored, "files"]
    files = [cut.number for cut in steps.cuts(RUN) if any('"files"' in text for text in cut.after)]
    assert files == [1, 9, 5, 8]


def test_a_point_is_found_in_a_run_with_more_effects_before_its_step():
    other = recorded("create\t/run/other", *("\t".join([effect.verb, *effect.what]) if effect.number else
                                             "\t".join(["-", effect.verb, *effect.what]) for effect in RUN))
    for cut in steps.cuts(RUN)[1:]:
        (name, here), (other_name, there) = steps.struck(RUN, cut), steps.struck(other, cut)
        assert (name, here.what, here.number + 1) == (other_name, there.what, there.number)


def test_a_command_with_few_effects_is_killed_before_each():
    run = recorded(*[f"write\t{FILES}/a"] * steps.FEW_EFFECTS, "-\tsay\t[backup] 38 files are saved")
    assert [cut.number for cut in steps.cuts(run)] == list(range(1, steps.FEW_EFFECTS + 1))


def test_shares_have_all_points_between_them():
    points = steps.cuts(RUN)
    shares = [Share(part, 3).of(points) for part in (1, 2, 3)]
    assert sorted(sum(shares, []), key=points.index) == points


WRITER = 'echo before; : > a; echo "step one 7"; : > b; : > c; echo end; : > d'


@pytest.mark.parametrize("cut, left", [
    (Cut(), "abcd"), (Cut(1), ""), (Cut(3), "ab"), (Cut(1, after=("step one",)), "a"),
    (Cut(2, after=("step", " one ")), "ab"), (Cut(1, after=("end",)), "abc"), (Cut(1, after=("never",)), "abcd")])
def test_the_stopper_counts_effects_from_a_line_of_output(tmp_path, cut, left):
    log = tmp_path / "log"
    place = tmp_path / "place"
    place.mkdir()
    done = subprocess.run([effects.compiled(), log, str(cut), "sh", "-c", WRITER], cwd=place, check=False,
                          stdout=subprocess.DEVNULL)
    assert "".join(sorted(path.name for path in place.iterdir())) == left
    assert (done.returncode == effects.KILLED) == (left != "abcd")
    made = effects.parsed(log.read_text())
    assert steps.struck(made, cut)[1] == (made[-1] if left != "abcd" else None)
