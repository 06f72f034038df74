# SPDX-License-Identifier: Apache-2.0
"""A run that resumes an unfinished one: what it may change, and what it leaves alone."""

import pytest

from cluster import kubernetes
from cluster.test_killed import init_and_kill

pytestmark = pytest.mark.ours  # upstream's kubeadm refuses to resume

MADE = ["/etc/kubernetes/admin.conf", "/etc/kubernetes/kubelet.conf", "/etc/kubernetes/pki/apiserver.crt"]


def test_a_rerun_that_is_refused_has_changed_nothing(machine):
    host = machine.host
    assert init_and_kill(machine, "wait-control-plane/api")
    before = [host.read(path) for path in MADE]

    renamed = machine.init("--node-name", "another")
    assert renamed.code == 1, renamed.text
    assert "nodeRegistration.name" in renamed.text and "kubeadm reset" in renamed.text, renamed.text
    assert [host.read(path) for path in MADE] == before

    text = host.read("/root/init.yaml")
    san = text.replace("networking:", "apiServer: {certSANs: [more.example]}\nnetworking:")
    host.write("/root/init.yaml", san)
    host.write("/etc/kubernetes/manifests/kube-scheduler.yaml", "somebody's")
    refused = machine.init()
    assert refused.code == 1, refused.text
    assert "FileAvailable--etc-kubernetes-manifests-kube-scheduler.yaml" in refused.text, refused.text
    assert [host.read(path) for path in MADE] == before

    host.run("rm", "/etc/kubernetes/manifests/kube-scheduler.yaml")
    fixed = machine.init()
    assert fixed.code == 0, fixed.text
    assert host.read(MADE[2]) != before[2], "the certificate is made again, for one more name"


def test_init_without_its_wait_waits_where_it_must(machine):
    outcome = machine.init("--skip-phases=wait-control-plane")
    assert outcome.code == 0, outcome.text
    machine.note("all Ready after init", kubernetes.wait_healthy(machine.host))
