# SPDX-License-Identifier: Apache-2.0
"""The tests to run and their order, and the conformance tests that the bench cannot run, each with its reason."""

import re

# Areas whose tests depend most on kubeadm's settings. They start first.
FIRST = ("sig-network", "sig-auth", "sig-node", "sig-instrumentation", "sig-cli", "sig-api-machinery")

# Tests outside of conformance that depend on kubeadm's settings: bootstrap tokens, RBAC and node identities, metrics of
# the control plane, DNS, kube-proxy, the kubelet's configuration.
SETUP = (
    r"^\[sig-auth\] .*(Node Authorizer|NodeAuthenticator|ServiceAccount|Certificates API)",
    r"^\[sig-cluster-lifecycle\]",
    r"^\[sig-instrumentation\] Metrics[Gg]rabber",
    r"^\[sig-network\] (DNS|KubeProxy|Services should implement|Networking should check kube-proxy)",
    r"^\[sig-node\] (NodeLease|Kubelet|kubelet)",
)
NOT_SETUP = r"\[Feature:|\[Provider:|\[Conformance\]|\[Slow\]|\[Disruptive\]|\[Alpha\]|\[FeatureGate:"

# Regular expressions for names of conformance tests that cannot pass on the bench, with the reason.
REASONS = {
    r"ImageVolume .*pull policy of Always": "looks for Alpine's name in the image kitten, which is of Debian here",
}


def order(name):
    """Returns the key for sorting tests."""
    area = re.sub(r"^\[([\w-]+)\].*", r"\1", name)
    return FIRST.index(area) if area in FIRST else len(FIRST), name


def of_setup(names):
    return [
        name
        for name in names
        if any(re.search(expression, name) for expression in SETUP) and not re.search(NOT_SETUP, name)
    ]


def reasons(names):
    """Returns the reasons for those of the tests that are skipped by name."""
    return {name: reason for name in names for expression, reason in REASONS.items() if re.search(expression, name)}
