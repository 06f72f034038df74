# SPDX-License-Identifier: Apache-2.0
"""etcd fails while a kubeadm uses it: upstream's kubeadm of the next minor version, or ours."""

import contextlib
import time
from pathlib import Path

import pytest
import yaml

from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.test_control_planes import voters
from cluster.test_doctor import ETCDCTL
from cluster.upgrades import upstream
from minors import steps

pytestmark = pytest.mark.ours

PROXY = Path(__file__).with_name("failing_proxy.py")
MANIFEST = "/etc/kubernetes/manifests/etcd.yaml"
LOOPBACK = "--listen-client-urls=https://127.0.0.1:2379"
CLOSED = 5
# The phase deletes etcd's data. An empty directory mounted over the data keeps the cluster unchanged.
RESET = "mount -t tmpfs none /var/lib/etcd && exec kubeadm reset phase remove-etcd-member"


@pytest.fixture(autouse=True)
def _of_the_next(pytestconfig):
    if steps.NEXT not in pytestconfig.getoption("releases"):
        pytest.skip(f"tests upstream's kubeadm of v{steps.NEXT}")


def listen_on_loopback_only(host):
    """Makes etcd listen only on the loopback address. The proxy can then listen on the address that etcd still
    advertises."""
    manifest = host.read(MANIFEST)
    changed = manifest.replace(f"{LOOPBACK},https://{host.address}:2379", LOOPBACK)
    assert changed != manifest, manifest
    host.write(MANIFEST, changed)
    assert wait_until(lambda: host.run("pgrep", "-f", f"^etcd.*{LOOPBACK} ", check=False).returncode == 0, 120)
    assert wait_until(lambda: "ok" in host.kubectl("get", "--raw", "/readyz", check=False), 120, pause=1)


@contextlib.contextmanager
def proxy(host, passing):
    """Passes `passing` connections, and then closes CLOSED connections. Yields a function that returns the result of
    each connection."""
    host.copy(PROXY, "/root/proxy.py")
    path = host.logs / "proxy.log"
    with open(path, "w", encoding="utf-8") as output:
        started = host.start("python3", "/root/proxy.py", host.address, str(passing), str(CLOSED), output=output)
    try:
        assert wait_until(lambda: "ready" in path.read_text(), 30)
        yield lambda: path.read_text().split()[1:]
    finally:
        host.kill(started)


def reset(host, program, passing):
    """Runs the phase that removes the member. Returns its output, and the result of each connection."""
    host.copy(program, "/usr/local/bin/kubeadm")
    with proxy(host, passing) as connections:
        done = host.run("unshare", "--mount", "sh", "-c", RESET, check=False, timeout=180)
        return done.stdout + done.stderr, connections()


def test_a_member_list_that_fails_for_a_moment_is_retried(bench, kubeadm, note):
    cluster = Cluster(bench, upstream(steps.NEXT), note)
    try:
        host = cluster.machine("cp-one", release=steps.NEXT).host
        cluster.init()
        listen_on_loopback_only(host)
        # Upstream reads the member list twice. Every version retries the first read, for the addresses of the members.
        for program, passing in ((kubeadm, 0), (upstream(steps.NEXT), 1)):
            text, connections = reset(host, program, passing)
            assert connections.count("closed") == CLOSED and connections[-1] == "passed", (text, connections)
            assert "data directory" in text and "Failed to remove etcd member" not in text, text
        text, connections = reset(host, upstream(steps.NEWEST), 1)
        assert connections[-1] == "closed", connections
        assert "Failed to remove etcd member: context deadline exceeded" in text, text
    finally:
        cluster.down()


@pytest.mark.parametrize(("joining", "passing"), [("ours", 1), ("upstream", 4)])
def test_a_join_continues_after_failed_connections_to_etcd(bench, kubeadm, note, joining, passing):
    cluster = Cluster(bench, upstream(steps.NEXT), note)
    try:
        host = cluster.machine("cp-one", release=steps.NEXT).host
        cluster.init()
        credentials = cluster.credentials()
        listen_on_loopback_only(host)
        program = kubeadm if joining == "ours" else upstream(steps.NEXT)
        second = cluster.machine("cp-two", kubeadm=program, release=steps.NEXT)
        with proxy(host, passing) as connections:
            outcome = second.join(*cluster.control_plane_arguments(*credentials), "--v=5")
            assert outcome.code == 0, outcome.text
            assert connections().count("closed") == CLOSED, connections()
            # Upstream's fifth connection reads the member list for the ID of the new member.
            assert joining == "ours" or "Failed to get etcd member list" in outcome.text, outcome.text
        assert voters(host) == ["cp-one", "cp-two"]
    finally:
        cluster.down()


# With the patch, etcd serves as before, but advertises a port at which nothing listens. kubeadm regards such an etcd as
# unhealthy.
UPGRADE = f"""apiVersion: kubeadm.k8s.io/v1beta4
kind: UpgradeConfiguration
apply:
  kubernetesVersion: {steps.version(steps.NEXT)}
  allowExperimentalUpgrades: true
  forceUpgrade: true
  ignorePreflightErrors: [NumCPU, SystemVerification, Swap]
  patches:
    directory: /root/patches
timeouts:
  etcdAPICall: 1s
"""


def patch_for_another_port(host):
    container = yaml.safe_load(host.read(MANIFEST))["spec"]["containers"][0]
    command = [word.replace(":2379", ":2390") if word.startswith("--advertise-client-urls=") else word
               for word in container["command"]]
    assert command != container["command"]
    return yaml.safe_dump({"spec": {"containers": [{"name": "etcd", "command": command}]}})


def put(host, key):
    return host.run(*ETCDCTL, "put", key, "value", check=False).returncode == 0


@pytest.mark.long
def test_upstream_restores_the_data_of_a_failed_upgrade(bench, note):
    cluster = Cluster(bench, upstream(steps.NEWEST), note)
    try:
        host = cluster.machine("cp-one", release=steps.NEWEST, also=(steps.NEXT,)).host
        cluster.init()
        host.copy(upstream(steps.NEXT), "/usr/local/bin/kubeadm")
        host.write("/root/upgrade.yaml", UPGRADE)
        host.write("/root/patches/etcd.yaml", patch_for_another_port(host))
        assert put(host, "/test/before")
        host.run("chown", "-R", "1234:1234", "/var/lib/etcd")
        path = host.logs / "upgrade.log"
        with open(path, "w", encoding="utf-8") as output:
            begin = time.monotonic()
            started = host.start("kubeadm", "upgrade", "apply", "--config", "/root/upgrade.yaml", output=output)
            assert wait_until(lambda: "Waiting for etcd to become available" in path.read_text(), 400)
            assert put(host, "/test/after")
            assert started.wait(timeout=400) == 1
        note("upgrade apply, exit 1", time.monotonic() - begin)
        assert "Etcd data rollback successful" in path.read_text()
        assert "rolled the state back to pre-upgrade state" in path.read_text()
        # The kubelet restarts etcd after kubeadm has ended. Until then, the old process still has the later data.
        keys = [*ETCDCTL, "get", "--prefix", "--keys-only", "/test/"]
        assert wait_until(lambda: host.run(*keys, check=False).stdout.split() == ["/test/before"], 240, pause=1)
        owners = host.run("stat", "-c", "%u", "/var/lib/etcd", "/var/lib/etcd/member").stdout.split()
        assert owners == ["1234", "0"], owners
    finally:
        cluster.down()
