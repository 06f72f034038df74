# SPDX-License-Identifier: Apache-2.0
"""Configurations changed at random: what upstream's kubeadm takes, ours takes, and writes the same."""

import os
import re
import subprocess
import tempfile

import pytest

from components import recipes, store

from .mutation import Mutator

OURS = store.HERE.parent.parent / "build/bin/kubeadm"
UPSTREAM = store.release_folder(recipes.DEFAULT_RELEASE) / "upstream" / "kubeadm"
COMMANDS = [
    ["config", "validate", "--config"],
    ["config", "migrate", "--old-config"],
    ["config", "images", "list", "--config"],
    ["init", "phase", "control-plane", "all", "--dry-run", "--config"],
    ["init", "phase", "etcd", "local", "--dry-run", "--config"],
    ["init", "phase", "certs", "all", "--dry-run", "--config"],
]

# What upstream says where ours differs on purpose (docs/parity.md): v1beta3 is read still; a build of
# upstream by an early Go 1.26 takes the colons of any URL's host for its port.
ON_PURPOSE = re.compile(r"uses an old API spec: \"kubeadm\.k8s\.io/v1beta3\"|invalid port \":")

# What each run makes for itself, and lines that tell of progress in words of our own.
DIFFERS = [
    (re.compile(r"^\[.*\n?", re.MULTILINE), ""),
    (re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"), "TOKEN"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"kubeadm-init-dryrun\w+"), "DRYRUN"),
]


def run(program, arguments, parent):
    directory = tempfile.mkdtemp(dir=parent)  # a dry run goes on with what another has left there
    done = subprocess.run([program, *arguments], cwd=directory, capture_output=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"], "HOME": directory,
                               "KUBEADM_INIT_DRYRUN_DIR": directory})
    output = done.stdout.decode(errors="replace")
    for pattern, replacement in DIFFERS:
        output = pattern.sub(replacement, output)
    return done.returncode, output, done.stderr.decode(errors="replace")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_is_read_as_by_upstream(command, seed, tmp_path, pytestconfig):
    mutator = Mutator(seed * 1000 + COMMANDS.index(command))
    tried = both_took = 0
    while tried < pytestconfig.getoption("each") or both_took == 0:  # most are refused by both
        tried += 1
        text = mutator.configuration()
        file = tmp_path / "kubeadm.yaml"
        file.write_text(text)
        arguments = [*command, str(file)]
        theirs, ours = (run(program, arguments, tmp_path) for program in (UPSTREAM, OURS))
        if ON_PURPOSE.search(theirs[2]):
            continue
        shown = f"{text}\n--- upstream: {theirs}\n--- ours: {ours}"
        assert ours[0] == theirs[0], shown
        if ours[0] == 0:
            both_took += 1
            assert ours[1] == theirs[1], shown
