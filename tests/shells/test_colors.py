# SPDX-License-Identifier: Apache-2.0
"""Colours on a terminal: the programs use them only where they help."""

import os
import pathlib
import pty
import re
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ.get("KUBEADM", TOP / "build/bin/kubeadm")).resolve()
PAINTED = re.compile(r"\x1b\[[0-9;]*m")
WRONG = ["token", "generate", "--config", "/nowhere", "--nonsense"]


def on_terminal(*words, **environment):
    """Returns the program's output on a terminal, which is also its standard input and error."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([PROGRAM, *words], stdin=theirs, stdout=theirs, stderr=theirs,
                          env={"PATH": os.environ["PATH"], "TERM": "xterm", **environment}):
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # Linux's error for a terminal whose other end is closed
            pass
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def piped(*words, **environment):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"], "TERM": "xterm", **environment})
    return done.stdout + done.stderr


def test_an_error_is_red_on_a_terminal():
    assert on_terminal(*WRONG).startswith("\x1b[1;31merror:\x1b[0m ")


@pytest.mark.parametrize("words", [WRONG, ["--help"], ["config", "print", "init-defaults"], ["version"]])
def test_without_colours_the_output_equals_that_of_a_pipe(words):
    assert PAINTED.sub("", on_terminal(*words)) == piped(*words)


def test_pipes_get_none_unless_asked_for():
    assert not PAINTED.search(piped(*WRONG))
    assert PAINTED.search(piped("--color", "always", *WRONG))


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_the_environment_can_refuse(environment):
    assert not PAINTED.search(on_terminal(*WRONG, **environment))
    assert PAINTED.search(on_terminal("--color=always", *WRONG, **environment))


def test_color_never_also_applies_on_a_terminal():
    assert not PAINTED.search(on_terminal("--color", "never", *WRONG))


def test_an_unknown_color_mode_is_refused():
    assert "is not auto, always or never" in piped("--color", "blue", "version")
