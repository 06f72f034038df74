#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the sources and writes the tables of docs/house.md: the rebuilding before and after.

    docs/house.py           measure the files as they are, write the tables
    docs/house.py REV       measure a commit of before, too: the column that stays

tree-sitter reads the sources, as in tests/budgets.py: build/budgets-venv/bin/python docs/house.py, once
`./dev test budgets` has made that.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))
import budgets

PAGE = HERE / "house.md"


def sources(top):
    budgets.TOP = top
    names = sorted(str(path.relative_to(top)) for path in (top / "src").rglob("*") if path.suffix in (".cc", ".h"))
    found = [budgets.Source(name) for name in names]
    for source in found:
        if source.name.count("/") == 2:
            source.path = source.name.removeprefix("src/")
    return found


def quantiles(numbers):
    numbers = sorted(numbers)
    return f"{numbers[len(numbers) // 2]} / {numbers[len(numbers) * 9 // 10]} / {numbers[-1]}"


def python_tests(top):
    return sum(len(path.read_text().splitlines()) for path in (top / "tests").rglob("*.py"))


def room_of(name):
    """Before, rooms stood in src/ itself."""
    parts = name.split("/")
    return parts[2] if len(parts) > 3 else parts[1]


def measured(top):
    everything = sources(top)
    product = [source for source in everything if not source.test]
    tests = sum(len(source.lines) for source in everything if source.test)
    code = sum(len(source.lines) for source in product)
    headers = {source.path: source for source in everything if source.header}
    branches = [bool(source.name.startswith(("src/programs/", "src/kubeadm/")))
                for source in product for _ in budgets.dry_run_branches(source)]
    rooms = collections.Counter()
    for source in product:
        rooms[room_of(source.name)] += len(source.lines)
    value = "json/value.h" if "json/value.h" in headers else "data/json.h"
    return {
        "rooms": dict(rooms),
        "Rooms": len(rooms),
        "Lines of code": code,
        "Lines of kubeadm's commands": rooms["kubeadm"],
        "Longest file of the commands": max(len(s.lines) for s in product if room_of(s.name) == "kubeadm"),
        "Lines of a file, p50 / p90 / longest": quantiles(len(source.lines) for source in product),
        "Lines of a function, p50 / p90 / longest": quantiles(n for s in product for _, n in budgets.sizes(s)),
        "Functions with more than five parameters": sum(1 for s in everything for _ in budgets.long_lists(s)),
        "Functions with blocks more than three deep": sum(1 for s in product for _ in budgets.deep_blocks(s)),
        "Contract in headers, %": round(budgets.contract_percent(everything), 1),
        "C++ test lines ÷ code lines": round(tests / code, 2),
        "C++ and Python test lines ÷ code lines": round((tests + python_tests(top)) / code, 2),
        "Branches on a dry run, below the commands": branches.count(False),
        "Branches on a dry run, in the commands": branches.count(True),
        "Sources that a JSON value's header reaches":
            f"{budgets.reaching(headers, everything, value)} of {sum(not s.header for s in everything)}",
    }


def at(revision):
    with tempfile.TemporaryDirectory() as place:
        archive = subprocess.run(["git", "archive", revision, "src", "tests"], cwd=HERE.parent, check=True,
                                 capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", place], input=archive, check=True)
        return measured(pathlib.Path(place))


def rows(before, now):
    lines = ["| | before | now |", "| --- | --- | --- |"]
    lines += [f"| {name} | {before[name]} | {now[name]} |" for name in now if name != "rooms"]
    return "\n".join(lines)


def room_rows(rooms):
    listed = sorted(rooms.items(), key=lambda row: -row[1])
    return ", ".join(f"{name} {lines}" for name, lines in listed)


def replaced(text, name, content):
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    head, rest = text.split(begin)
    return head + begin + content + "\n" + end + rest.split(end)[1]


def main():
    text = PAGE.read_text()
    kept = re.search(r"<!-- before: (.*) -->", text)
    before = at(sys.argv[1]) if len(sys.argv) > 1 else json.loads(kept[1])
    now = measured(HERE.parent)
    text = text.replace(kept[0], f"<!-- before: {json.dumps(before)} -->")
    text = replaced(text, "sizes", rows(before, now))
    text = replaced(text, "rooms before", room_rows(before["rooms"]))
    text = replaced(text, "rooms now", room_rows(now["rooms"]))
    PAGE.write_text(text)


if __name__ == "__main__":
    main()
