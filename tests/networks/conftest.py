# SPDX-License-Identifier: Apache-2.0
"""The hosts of tests/cluster."""

from cluster.conftest import *  # noqa: F401,F403  # pylint: disable=wildcard-import,unused-wildcard-import
