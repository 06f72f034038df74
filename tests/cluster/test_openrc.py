# SPDX-License-Identifier: Apache-2.0
"""A host whose pid 1 is OpenRC's init and whose kubelet is supervised by it. The tests are one story."""

import pytest

from cluster import kubernetes
from cluster.conftest import Machine
from cluster.processes import wait_until

pytestmark = pytest.mark.ours
SOON = 60  # seconds: the supervisor starts the kubelet again after 10


@pytest.fixture(scope="module")
def machine(bench, kubeadm, note_of_module):
    host = bench.host("runlevel", kubeadm=kubeadm, init_system="real-openrc")
    yield Machine(host, note_of_module)
    host.down()


def kubelet_pid(host):
    return host.run("pidof", "kubelet", check=False).stdout.strip()


def test_openrc_is_the_first_process(machine):
    assert machine.host.read("/proc/1/comm") == "openrc-init\n"
    assert "started" in machine.host.run("rc-service", "containerd", "status").stdout


def test_a_disabled_kubelet_is_started_and_the_user_told(machine):
    machine.host.run("rc-update", "del", "kubelet", "default")
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    assert "rc-update add kubelet default" in outcome.text
    kubernetes.wait_healthy(machine.host)
    found = machine.kubeadm("doctor")
    assert "enable" in found.text
    machine.host.run("rc-update", "add", "kubelet", "default")
    assert "started" in machine.host.run("rc-service", "kubelet", "status").stdout


def test_a_killed_kubelet_comes_back(machine):
    before = kubelet_pid(machine.host)
    machine.host.run("kill", "-KILL", before)
    assert wait_until(lambda: kubelet_pid(machine.host) not in ("", before), SOON)
    kubernetes.wait_healthy(machine.host)


def test_cron_renews(machine):
    outcome = machine.kubeadm("certs", "auto-renew", "enable")
    assert outcome.code == 0, outcome.text
    line = machine.host.read("/etc/cron.d/kubeadm-certs-renew")
    command = line[line.index("/"):line.index(" 2>&1")]
    assert machine.host.run(*command.split(), timeout=60).returncode == 0
    assert machine.kubeadm("certs", "auto-renew", "disable").code == 0


def test_reset_stops_the_kubelet(machine):
    outcome = machine.kubeadm("reset", "--force", timeout=300)
    assert outcome.code == 0, outcome.text
    assert kubelet_pid(machine.host) == ""
