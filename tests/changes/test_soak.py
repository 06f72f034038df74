# SPDX-License-Identifier: Apache-2.0
"""An upgrade with a soak: the new programs behave as the old minor version, so that a rollback loses nothing."""

import pytest

from cluster import soaks
from components import recipes

pytestmark = pytest.mark.ours

STEP = soaks.Step(recipes.PREVIOUS_RELEASE, recipes.DEFAULT_RELEASE)


def test_one_control_plane_soaks_rolls_back_and_commits(bench, kubeadm, note):
    cluster = STEP.make(bench, kubeadm, note, ["alpha"])
    try:
        STEP.run_alone(cluster, note)
    finally:
        cluster.down()


def test_three_control_planes_soak_and_commit_without_a_failed_write(bench, kubeadm, note):
    cluster = STEP.make(bench, kubeadm, note, ["alpha", "beta", "gamma"])
    try:
        STEP.run_together(cluster, note)
    finally:
        cluster.down()
