# SPDX-License-Identifier: Apache-2.0
"""Keys and certificates of v1.38: each of the two programs reads, checks and renews what the other has issued."""

import hashlib
import subprocess

import pytest

from components import recipes

from . import programs

RELEASE = recipes.ALL_RELEASES[recipes.LAST_RELEASE]
ALGORITHMS = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87", "ECDSA-P256", "RSA-2048"]
UPSTREAM = programs.upstream(RELEASE.minor)
PAIRS = {"ours first": (programs.OURS, UPSTREAM), "upstream's first": (UPSTREAM, programs.OURS)}


@pytest.fixture
def node(tmp_path, pytestconfig):
    """Returns a function that runs a kubeadm with a separate /etc/kubernetes and returns its output. It fails if the
    command fails."""
    if RELEASE.minor not in pytestconfig.getoption("releases"):
        pytest.skip("another run's release (--releases)")
    (tmp_path / "kubernetes").mkdir()

    def run(program, *words):
        done = subprocess.run(programs.alone(tmp_path, program, *words), capture_output=True, text=True, timeout=300,
                              check=False, stdin=subprocess.DEVNULL, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    run.root = tmp_path
    run.pki = tmp_path / "kubernetes" / "pki"
    run.config = tmp_path / "kubeadm.yaml"
    return run


def configure(node, algorithm):
    text = programs.PLAIN.replace("VERSION", RELEASE.version)
    node.config.write_text(f"{text}encryptionAlgorithm: {algorithm}\ncontrolPlaneEndpoint: 10.20.30.40:6443\n")


def openssl(*words, stdin=None):
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False, input=stdin)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def digests(node):
    return {str(path.relative_to(node.root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted((node.root / "kubernetes").rglob("*")) if path.is_file()}


def usages(node):
    """Returns the key usages of each certificate, and the PEM label of each private key."""
    found = {path.relative_to(node.pki): openssl("x509", "-noout", "-ext", "keyUsage", "-in", str(path))
             for path in sorted(node.pki.rglob("*.crt"))}
    return found | {path.relative_to(node.pki): path.read_text().splitlines()[0]
                    for path in sorted(node.pki.rglob("*.key"))}


def check_chains(node):
    for leaf, ca in (("apiserver", "ca"), ("front-proxy-client", "front-proxy-ca"), ("etcd/peer", "etcd/ca"),
                     ("apiserver-etcd-client", "etcd/ca")):
        openssl("verify", "-CAfile", str(node.pki / f"{ca}.crt"), str(node.pki / f"{leaf}.crt"))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("pair", PAIRS)
def test_keys_are_read_checked_and_renewed_by_the_other(node, pair, algorithm):
    first, second = PAIRS[pair]
    configure(node, algorithm)
    for phase in ("certs", "kubeconfig"):
        node(first, "init", "phase", phase, "all", "--config", str(node.config))
    made = digests(node)
    for phase in ("certs", "kubeconfig"):
        node(second, "init", "phase", phase, "all", "--config", str(node.config))
    assert digests(node) == made, "the other one takes what is there"
    assert "apiserver" in node(second, "certs", "check-expiration", "--config", str(node.config))
    before = usages(node)
    node(second, "certs", "renew", "all", "--config", str(node.config))
    renewed = digests(node)
    changed = {name for name in made if renewed[name] != made[name]}
    assert {"kubernetes/pki/apiserver.crt", "kubernetes/pki/etcd/server.key", "kubernetes/admin.conf"} <= changed
    assert not {"kubernetes/pki/ca.crt", "kubernetes/pki/ca.key", "kubernetes/pki/sa.key"} & changed
    assert usages(node) == before
    check_chains(node)
    for phase in ("certs", "kubeconfig"):
        node(first, "init", "phase", phase, "all", "--config", str(node.config))
    assert digests(node) == renewed, "the first one takes what the other has renewed"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_both_issue_the_same_kinds_of_keys_and_usages(node, algorithm):
    configure(node, algorithm)
    found = []
    for program in PAIRS["ours first"]:
        node(program, "init", "phase", "certs", "all", "--config", str(node.config))
        found.append(usages(node))
        subprocess.run(["rm", "-r", str(node.pki)], check=True)
    assert found[0] == found[1]
    assert ("Key Encipherment" in str(found[0])) == algorithm.startswith("RSA")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("program", PAIRS["ours first"], ids=["ours", "upstream's"])
def test_requests_are_signed_with_their_key(node, program, algorithm):
    configure(node, algorithm)
    node(program, "certs", "generate-csr", "--config", str(node.config), "--cert-dir", "/etc/kubernetes/pki",
         "--kubeconfig-dir", "/etc/kubernetes")
    requests = sorted((node.root / "kubernetes").rglob("*.csr"))
    assert len(requests) > 8
    for request in requests:
        openssl("req", "-verify", "-noout", "-in", str(request))


@pytest.mark.parametrize("form", ["seed-only", "seed-priv", "priv-only"])
@pytest.mark.parametrize("program", PAIRS["ours first"], ids=["ours", "upstream's"])
def test_an_openssl_key_is_read_only_in_the_seed_form(node, program, form):
    configure(node, "ML-DSA-65")
    node.pki.mkdir()
    key, certificate = node.pki / "ca.key", node.pki / "ca.crt"
    openssl("genpkey", "-algorithm", "ML-DSA-65", "-provparam", f"ml-dsa.output_formats={form}", "-out", str(key))
    openssl("req", "-x509", "-key", str(key), "-out", str(certificate), "-subj", "/CN=own", "-days", "300",
            "-addext", "keyUsage=critical,keyCertSign,digitalSignature")
    command = ("init", "phase", "certs", "apiserver", "--config", str(node.config))
    if form == "seed-only":
        node(program, *command)
        openssl("verify", "-CAfile", str(certificate), str(node.pki / "apiserver.crt"))
        return
    with pytest.raises(AssertionError, match="private key"):
        node(program, *command)
    assert not (node.pki / "apiserver.crt").exists()


def test_ours_refuses_the_keys_for_an_earlier_release(node):
    configure(node, "ML-DSA-65")
    node.config.write_text(node.config.read_text().replace(RELEASE.version, "v1.37.2"))
    done = subprocess.run([programs.OURS, "config", "validate", "--config", node.config], capture_output=True, text=True,
                          check=False)
    assert done.returncode != 0
    assert "Kubernetes v1.37.2 cannot use ML-DSA keys" in done.stderr
