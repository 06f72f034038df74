# SPDX-License-Identifier: Apache-2.0
"""A host whose process 1 is OpenRC's init, with a supervised kubelet. The tests are one sequence."""

import re

import pytest

from cluster import hosts, kubernetes
from cluster.conftest import Machine
from cluster.processes import wait_until

pytestmark = pytest.mark.ours
SOON = 60  # seconds: the supervisor restarts the kubelet after 10
CRON_FILE = "/etc/cron.d/kubeadm-certs-renew"
METRICS = "/var/lib/kubeadm-certs.prom"
RENEWED = 240  # seconds: cron starts within a minute, then all components restart
KUBELET_SCRIPT = "/etc/init.d/kubelet"
APPROVER = "slipway-machine-approver"


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


def test_a_kubelet_that_ends_again_and_again_is_named_with_its_reason(machine):
    script = machine.host.read(KUBELET_SCRIPT)
    broken = script.replace("$KUBELET_KUBEADM_ARGS", "$KUBELET_KUBEADM_ARGS --of-the-test")
    machine.host.write(KUBELET_SCRIPT, broken, mode=0o755)
    try:
        outcome = machine.init()
    finally:
        machine.host.write(KUBELET_SCRIPT, script, mode=0o755)
    assert outcome.code != 0
    assert "unknown flag: --of-the-test" in outcome.text
    assert outcome.seconds < SOON


def test_a_disabled_kubelet_is_started_with_a_warning(machine):
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


def serial(host):
    return host.run("openssl", "x509", "-noout", "-serial", "-in", "/etc/kubernetes/pki/apiserver.crt").stdout


def test_cron_renews(machine):
    host = machine.host
    enable = ("certs", "auto-renew", "enable", "--if-expires-within", "400d", "--textfile", METRICS)
    outcome = machine.kubeadm(*enable)
    assert outcome.code == 0, outcome.text
    # Sets the time to the next minute instead of the hour that is derived from the machine's name. Other parts of the
    # line stay.
    soon = host.run("date", "-d", "+70 seconds", "+%-M %-H").stdout.strip()
    table = re.sub(r"(?m)^\d+ \d+ (?=\* \* \* root )", f"{soon} ", host.read(CRON_FILE))
    assert f"\n{soon} * * * root /" in table
    before = serial(host)
    host.write(CRON_FILE, table)
    host.run("rc-service", "cron", "start")
    try:
        renewed = wait_until(lambda: host.path(METRICS).exists(), RENEWED)
    finally:
        # Processes that cron has started continue when cron is stopped.
        ended = ["pgrep", "-f", "auto-renew run"]
        assert wait_until(lambda: host.run(*ended, check=False).returncode != 0, RENEWED)
        host.run("rc-service", "cron", "stop")
        assert machine.kubeadm("certs", "auto-renew", "disable").code == 0
    assert renewed
    assert "kubeadm_certs_renew_last_run_success 1\n" in host.read(METRICS)
    assert serial(host) != before
    kubernetes.wait_healthy(host)


def test_the_approver_runs_as_a_user_of_its_own(machine, kubeadm):
    host = machine.host
    packaging = hosts.PROJECT / "packaging" / "approver"
    host.copy(kubeadm.with_name("cluster-machine-approver"), "/usr/bin/cluster-machine-approver")
    host.write(f"/etc/init.d/{APPROVER}", (packaging / f"{APPROVER}.openrc").read_text(), mode=0o755)
    host.copy(packaging / f"{APPROVER}.default", f"/etc/conf.d/{APPROVER}")
    host.copy(packaging / "machine-approver.yaml", "/etc/slipway/machine-approver.yaml")
    host.run("install", "-m", "0600", "/etc/kubernetes/admin.conf", "/etc/slipway/machine-approver.kubeconfig")
    refused = host.run("rc-service", APPROVER, "start", check=False)
    assert refused.returncode != 0
    assert "no user slipway-approver" in refused.stdout + refused.stderr
    host.run("useradd", "--system", "--no-create-home", "slipway-approver")
    host.run("rc-service", APPROVER, "start")
    ready = ("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:9191/readyz")
    healthy = wait_until(lambda: host.run(*ready, check=False).stdout == "200", SOON)
    assert healthy, host.read(f"/var/log/{APPROVER}.log")
    before = host.run("pidof", "cluster-machine-approver").stdout.strip()
    status = host.read(f"/proc/{before}/status")
    assert re.search(r"^CapEff:\s+0+$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)
    assert not re.search(r"^Uid:\s+0\b", status, re.MULTILINE)
    host.run("kill", "-KILL", before)
    assert wait_until(lambda: host.run(*ready, check=False).stdout == "200", SOON)
    host.run("rc-service", APPROVER, "stop")
    assert not host.path("/run/slipway-machine-approver").exists()


def test_reset_stops_the_kubelet(machine):
    outcome = machine.kubeadm("reset", "--force", timeout=300)
    assert outcome.code == 0, outcome.text
    assert kubelet_pid(machine.host) == ""
