# SPDX-License-Identifier: Apache-2.0
"""The programs run on Linux 4.18, which tests/anywhere/old_kernel.py simulates."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# Prints the outcome of system calls, by the names of errors, to show which ones the filter allows.
PROBE = """
import ctypes, errno, platform
from old_kernel import STATX, play
play()
libc = ctypes.CDLL(None, use_errno=True)
for number in (434, 435, 436, 437, STATX[platform.machine()], 0x7fff):
    print(libc.syscall(number, -1, 0, 0, 0, 0), errno.errorcode[ctypes.get_errno()])
print(libc.getpid() > 0)
"""
LOGIN = """apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:6443"}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
users:
- name: u
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: /kubeadm, args: [version], interactiveMode: Never}
"""
CERTS = ("init", "phase", "certs", "all", "--cert-dir", "/pki", "--apiserver-advertise-address", "10.1.2.3")


@pytest.fixture
def old(world):
    world.spec["old_kernel"] = True
    return world


def test_the_simulated_kernel_has_no_newer_calls():
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=HERE, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["-1 ENOSYS"] * 6 + ["True"]


def test_programs_start(old):
    done = old.run("/kubeadm", "version", "-o", "short")
    assert done["exit"] == 0 and done["output"].startswith("v1."), done
    done = old.run("/cluster-machine-approver", "version")
    assert done["exit"] == 0, done


def test_certificates_are_made_and_found_again(old):
    done = old.run("/kubeadm", *CERTS)
    assert done["exit"] == 0, done
    made = {path.relative_to(old.root / "pki"): path.read_bytes() for path in (old.root / "pki").rglob("*.crt")}
    assert len(made) == 10
    assert old.run("/kubeadm", *CERTS)["exit"] == 0
    assert all((old.root / "pki" / name).read_bytes() == content for name, content in made.items())


def test_reset_removes_existing_parts(old):
    old.put("var/lib/kubelet/pki/kubelet.crt", "")
    old.put("etc/kubernetes/manifests/kube-apiserver.yaml", "")
    planned = old.run("/kubeadm", "reset", "--dry-run", "--cri-socket", "unix:///run/none.sock")
    assert planned["exit"] == 0, planned
    assert (old.root / "var/lib/kubelet/pki/kubelet.crt").exists()
    done = old.run("/kubeadm", "reset", "--force", "--cri-socket", "unix:///run/none.sock",
                   "--ignore-preflight-errors", "all")
    assert done["exit"] == 0, done
    assert not (old.root / "etc/kubernetes/manifests/kube-apiserver.yaml").exists()
    assert not (old.root / "var/lib/kubelet/pki").exists()


def test_names_are_looked_up_and_servers_called(old):
    old.put("etc/resolv.conf", "nameserver 127.0.0.53\n")
    old.server("127.0.0.53", {"api.corp": ["127.0.0.50"]})
    assert old.connect("api.corp", ["127.0.0.50"])["reached"] == ["127.0.0.50"]


def test_programs_are_started_and_awaited(old):
    """A kubeconfig names kubeadm as its login plugin. kubeadm must start it, and report that its output is not a valid
    answer."""
    old.put("admin.conf", LOGIN)
    done = old.run("/kubeadm", "token", "list", "--kubeconfig", "/admin.conf")
    assert done["exit"] == 1 and "the answer of /kubeadm" in done["output"], done


def test_doctor_looks_at_the_machine(old):
    done = old.run("/kubeadm", "doctor")
    assert done["exit"] == 1 and "what init would check" in done["output"], done
