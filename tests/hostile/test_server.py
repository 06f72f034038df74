"""A server that means harm, or is broken: each command that asks it ends with an error, soon, and in little memory."""

import json

import pytest

from programs import run
from world import Server, answer, cluster_info, kubeconfig

MOST_MIB = 300
MOST_SECONDS = 80  # a server that is busy is given a minute
TOKEN = "abcdef.0123456789abcdef"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def endless(head, piece):
    yield head
    while True:
        yield piece


def chunk(body):
    return b"%x\r\n%s\r\n" % (len(body), body)


def status(code, reason, headers=()):
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": "no"}
    return lambda server, request: iter([answer(code, body, headers)])


def page(server, request):
    """A list without an end, or an object that never was."""
    items = [{"metadata": {"name": "x" * 50_000, "namespace": "kube-system"}}] * 100
    yield answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {"continue": "more"}, "items": items})


def slow(server, request):
    for byte in HEAD:
        yield bytes([byte])
        if server.wait(0.5):
            return


BRACKETS = b"[" * (1 << 20)
BEHAVIOURS = {
    "hangs up": lambda server, request: iter([]),
    "says nothing": lambda server, request: iter([b"" if server.wait(60) else b""]),
    "is slow": slow,
    "truncates": lambda server, request: iter([HEAD + b"Content-Length: 1000\r\n\r\n{"]),
    "lies about its length": lambda server, request: endless(HEAD + b"Content-Length: 99999999999999\r\n\r\n", b"[" * 9999),
    "has a length below zero": lambda server, request: iter([HEAD + b"Content-Length: -1\r\n\r\n{}"]),
    "never ends": lambda server, request: endless(HEAD + b"\r\n", BRACKETS),
    "never ends its text": lambda server, request: endless(HEAD + b'\r\n"', b"x" * (1 << 20)),
    "never ends its chunks": lambda server, request: endless(CHUNKED, chunk(BRACKETS)),
    "never ends its little chunks": lambda server, request: endless(CHUNKED, chunk(b"[") * 9999),
    "never ends a chunk's name": lambda server, request: endless(CHUNKED, b"0" * 9999),
    "never ends an error": lambda server, request: endless(HEAD.replace(b"200", b"500") + b"\r\n", BRACKETS),
    "never ends a refusal": lambda server, request: endless(HEAD.replace(b"200", b"403") + b"\r\n", BRACKETS),
    "never ends its headers": lambda server, request: endless(HEAD, b"X-Header: " + b"x" * 9000 + b"\r\n"),
    "never ends a header": lambda server, request: endless(HEAD + b"X-Header: ", b"x" * 9999),
    "never begins": lambda server, request: endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 999),
    "never ends its list": page,
    "sends brackets": lambda server, request: iter([answer(200, b"[" * (30 << 20))]),
    "sends empty lists": lambda server, request: iter([answer(200, b"[" + b"[]," * (9 << 20) + b"[]]")]),
    "redirects in a circle": lambda server, request: iter([answer(302, "", [f"Location: {server.url}/x"])]),
    "redirects to plain http": lambda server, request: iter([answer(302, "", ["Location: http://127.0.0.1:1/"])]),
    "redirects to a file": lambda server, request: iter([answer(302, "", ["Location: file:///etc/passwd"])]),
    "redirects to nowhere": lambda server, request: iter([answer(307, "", ["Location: https://127.0.0.1:1/"])]),
    "is a web site": lambda server, request: iter([answer(200, "<html>", ["Content-Type: text/html"])]),
    "is empty": lambda server, request: iter([answer(200, "")]),
    "is null": lambda server, request: iter([answer(200, "null")]),
    "is a number": lambda server, request: iter([answer(200, "1")]),
    "is a list": lambda server, request: iter([answer(200, "[]")]),
    "has the wrong types": lambda server, request: iter([answer(200, {
        "kind": 1, "metadata": [], "items": {"a": 1}, "data": [1], "gitVersion": {}, "status": "x", "spec": 3})]),
    "has wrong types within": lambda server, request: iter([answer(200, {
        "kind": "List", "metadata": {"name": 1, "labels": 2}, "items": [1, None, [], {"metadata": 1}, {"data": 2}],
        "data": {"kubeconfig": 1, "ClusterConfiguration": 2}})]),
    "is no HTTP": lambda server, request: iter([b"SSH-2.0-OpenSSH_9.2\r\n"]),
    "is HTTP/0.9": lambda server, request: iter([b"{}"]),
    "is HTTP/9": lambda server, request: iter([b"HTTP/9.9 200 OK\r\n\r\n{}"]),
    "compresses": lambda server, request: iter([answer(200, b"\x1f\x8b\x08" + b"\0" * 999, ["Content-Encoding: gzip"])]),
    "lies about its version": lambda server, request: iter([answer(200, {"major": "1", "gitVersion": "v" + "9" * 9999})]),
    "400": status(400, "BadRequest"),
    "401": status(401, "Unauthorized"),
    "403": status(403, "Forbidden"),
    "404": status(404, "NotFound"),
    "409": status(409, "Conflict"),
    "409 of a name": status(409, "AlreadyExists"),
    "410": status(410, "Expired"),
    "422": status(422, "Invalid"),
    "429": status(429, "TooManyRequests"),
    "429 with a year's patience": status(429, "TooManyRequests", ["Retry-After: 31536000"]),
    "500": status(500, "InternalError"),
    "503": status(503, "ServiceUnavailable"),
    "503 with no patience": status(503, "ServiceUnavailable", ["Retry-After: -1"]),
    "999": status(999, "Whatever"),
}

CONFIG = f"""apiVersion: kubeadm.k8s.io/v1beta4
kind: %s
timeouts: {{discovery: 3s, kubernetesAPICall: 3s, tlsBootstrap: 3s, upgradeManifests: 3s}}
"""
JOIN = CONFIG % "JoinConfiguration" + "nodeRegistration: {ignorePreflightErrors: [all]}\n"

# Each with the kubeconfig behind it; `{config}` is a file with short timeouts.
COMMANDS = {
    "token list": ["token", "list"],
    "token create": ["token", "create"],
    "token delete": ["token", "delete", "abcdef"],
    "upload-config": ["init", "phase", "upload-config", "kubeadm", "--config", "{init}"],
    "upload-certs": ["init", "phase", "upload-certs", "--upload-certs", "--config", "{init}"],
    "bootstrap-token": ["init", "phase", "bootstrap-token", "--config", "{init}"],
    "addon": ["init", "phase", "addon", "all", "--config", "{init}"],
    "certs check-expiration": ["certs", "check-expiration"],
    "upgrade plan": ["upgrade", "plan", "v1.36.0", "--ignore-preflight-errors=all"],
    "upgrade apply": ["upgrade", "apply", "v1.36.0", "--yes", "--ignore-preflight-errors=all"],
    "upgrade node": ["upgrade", "node", "--ignore-preflight-errors=all"],
}
# This does its work without a server, if need be, and says what it could not ask.
MAY_SUCCEED = {"certs check-expiration"}


def check(outcome):
    assert outcome.mib <= MOST_MIB and outcome.seconds <= MOST_SECONDS, outcome
    assert outcome.code >= 0, outcome
    assert len(outcome.stderr) < 64_000 and (outcome.stderr.strip() or outcome.code == 0), outcome
    assert "std::" not in outcome.stderr and "json.exception" not in outcome.stderr, outcome
    assert TOKEN.split(".")[1] not in outcome.stderr + outcome.stdout and "a-secret-token" not in outcome.stderr


@pytest.fixture
def files(tmp_path):
    (tmp_path / "init").write_text(CONFIG % "InitConfiguration" + "nodeRegistration: {name: cp-one}\n---\n"
                                   "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                                   "kubernetesVersion: v1.36.0\n")
    return tmp_path


def serve(behave, context):
    server = None

    def call(request):
        yield from behave(server, request)

    server = Server(call, context)
    return server


def is_refusal(behave):
    return behave in [BEHAVIOURS[name] for name in ("hangs up", "truncates", "never ends", "401", "403", "429", "503")]


def is_about_objects(behave):
    """Whether it is for the commands themselves to cope with, and not for the client beneath them."""
    return behave in [BEHAVIOURS[name] for name in ("has wrong types within", "has the wrong types", "never ends its list",
                                                    "is null", "is a list", "403", "429", "503")]


# The client is the same for all commands: one of them meets every behaviour.
PAIRS = [(name, word) for name in COMMANDS for word, behave in BEHAVIOURS.items()
         if name == "token list" or is_about_objects(behave)]


@pytest.mark.parametrize("name, word", PAIRS)
def test_commands(kubeadm, ours, files, name, word):
    behave = BEHAVIOURS[word]
    with serve(behave, ours.server(files)) as server:
        (files / "kubeconfig").write_text(kubeconfig(server.url, ours.pem()))
        words = [word.format(init=files / "init") for word in COMMANDS[name]]
        outcome = run([kubeadm, *words, "--kubeconfig", files / "kubeconfig"], limit=2 * MOST_SECONDS)
        check(outcome)
        assert server.requests, "nothing was asked"
        if is_refusal(behave) and name not in MAY_SUCCEED:
            assert outcome.code != 0, outcome


@pytest.mark.parametrize("behave", BEHAVIOURS.values(), ids=BEHAVIOURS.keys())
@pytest.mark.parametrize("pinned", [False, True])
def test_join_by_token(kubeadm, ours, files, behave, pinned):
    with serve(behave, ours.server(files)) as server:
        trust = f"caCertHashes: ['{ours.pin()}']" if pinned else "unsafeSkipCAVerification: true"
        (files / "join").write_text(JOIN + "discovery:\n  bootstrapToken:\n    token: " + TOKEN +
                                    f"\n    apiServerEndpoint: {server.address}\n    {trust}\n")
        outcome = run([kubeadm, "join", "--config", files / "join"], limit=2 * MOST_SECONDS)
        check(outcome)
        assert outcome.code != 0 and server.requests, outcome
        assert server.secrets() == []


@pytest.mark.parametrize("behave", BEHAVIOURS.values(), ids=BEHAVIOURS.keys())
def test_join_by_file(kubeadm, ours, files, behave):
    with serve(behave, ours.server(files)) as server:
        (files / "discovery").write_text(kubeconfig(server.url, ours.pem()))
        (files / "join").write_text(JOIN + f"discovery:\n  file: {{kubeConfigPath: {files / 'discovery'}}}\n"
                                    f"  tlsBootstrapToken: {TOKEN}\n")
        outcome = run([kubeadm, "join", "--config", files / "join"], limit=2 * MOST_SECONDS)
        check(outcome)
        assert outcome.code != 0 and server.requests, outcome


PUBLISHED = {
    "nested anchors": "".join(f"[&a{i} " for i in range(900)) + "x, " * 250_000 + "y" + "]" * 900,
    "brackets": "[" * 900_000,
    "long data": json.dumps({"clusters": [{"name": "", "cluster": {"server": "https://x:1",
                                                                   "certificate-authority-data": "QUFB" * 250_000}}]}),
    "no CA": json.dumps({"clusters": [{"name": "", "cluster": {"server": "https://x:1"}}]}),
    "a server of another scheme": json.dumps({"clusters": [{"name": "", "cluster": {"server": "file:///etc/passwd"}}]}),
    "nothing": "",
}


@pytest.mark.parametrize("text", PUBLISHED.values(), ids=PUBLISHED.keys())
@pytest.mark.parametrize("signer", ["nobody", "a stranger", "the cluster"])
def test_join_by_what_is_published(kubeadm, ours, files, text, signer):
    """What nobody or a stranger signed is refused for that, and what the cluster signed is bounded all the same."""
    key = {"nobody": None, "a stranger": TOKEN[:7] + "f" * 16, "the cluster": TOKEN}[signer]
    with Server(lambda request: iter([answer(200, cluster_info(text, key))]), ours.server(files)) as server:
        trust = f"caCertHashes: ['{ours.pin()}']" if signer != "nobody" else "unsafeSkipCAVerification: true"
        (files / "join").write_text(JOIN + "discovery:\n  bootstrapToken:\n    token: " + TOKEN +
                                    f"\n    apiServerEndpoint: {server.address}\n    {trust}\n")
        outcome = run([kubeadm, "join", "--config", files / "join"], limit=2 * MOST_SECONDS)
        check(outcome)
        assert outcome.code != 0 and server.secrets() == [], outcome
        if signer == "a stranger":
            assert "JWS" in outcome.stderr, outcome
