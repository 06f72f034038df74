# SPDX-License-Identifier: Apache-2.0
"""A trial on a worker without an init system, and the process that rolls it back.

Each test has separate files, processes and a separate network. Another kubeadm is first in PATH.
"""

import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
BEFORE, AFTER = "maxPods: 110", "maxPods: 111"
TRY = "$P config apply node --yes --try"

SETUP = f"""
set -u
cp -a /etc etc && mount --bind etc /etc
for each in /var/lib /var/log /opt /run /usr/local/bin; do mount -t tmpfs tmpfs $each; done
for each in systemctl openrc; do  # hides the init system
  each=$(command -v $each) && mount --bind /dev/null $each
done
ip link set lo up
mkdir -p /etc/kubernetes /var/lib/kubelet /opt/ours
P=/opt/ours/kubeadm
cp kubeadm $P
printf '#!/bin/sh\\nexit 1\\n' >/usr/local/bin/kubeadm
printf '#!/bin/sh\\necho Kubernetes v1.37.2\\n' >/usr/local/bin/kubelet
chmod 755 /usr/local/bin/*
cat >/etc/kubernetes/kubelet.conf <<END
apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:16443"}}}}]
users: [{{name: u, user: {{}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
current-context: x
END
printf 'apiVersion: kubelet.config.k8s.io/v1beta1\\nkind: KubeletConfiguration\\n{BEFORE}\\n' >/var/lib/kubelet/config.yaml
printf 'KUBELET_KUBEADM_ARGS="--hostname-override=worker"\\n' >/var/lib/kubelet/kubeadm-flags.env
printf 'containerRuntimeEndpoint: unix:///run/none.sock\\n' >/var/lib/kubelet/instance-config.yaml
{shutil.which("python3")} {HERE}/worker_cluster.py &
CLUSTER=$!
for _ in $(seq 100); do (: </dev/tcp/127.0.0.1/16443) 2>/dev/null && break; sleep 0.1; done
setting() {{ grep maxPods /var/lib/kubelet/config.yaml; }}
state() {{ sed -n 's/^  "state": "\\(.*\\)".*/\\1/p' /var/lib/slipway/operation-config-apply.json 2>/dev/null || true; }}
keepers() {{ pgrep -f '[c]onfig keep' || true; }}
killed_while_it_applies() {{ "$@" >/dev/null 2>&1 & within 100 '[ "$(state)" = applying ]'; kill -KILL $!; wait $! 2>&-; state; }}
within() {{ for _ in $(seq $1); do eval "$2" && return; sleep 0.2; done; echo "not within $1/5 s: $2"; }}
"""


@pytest.fixture
def worker(tmp_path):
    """Returns run(script), which returns the output of the script on a separate worker. $P is the kubeadm under
    test."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount over the node's directories")
    shutil.copy(os.environ.get("KUBEADM", TOP / "build/bin/kubeadm"), tmp_path / "kubeadm")

    def run(script):
        done = subprocess.run(
            ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c",
             SETUP + script],
            env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
        )
        return done.stdout

    return run


def test_trial_is_rolled_back_by_the_program_that_started_it(worker):
    said = worker(f"""
{TRY} 3s; echo "exit $?"; setting; tr '\\0' ' ' </proc/$(keepers)/cmdline; echo
within 100 '[ -z "$(keepers)" ]'; setting
$P config undo --yes; echo "exit $?"; ls -A /var/lib/slipway; $P config undo --yes >/dev/null 2>&1; echo "exit $?"
""")
    assert f"exit 0\n{AFTER}\n/opt/ours/kubeadm config keep --change=" in said, said
    assert said.endswith(f"\n{BEFORE}\n[config] The change was rolled back already\n"
                         "exit 0\nconfig-keep.log\nconfig-taken-back\nexit 0\n"), said


@pytest.mark.parametrize("fate", ["rm", "cp --remove-destination /usr/local/bin/kubeadm"])
def test_a_trial_needs_the_program_file_that_started_it(worker, fate):
    said = worker(f"""
mkdir /opt/gone; cp $P /opt/gone/kubeadm; P=/opt/gone/kubeadm
kill -STOP $CLUSTER
{TRY} 60s & within 100 '[ "$(readlink /proc/$!/exe)" = $P ]'
{fate} $P; kill -CONT $CLUSTER; wait $!; echo "exit $?"; setting; state; keepers
""")
    assert 'nothing was changed: the program file "/opt/gone/kubeadm" was replaced or removed' in said, said
    assert said.endswith(f"exit 1\n{BEFORE}\n"), said


def test_a_trial_does_not_begin_before_its_timer_answers(worker):
    """setsid is replaced by a program that starts nothing, so that the rollback timer never answers. The trial must not
    change anything."""
    said = worker(f"""
printf '#!/bin/sh\\nexit 0\\n' >/usr/local/bin/setsid; chmod 755 /usr/local/bin/setsid
{TRY} 60s; echo "exit $?"; setting; state
""")
    assert "nothing was changed: the rollback timer was started, and has not answered" in said, said
    assert said.endswith(f"exit 1\n{BEFORE}\n"), said


def test_the_timer_of_a_confirmed_trial_ignores_the_next_change(worker):
    said = worker(f"""
{TRY} 60s >/dev/null 2>&1; state
touch /run/slow
$P config confirm; sed -i 's/{AFTER}/maxPods: 90/' /var/lib/kubelet/config.yaml
killed_while_it_applies $P config apply node --yes
within 25 '[ -z "$(keepers)" ]'; sleep 1; state; grep -v '^.lock. ' /var/lib/slipway/config-keep.log; rm /run/slow
$P config apply node --yes >/dev/null 2>&1; echo "exit $?"; setting; $P config undo --yes >/dev/null 2>&1; setting
""")
    assert said.startswith("trying\n"), said
    assert said.endswith(f"applying\napplying\nexit 0\n{AFTER}\nmaxPods: 90\n"), said


def test_a_killed_trial_can_be_repeated_at_once(worker):
    said = worker(f"""
touch /run/slow
killed_while_it_applies {TRY} 60s
{TRY} 60s; echo "exit $?"; setting; state
$P config confirm; echo "exit $?"; state
""")
    assert said.startswith("applying\n"), said
    assert f"exit 0\n{AFTER}\ntrying\n" in said and said.endswith("exit 0\ndone\n"), said


def test_the_timer_of_renewal_starts_the_program_that_set_it_up(worker):
    said = worker("mkdir -p /etc/cron.d; $P certs auto-renew enable; $P certs auto-renew status; "
                  "cp $P $P.new; rm $P; $P.new certs auto-renew status")
    assert "daily by: /opt/ours/kubeadm certs auto-renew run" in said, said
    assert 'That fails: there is no program "/opt/ours/kubeadm"' in said, said
