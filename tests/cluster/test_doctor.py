# SPDX-License-Identifier: Apache-2.0
"""A host is broken on purpose, in one way after the other. The first finding of doctor must name the cause."""

import base64
import contextlib
import json
import subprocess
import time

import pytest

from cluster import hosts, kubernetes
from cluster.clusters import Cluster
from cluster.processes import wait_until

pytestmark = pytest.mark.ours

LIMIT = 10  # seconds
PKI = "/etc/kubernetes/pki"
FLAGS = "/var/lib/kubelet/kubeadm-flags.env"
KUBELET = "/var/lib/kubelet/config.yaml"
ETCDCTL = [
    "etcdctl",
    "--endpoints=https://127.0.0.1:2379",
    f"--cacert={PKI}/etcd/ca.crt",
    f"--cert={PKI}/etcd/healthcheck-client.crt",
    f"--key={PKI}/etcd/healthcheck-client.key",
]


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request):
    """A control-plane node behind a name. Each test repairs what it has broken."""
    made = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(made.down)
    made.machine("first")
    made.init()
    made.wait_healthy()
    yield made


@pytest.fixture
def host(cluster):
    """The node. Waits until doctor finds nothing broken, because the previous test's repair may take effect late."""
    host = cluster.first.host
    broken = 2
    assert wait_until(lambda: host.run("kubeadm", "doctor", check=False).returncode < broken, timeout=120)
    return host


def ask(host, note, environment=(), under=()):
    """Returns doctor's report and its exit status. Fails if doctor takes longer than LIMIT."""
    begin = time.monotonic()
    result = host.run(*under, "kubeadm", "doctor", "-o", "json", check=False, environment=environment)
    took = time.monotonic() - begin
    note(f"doctor on {host.name}, exit {result.returncode}", took)
    assert result.stdout, result.stderr
    said = json.loads(result.stdout)
    (host.logs / "doctor.json").write_text(result.stdout)
    assert took < LIMIT, said
    return said, result.returncode


def expect_first(host, note, wanted, culprit, **options):
    """Runs doctor once. Checks that its first finding has the id `wanted`, names the culprit, and has evidence and a
    remedy."""
    said, code = ask(host, note, **options)
    first = said["findings"][0] if said["findings"] else {}
    assert first.get("id") == wanted, json.dumps(said, indent=1)
    assert culprit in first["culprit"] + first["what"], first
    assert first["evidence"] and first["remedy"], first
    assert code == {"warning": 1, "broken": 2}[first["severity"]], said
    return first


@contextlib.contextmanager
def changed(host, path, change):
    """Replaces a file's content during the block, and then restores it. The file keeps its mode."""
    good = host.read(path)
    mode = host.path(path).stat().st_mode & 0o7777
    host.write(path, change(good), mode)
    try:
        yield
    finally:
        host.write(path, good, mode)


def wait_for_api(host):
    assert wait_until(
        lambda: host.run(
            "kubectl", "get", "--raw=/readyz", check=False,
            environment=["KUBECONFIG=/etc/kubernetes/admin.conf"],
        ).returncode
        == 0,
        timeout=120,
    )


def test_nothing_is_wrong(host, note):
    said, code = ask(host, note)
    assert code == 0, json.dumps(said, indent=1)
    assert said["verdict"] == "healthy" and len(said["lookedAt"]) > 6, said
    assert [finding for finding in said["findings"] if finding["severity"] != "note"] == []
    assert said["couldNotSee"] == [], said


def test_another_user_sees_less(host, note):
    nobody = ["setpriv", "--reuid=65534", "--clear-groups"]
    result = host.run(*nobody, "kubeadm", "doctor", check=False)
    assert "Could not see:" in result.stdout and "only root may read" in result.stdout, result.stdout


def test_doctor_names_a_wrong_ca(host, note):
    host.run("kubeadm", "init", "phase", "certs", "ca", "--cert-dir", "/root/other")
    other = host.read("/root/other/ca.crt")
    with changed(host, f"{PKI}/ca.crt", lambda _: other):
        expect_first(host, note, "ca-replaced", "pki/ca.crt")


def test_doctor_names_a_kubeconfig_of_another_cluster(host, note):
    ca = base64.b64encode(host.read(f"{PKI}/ca.crt").encode()).decode()
    other = base64.b64encode(host.read(f"{PKI}/front-proxy-ca.crt").encode()).decode()
    with changed(host, "/etc/kubernetes/scheduler.conf", lambda text: text.replace(ca, other)):
        expect_first(host, note, "kubeconfig-wrong-ca", "scheduler.conf")


def test_doctor_names_a_dead_etcd_member(host, note):
    peer = "--peer-urls=https://10.77.255.1:2380"
    host.run(*ETCDCTL, "member", "add", "ghost", peer, "--learner")
    try:
        expect_first(host, note, "etcd-member-down", "10.77.255.1")
    finally:
        lines = host.run(*ETCDCTL, "member", "list").stdout.splitlines()
        ghost = next(line for line in lines if "10.77.255.1" in line)
        host.run(*ETCDCTL, "member", "remove", ghost.split(",")[0])


def test_doctor_names_a_full_disk(host, note):
    used = int(host.run("df", "--output=used", "-B1", "/var/lib/etcd").stdout.split()[-1])
    host.run("mount", "-o", f"remount,size={used + 4096}", "/var/lib/etcd")
    try:
        expect_first(host, note, "disk-full", "/var/lib/etcd")
    finally:
        host.run("mount", "-o", "remount,size=2g", "/var/lib/etcd")


def test_doctor_names_a_wrong_cgroup_driver(host, note):
    with changed(host, KUBELET, lambda text: text.replace("cgroupfs", "systemd")):
        expect_first(host, note, "cgroup-driver-mismatch", "cgroup driver")


def test_doctor_names_a_crash_looping_kubelet(host, note):
    with changed(host, FLAGS, lambda text: text.rstrip()[:-1] + ' --no-such-flag=1"\n'):
        host.service("kubelet", "restart")
        restarts = ["/usr/lib/slipway/service", "kubelet", "restarts"]
        assert wait_until(lambda: int(host.run(*restarts).stdout) > 1, timeout=60)
        first = expect_first(host, note, "kubelet-crash-loop", "kubelet")
        assert "no-such-flag" in first["evidence"]
    host.service("kubelet", "restart")


@pytest.mark.parametrize("shift", [7200, -7200])
def test_doctor_names_a_wrong_clock(host, note, shift, tmp_path):
    launcher = tmp_path / "shifted-clock"
    subprocess.run(["cc", "-static", "-o", launcher, hosts.HERE / "testdata" / "shifted-clock.c"], check=True)
    host.copy(launcher, "/root/shifted-clock")
    first = expect_first(host, note, "clock-off", "clock", environment=[f"SHIFT={shift}"],
                         under=["/root/shifted-clock"])
    assert "2h00m" in first["what"] or "1h59m" in first["what"], first


def test_doctor_names_a_deleted_kubeadm_config(host, note):
    get = ["-n", "kube-system", "get", "configmap", "kubeadm-config", "-o", "yaml"]
    saved = host.kubectl(*get)
    host.kubectl("-n", "kube-system", "delete", "configmap", "kubeadm-config")
    try:
        expect_first(host, note, "kubeadm-config-missing", "kubeadm-config")
    finally:
        given = ("resourceVersion:", "uid:")
        kept = [line for line in saved.splitlines() if not line.strip().startswith(given)]
        host.write("/root/saved.yaml", "\n".join(kept) + "\n")
        host.kubectl("create", "-f", "/root/saved.yaml")


def pods_that_ran(host):
    """Returns the names of log directories; the kubelet creates one for each Pod that it has started from a
    manifest."""
    return set(host.run("ls", "/var/log/pods").stdout.split())


def test_doctor_names_an_edited_manifest(host, note):
    path = "/etc/kubernetes/manifests/kube-scheduler.yaml"
    flag = "    - --leader-elect=true\n"
    before = pods_that_ran(host)
    with changed(host, path, lambda text: text.replace(flag, flag + "    - --no-such-flag=1\n")):
        first = expect_first(host, note, "manifest-edited", "kube-scheduler.yaml")
        assert "--no-such-flag" in first["evidence"]
        # Waits until the kubelet has read the edited manifest. Otherwise it could read it during the next tests, which
        # would stop the scheduler.
        assert wait_until(lambda: pods_that_ran(host) - before, timeout=120)

    def is_well():
        return not any(finding["severity"] == "broken" for finding in ask(host, note)[0]["findings"])
    assert wait_until(is_well, timeout=120, pause=1)


def test_doctor_names_an_unreachable_endpoint(cluster, host, note):
    right, wrong = f"{host.address} api.bench", "10.77.255.9 api.bench"
    with changed(host, "/etc/hosts", lambda text: text.replace(right, wrong)):
        expect_first(host, note, "endpoint-unreachable", "api.bench")


def test_doctor_names_a_stopped_containerd(host, note):
    host.service("containerd", "stop")
    try:
        expect_first(host, note, "runtime-not-answering", "container runtime")
    finally:
        host.service("containerd", "start")
        host.run("bash", "-c", "until ctr version; do sleep 0.1; done", timeout=20)


def test_doctor_names_an_expired_token(cluster, host, note):
    """A worker has a bootstrap kubeconfig with an invalid token, and its join never finished. The first finding must
    name the refused token."""
    wait_for_api(host)
    worker = cluster.machine("second").host
    kubeconfig = host.read("/etc/kubernetes/kubelet.conf").split("users:")[0]
    kubeconfig += "users:\n- name: tls\n  user:\n    token: abcdef.0123456789abcdef\n"
    user = next(line for line in kubeconfig.splitlines() if "user: system:node" in line)
    kubeconfig = kubeconfig.replace(user.strip(), "user: tls")
    worker.write("/etc/kubernetes/bootstrap-kubelet.conf", kubeconfig, 0o600)
    worker.write(f"{PKI}/ca.crt", host.read(f"{PKI}/ca.crt"))
    worker.write(KUBELET, host.read(KUBELET))
    expect_first(worker, note, "bootstrap-token-refused", "abcdef")


def test_doctor_names_an_expired_certificate(host, note):
    """The API server's certificate is replaced by an expired one, which doctor must name. Afterwards the certificate is
    restored. The API server reloads the file both times."""
    wait_for_api(host)
    config = host.read("/root/init.yaml").replace(
        "kind: ClusterConfiguration\n",
        "kind: ClusterConfiguration\ncertificateValidityPeriod: 1s\n",
    )
    host.write("/root/short.yaml", config)
    host.run("cp", "-a", f"{PKI}/apiserver.crt", f"{PKI}/apiserver.key", "/root")
    host.run("rm", f"{PKI}/apiserver.crt", f"{PKI}/apiserver.key")
    try:
        host.run("kubeadm", "init", "phase", "certs", "apiserver", "--config", "/root/short.yaml")
        wait_until(lambda: time.time() > host.path(f"{PKI}/apiserver.crt").stat().st_mtime + 2, 5)
        expect_first(host, note, "certificate-expired", "apiserver.crt")
    finally:
        host.run("sh", "-c", f"mv /root/apiserver.crt /root/apiserver.key {PKI}")


def test_all_is_well_again(cluster, host, note):
    wait_until(lambda: ask(host, note)[1] == 0, timeout=120, pause=2)
    said, code = ask(host, note)
    assert code == 0, json.dumps(said, indent=1)
    kubernetes.wait_healthy(host, expected_nodes=["first"])
