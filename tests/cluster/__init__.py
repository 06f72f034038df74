# SPDX-License-Identifier: Apache-2.0
"""Real hosts that consist of namespaces, and the tests on them."""
