# SPDX-License-Identifier: Apache-2.0
"""A proxy is a stranger on the way: who is trusted stays the same, and it sees no credential but its own."""

import pytest

from answers import BEHAVIOURS
from programs import run
from world import Proxy, Server, answer, kubeconfig

MOST_MIB = 300
MOST_SECONDS = 40
NAME = "api.test"  # no name server knows it: only a proxy leads there
SECRETS = {"kind": "SecretList", "apiVersion": "v1", "items": []}


def listed(request):
    yield answer(200, SECRETS)


def ask(kubeadm, tmp_path, proxy, ca, env=None, **more):
    """A command that shows a token, by a proxy from the environment."""
    (tmp_path / "config").write_text(kubeconfig(f"https://{NAME}:6443", ca))
    outcome = run([kubeadm, "token", "list", "--kubeconfig", tmp_path / "config"], limit=2 * MOST_SECONDS, **more,
                  env={"https_proxy": proxy, **(env or {})})
    assert outcome.mib <= MOST_MIB and outcome.seconds <= MOST_SECONDS and outcome.code >= 0, outcome
    assert "a-secret-token" not in outcome.stderr + outcome.stdout and "hunter2" not in outcome.stderr, outcome
    return outcome


@pytest.fixture
def server(ours, tmp_path):
    with Server(listed, ours.server(tmp_path, NAME)) as server:
        yield server


@pytest.fixture
def impostor(public, tmp_path):
    (tmp_path / "impostor").mkdir()
    with Server(listed, public.server(tmp_path / "impostor", NAME)) as server:
        yield server


def test_the_token_goes_to_the_server_and_not_to_the_proxy(kubeadm, ours, server, tmp_path):
    with Proxy(server) as proxy:
        outcome = ask(kubeadm, tmp_path, f"http://me:hunter2@{proxy.address}", ours.pem())
        assert outcome.code == 0 and server.secrets() == ["Authorization: Bearer a-secret-token"], outcome
        assert proxy.requests[0].startswith(f"CONNECT {NAME}:6443 ")
        assert "Proxy-Authorization: Basic" in proxy.requests[0] and proxy.secrets() == []
        assert "proxy-authorization" not in "".join(server.requests).lower()


@pytest.mark.parametrize("pinned", [True, False])
def test_the_server_behind_a_proxy_is_known_by_the_pinned_ca_alone(kubeadm, ours, impostor, machine_cas, tmp_path,
                                                                  pinned):
    with Proxy(impostor) as proxy:
        outcome = ask(kubeadm, tmp_path, proxy.url, ours.pem() if pinned else None, machine_cas=machine_cas)
        assert proxy.requests
        if pinned:
            assert outcome.code != 0 and "is not trusted" in outcome.stderr and impostor.requests == [], outcome
        else:  # so the impostor's certificate is good, and the test can fail
            assert outcome.code == 0 and impostor.secrets(), outcome


@pytest.mark.parametrize("authority, pinned, good", [("ours", True, True), ("public", True, False),
                                                     ("public", False, True), ("ours", False, False)])
def test_a_proxy_that_speaks_tls_is_known_by_the_same_cas(kubeadm, request, ours, public, machine_cas, tmp_path,
                                                         authority, pinned, good):
    (tmp_path / "proxy").mkdir()
    context = request.getfixturevalue(authority).server(tmp_path / "proxy")
    authority = ours if pinned else public
    with Server(listed, authority.server(tmp_path, NAME)) as server, Proxy(server, context) as proxy:
        outcome = ask(kubeadm, tmp_path, proxy.url, ours.pem() if pinned else None, machine_cas=machine_cas)
        assert (outcome.code == 0 and len(server.secrets()) > 0) == good, outcome
        if not good:
            assert proxy.requests == [] and "is not trusted" in outcome.stderr, outcome


def test_no_proxy_is_asked_of_what_is_exempt(kubeadm, ours, server, tmp_path):
    with Proxy(server) as proxy:
        outcome = ask(kubeadm, tmp_path, proxy.url, ours.pem(), env={"no_proxy": ".test"})
        assert outcome.code != 0 and "no address found" in outcome.stderr and proxy.requests == [], outcome


@pytest.mark.parametrize("word", BEHAVIOURS)
def test_proxies_that_mean_harm(kubeadm, ours, tmp_path, word):
    """What answers a CONNECT, and the bytes behind it, which are not TLS."""
    proxy = Server(lambda request: BEHAVIOURS[word](proxy, request))
    with proxy:
        outcome = ask(kubeadm, tmp_path, proxy.url, ours.pem())
        assert outcome.code != 0 and outcome.stderr.strip() and len(outcome.stderr) < 64_000, outcome
        assert not set("\x1b\r\x07\u202e") & set(outcome.stderr), outcome
        assert proxy.requests and proxy.secrets() == [], outcome
