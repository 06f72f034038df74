# SPDX-License-Identifier: Apache-2.0
"""Real hosts made of namespaces, and the tests on them."""
