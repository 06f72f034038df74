# SPDX-License-Identifier: Apache-2.0
"""Which minor versions support an upgrade with a soak."""

import pytest

from cluster import soaks
from minors import steps

pytestmark = pytest.mark.ours

# The releases in the table (src/model/releases/table.h) whose control plane supports a soak.
SOAKING = (steps.V1_37, steps.V1_38)


@pytest.fixture
def soaking(step):
    if step[1] not in SOAKING:
        pytest.skip(f"v{step[1]} does not offer to soak")
    return soaks.Step(*step)


def test_one_control_plane_soaks_rolls_back_and_commits(bench, kubeadm, note, soaking):
    cluster = soaking.make(bench, kubeadm, note, ["alpha"])
    try:
        soaking.run_alone(cluster, note)
    finally:
        cluster.down()


def test_three_control_planes_soak_and_commit_without_a_failed_write(bench, kubeadm, note, soaking):
    cluster = soaking.make(bench, kubeadm, note, ["alpha", "beta", "gamma"])
    try:
        soaking.run_together(cluster, note)
    finally:
        cluster.down()


def test_other_upgrades_refuse_to_soak(bench, kubeadm, note, step):
    if step[1] in SOAKING:
        pytest.skip(f"v{step[1]} soaks")
    cluster = soaks.Step(*step).make(bench, kubeadm, note, ["alpha"])
    try:
        refused = soaks.Step(*step).apply(cluster.first)
        assert refused.code != 0 and "was not tried" in refused.text, refused.text
    finally:
        cluster.down()
