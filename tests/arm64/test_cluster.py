# SPDX-License-Identifier: Apache-2.0
"""A real cluster that kubeadm for arm64 creates, under an emulator."""

import pytest

from cluster import emulated

pytestmark = pytest.mark.ours


def test_a_cluster_from_init_to_reset(cluster):
    emulated.live(cluster, "linux/arm64")
