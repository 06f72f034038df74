# SPDX-License-Identifier: Apache-2.0
"""Every test that a page names as evidence for a promise must exist."""

import fnmatch
import re

import pytest

from docs.fences import TOP

# Page → the minimum number of tests that it names. With fewer, the names are probably no longer recognized.
PAGES = {"security-tests.md": 21, "threat-model-kubeadm.md": 21, "threat-model-approver.md": 21, "interfaces.md": 25,
         "support.md": 10, "installers.md": 7, "parity.md": 150}
UNITS = {f"{suite}.{name}" for path in (TOP / "src").rglob("*_test.cc")
         for suite, name in re.findall(r"TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", path.read_text())}
FUNCTIONS = {name for path in (TOP / "tests").rglob("test_*.py")
             for name in re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE)}


def is_there(name):
    """Returns whether the test or file exists; None if the name is not of a test or file."""
    if re.fullmatch(r"[A-Z]\w*[a-z]\w*\.[\w*]+", name):
        return bool(fnmatch.filter(UNITS, name))
    if re.fullmatch(r"test_\w+", name):
        return name in FUNCTIONS
    if re.fullmatch(r"\w+\.test|test_\w+\.py", name):
        return any((TOP / "tests").rglob(name))
    if re.fullmatch(r"tests/[\w/.*-]+(::\w+)?", name):
        file, _, function = name.partition("::")
        return any(TOP.glob(file)) and (not function or function in FUNCTIONS)
    if re.fullmatch(r"src/[\w/*]+_test\.cc", name):
        return any(TOP.glob(name))
    if re.fullmatch(r"[\w/]+_test\.cc", name):
        return any(path.match(f"**/{name}") for path in (TOP / "src").rglob("*_test.cc"))
    return None


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_is_named_exists(page):
    names = re.findall(r"`([^`\n]+)`", (TOP / "docs" / page).read_text())
    assert sum(is_there(name) is True for name in names) >= PAGES[page], "names are not recognised any more"
    assert [name for name in names if is_there(name) is False] == []


@pytest.mark.parametrize("page", ["installers.md", "interfaces.md", "parity.md"])
def test_every_row_names_its_evidence(page):
    """In tables with a column for the evidence, each row must end with a test, recorded behaviour of upstream, or a
    reason."""
    known = UNITS | {unit.rsplit(".", 1)[1] for unit in UNITS} | {unit.split(".")[0] for unit in UNITS}
    unheld, rows = [], 0
    for table in re.findall(r"(?:^\|.*\n)+", (TOP / "docs" / page).read_text(), re.MULTILINE):
        head, _, *lines = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines())
        column = next((head.index(title) for title in ("test", "held by") if title in head), None)
        for cells in lines if column is not None else ():
            rows += 1
            names = re.findall(r"`([^`]+)`", cells[column])
            held = any(is_there(name) or name in known or "/" in name and any(TOP.glob(f"src/**/{name}")) for name in names)
            if not held and not re.search(r"\bcompat\b|^the same|^–$|recorded cases|\bfuzz/", cells[column]):
                unheld.append(cells)
    assert rows >= 6
    assert unheld == []
