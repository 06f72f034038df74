# SPDX-License-Identifier: Apache-2.0
"""A pinned CA alone decides about trust, whatever CAs the machine trusts. An impostor has a certificate of a CA in the
machine's bundle and directory, which libcurl and OpenSSL use by default."""

import pytest

from programs import run
from world import Server, answer, cluster_info, kubeconfig

TOKEN = "abcdef.0123456789abcdef"


@pytest.fixture
def impostor(public, ours, tmp_path):
    """A server that answers every request as if it were the cluster."""
    known = cluster_info(kubeconfig("https://published:6443", ours.pem()))

    def behave(request):
        yield answer(200, known if "cluster-info" in request else {"kind": "List", "items": []})

    with Server(behave, public.server(tmp_path)) as server:
        yield server


def environment(machine_cas):
    return {"SSL_CERT_DIR": str(machine_cas), "SSL_CERT_FILE": str(machine_cas / "ca-certificates.crt"),
            "CURL_CA_BUNDLE": str(machine_cas / "ca-certificates.crt")}


COMMANDS = {
    "token list": ["token", "list"],
    "token create": ["token", "create"],
    "token delete": ["token", "delete", "abcdef"],
    "upgrade plan": ["upgrade", "plan", "v1.36.0", "--ignore-preflight-errors=all"],
    "config images": ["init", "phase", "upload-config", "kubeadm"],
    "bootstrap-token": ["init", "phase", "bootstrap-token"],
    "addon": ["init", "phase", "addon", "kube-proxy"],
    "upload-certs": ["init", "phase", "upload-certs", "--upload-certs"],
    "certs check-expiration": ["certs", "check-expiration"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_the_machines_cas_count_where_no_ca_is_given(kubeadm, impostor, machine_cas, tmp_path, words):
    """A kubeconfig without a CA trusts the machine's CAs, and so the impostor gets the token. This shows that the
    impostor's certificate is valid, and that the other tests can fail."""
    config = tmp_path / "config"
    config.write_text(kubeconfig(impostor.url, None))
    run([kubeadm, *words, "--kubeconfig", config], machine_cas=machine_cas, limit=5)
    assert impostor.secrets()


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
@pytest.mark.parametrize("by_environment", [False, True])
def test_an_impostor_never_sees_the_admins_token(kubeadm, impostor, ours, machine_cas, tmp_path, words, by_environment):
    config = tmp_path / "config"
    config.write_text(kubeconfig(impostor.url, ours.pem()))
    outcome = run([kubeadm, *words, "--kubeconfig", config], machine_cas=machine_cas, limit=5,
                  env=environment(machine_cas) if by_environment else {})
    assert outcome.code != 0 or words[0] == "certs", outcome  # this command works without the cluster
    assert impostor.requests == []


def test_an_impostor_never_sees_the_token_of_a_join_with_a_pin(kubeadm, impostor, ours, machine_cas):
    """cluster-info is public, so the impostor serves it with the pinned CA. A join with a pin must refuse the impostor,
    and send it no token."""
    outcome = run([kubeadm, "join", impostor.address, "--token", TOKEN, "--discovery-token-ca-cert-hash", ours.pin(),
                   "--ignore-preflight-errors=all"], machine_cas=machine_cas, env=environment(machine_cas))
    assert outcome.code != 0 and "does not verify" in outcome.stderr, outcome
    # This is the first request, which trusts no server yet and sends no credential.
    assert len(impostor.requests) == 1
    assert impostor.secrets() == []


def test_an_impostor_never_sees_the_token_of_a_discovery_file(kubeadm, impostor, ours, machine_cas, tmp_path):
    file = tmp_path / "discovery.conf"
    file.write_text(kubeconfig(impostor.url, ours.pem()))
    outcome = run([kubeadm, "join", "--discovery-file", file, "--tls-bootstrap-token", TOKEN,
                   "--ignore-preflight-errors=all"], machine_cas=machine_cas, env=environment(machine_cas))
    assert outcome.code != 0, outcome
    assert impostor.requests == []


def test_a_discovery_url_is_trusted_by_the_machines_cas(kubeadm, public, ours, machine_cas, tmp_path):
    """The machine's CAs decide whether a discovery URL is trusted, as in upstream's kubeadm. The cluster in the
    document is then trusted only by the document's CA."""
    with Server(lambda request: iter([answer(200, document)]), public.server(tmp_path)) as server:
        document = kubeconfig(server.url, ours.pem())
        outcome = run([kubeadm, "join", "--discovery-file", server.url + "/x", "--tls-bootstrap-token", TOKEN,
                       "--ignore-preflight-errors=all"], machine_cas=machine_cas)
        assert outcome.code != 0, outcome
        assert len(server.requests) == 1 and server.secrets() == []


@pytest.mark.parametrize("which", ["management", "workload"])
def test_an_impostor_never_sees_the_approvers_token(approver, impostor, ours, public, machine_cas, tmp_path, which):
    context = ours.server(tmp_path)
    with Server(lambda request: iter([answer(404, {"kind": "Status", "reason": "NotFound"})]), context) as good:
        for name, server in (("good", good), ("bad", impostor)):
            (tmp_path / name).write_text(kubeconfig(server.url, ours.pem(), token=name))
        bad, other = ("management", "workload") if which == "management" else ("workload", "management")
        outcome = run([approver, f"--{bad}-cluster-kubeconfig", tmp_path / "bad", f"--{other}-cluster-kubeconfig",
                       tmp_path / "good", "--leader-elect=false", "--metrics-bind-address=127.0.0.1:0"],
                      machine_cas=machine_cas, env=environment(machine_cas), limit=4)
        assert "is not trusted" in outcome.stderr, outcome
        assert impostor.requests == []


def test_a_token_does_not_follow_a_redirect(kubeadm, ours, tmp_path):
    """A server redirects a request to another server, which has a certificate of the pinned CA, too. The other server
    must not get the token."""
    context = ours.server(tmp_path)
    with Server(lambda request: iter([answer(200, {"kind": "SecretList", "items": []})]), context) as other:
        away = [answer(307, "", [f"Location: {other.url}/api/v1/namespaces/kube-system/secrets"])]
        with Server(lambda request: iter(away), context) as server:
            config = tmp_path / "config"
            config.write_text(kubeconfig(server.url, ours.pem()))
            run([kubeadm, "token", "list", "--kubeconfig", config])
            assert server.secrets()
            assert other.secrets() == []
