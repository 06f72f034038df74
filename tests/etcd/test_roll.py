# SPDX-License-Identifier: Apache-2.0
"""Upgrades three etcd members one after the other, as `upgrade apply` and `upgrade node` do.

Each test checks that every acknowledged write is on every member, that the members' data are equal, and that the
cluster has its three voters.
"""

import signal
import socket

import pytest

from components import golang, recipes, store
from etcd.lab import NAMES, Lab

# The old and the new etcd, by the directories of their modules. They are upgrades from Kubernetes v1.33 to v1.34 and
# from v1.36 to v1.37. The last row starts at the patch version that etcd requires before 3.7.
STEPS = [("etcd-3.5", "etcd"), ("etcd", "etcd-3.7"), ("etcd-3.6", "etcd-3.7")]


def program(directory):
    return store.root() / "programs" / golang.key(recipes.TOOLS[directory])


def free_ports():
    """Returns the first of thirty consecutive unused ports."""
    for port in range(23000, 30000, 100):
        try:
            for taken in range(port, port + 30):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", taken))
            return port
        except OSError:
            continue
    raise RuntimeError("no thirty free ports in a row")


@pytest.fixture(params=STEPS, ids=lambda step: "-to-".join(recipes.TOOLS[name].version for name in step))
def lab(request, tmp_path):
    """Three members of the old version and a writer. `old` and `new` are the two programs."""
    old, new = map(program, request.param)
    made = Lab(tmp_path, old, free_ports())
    made.old, made.new = old, new
    request.addfinalizer(made.close)
    made.write()
    return made


def finish(lab):
    """Upgrades the members that are not upgraded yet, and checks the cluster."""
    for name in NAMES:
        if lab.members[name].program != lab.new:
            lab.replace(name, lab.new)
    lab.check()
    assert len(set(lab.versions().values())) == 1


def test_cluster_is_replaced_member_by_member(lab):
    finish(lab)


def test_replacement_continues_after_leaders_of_both_versions(lab):
    lab.lead("three")
    lab.replace("one", lab.new)
    for name in ("one", "two", "one"):
        lab.lead(name)
    lab.members["one"].stop(signal.SIGKILL)
    lab.until(lab.leader)
    lab.start("one", lab.new)
    lab.wait_for(lab.members["one"])
    lab.lead("one")
    finish(lab)


def test_upgraded_member_takes_a_snapshot_of_an_old_leader(lab):
    lab.lead("three")
    lab.members["one"].stop()
    lab.outgrow_the_log("three")
    lab.start("one", lab.new)
    lab.wait_for(lab.members["one"])
    assert lab.members["one"].took_a_snapshot()
    finish(lab)


def test_old_member_takes_a_snapshot_of_an_upgraded_leader(lab):
    lab.replace("one", lab.new)
    lab.lead("one")
    lab.members["three"].stop()
    lab.outgrow_the_log("one")
    lab.start("three", lab.old)
    lab.wait_for(lab.members["three"])
    assert lab.members["three"].took_a_snapshot()
    finish(lab)


def test_old_member_joins_an_upgraded_leader(lab):
    lab.replace("one", lab.new)
    lab.lead("one")
    lab.outgrow_the_log("one")
    lab.renew("three", lab.old)
    finish(lab)


def test_leader_that_compacted_its_log_returns_to_the_old_version(lab):
    lab.lead("two")
    lab.replace("one", lab.new)
    lab.lead("one")
    lab.outgrow_the_log("one")
    lab.replace("one", lab.old)
    lab.lead("one")
    finish(lab)


def test_removed_members_stay_removed(lab):
    for name in ("three", "two"):
        lab.renew(name, lab.old)
    lab.outgrow_the_log("one")
    finish(lab)
