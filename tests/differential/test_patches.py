# SPDX-License-Identifier: Apache-2.0
"""Directories of random patches: our kubeadm applies them as upstream's does."""

import tempfile
from pathlib import Path

import pytest
import yaml


from . import programs
from .patch_files import KUBE_PROXY, KUBELET, TARGETS, Patches

# CoreDNS is left out: upstream prints it without the patches, so test_objects.py compares the stored object.
COMMANDS = {
    "control-plane": (["control-plane", "all", "--dry-run"], TARGETS[:3]),
    "etcd": (["etcd", "local", "--dry-run"], TARGETS[3:]),
    "kubelet": (["kubelet-start", "--dry-run"], [KUBELET]),
    "kube-proxy": (["addon", "kube-proxy", "--print-manifest"], [KUBE_PROXY]),
}


class Phase:
    """Runs `init phase` of a kubeadm, with or without a directory of patches."""

    def __init__(self, words, directory):
        self.words = words
        self.directory = directory
        self.plain = programs.PLAIN.replace("VERSION", programs.version())

    def run(self, program, patches=None):
        config = self.directory / "kubeadm.yaml"
        directory = f"patches:\n  directory: {patches}\n" if patches else ""
        config.write_text(self.plain.replace("---", f"{directory}---"))
        return programs.run(program, ["init", "phase", *self.words, "--config", str(config)], self.directory)


def made(outcome):
    """Returns the files, or the printed objects. Upstream omits the line end before an object that it has patched."""
    printed = outcome.output.replace("---apiVersion", "---\napiVersion")
    return outcome.files or list(yaml.safe_load_all(printed))


def base(outcome, target):
    """Returns the object before the patch."""
    if target == KUBE_PROXY:
        return next(each for each in made(outcome) if each["kind"] == "DaemonSet")
    name = "config.yaml" if target == KUBELET else f"{target}.yaml"
    return yaml.safe_load(next(text for path, text in outcome.files.items() if path.endswith(name)))


@pytest.mark.parametrize("what", COMMANDS)
def test_patches_are_applied_as_by_upstream(what, seed, tmp_path, pytestconfig):
    words, targets = COMMANDS[what]
    phase = Phase(words, tmp_path)
    upstream = programs.upstream(programs.RELEASE)
    patches = Patches(seed, {target: base(phase.run(upstream), target) for target in targets})
    both_took = 0
    for _ in programs.until_taken(lambda: both_took, pytestconfig.getoption("each") // 8):
        directory = Path(tempfile.mkdtemp(dir=tmp_path))
        text = patches.write(directory)
        theirs = phase.run(upstream, directory)
        ours = phase.run(programs.OURS, directory)
        shown = f"{text}\n--- upstream: {theirs}\n--- ours: {ours}"
        assert (ours.code == 0) == (theirs.code == 0), shown  # upstream's kubeadm panics for some patches
        if ours.code == 0:
            both_took += 1
            assert made(ours) == made(theirs), shown
