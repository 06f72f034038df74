# SPDX-License-Identifier: Apache-2.0
"""The page of timeouts lists exactly the timeouts below a minute in kubeadm's code."""

import re

from docs.fences import TOP

SOURCES = TOP / "src"
MINUTE = 60_000
# Matches "seconds(5)" or "milliseconds kPatience{20'000}". The approver's own timeouts are not waits of a command.
LITERAL = re.compile(r"\b(milliseconds|Milliseconds|seconds)(?:\s+\w+)?\s*[({]\s*([0-9][0-9']*)\s*[)}]")
ROW = re.compile(r"^\| `([^`]+\.(?:cc|h))` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
APPROVER = {"approver", "machine_approver", "dns"}  # only the approver uses the library dns


def bounds(text):
    """Returns the durations below a minute in a source, in milliseconds."""
    code = re.sub(r"//.*", "", text)
    found = {
        int(number.replace("'", "")) * (1000 if unit == "seconds" else 1)
        for unit, number in LITERAL.findall(code)
    }
    return {time for time in found if 0 < time < MINUTE}


def in_the_code():
    files = [path for suffix in ("cc", "h") for path in SOURCES.rglob(f"*.{suffix}")]
    own = [
        path
        for path in files
        if not path.stem.endswith("_test")
        and not path.name.startswith("fake_")
        and not APPROVER & set(path.relative_to(SOURCES).parts)
    ]
    return {(str(path.relative_to(SOURCES)), time) for path in own for time in bounds(path.read_text())}


def milliseconds(text):
    number, unit = text.strip().split()
    return round(float(number) * {"ms": 1, "s": 1000}[unit])


def on_the_page():
    rows = ROW.findall((TOP / "docs" / "timeouts.md").read_text())
    return {(file, milliseconds(time)) for file, times, _ in rows for time in times.split(",")}


def test_bounds_are_recognised():
    assert bounds("seconds(3); milliseconds kA{20'000}; seconds{0}; minutes(1) // seconds(5)") == {3000, 20_000}


def test_every_bound_below_a_minute_is_listed_with_its_reason():
    assert sorted(in_the_code() - on_the_page()) == []
    assert sorted(on_the_page() - in_the_code()) == []
