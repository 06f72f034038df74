# SPDX-License-Identifier: Apache-2.0
"""Nodes with random leftovers of an earlier cluster and of users: our reset removes and keeps the same files as
upstream's."""

import random
import subprocess

import pytest


from . import programs
from .lives import Lives
from .test_states import describe

CONFIGURATION = """\
apiVersion: kubeadm.k8s.io/v1beta4
kind: ResetConfiguration
force: true
criSocket: unix:///nowhere.sock
"""
OPTIONS = [["--cleanup-tmp-dir"], ["--cleanup-tmp-dir=false"], ["--cert-dir", "/etc/kubernetes/pki"],
           ["--skip-phases", "preflight"], ["--skip-phases", "remove-etcd-member"], ["--skip-phases", "cleanup-node"],
           ["--dry-run"]]
SETTINGS = ["cleanupTmpDir: true", "certificatesDir: /etc/kubernetes/pki", "skipPhases: [preflight]",
            "skipPhases: [remove-etcd-member]", "unmountFlags: [MNT_FORCE]", "unmountFlags: [MNT_DETACH]",
            "unmountFlags: [UMOUNT_NOFOLLOW]", "dryRun: true"]


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    return programs.sound_node(tmp_path_factory.mktemp("node"), programs.RELEASE)


def command(choice, directory):
    """Returns a random command line. Some need a configuration file, which is written to the directory."""
    socket = ["--cri-socket", "unix:///nowhere.sock"]
    kind = choice.randrange(6)
    if kind == 0:
        return ["reset", "phase", "remove-etcd-member"]
    if kind == 1:
        return ["reset", "phase", "cleanup-node", "--force", *socket]
    if kind == 2:
        chosen = choice.sample(SETTINGS, choice.randrange(3))
        (directory / "reset.yaml").write_text(CONFIGURATION + "".join(f"{line}\n" for line in chosen))
        return ["reset", "--config", "DIRECTORY/reset.yaml"]
    options = choice.sample(OPTIONS, choice.choice([0, 0, 1, 2]))
    return ["reset", "--force", *socket, *(word for option in options for word in option)]


def test_a_reset_removes_what_upstream_removes(seed, node, tmp_path, pytestconfig):
    choice = random.Random(seed)
    lives = Lives(seed)
    both_took = 0
    for number in range(pytestconfig.getoption("each") // 2):
        lived = tmp_path / f"node{number}"
        subprocess.run(["cp", "-a", node, lived], check=True)
        what = lives.lead(lived)
        arguments = command(choice, lived)
        theirs = programs.run(programs.upstream(programs.RELEASE), arguments, tmp_path, lived, describe)
        ours = programs.run(programs.OURS, arguments, tmp_path, lived, describe)
        both_took += theirs.code == ours.code == 0
        different = differences(theirs, ours)
        assert not different, "\n".join([f"kubeadm {arguments} where {what}", *different, theirs.errors, "--- ours:",
                                         ours.errors])
    assert both_took, "nothing was reset"


def differences(theirs, ours):
    if ours.code != theirs.code:
        return [f"ends with {ours.code}, upstream with {theirs.code}"]
    return [f"{name}: {ours.files.get(name)}\n--- upstream: {theirs.files.get(name)}"
            for name in sorted({*ours.files, *theirs.files})
            if ours.files.get(name) != theirs.files.get(name) and not name.startswith("lib/slipway")]
