# SPDX-License-Identifier: Apache-2.0
"""Tests on a host whose process 1 is systemd: the kubelet's unit from the package, the timer, and the approver's unit.

The tests are one sequence on one host. In the first ones, `init` meets obstacles.
"""

import re

import pytest

from cluster import hosts, kubernetes
from cluster.conftest import Machine
from cluster.processes import wait_until

pytestmark = pytest.mark.ours
SOON = 60  # seconds: systemd restarts the kubelet after 10
APPROVER_UNIT = "/usr/lib/systemd/system/slipway-machine-approver.service"
TIMER = "kubeadm-certs-renew"
# Removes the timer's random delay. The timer then starts the renewal at once, because its last run is long ago.
NO_DELAY = "[Timer]\nRandomizedDelaySec=0\n"


@pytest.fixture(scope="module")
def machine(bench, kubeadm, note_of_module):
    host = bench.host("unit", kubeadm=kubeadm, init_system="real-systemd")
    yield Machine(host, note_of_module)
    host.down()


def shown(host, unit, name):
    """Returns a property of a unit."""
    return host.run("systemctl", "show", "--value", f"--property={name}", unit).stdout.strip()


def test_systemd_is_the_first_process_and_reports_running(machine):
    assert machine.host.read("/proc/1/comm") == "systemd\n"
    assert wait_until(lambda: machine.host.run("systemctl", "is-system-running", check=False).stdout == "running\n", 30)


def test_a_masked_kubelet_is_named(machine):
    machine.host.run("systemctl", "mask", "--runtime", "--now", "kubelet")
    try:
        outcome = machine.init()
    finally:
        machine.host.run("systemctl", "unmask", "--runtime", "kubelet")
    assert outcome.code != 0
    assert "masked" in outcome.text
    assert outcome.seconds < SOON


def test_a_kubelet_that_ends_again_and_again_is_named_with_its_reason(machine):
    machine.host.write("/etc/default/kubelet", "KUBELET_EXTRA_ARGS=--of-the-test\n")
    try:
        outcome = machine.init()
    finally:
        machine.host.run("rm", "/etc/default/kubelet")
    assert outcome.code != 0
    assert "unknown flag: --of-the-test" in outcome.text
    assert outcome.seconds < SOON


def test_a_disabled_kubelet_is_started_with_a_warning(machine):
    machine.host.run("systemctl", "disable", "kubelet")
    outcome = machine.init()
    assert outcome.code == 0, outcome.text
    assert "systemctl enable kubelet.service" in outcome.text
    kubernetes.wait_healthy(machine.host)
    found = machine.kubeadm("doctor")
    assert "systemctl enable kubelet" in found.text
    machine.host.run("systemctl", "enable", "kubelet")


def test_the_kubelet_runs_as_the_packaged_drop_in_says(machine):
    assert "kubelet.service.d/10-kubeadm.conf" in shown(machine.host, "kubelet", "DropInPaths")
    arguments = machine.host.read(f"/proc/{shown(machine.host, 'kubelet', 'MainPID')}/cmdline").split("\0")
    assert arguments[0] == "/usr/bin/kubelet"
    assert "--config=/var/lib/kubelet/config.yaml" in arguments


def test_a_killed_kubelet_comes_back(machine):
    before = int(shown(machine.host, "kubelet", "NRestarts"))
    machine.host.run("systemctl", "kill", "--signal=KILL", "kubelet")
    assert wait_until(lambda: int(shown(machine.host, "kubelet", "NRestarts")) > before, SOON)
    kubernetes.wait_healthy(machine.host)


def test_the_timer_of_renewal_fires(machine):
    outcome = machine.kubeadm("certs", "auto-renew", "enable")
    assert outcome.code == 0, outcome.text
    assert machine.host.run("systemctl", "is-active", f"{TIMER}.timer").stdout == "active\n"
    machine.host.write(f"/etc/systemd/system/{TIMER}.timer.d/now.conf", NO_DELAY)
    machine.host.run("touch", "--date=3 days ago", f"/var/lib/systemd/timers/stamp-{TIMER}.timer")
    machine.host.run("systemctl", "daemon-reload")
    machine.host.run("systemctl", "restart", f"{TIMER}.timer")
    ended = wait_until(lambda: shown(machine.host, TIMER, "ExecMainExitTimestampMonotonic") != "0", SOON)
    log = machine.host.run("journalctl", "--unit", TIMER, "--output=cat").stdout
    assert ended, log
    assert shown(machine.host, TIMER, "Result") == "success", log
    assert machine.kubeadm("certs", "auto-renew", "disable").code == 0
    assert machine.host.run("systemctl", "is-enabled", f"{TIMER}.timer", check=False).returncode != 0


def test_the_approver_runs_in_its_sandbox(machine, kubeadm):
    host = machine.host
    packaging = hosts.PROJECT / "packaging" / "approver"
    host.copy(kubeadm.with_name("cluster-machine-approver"), "/usr/bin/cluster-machine-approver")
    host.copy(packaging / "slipway-machine-approver.service", APPROVER_UNIT)
    host.copy(packaging / "slipway-machine-approver.default", "/etc/default/slipway-machine-approver")
    host.copy(packaging / "machine-approver.yaml", "/etc/slipway/machine-approver.yaml")
    host.run("install", "-m", "0600", "/etc/kubernetes/admin.conf", "/etc/slipway/machine-approver.kubeconfig")
    host.run("systemctl", "daemon-reload")
    host.run("systemctl", "enable", "--now", "slipway-machine-approver")
    ready = ("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:9191/readyz")
    healthy = wait_until(lambda: host.run(*ready, check=False).stdout == "200", SOON)
    assert healthy, host.run("journalctl", "--unit", "slipway-machine-approver", "--output=cat").stdout
    status = host.read(f"/proc/{shown(host, 'slipway-machine-approver', 'MainPID')}/status")
    assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
    assert re.search(r"^Seccomp:\s+2$", status, re.MULTILINE)
    assert not re.search(r"^Uid:\s+0\b", status, re.MULTILINE)


def test_reset_stops_the_kubelet(machine):
    outcome = machine.kubeadm("reset", "--force", timeout=300)
    assert outcome.code == 0, outcome.text
    assert shown(machine.host, "kubelet", "ActiveState") == "inactive"
