# SPDX-License-Identifier: Apache-2.0
"""A proxy is untrusted: it cannot change a trust decision, and sees only its own credential."""

import contextlib
import json
import re

import pytest

from answers import BEHAVIOURS, TOKEN
from programs import run
from test_server import CONFIG
from world import Proxy, Server, answer, kubeconfig

MOST_MIB = 300
MOST_SECONDS = 40
NAME = "api.test"  # no name server knows this name, so that only the proxy leads to it
SECRETS = {"kind": "SecretList", "apiVersion": "v1", "items": []}


def listed(request):
    yield answer(200, SECRETS)


def ask(kubeadm, tmp_path, proxy, ca, env=None, **more):
    """Runs a command that sends a token, through a proxy from the environment."""
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
        else:  # without a pinned CA the impostor is trusted, which shows that its certificate is valid
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


def test_no_proxy_is_used_for_exempt_hosts(kubeadm, ours, server, tmp_path):
    with Proxy(server) as proxy:
        outcome = ask(kubeadm, tmp_path, proxy.url, ours.pem(), env={"no_proxy": ".test"})
        assert outcome.code != 0 and "no address found" in outcome.stderr and proxy.requests == [], outcome


@pytest.mark.parametrize("word", BEHAVIOURS)
def test_hostile_proxies(kubeadm, ours, tmp_path, word):
    """The proxy responds to CONNECT with hostile answers, after which it sends bytes that are not TLS. The command must
    fail with a readable error, and send no credential."""
    proxy = Server(lambda request: BEHAVIOURS[word](proxy, request))
    with proxy:
        outcome = ask(kubeadm, tmp_path, proxy.url, ours.pem())
        assert outcome.code != 0 and outcome.stderr.strip() and len(outcome.stderr) < 64_000, outcome
        assert not set("\x1b\r\x07\u202e") & set(outcome.stderr), outcome
        assert proxy.requests and proxy.secrets() == [], outcome


# Proxies without a working server: the answer to CONNECT, and the error. The last of these proxies works, but its
# server is missing.
DOWN = {
    "refuses": (None, "connection refused"),
    "closes": (BEHAVIOURS["hangs up"], "."),
    "is silent": (BEHAVIOURS["says nothing"], "in time|stopped"),
    "forbids": (BEHAVIOURS["403"], "status 403"),
    "knows no such user": (BEHAVIOURS["407"], "status 407"),
    "cannot connect": (BEHAVIOURS["502"], "status 502"),
    "leads into the void": (BEHAVIOURS["200"], "."),
}
FOUND_BY = ["https_proxy", "HTTPS_PROXY"]


def words_of(command, kubeadm, tmp_path, ours, proxy_url=None):
    """Returns a command that queries the server, with a short timeout."""
    config = json.loads(kubeconfig(f"https://{NAME}:6443", ours.pem(), ""))
    if proxy_url:
        config["clusters"][0]["cluster"]["proxy-url"] = proxy_url
    (tmp_path / "config").write_text(json.dumps(config))
    join = CONFIG % "JoinConfiguration" + "nodeRegistration: {name: a-node, ignorePreflightErrors: [all]}\ndiscovery:\n"
    pin = f"  bootstrapToken: {{token: {TOKEN}, apiServerEndpoint: '{NAME}:6443', caCertHashes: ['{ours.pin()}']}}\n"
    file = f"  tlsBootstrapToken: {TOKEN}\n  file: {{kubeConfigPath: '%s'}}\n"
    joins = {"join": pin, "join by a file": file % (tmp_path / "config"), "join by a URL": file % f"https://{NAME}/x"}
    if command in joins:
        (tmp_path / "join").write_text(join + joins[command])
        return [kubeadm, "join", "--config", tmp_path / "join"]
    if command == "look-up of versions":
        return [kubeadm, "config", "images", "list", "--kubernetes-version", "stable"]
    return [kubeadm, "token", "list", "--kubeconfig", tmp_path / "config"]


@pytest.mark.parametrize("command", ["token", "join", "join by a file", "join by a URL", "look-up of versions"])
@pytest.mark.parametrize("how", DOWN)
def test_a_proxy_that_is_down_is_named(kubeadm, ours, tmp_path, how, command):
    """The error must name the proxy without its user, the variable that set the proxy, and the remedy."""
    behave, cause = DOWN[how]
    with contextlib.ExitStack() as servers:
        proxy = servers.enter_context(Server(lambda request: behave(proxy, request))) if behave else None
        address = proxy.address if proxy else "127.0.0.1:1"
        variable = FOUND_BY[len(command) % 2]
        outcome = run(words_of(command, kubeadm, tmp_path, ours), limit=MOST_SECONDS,
                      env={variable: f"http://me:hunter2@{address}"})
    check_named(outcome, f"http://{address} ({variable})", "NO_PROXY")
    assert re.search(cause, outcome.stderr), outcome
    assert ("dl.k8s.io" if "versions" in command else NAME) in outcome.stderr, outcome


def check_named(outcome, *words):
    assert all(word in outcome.stderr for word in words), outcome
    assert "hunter2" not in outcome.stderr + outcome.stdout and "me:" not in outcome.stderr, outcome


@pytest.mark.parametrize("url", ["http://[::1]:1", "https://127.0.0.1:1", "https://[::1]:1", "127.0.0.1:1", "socks5://127.0.0.1:1"])
def test_proxies_of_every_kind_are_named(kubeadm, ours, tmp_path, url):
    outcome = run(words_of("token", kubeadm, tmp_path, ours), limit=MOST_SECONDS, env={"HTTPS_PROXY": url})
    check_named(outcome, url, "(HTTPS_PROXY)", "connection refused", f"add {NAME} to NO_PROXY")


def test_a_proxy_that_does_not_speak_tls_is_named(kubeadm, ours, tmp_path):
    with Server(lambda request: iter([b"HTTP/1.1 400 Bad Request\r\n\r\n"])) as proxy:
        url = f"https://{proxy.address}"
        check_named(run(words_of("token", kubeadm, tmp_path, ours), limit=MOST_SECONDS, env={"HTTPS_PROXY": url}), url)


def test_the_exceptions_that_count_are_named(kubeadm, ours, tmp_path):
    """The environment sets no_proxy. The remedy must name this variable, because it overrides NO_PROXY."""
    outcome = run(words_of("token", kubeadm, tmp_path, ours), limit=MOST_SECONDS,
                  env={"https_proxy": "http://127.0.0.1:1", "no_proxy": "other"})
    check_named(outcome, "(https_proxy)", f"add {NAME} to no_proxy")


def test_a_proxy_of_the_kubeconfig_is_named(kubeadm, ours, tmp_path):
    """The kubeconfig and an environment variable name proxies. The error must name the one in the kubeconfig, and no
    variable."""
    outcome = run(words_of("token", kubeadm, tmp_path, ours, "http://me:hunter2@127.0.0.1:1"), limit=MOST_SECONDS,
                  env={"HTTPS_PROXY": "http://127.0.0.1:2"})
    check_named(outcome, "http://127.0.0.1:1 (proxy-url)", "kubeconfig")
    assert "NO_PROXY" not in outcome.stderr, outcome
