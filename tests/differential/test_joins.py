# SPDX-License-Identifier: Apache-2.0
"""Dry runs of `join` with randomly changed configurations: each file that the node would get is the same as upstream's.
"""

import pytest


from . import programs
from .mutation import JOINS, Mutator

JOIN = ["join", "--dry-run", "--ignore-preflight-errors=all", "--config", "DIRECTORY/kubeadm.yaml"]


@pytest.fixture
def node(tmp_path):
    """A node whose /etc/kubernetes and /var/lib are empty."""
    made = tmp_path / "node"
    for directory in ("kubernetes", "lib"):
        (made / directory).mkdir(parents=True)
    return made


def test_a_join_makes_the_files_of_upstream(seed, node, tmp_path, pytestconfig):
    mutator = Mutator(seed, programs.version(), JOINS)
    both_took = 0
    for _ in programs.until_taken(lambda: both_took, pytestconfig.getoption("each") // 10):
        (node / "kubeadm.yaml").write_text(mutator.configuration())
        theirs = programs.run(programs.upstream(programs.RELEASE), JOIN, tmp_path, node)
        ours = programs.run(programs.OURS, JOIN, tmp_path, node)
        shown = f"{(node / 'kubeadm.yaml').read_text()}\n--- upstream: {theirs}\n--- ours: {ours}"
        if programs.refuses_a_socket(ours, theirs):
            continue
        assert ours.code == theirs.code, shown
        if ours.code == 0:
            both_took += 1
            assert ours.files == theirs.files, shown
