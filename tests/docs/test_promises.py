# SPDX-License-Identifier: Apache-2.0
"""Every test that a page about security names is there: a promise without its test is only words."""

import fnmatch
import re

import pytest

from docs.fences import TOP

PAGES = ("security-tests.md", "threat-model-kubeadm.md", "threat-model-approver.md")
UNITS = {f"{suite}.{name}" for path in (TOP / "src").rglob("*_test.cc")
         for suite, name in re.findall(r"TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", path.read_text())}
FUNCTIONS = {name for path in (TOP / "tests").rglob("test_*.py")
             for name in re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE)}


def is_there(name):
    """Whether the test or file exists; None for a name of something else."""
    if re.fullmatch(r"[A-Z]\w+\.[\w*]+", name):
        return bool(fnmatch.filter(UNITS, name))
    if re.fullmatch(r"test_\w+", name):
        return name in FUNCTIONS
    if re.fullmatch(r"tests/[\w/.*]+(::\w+)?", name):
        file, _, function = name.partition("::")
        return any(TOP.glob(file)) and (not function or function in FUNCTIONS)
    if re.fullmatch(r"[\w/]+_test\.cc", name):
        return any((TOP / "src").rglob(name.rsplit("/", 1)[-1]))
    return None


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_is_named_exists(page):
    names = re.findall(r"`([^`\n]+)`", (TOP / "docs" / page).read_text())
    assert sum(is_there(name) is True for name in names) > 20, "names are not recognised any more"
    assert [name for name in names if is_there(name) is False] == []
