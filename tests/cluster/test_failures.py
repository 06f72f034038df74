# SPDX-License-Identifier: Apache-2.0
"""A fault makes init fail soon, with the cause. After the fault is fixed, the same command succeeds."""

import dataclasses
from typing import Callable

import pytest

from cluster import hosts

SOON = 60  # seconds; a wait may take four minutes
CONFIG = "/root/init.yaml"


@dataclasses.dataclass
class Fault:
    """A fault. `spoil` breaks a machine and returns a function that repairs it. init must print the words of
    `cause`."""

    name: str
    cause: list
    spoil: Callable
    # True for faults that only ours passes: upstream's kubeadm notices them only after minutes, or cannot resume.
    ours: bool = True


def unknown_flag(host):
    good = host.read(CONFIG)
    extra = "apiServer:\n  extraArgs: [{name: no-such-flag, value: hello}]\n"
    host.write(
        CONFIG, good.replace("kind: ClusterConfiguration\n", f"kind: ClusterConfiguration\n{extra}")
    )
    return lambda: host.write(CONFIG, good)


def dying_kubelet(host):
    host.copy(hosts.HERE / "testdata" / "dying-kubelet", "/usr/local/bin/kubelet")
    return lambda: host.run("rm", "/usr/local/bin/kubelet")


def taken_port(host):
    with open(host.logs / "socat.log", "w", encoding="utf-8") as log:
        listener = host.start("socat", "TCP-LISTEN:6443,fork", "EXEC:true", output=log)
    host.run("bash", "-c", "until ss -ltn | grep -q :6443; do sleep 0.05; done", timeout=10)
    return lambda: host.kill(listener)


def stopped_containerd(host):
    host.service("containerd", "stop")

    def fix():
        host.service("containerd", "start")
        host.run("bash", "-c", "until ctr version; do sleep 0.1; done", timeout=20)

    return fix


def full_disk(directory):
    def spoil(host):
        host.run("mount", "-t", "tmpfs", "-o", "size=16k,mode=0700", "tmpfs", directory)
        return lambda: host.run("mount", "-o", "remount,size=500m", directory)

    return spoil


FAULTS = [
    Fault("unknown flag of the API server", ["kube-apiserver", "no-such-flag"], unknown_flag),
    Fault("kubelet that dies", ["kubelet", "unknown flag: --of-the-test"], dying_kubelet),
    Fault("port 6443 taken", ["Port-6443", "6443"], taken_port, ours=False),
    Fault("containerd stopped", ["containerd.sock"], stopped_containerd, ours=False),
    Fault("no room for certificates", ["no space left on device"], full_disk("/etc/kubernetes")),
    Fault("no room for etcd", ["etcd", "no space left on device"], full_disk("/var/lib/etcd")),
]


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            fault, id=fault.name.replace(" ", "-"), marks=[pytest.mark.ours] if fault.ours else []
        )
        for fault in FAULTS
    ],
)
def test_fault_is_named_soon_and_can_be_fixed(machine, fault):
    fix = fault.spoil(machine.host)
    try:
        broken = machine.init()
    finally:
        fix()
    assert broken.code != 0, broken.text
    for words in fault.cause:
        assert words.lower() in broken.text.lower(), broken.text
    assert broken.seconds < SOON, broken.text

    fixed = machine.init()
    assert fixed.code == 0, fixed.text
    machine.host.kubectl(
        "wait", "--for=condition=Ready", f"node/{machine.host.name}", "--timeout=60s"
    )


def test_waiting_without_admin_conf_ends_at_once(machine):
    outcome = machine.kubeadm("init", "phase", "wait-control-plane", timeout=20)
    assert outcome.code == 1, outcome.text
    assert "/etc/kubernetes/admin.conf" in outcome.text
