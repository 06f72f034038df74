# SPDX-License-Identifier: Apache-2.0
"""A trial is rolled back, whichever kubeadm is first in PATH and whatever happens to the program."""

import json
import time

import pytest

from cluster.clusters import Cluster
from cluster.edits import answers, manifest
from cluster.processes import wait_until

pytestmark = pytest.mark.ours

OURS = "/opt/ours/kubeadm"
JOURNAL = "/var/lib/slipway/operation-config-apply.json"
ALIVE = "/var/lib/slipway/config-keep"
SCHEDULER = manifest("kube-scheduler")
UNITS = ("/etc/systemd/system/kubeadm-config-keep.service", "/etc/init.d/kubeadm-config-keep")
ANOTHER = "#!/bin/sh\necho \"invalid subcommand '$2'\" >&2\nexit 1\n"


@pytest.fixture(scope="module", params=["real-systemd", "real-openrc", "none"])
def host(request, bench, kubeadm, note_of_module):
    """A control plane that has another kubeadm first in PATH, besides ours."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    cluster.machine("cp", init_system=request.param)
    cluster.init()
    cluster.wait_healthy()
    host = cluster.first.host
    host.run("install", "-D", "/usr/local/bin/kubeadm", OURS)
    host.write("/usr/local/bin/kubeadm", ANOTHER, mode=0o755)
    assert host.run("kubeadm", "config", "keep", check=False).returncode == 1
    host.init_system = request.param
    yield host


def ours(host, *arguments, program=OURS, timeout=400):
    result = host.run(program, *arguments, check=False, timeout=timeout)
    return result.returncode, result.stdout + result.stderr


def change(level, *more):
    return ("config", "apply", "--set", f"scheduler.extraArgs.v={level}", "--yes", *more)


def state(host):
    return json.loads(host.read(JOURNAL))["state"] if host.path(JOURNAL).exists() else ""


def keepers(host):
    return host.run("pgrep", "-f", "[c]onfig keep", check=False).stdout.split()


def killed_while_it_applies(host, *arguments, seconds=0):
    """Kills the command that many seconds after its journal has the state "applying"."""
    host.run("bash", "-c", f"""
{OURS} {' '.join(arguments)} & child=$!
until grep -q '"applying"' {JOURNAL} || ! kill -0 $child; do sleep 0.02; done
sleep {seconds}; kill -KILL $child; wait $child""", check=False, timeout=120)
    assert state(host) == "applying", state(host)


def is_as_before(host):
    return (
        state(host) == "" and not keepers(host) and "--v=" not in host.read(SCHEDULER)
        and not any(host.path(file).exists() for file in (ALIVE, *UNITS)) and answers(host)
    )


def test_a_trial_is_rolled_back_by_the_program_that_started_it(host):
    code, text = ours(host, *change(3, "--try", "15s"))
    assert code == 0, text
    assert "--v=3" in host.read(SCHEDULER) and host.path(ALIVE).exists()
    assert ("No service manager" in text) == (host.init_system == "none"), text
    for unit in filter(lambda unit: host.path(unit).exists(), UNITS):
        assert OURS in host.read(unit)
    assert wait_until(lambda: is_as_before(host), timeout=180), "the timer did not roll the change back"


def test_a_second_trial_is_rolled_back_as_well(host):
    """A second trial starts after the timer has rolled the first one back. The second one must be rolled back, too."""
    code, text = ours(host, *change(4, "--try", "10s"))
    assert code == 0, text
    assert wait_until(lambda: is_as_before(host), timeout=180), "the timer did not roll the change back"


@pytest.mark.parametrize("fate", ["rm -f", "install /usr/local/bin/kubeadm"])
def test_a_replaced_or_removed_program_begins_no_trial(host, fate):
    program = "/opt/gone/kubeadm"
    host.run("install", "-D", OURS, program)
    # Holds the node lock, so that the command waits until its program file has been replaced or removed.
    begun = f"""
exec 9>>/run/slipway/node.lock; flock 9
{program} {' '.join(change(3, '--try', '60s', '--lock-timeout', '5m'))} 9>&- & child=$!
until [ "$(readlink /proc/$child/exe)" = {program} ]; do sleep 0.05; done
{fate} {program}; flock -u 9; wait $child"""
    result = host.run("bash", "-c", begun, check=False, timeout=300)
    text = result.stdout + result.stderr
    assert result.returncode == 1 and "nothing was changed" in text and "replaced or removed" in text, text
    assert is_as_before(host)


def test_the_timer_of_a_confirmed_trial_ignores_the_next_change(host):
    code, text = ours(host, *change(5, "--try", "5m"))
    assert code == 0, text
    code, text = ours(host, "config", "confirm")
    assert code == 0, text
    killed_while_it_applies(host, *change(6))
    time.sleep(5)
    assert state(host) == "applying" and not keepers(host)
    code, text = ours(host, *change(6))
    assert code == 0 and "--v=6" in host.read(SCHEDULER), text
    code, text = ours(host, "config", "undo", "--yes")
    assert code == 0 and "--v=5" in host.read(SCHEDULER), text
    code, text = ours(host, "config", "apply", "--set", "scheduler.extraArgs.v=", "--yes")
    assert code == 0, text


def test_a_killed_trial_can_be_repeated_at_once(host):
    for seconds in (0, 1.5):
        killed_while_it_applies(host, *change(7, "--try", "20s"), seconds=seconds)
        code, text = ours(host, *change(7, "--try", "20s"))
        assert code == 0 and "--v=7" in host.read(SCHEDULER), text
        assert wait_until(lambda: is_as_before(host), timeout=180), "the timer did not roll the change back"


def test_the_timer_of_renewal_starts_the_program_that_set_it_up(host):
    if host.init_system == "none":
        host.run("mkdir", "-p", "/etc/cron.d")
    code, text = ours(host, "certs", "auto-renew", "enable")
    assert code == 0, text
    _, status = ours(host, "certs", "auto-renew", "status")
    assert f"{OURS} certs auto-renew run" in status, status
    assert ours(host, "certs", "auto-renew", "disable")[0] == 0
