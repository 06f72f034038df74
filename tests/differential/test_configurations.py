# SPDX-License-Identifier: Apache-2.0
"""Randomly changed configurations: our kubeadm accepts the same ones as upstream's kubeadm of a release, and writes the
same."""

import re

import pytest
import yaml

from components import recipes

from . import programs
from .mutation import Mutator

PHASE = ["init", "phase"]
# Commands whose output depends on the cluster's release.
OF_CLUSTERS = [
    ["config", "images", "list", "--config"],
    [*PHASE, "control-plane", "all", "--dry-run", "--config"],
    [*PHASE, "etcd", "local", "--dry-run", "--config"],
    [*PHASE, "certs", "all", "--dry-run", "--config"],
    [*PHASE, "kubelet-start", "--dry-run", "--config"],
    [*PHASE, "addon", "kube-proxy", "--print-manifest", "--config"],
    [*PHASE, "addon", "coredns", "--print-manifest", "--config"],
]
# Commands whose output depends only on the program's release, not on the file's. Ours has the newest release.
OF_PROGRAMS = [["config", "validate", "--config"], ["config", "migrate", "--old-config"]]

# Upstream's messages where our kubeadm differs on purpose (docs/parity.md). Ours still accepts v1beta3, serves more
# minor versions, and knows the experimental v1 and the newest fields for a file of any release. An upstream built by an
# early Go 1.26 takes the colons in the host of a URL for a port.
ON_PURPOSE = re.compile(r"uses an old API spec: \"kubeadm\.k8s\.io/v1beta3\"|invalid port \":|"
                        r"only supports deploying clusters with the control plane version|"
                        r"unknown configuration .*Group:\"kubeadm\.k8s\.io\", Version:\"v1\",|"
                        r"unknown field \"etcd\.external\.httpEndpoints\"")
# If a document has no version, each kubeadm uses its own version.
NOT_NAMED = re.compile(r"falling back to the local client version")
# Upstream writes these characters unescaped. YAML 1.1 reads them as line ends, so that they become blanks. Ours escapes
# them.
ODD_LINE_END = re.compile("[\u0085\u2028\u2029]")
VERSION = re.compile(r"kubernetesVersion:[ \t]*(\S.*)")


def cases():
    for release in sorted(recipes.ALL_RELEASES, reverse=True):
        newest = release == recipes.DEFAULT_RELEASE
        for command in [*OF_PROGRAMS, *OF_CLUSTERS] if newest else OF_CLUSTERS:
            yield pytest.param(release, command, id=f"{release} {' '.join(command)}")


def is_of(release, text):
    """Returns True if the release is the only one that the file names. For other files the outputs differ on purpose:
    ours writes the files of the named release, not of its own."""
    named = VERSION.findall(text)
    if not named:
        return release == recipes.DEFAULT_RELEASE  # without a version, upstream uses its own release, ours the newest
    return all(re.match(rf"""["']?v?{re.escape(release)}\b""", version) for version in named)


def said(outcome, command):
    """Returns the output in a comparable form. Upstream prints an addon's manifests like its templates, with comments;
    ours prints them like other objects."""
    if "--print-manifest" in command:
        return list(yaml.safe_load_all(outcome.output))
    return outcome.output


@pytest.mark.parametrize(("release", "command"), cases())
def test_a_configuration_is_read_as_by_upstream(release, command, seed, tmp_path, pytestconfig):
    if release not in pytestconfig.getoption("releases"):
        pytest.skip("another run's release (--releases)")
    mutator = Mutator(seed * 1000 + len(" ".join(command)), recipes.ALL_RELEASES[release].version)
    tried = both_took = 0
    while tried < pytestconfig.getoption("each") or both_took == 0:  # both programs refuse most configurations
        text = mutator.configuration()
        if not is_of(release, text):
            continue
        tried += 1
        file = tmp_path / "kubeadm.yaml"
        file.write_text(text)
        arguments = [*command, str(file)]
        theirs = programs.run(programs.upstream(release), arguments, tmp_path)
        ours = programs.run(programs.OURS, arguments, tmp_path)
        if ON_PURPOSE.search(theirs.errors) or (release != recipes.DEFAULT_RELEASE and NOT_NAMED.search(theirs.errors)):
            continue
        if programs.refuses_a_socket(ours, theirs):
            continue
        shown = f"{text}\n--- upstream: {theirs}\n--- ours: {ours}"
        assert ours.code == theirs.code, shown
        if ours.code == 0 and not ODD_LINE_END.search(theirs.output + "".join(map(str, theirs.files.values()))):
            both_took += 1
            assert said(ours, command) == said(theirs, command), shown
            assert ours.files == theirs.files, shown


def test_a_whole_dry_run_makes_the_files_of_the_release(release, tmp_path):
    """Runs `init --dry-run` with one plain cluster. Every file that a node of the release would get must be the
    same."""
    file = tmp_path / "kubeadm.yaml"
    file.write_text(programs.PLAIN.replace("VERSION", recipes.ALL_RELEASES[release].version))
    arguments = ["init", "--dry-run", "--ignore-preflight-errors=all", "--config", str(file)]
    theirs = programs.run(programs.upstream(release), arguments, tmp_path)
    ours = programs.run(programs.OURS, arguments, tmp_path)
    assert (theirs.code, ours.code) == (0, 0), f"{theirs.errors}\n---\n{ours.errors}"
    assert ours.files == theirs.files
