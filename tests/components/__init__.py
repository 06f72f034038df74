# SPDX-License-Identifier: Apache-2.0
"""The real programs and images that the cluster and API suites run against, built from source."""
