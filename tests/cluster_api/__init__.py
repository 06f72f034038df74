# SPDX-License-Identifier: Apache-2.0
"""Cluster API's controllers, an infrastructure provider that uses hosts of the bench, and whole runs of clusters."""
