# SPDX-License-Identifier: Apache-2.0
"""The real programs and images for the cluster and API suites, built from source."""
