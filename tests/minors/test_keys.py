# SPDX-License-Identifier: Apache-2.0
"""Clusters with ML-DSA keys: they work for all programs except etcd, which does not start with them."""

import base64
import json
import re

import pytest

from cluster import echo, kubernetes
from cluster.clusters import Cluster, leftovers
from cluster.processes import wait_until
from cluster.test_approver import is_signed_by_the_ca, logs, logs_work, requests
from cluster.test_control_planes import voters
from cluster.upgrades import kubelets, upstream
from minors import steps

pytestmark = pytest.mark.ours

PKI = "/etc/kubernetes/pki"
ETCD = ("etcd/ca", "etcd/server", "etcd/peer", "etcd/healthcheck-client", "apiserver-etcd-client")
OTHERS = ("ca", "apiserver", "apiserver-kubelet-client", "front-proxy-ca", "front-proxy-client")
KUBECONFIGS = ("admin", "super-admin", "controller-manager", "scheduler")
KUBELET = ("client", "server")  # in /var/lib/kubelet/pki/kubelet-…-current.pem
PATIENCE = 180  # seconds for the approval, the signature, and the kubelet's use of the certificate
OF_ETCD = {"ML-DSA-44": "RSA-2048", "ML-DSA-65": "ECDSA-P256", "ML-DSA-87": "RSA-3072"}
IN_OPENSSL = {"RSA": "rsaEncryption", "ECDSA": "id-ecPublicKey"}
KUBELET_FIELDS = """clientCertificateKeyAlgorithm: {0}
serverCertificateKeyAlgorithm: {0}
tlsMinVersion: VersionTLS13
cgroupDriver:"""


GATES = """apiServer:
  extraArgs:
  - {name: feature-gates, value: "ServiceAccountTokenMLDSA=true,CertificateSigningRequestMLDSA=true"}
controllerManager:
  extraArgs:
  - {name: feature-gates, value: ServiceAccountTokenMLDSA=true}
"""


def configure(host, algorithm, kubelets=True, gates=GATES):
    text = host.read("/root/init.yaml").replace(
        "kubernetesVersion:", f"{gates}encryptionAlgorithm: {algorithm}\nkubernetesVersion:")
    if kubelets:
        text = text.replace("cgroupDriver:", KUBELET_FIELDS.format(algorithm))
    host.write("/root/init.yaml", text)


def issue_etcd_ca(machine, algorithm):
    """Issues etcd's CA with a key of another algorithm, before init."""
    text = machine.host.read("/root/init.yaml")
    machine.host.write("/root/etcd.yaml", re.sub("encryptionAlgorithm: .*", f"encryptionAlgorithm: {algorithm}", text))
    outcome = machine.kubeadm("init", "phase", "certs", "etcd-ca", "--config", "/root/etcd.yaml")
    assert outcome.code == 0, outcome.text


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request, algorithm):
    """A control plane whose keys are of the algorithm, except for etcd's. The approver judges the kubelet's
    requests."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    machine = cluster.machine("cp-one", release=steps.V1_38)
    approver = kubeadm.with_name("cluster-machine-approver")
    assert approver.exists(), f"{approver} is missing: ./dev build makes it"
    machine.host.copy(approver, "/usr/local/bin/cluster-machine-approver")
    configure(machine.host, algorithm)
    issue_etcd_ca(machine, OF_ETCD[algorithm])
    cluster.init("--kubelet-serving-certs")
    cluster.wait_healthy()
    yield cluster


def public_key(host, pem):
    """Returns the algorithm of a certificate's key, as OpenSSL names it."""
    shown = host.run("openssl", "x509", "-noout", "-text", stdin=pem).stdout
    return re.search(r"Public Key Algorithm: (\S+)", shown)[1]


def client_of(kubeconfig):
    return base64.b64decode(re.search(r"client-certificate-data: (\S+)", kubeconfig)[1]).decode()


def keys_of(host, names=OTHERS, kubeconfigs=KUBECONFIGS, kubelet=KUBELET):
    """Returns the name of each file → the algorithm of its certificate's key."""
    files = {name: f"{PKI}/{name}.crt" for name in names}
    files |= {f"kubelet {name}": f"/var/lib/kubelet/pki/kubelet-{name}-current.pem" for name in kubelet}
    found = {name: public_key(host, host.run("cat", path).stdout) for name, path in files.items()}
    return found | {
        name: public_key(host, client_of(host.read(f"/etc/kubernetes/{name}.conf"))) for name in kubeconfigs
    }


def check_keys(machine, algorithm, kubeconfigs=KUBECONFIGS):
    assert set(keys_of(machine.host, kubeconfigs=kubeconfigs).values()) == {algorithm}
    of_etcd = IN_OPENSSL[OF_ETCD[algorithm].split("-", maxsplit=1)[0]]
    assert set(keys_of(machine.host, ETCD, (), ()).values()) == {of_etcd}


def assert_kubelet_serves(cluster, machine):
    assert wait_until(lambda: logs_work(cluster, machine), PATIENCE), logs(cluster, machine)
    assert is_signed_by_the_ca(cluster, machine)


def test_everything_but_etcd_has_such_keys(cluster, algorithm):
    assert_kubelet_serves(cluster, cluster.first)
    check_keys(cluster.first, algorithm)
    shown = cluster.first.host.run("openssl", "pkey", "-noout", "-text", "-in", f"{PKI}/sa.key").stdout
    assert shown.startswith(f"{algorithm} Private-Key"), shown


def test_the_api_server_signs_its_handshakes_with_the_algorithm(cluster, algorithm):
    host = cluster.first.host
    shown = host.run("openssl", "s_client", "-connect", f"{host.address}:6443", "-CAfile", f"{PKI}/ca.crt", stdin="",
                     check=False).stdout
    assert f"Peer signature type: {algorithm.replace('-', '').lower()}" in shown, shown
    assert "Verify return code: 0 (ok)" in shown


def test_tokens_of_service_accounts_are_signed_with_the_algorithm(cluster, algorithm):
    token = cluster.first.host.kubectl("create", "token", "default").strip()
    header = token.split(".", maxsplit=1)[0]
    assert json.loads(base64.urlsafe_b64decode(header + "==="))["alg"] == algorithm
    # The API server verifies ServiceAccount tokens with such keys: CoreDNS and kube-proxy authenticate with them.
    echo.deploy(cluster.first.host, patience=90)
    echo.assert_answers(cluster.first.host)


def requested_keys(cluster, signer):
    """Returns user name → the algorithm of the key, and the conditions, for each request for a signer."""
    host = cluster.first.host
    found = {}
    for name, user, conditions in requests(cluster, signer):
        pem = host.kubectl("get", "csr", name, "-o", "jsonpath={.spec.request}")
        shown = host.run("openssl", "req", "-noout", "-text", "-verify", stdin=base64.b64decode(pem).decode()).stdout
        found[user] = (re.search(r"Public Key Algorithm: (\S+)", shown)[1], conditions)
    return found


@pytest.mark.parametrize("maker", ["ours", "upstream"])
def test_a_worker_joins_with_such_requests(cluster, algorithm, maker):
    name = f"worker-{maker}"
    program = upstream(steps.V1_38) if maker == "upstream" else None
    worker = cluster.machine(name, kubeadm=program, release=steps.V1_38)
    token, pin, _ = cluster.credentials()
    outcome = worker.join(*cluster.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    assert_kubelet_serves(cluster, worker)
    assert set(keys_of(worker.host, (), ()).values()) == {algorithm}
    joined = [value for user, value in requested_keys(cluster, "kube-apiserver-client-kubelet").items()
              if user == f"system:bootstrap:{token.split('.')[0]}"]
    assert joined == [(algorithm, ["Approved"])]
    assert requested_keys(cluster, "kubelet-serving")[f"system:node:{name}"] == (algorithm, ["Approved"])


def test_a_control_plane_joins_and_follows_etcds_ca(cluster, algorithm):
    second = cluster.join_control_plane("cp-two", release=steps.V1_38)
    cluster.wait_healthy()
    assert voters(cluster.first.host) == ["cp-one", "cp-two"]
    assert_kubelet_serves(cluster, second)
    check_keys(second, algorithm, kubeconfigs=("admin", "controller-manager", "scheduler"))


def serials(host):
    return {name: host.run("openssl", "x509", "-noout", "-serial", "-in", f"{PKI}/{name}.crt").stdout
            for name in (*OTHERS, *ETCD)}


@pytest.mark.parametrize("maker", ["ours", "upstream"])
def test_certificates_are_renewed_with_such_keys(cluster, algorithm, maker):
    machine = cluster.first
    machine.host.copy(upstream(steps.V1_38) if maker == "upstream" else cluster.binary, "/usr/local/bin/kubeadm")
    before = serials(machine.host)
    names = ["all"] if maker == "ours" else ["apiserver", "admin.conf"]  # upstream's would also give etcd such keys
    for name in names:
        outcome = machine.kubeadm("certs", "renew", name, *(["--restart"] if maker == "ours" else []), timeout=300)
        assert outcome.code == 0, outcome.text
    changed = {name for name, serial in serials(machine.host).items() if serial != before[name]}
    authorities = {"ca", "front-proxy-ca", "etcd/ca"}
    assert changed == ({*OTHERS, *ETCD} - authorities if maker == "ours" else {"apiserver"})
    check_keys(machine, algorithm)
    kubernetes.wait_healthy(machine.host)
    checked = machine.kubeadm("certs", "check-expiration")
    assert checked.code == 0 and "apiserver-etcd-client" in checked.text and "admin.conf" in checked.text
    machine.host.copy(cluster.binary, "/usr/local/bin/kubeadm")


def test_a_control_plane_leaves(cluster):
    second = next(machine for machine in cluster.machines if machine.host.name == "cp-two")
    outcome = second.kubeadm("reset", "--force", timeout=200)
    assert outcome.code == 0, outcome.text
    assert voters(cluster.first.host) == ["cp-one"]


def test_a_kubelet_of_the_minor_before_is_refused(cluster, algorithm):
    worker = cluster.machine("older", release=steps.V1_38)
    try:
        steps.lay_kubelets(worker.host, steps.V1_37, [])
        token, pin, _ = cluster.credentials()
        refused = worker.join(*cluster.worker_arguments(token, pin))
        assert refused.code == 1
        assert "[ERROR KubeletKeyAlgorithm]" in refused.text
        assert f"the kubelet ({steps.version(steps.V1_37)}) cannot use keys of {algorithm}" in refused.text
        assert not leftovers(worker.host)
    finally:
        cluster.machines.remove(worker)
        worker.host.down()


def test_renewals_with_such_keys_wait_for_the_last_older_kubelet(bench, kubeadm, note, pytestconfig):
    if steps.V1_38 not in pytestconfig.getoption("releases"):
        pytest.skip(f"tests a cluster of v{steps.V1_38}")
    cluster = Cluster(bench, kubeadm, note)
    try:
        cluster.machine("alone", release=steps.V1_38)
        cluster.init()
        worker = cluster.machine("older", release=steps.V1_38)
        steps.lay_kubelets(worker.host, steps.V1_37, [])
        outcome = worker.join(*cluster.worker_arguments(*cluster.credentials()[:2]))
        assert outcome.code == 0, outcome.text
        cluster.wait_healthy()
        host = cluster.first.host
        config = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
        assert "encryptionAlgorithm: RSA-2048" in config, config
        host.write("/root/config.yaml", config.replace("encryptionAlgorithm: RSA-2048", "encryptionAlgorithm: ML-DSA-65"))
        host.kubectl("apply", "-f", "/root/config.yaml")
        before = serials(host)
        for command in (("certs", "renew", "all"), ("certs", "renew", "apiserver", "--dry-run"),
                        ("certs", "auto-renew", "run", "--if-expires-within", "9000d")):
            refused = cluster.first.kubeadm(*command)
            assert refused.code == 1 and "nothing has been renewed" in refused.text, refused.text
            assert f"the kubelet of node older is of {steps.version(steps.V1_37)}" in refused.text, refused.text
        for authority, reason in (("kubernetes", "the kubelet of node older"), ("sa", "ServiceAccountTokenMLDSA=true")):
            refused = cluster.first.kubeadm("certs", "rotate-ca", authority)
            assert refused.code == 1 and "would have a key of ML-DSA-65, nothing was changed" in refused.text, refused.text
            assert reason in refused.text, refused.text
        path = cluster.first.kubeadm("upgrade", "plan", "--path", steps.version(steps.V1_38))
        assert path.code == 0, path.text
        assert serials(host) == before
        worker.host.use_kubelet(steps.V1_38)
        cluster.wait_healthy()
        wait_until(lambda: steps.version(steps.V1_37) not in kubelets(host).values(), 60)
        outcome = cluster.first.kubeadm("certs", "renew", "all", "--restart", timeout=300)
        assert outcome.code == 0, outcome.text
        assert public_key(host, host.read(f"{PKI}/apiserver.crt")) == "ML-DSA-65"
        note("all Ready with the new keys", cluster.wait_healthy())
    finally:
        cluster.down()


def test_a_host_of_the_minor_before_is_refused(bench, kubeadm, note, algorithm):
    cluster = Cluster(bench, kubeadm, note)
    try:
        machine = cluster.machine("alone", release=steps.V1_37)
        host = machine.host
        configure(host, algorithm, kubelets=False)
        refused = machine.init()
        assert refused.code == 1, refused.text
        old, new = steps.version(steps.V1_37), steps.version(steps.V1_38)
        assert "encryptionAlgorithm" in refused.text and old in refused.text, refused.text
        assert not leftovers(host)
        host.write("/root/init.yaml", host.read("/root/init.yaml").replace(old, new))
        refused = machine.init()
        assert refused.code == 1, refused.text
        assert "etcd (registry.k8s.io/etcd:3.7.1-0) cannot use ML-DSA keys and would not start" in refused.text, refused.text
        assert f"the kubelet ({old}) cannot use keys of {algorithm}" in refused.text, refused.text
        assert not leftovers(host)
    finally:
        cluster.down()


def test_a_kubelet_that_serves_with_the_algorithm_needs_tls_1_3(bench, kubeadm, note, algorithm):
    cluster = Cluster(bench, kubeadm, note)
    try:
        machine = cluster.machine("alone", release=steps.V1_38)
        host = machine.host
        host.write("/root/init.yaml", host.read("/root/init.yaml").replace(
            "cgroupDriver:", f"serverCertificateKeyAlgorithm: {algorithm}\ncgroupDriver:"))
        refused = machine.init()
        assert refused.code == 1
        assert "[ERROR KubeletKeyAlgorithm]" in refused.text and "set tlsMinVersion to VersionTLS13" in refused.text
        assert not leftovers(host)
        # The kubelet itself also refuses this, and exits.
        host.write("/root/kubelet.yaml", "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
                   f"failSwapOn: false\nserverCertificateKeyAlgorithm: {algorithm}\n")
        ended = host.run("kubelet", "--config=/root/kubelet.yaml", check=False, timeout=60)
        assert ended.returncode != 0
        assert "ML-DSA requires VersionTLS13" in ended.stdout + ended.stderr, ended.stderr
    finally:
        cluster.down()


def test_etcd_with_such_keys_is_refused_and_would_not_start(bench, kubeadm, note, algorithm):
    cluster = Cluster(bench, kubeadm, note)
    try:
        machine = cluster.machine("alone", release=steps.V1_38)
        text = machine.host.read("/root/init.yaml")
        configure(machine.host, algorithm, kubelets=False, gates="")
        assert "[ERROR TokenKeyAlgorithm]" in machine.init().text
        machine.host.write("/root/init.yaml", text)
        configure(machine.host, algorithm, kubelets=False)
        refused = machine.init()
        assert refused.code == 1 and "TokenKeyAlgorithm" not in refused.text
        assert "[ERROR EtcdKeyAlgorithm]" in refused.text and "KubeletKeyAlgorithm" not in refused.text
        assert "etcd (registry.k8s.io/etcd:3.7.1-0) cannot use ML-DSA keys and would not start" in refused.text
        assert not leftovers(machine.host)
        # If the user ignores the check, etcd does not start, although the other components would.
        text = machine.host.read("/root/init.yaml")
        timeouts = "timeouts:\n  controlPlaneComponentHealthCheck: 40s\n"
        machine.host.write("/root/init.yaml", text.replace("nodeRegistration:", f"{timeouts}nodeRegistration:", 1))
        failed = machine.init("--ignore-preflight-errors=EtcdKeyAlgorithm,NumCPU,SystemVerification,Swap")
        assert failed.code == 1, failed.text
        pods = machine.host.run("sh", "-c", "cat /var/log/pods/kube-system_etcd-*/etcd/*.log").stdout
        assert "tls: failed to parse private key" in pods, pods
    finally:
        cluster.down()
