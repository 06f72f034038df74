# SPDX-License-Identifier: Apache-2.0
"""Settings with which programs of v1.38 do not start: the plan of a path to v1.38 names each of them before any
change."""

import re

import pytest

from cluster.clusters import Cluster
from cluster.upgrades import IGNORED, images
from minors import steps

pytestmark = pytest.mark.ours

RANGE = "kubelet:65536:4294901760\n"  # extends beyond the greatest ID
SMALLER = "kubelet:65536:4294836224\n"  # without the last 65536 IDs, the share of one Pod
RANGES = ("/etc/subuid", "/etc/subgid")
EXTRA = """apiServer:
  extraArgs:
  - name: runtime-config
    value: resource.k8s.io/v1beta1=true
  - name: feature-gates
    value: EnvFiles=false
  extraEnvs:
  - name: GODEBUG
    value: tls3des=1
networking:"""
KUBELET_GATE = "featureGates:\n  NodeSwap: true\n"
OLD_API = "/apis/resource.k8s.io/v1beta1/resourceclaims"
PATH = ("--path", steps.version(steps.V1_38), *steps.allowing(steps.V1_38), IGNORED)
APPLY = ("upgrade", "apply", *PATH, "--yes", "--node-packages", steps.PACKAGES)
RENEWALS = (("renew", "all"), ("renew", "apiserver", "--dry-run"), ("auto-renew", "run", "--if-expires-within", "9000d"))
REQUESTED = "resourceclaims.resource.k8s.io/v1beta1 from this API server, and v1.38 no longer serves it"
NAMED = (
    "apiServer.extraArgs sets feature gate EnvFiles=false",
    'ConfigMap "kubelet-config" sets feature gate NodeSwap=true',
    "apiServer.extraEnvs has GODEBUG tls3des=1",
    "/etc/default/kubelet has GODEBUG tls10server=1",
    *(f"{file} gives user kubelet 4294901760 IDs from 65536 on" for file in RANGES),
    REQUESTED,
)


@pytest.fixture(scope="module")
def single(bench, kubeadm, note_of_module, request):
    """A control plane of v1.37 with settings that v1.38 refuses. Its new kubelet is a script that only prints its
    version."""
    if steps.V1_38 not in request.config.getoption("releases"):
        pytest.skip(f"tests an upgrade to v{steps.V1_38}")
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    machine = cluster.machine("alpha", release=steps.V1_37)
    host = machine.host
    steps.lay_kubelets(host, steps.V1_37, [])
    target = steps.version(steps.V1_38)
    host.write(f"{steps.PACKAGES}/{target}/kubelet", f"#!/bin/sh\necho Kubernetes {target}\n", mode=0o755)
    text = host.read("/root/init.yaml").replace("networking:", EXTRA)
    host.write("/root/init.yaml", text.replace("cgroupDriver:", f"{KUBELET_GATE}cgroupDriver:"))
    cluster.init()
    cluster.wait_healthy()
    host.write("/etc/default/kubelet", "GODEBUG=tls10server=1\n")
    steps.add_kubelet_user(host)
    for file in RANGES:
        host.write(file, RANGE)
    host.kubectl("get", "--raw", OLD_API)
    yield machine


def test_each_hazard_is_named_before_any_change(single):
    planned = single.kubeadm("upgrade", "plan", *PATH)
    for named in NAMED:
        assert named in planned.text, planned.text
    refused = single.kubeadm(*APPLY)
    assert refused.code == 1 and "nothing was changed" in refused.text, refused.text
    for named in NAMED:
        assert named in refused.text, refused.text
    assert images(single.host)["kube-apiserver-alpha"] == steps.version(steps.V1_37)


def test_a_single_upgrade_names_the_hazards_too(single):
    target = (PATH[1], *PATH[2:])
    planned = single.kubeadm("upgrade", "plan", *target)
    for named in NAMED[:-1]:  # only the plan of a path reads the API server's metrics
        assert named in planned.text, planned.text
    refused = single.kubeadm("upgrade", "apply", *target, "--yes")
    assert refused.code == 1 and "should not be upgraded" in refused.text, refused.text
    for named in NAMED[:-1]:
        assert named in refused.text, refused.text
    assert images(single.host)["kube-apiserver-alpha"] == steps.version(steps.V1_37)


def edit(host, name, pattern, replacement=""):
    """Replaces the text that matches the pattern in a ConfigMap."""
    text = host.kubectl("-n", "kube-system", "get", "cm", name, "-o", "yaml")
    edited, count = re.subn(pattern, replacement, text)
    assert count == 1, text
    host.write("/root/config.yaml", edited)
    host.kubectl("apply", "-f", "/root/config.yaml")


def test_key_algorithms_that_the_kubelet_does_not_know_are_refused(single):
    host = single.host
    edit(host, "kubeadm-config", r"(\n +encryptionAlgorithm:) RSA-2048", r"\1 ML-DSA-65")
    refused = single.kubeadm("upgrade", "apply", PATH[1], *PATH[2:], "--yes")
    serial = ("openssl", "x509", "-noout", "-serial", "-in", "/etc/kubernetes/pki/apiserver.crt")
    before = host.run(*serial).stdout
    renewals = [single.kubeadm("certs", *command) for command in RENEWALS]
    assert host.run(*serial).stdout == before
    edit(host, "kubeadm-config", r"(\n +encryptionAlgorithm:) ML-DSA-65", r"\1 RSA-2048")
    assert refused.code == 1 and "should not be upgraded" in refused.text, refused.text
    assert all(each.code == 1 and "nothing has been renewed" in each.text for each in renewals), renewals
    for each in (refused, *renewals):
        assert f"the kubelet of node alpha is of {steps.version(steps.V1_37)}" in each.text, each.text
    assert images(host)["kube-apiserver-alpha"] == steps.version(steps.V1_37)


def test_no_hazard_is_named_after_its_remedy(single):
    host = single.host
    edit(host, "kubeadm-config", r"\n +extraEnvs:\n +- name: GODEBUG\n +value: tls3des=1")
    edit(host, "kubeadm-config", r"\n +- name: feature-gates\n +value: EnvFiles=false")
    edit(host, "kubelet-config", r"\n +featureGates:\n +NodeSwap: true")
    host.run("rm", "/etc/default/kubelet")
    for file in RANGES:
        host.write(file, SMALLER)
    planned = single.kubeadm("upgrade", "plan", *PATH)
    assert planned.code == 0, planned.text
    assert [named for named in NAMED if named in planned.text] == [REQUESTED], planned.text
