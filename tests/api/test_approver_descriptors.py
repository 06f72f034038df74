# SPDX-License-Identifier: Apache-2.0
"""The approver's commands with lost output or closed standard descriptors."""

import os
import subprocess

import pytest

from test_approver import program  # noqa: F401 - fixture

PRINTING = [["version"], ["--help"], ["judge", "--help"], ["explain", "--help"],
            ["completion", "bash"]]


@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_a_full_disk_is_a_failure(program, words):  # noqa: F811
    with open("/dev/full", "w") as full:
        done = subprocess.run([program, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "not all of the output could be written" in done.stderr


@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_a_closed_reader_is_a_silent_failure(program, words):  # noqa: F811
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([program, *words], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_closed_descriptors_do_not_fail_the_command(program, words):  # noqa: F811
    command = ["bash", "-c", '"$@" <&- >&- 2>&-', "bash", program, *words]
    assert subprocess.run(command, check=False).returncode == 0
