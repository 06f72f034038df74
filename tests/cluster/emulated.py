# SPDX-License-Identifier: Apache-2.0
"""Clusters whose kubeadm runs under an emulator of another processor. All other programs are this machine's own."""

import json
import shutil
from pathlib import Path

from cluster import echo
from cluster.clusters import Cluster, etcd_members, leftovers
from cluster.upgrades import IGNORED
from components import recipes

PLACE = "/usr/local/lib/emulated"
RUN = f'exec {PLACE}/emulator {PLACE}/kubeadm "$@"\n'


class EmulatedCluster(Cluster):
    """A cluster whose hosts have the emulator and the program. `kubeadm` is a shell script that runs the program in the
    emulator."""

    def __init__(self, bench, program, emulator, script, note):
        super().__init__(bench, script, note)
        self.program = program
        self.emulator = Path(shutil.which(emulator))

    def machine(self, name, kubeadm=None, **options):
        made = super().machine(name, kubeadm, **options)
        made.host.copy(self.program, f"{PLACE}/kubeadm")
        made.host.copy(self.emulator, f"{PLACE}/emulator")
        return made


def write_script(path, text=RUN):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def _succeeds(machine, *command):
    outcome = machine.kubeadm(*command, timeout=580)
    assert outcome.code == 0, outcome.text
    return outcome


def live(cluster, platform):
    """Creates, uses and resets a cluster of two control planes and a worker. `platform` is the expected platform of the
    program, for example "linux/arm64"."""
    first = cluster.machine("cp-one")
    told = json.loads(first.kubeadm("version", "-o", "json").stdout)
    assert told["clientVersion"]["platform"] == platform
    cluster.init()
    second, worker = cluster.join_control_plane("cp-two"), cluster.join_worker()
    cluster.wait_healthy()
    echo.deploy(first.host, patience=90)
    echo.assert_answers(first.host)
    assert len(etcd_members(first.host)) == 2

    _succeeds(first, "certs", "renew", "all", "--restart")
    _succeeds(second, "upgrade", "node", IGNORED)
    _succeeds(first, "upgrade", "apply", recipes.RELEASES[recipes.DEFAULT_RELEASE].version, "--yes", IGNORED)
    assert _succeeds(first, "drift").stdout
    cluster.wait_healthy()

    for machine in (worker, second):
        # --cleanup-tmp-dir also removes the directory with the backups of upgrades.
        _succeeds(machine, "reset", "--force", "--cleanup-tmp-dir")
        assert leftovers(machine.host) == []
    assert len(etcd_members(first.host)) == 1
    _succeeds(first, "reset", "--force")
