# SPDX-License-Identifier: Apache-2.0
"""A run that resumes an unfinished one: what it may change, and what it must not change."""

import time

import pytest

from cluster import kubernetes
from cluster.processes import wait_until
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


@pytest.mark.parametrize("spoiled", ["configuration", "patch"])
def test_corrected_manifests_are_the_first_that_a_new_kubelet_sees(machine, spoiled):
    """A first init fails because of a wrong argument; a second one with a corrected configuration resumes it. Keys of
    4096 bits delay the manifests until long after the kubelet has started. The kubelet must not see the wrong manifest:
    if a manifest changes while a kubelet starts its Pod, the kubelet may start neither the old nor the new Pod."""
    host = machine.host
    patch = "/root/patches/kube-apiserver+json.yaml"
    slow = host.read("/root/init.yaml")
    for kind, setting in [
        ("ClusterConfiguration", "encryptionAlgorithm: RSA-4096"),
        ("InitConfiguration", "patches: {directory: /root/patches}"),
    ]:
        slow = slow.replace(f"kind: {kind}\n", f"kind: {kind}\n{setting}\n")
    good = {"/root/init.yaml": slow, patch: "[]"}
    extra = "apiServer: {extraArgs: [{name: no-such-flag, value: hello}]}"
    bad = {
        "configuration": {"/root/init.yaml": slow.replace("RSA-4096\n", f"RSA-4096\n{extra}\n")},
        "patch": {patch: "[{op: add, path: /spec/containers/0/command/-, value: --no-such-flag}]"},
    }
    for path, text in {**good, **bad[spoiled]}.items():
        host.write(path, text)
    broken = machine.init()
    assert broken.code == 1 and "no-such-flag" in broken.text, broken.text

    for path, text in good.items():
        host.write(path, text)
    fixed = machine.init()
    assert fixed.code == 0, fixed.text
    assert "[init] Stopping the control plane of the run that was not finished" in fixed.text, fixed.text
    assert "no-such-flag" not in fixed.text, fixed.text
    kubernetes.wait_healthy(host)


FIRST_ENTRY = r"""
import glob, os, shutil, struct
segment, = glob.glob("/var/lib/etcd/member/wal/*.wal")
with open(segment, "r+b") as log:
    text, at = log.read(), 0
    while True:
        length, = struct.unpack_from("<Q", text, at)
        size, upper = length & (1 << 56) - 1, length >> 56
        if text[at + 8:at + 10] == b"\x08\x02":
            break
        at += 8 + size + (upper & 7 if upper & 0x80 else 0)
    log.seek(at)
    log.write(bytes(len(text) - at))
shutil.rmtree("/var/lib/etcd/member/snap")
os.mkdir("/var/lib/etcd/member/snap", 0o700)
"""


def test_an_etcd_that_was_ended_in_its_first_start_is_started_anew(machine):
    """etcd is killed before its log has an entry. etcd itself restarts with such data, but never serves. init must
    discard the data."""
    host = machine.host
    assert init_and_kill(machine, "wait-control-plane/api")
    assert wait_until(lambda: host.path("/var/lib/etcd/member/snap/db").exists(), timeout=60)
    time.sleep(5)  # the time in which etcd writes its first entry
    host.service("kubelet", "stop")
    host.run("pkill", "-KILL", "-x", "etcd")
    host.run("python3", "-c", FIRST_ENTRY)
    host.service("kubelet", "start")
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    assert "[init] Stopping the control plane of the run that was not finished" in outcome.text, outcome.text
    kubernetes.wait_healthy(host)


def test_init_without_its_wait_phase_waits_where_needed(machine):
    outcome = machine.init("--skip-phases=wait-control-plane")
    assert outcome.code == 0, outcome.text
    machine.note("all Ready after init", kubernetes.wait_healthy(machine.host))
