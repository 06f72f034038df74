# SPDX-License-Identifier: Apache-2.0
"""Random command lines: our kubeadm accepts the same ones as upstream's, prints the same, and writes the same."""

import functools
import html
import re
import subprocess

import pytest


from . import programs
from .command_lines import CommandLines

FLAG = re.compile(r"^\s+(?:-(\w), |    )\s*--([a-z0-9-]+)(?: (\w+))?(?:  |$)", re.MULTILINE)
# Words of command lines whose output differs on purpose, because it has our own names, flags or progress lines.
OWN_WORDS = ["version", "completion", "renew", "generate-csr", "reset", "--"]


@functools.cache
def flags_of(command):
    """Returns upstream's flags of a command: {name: (letter, type)}."""
    said = subprocess.run([programs.upstream(programs.RELEASE), *command, "--help"],
                          capture_output=True, text=True, timeout=60, check=True).stdout
    return {name: (letter, kind or "bool") for letter, name, kind in FLAG.findall(said)}


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """The files that exist before each command."""
    directory = programs.sound_node(tmp_path_factory.mktemp("node"), programs.RELEASE)
    (directory / "empty").mkdir()
    return directory


# Older minor versions. Ours writes for them the same files as the kubeadm of that minor version. Upstream's kubeadm
# writes the same files as for its own version.
OTHER_MINORS = re.compile(r"v?1\.3[456]\b")


def says_it_its_own_way(arguments):
    whole_init = "init" in arguments and "phase" not in arguments
    return whole_init or any(word in arguments for word in OWN_WORDS)


def is_of_the_node(name, arguments):
    """Returns True if the file must be the same: it is in /etc/kubernetes, or the command is not a dry run. For
    existing keys, the two programs write different files into the dry run's directory."""
    return name.startswith("kubernetes/") or not any(word.startswith("--dry-run") for word in arguments)


def differences(arguments, theirs, ours):
    """Returns a list with the differences that a user would notice, as text."""
    if any(OTHER_MINORS.search(word) for word in arguments):
        return []
    if ours.code != theirs.code:
        return [f"ends with {ours.code}, upstream with {theirs.code}"]
    if ours.code or "Usage:" in theirs.output:  # help texts have our own words and commands
        return []
    found = [f"{name}: {ours.files.get(name)}\n--- upstream: {theirs.files.get(name)}"
             for name in {*ours.files, *theirs.files}
             if ours.files.get(name) != theirs.files.get(name) and is_of_the_node(name, arguments)]
    # Upstream escapes a join command for HTML, and prints a plus sign as "&#43;".
    if html.unescape(ours.output) != html.unescape(theirs.output) and not says_it_its_own_way(arguments):
        found.append(f"says:\n{ours.output}\n--- upstream:\n{theirs.output}")
    return found


def test_a_command_line_is_understood_as_by_upstream(seed, node, tmp_path, pytestconfig):
    lines = CommandLines(seed, flags_of)
    both_took = 0
    for _ in range(3 * pytestconfig.getoption("each")):
        arguments = lines.next()
        theirs = programs.run(programs.upstream(programs.RELEASE), arguments, tmp_path, node)
        ours = programs.run(programs.OURS, arguments, tmp_path, node)
        both_took += theirs.code == ours.code == 0
        different = differences(arguments, theirs, ours)
        assert not different, "\n".join([f"kubeadm {arguments}", *different, theirs.errors, "--- ours:", ours.errors])
    assert both_took, "nothing was run"
