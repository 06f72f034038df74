# SPDX-License-Identifier: Apache-2.0
"""The packages on a real host: the package's kubeadm creates a cluster, and the approver's service runs.

These hosts do not have systemd as process 1, so no unit is started. The approver runs with the unit's own ExecStart and
EnvironmentFile, as a user without privileges. test_install.py checks systemd's sandbox: it is verified, scored, and its
filter is compared with the program's system calls. tests/cluster/test_systemd.py checks it on a host with systemd.
"""

import re

import pytest

from cluster import kubernetes
from cluster.processes import wait_until

UNIT = "/usr/lib/systemd/system/slipway-machine-approver.service"
CREDENTIALS = "/run/approver-credentials"
NOBODY = "65534"


@pytest.fixture(scope="module")
def host(bench, kubeadm_package, approver_package):
    host = bench.host("packaged")
    for package in (kubeadm_package, approver_package):
        host.copy(package, f"/root/{package.name}")
        host.run("dpkg", "-i", f"/root/{package.name}")
    yield host
    host.down()


def exec_start(host):
    """Returns the unit's command line. Its variables have a form that a shell understands, too."""
    return re.search(r"^ExecStart=(.*)$", host.read(UNIT), re.MULTILINE)[1]


def start_approver(host, log):
    host.run("install", "-d", "-o", NOBODY, "-m", "0500", CREDENTIALS)
    host.run("install", "-o", NOBODY, "-m", "0400", "/etc/kubernetes/admin.conf", f"{CREDENTIALS}/kubeconfig")
    script = f"""
        set -a
        . /etc/default/slipway-machine-approver
        CREDENTIALS_DIRECTORY={CREDENTIALS}
        exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups --no-new-privs --bounding-set=-all \\
          {exec_start(host)}
    """
    return host.start("sh", "-c", script, output=log)


def test_cluster_of_the_package_and_its_approver(host, tmp_path):
    assert host.run("sh", "-c", "command -v kubeadm").stdout == "/usr/bin/kubeadm\n"
    done = host.run("kubeadm", "init", "--config", "/root/init.yaml", timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    kubernetes.wait_healthy(host)
    with open(tmp_path / "approver.log", "w+b") as log:
        running = start_approver(host, log)
        healthy = wait_until(lambda: status(host, "healthz") == "200" and status(host, "readyz") == "200", 60)
        assert healthy, (tmp_path / "approver.log").read_text()
        assert host.kubectl("-n", "kube-system", "get", "lease", "cluster-machine-approver-leader")
        user = host.run("sh", "-c", "stat -c %u /proc/$(pidof cluster-machine-approver)").stdout
        assert user == NOBODY + "\n"
        host.kill(running)


def status(host, path):
    argv = ("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"http://127.0.0.1:9191/{path}")
    return host.run(*argv, check=False).stdout


def test_removal_leaves_nothing(host):
    host.run("kubeadm", "reset", "--force", timeout=300)
    host.run("dpkg", "--purge", "slipway-kubeadm", "slipway-machine-approver")
    left = host.run("sh", "-c", "ls -d /usr/bin/kubeadm /etc/slipway /usr/lib/systemd/system/kubelet.service.d "
                    "/usr/share/doc/slipway-* 2>/dev/null", check=False)
    assert left.stdout == ""
