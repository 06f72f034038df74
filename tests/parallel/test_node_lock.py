# SPDX-License-Identifier: Apache-2.0
"""Commands that change one node concurrently wait for each other, and name the holder of the lock.

Each test has a separate /run, and therefore a separate lock.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
PAIRS = 200
NOBODY = 65534

# ECDSA keys are generated quickly, so that two runs more often write at the same time.
CONFIG = """\
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint:
  advertiseAddress: 192.0.2.1
nodeRegistration:
  name: cp-one
  criSocket: unix:///run/none.sock
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.36.0
encryptionAlgorithm: ECDSA-P256
certificatesDir: {directory}
"""


class Node:
    """A node in which shell commands run with `kubeadm` in PATH, as root or as the user of the tests."""

    def __init__(self, directory):
        self.directory = directory
        (directory / "bin").mkdir()
        program = pathlib.Path(os.environ.get("KUBEADM", TOP / "build/bin/kubeadm")).resolve()
        (directory / "bin/kubeadm").symlink_to(program)

    def config(self, certificates):
        path = self.directory / f"{certificates.name}.yaml"
        path.write_text(CONFIG.format(directory=certificates))
        return path

    def run(self, script, timeout=120):
        """Runs a script with bash in separate namespaces; returns the finished process."""
        setup = "mount -t tmpfs tmpfs /run; set -o pipefail\n"
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        return subprocess.run(
            ["unshare", *user, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c", setup + script],
            env={"PATH": f"{self.directory}/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.directory)},
            cwd=self.directory, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.fixture
def node():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="node-lock-", dir="/var/tmp"))
    directory.chmod(0o755)
    yield Node(directory)
    shutil.rmtree(directory)


def public_key(*command):
    return subprocess.run(["openssl", *command], capture_output=True, check=True, timeout=60).stdout


def belong_together(directory, name):
    return public_key("x509", "-in", directory / f"{name}.crt", "-noout", "-pubkey") == public_key(
        "pkey", "-in", directory / f"{name}.key", "-pubout")


def both(command):
    return f'{command} >/dev/null & first=$!; {command} >/dev/null || echo second; wait $first || echo first\n'


def test_pairs_of_init_phase_certs_ca(node):
    directories = [node.directory / f"pki{i}" for i in range(PAIRS)]
    done = node.run("".join(both(f"kubeadm init phase certs ca --config {node.config(f)}") for f in directories))
    assert (done.stdout, done.stderr) == ("", "")
    assert [f.name for f in directories if not belong_together(f, "ca")] == []


def test_pairs_of_certs_renew_apiserver(node):
    directory = node.directory / "pki"
    config = node.config(directory)
    script = f"kubeadm init phase certs all --config {config} >/dev/null\n"
    for i in range(PAIRS):
        script += both(f"kubeadm certs renew apiserver --config {config}")
        script += f"cp {directory}/apiserver.crt {i}.crt; cp {directory}/apiserver.key {i}.key\n"
    done = node.run(script)
    assert (done.stdout, done.stderr) == ("", "")
    assert [i for i in range(PAIRS) if not belong_together(node.directory, str(i))] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_pairs_of_a_user_without_rights_to_the_node(node):
    directories = [node.directory / f"home/pki{i}" for i in range(20)]
    (node.directory / "home").mkdir()
    os.chown(node.directory / "home", NOBODY, NOBODY)
    # The user may have no access to the program's path.
    program = node.directory / "bin/kubeadm"
    target = program.resolve()
    program.unlink()
    shutil.copy(target, program)
    run_as = f"setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups"
    done = node.run("".join(
        both(f"{run_as} kubeadm init phase certs ca --config {node.config(f)}") for f in directories))
    assert (done.stdout, done.stderr) == ("", "")
    assert [f.name for f in directories if not belong_together(f, "ca")] == []


# `reset` holds the lock while it waits for the user's answer.
HOLD = """
mkfifo answer
kubeadm reset <answer >reset.out 2>&1 & holder=$!
exec 9>answer
until grep -q 'proceed' reset.out; do read -rt 0.02 <> <(:); done
"""


def test_the_holder_is_named_and_its_death_frees_the_lock(node):
    config = node.config(node.directory / "pki")
    done = node.run(HOLD + f"""
        kubeadm init phase certs ca --config {config} --lock-timeout 0s && exit 1
        echo "holder: $holder" >&2
        kill -KILL $holder
        wait $holder
        kubeadm init phase certs ca --config {config} --lock-timeout 0s""")
    assert 'Made the "ca" certificate' in done.stdout and done.returncode == 0, done
    pid = done.stderr.split("holder: ")[1].split()[0]
    assert f'error: "kubeadm reset" (process {pid}, since 2' in done.stderr
    assert ") is changing this node; wait until that is done, or let this command wait for it: --lock-timeout" in done.stderr


def test_a_wait_is_reported_and_ends_with_the_holder(node):
    config = node.config(node.directory / "pki")
    done = node.run(HOLD + f"""
        mkfifo told
        kubeadm init phase certs ca --config {config} >told & waiting=$!
        while read -r line; do
          echo "$line"
          case $line in *waiting*) echo n >&9 ;; esac
        done <told
        wait $waiting""")
    assert done.returncode == 0, done
    lines = done.stdout.splitlines()
    assert lines[0].startswith('[lock] "kubeadm reset" (process ') and lines[0].endswith("waiting for it up to 1m0s")
    assert 'Made the "ca" certificate' in lines[-1]


def test_programs_get_an_event_for_a_wait(node):
    config = node.config(node.directory / "pki")
    done = node.run(HOLD + f"kubeadm init --config {config} --output json --lock-timeout 2s")
    assert done.returncode == 1
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert any(str(e.get("text", "")).startswith('[lock] "kubeadm reset" (process ') for e in events), events


# The machine's own /etc stays unchanged.
READ_ONLY_RUN = """
mkdir layer && mount -t tmpfs tmpfs layer && mkdir layer/upper layer/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=layer/upper,workdir=layer/work /etc
mount -o remount,ro /run
"""


def test_a_read_only_run_moves_the_lock_to_a_file_that_only_root_can_open(node):
    config = node.config(node.directory / "pki")
    command = f"kubeadm init phase certs ca --config {config} --lock-timeout 0s"
    done = node.run(READ_ONLY_RUN + HOLD + f"""
        touch /run/x && exit 9
        {command} && exit 8
        echo n >&9
        wait $holder
        {command}""")
    assert done.returncode == 0 and 'Made the "ca" certificate' in done.stdout, done
    assert 'error: "kubeadm reset" (process ' in done.stderr and ") is changing this node" in done.stderr


@pytest.mark.parametrize("command", [
    "init phase certs ca --config {config} --dry-run",
    "certs check-expiration --config {config}",
    "certs renew apiserver --config {config} --dry-run",
])
def test_read_only_commands_do_not_wait(node, command):
    config = node.config(node.directory / "pki")
    done = node.run(f"kubeadm init phase certs all --config {config} >/dev/null\n" + HOLD +
                    f"KUBEADM_INIT_DRYRUN_DIR=dry timeout 10 kubeadm {command.format(config=config)}")
    assert done.returncode == 0, done
    assert "[lock]" not in done.stdout + done.stderr


def test_a_child_that_stays_does_not_keep_the_lock(node):
    systemctl = node.directory / "bin/systemctl"
    systemctl.write_text("#!/bin/sh\nsetsid sleep 100 >/dev/null 2>&1 &\n")
    systemctl.chmod(0o755)
    config = node.config(node.directory / "pki")
    done = node.run(f"""
        kubeadm reset phase cleanup-node --cert-dir {node.directory}/none --cri-socket unix:///run/none.sock
        until pgrep -x sleep >/dev/null; do read -rt 0.02 <> <(:); done
        kubeadm init phase certs ca --config {config} --lock-timeout 0s""")
    assert done.returncode == 0 and 'Made the "ca" certificate' in done.stdout, done
