# SPDX-License-Identifier: Apache-2.0
"""Packages from PyPI are pinned to reviewed wheels, each with its hash."""

import re
import subprocess

import pytest

from docs.fences import TOP


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=TOP, check=True, capture_output=True, text=True)
    return [TOP / name for name in listed.stdout.split()]


LISTS = [path for path in tracked("*.txt")
         if re.search(r"^[A-Za-z][\w.-]*==", path.read_text(errors="replace"), re.MULTILINE)]


def test_every_call_of_pip_requires_hashes():
    calls = [line for path in tracked("dev", ".ci", "buildroot", "tests/*/run*", "*.sh", "packaging")
             for line in path.read_text(errors="replace").splitlines()
             if re.search(r"\bpip3?\b\S*\s+install|-m pip install", line)]
    assert calls
    assert [line for line in calls if "--require-hashes" not in line] == []


@pytest.mark.parametrize("path", LISTS, ids=lambda path: str(path.relative_to(TOP)))
def test_every_package_has_a_hash(path):
    lines = path.read_text().replace("\\\n", " ").splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]
    assert packages
    for line in packages:
        assert re.fullmatch(r"[\w.-]+==\S+(\s+--hash=sha256:[0-9a-f]{64})+", line), line
