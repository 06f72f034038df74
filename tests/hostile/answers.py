# SPDX-License-Identifier: Apache-2.0
"""The registry of answers: the possible responses of a malicious or broken server. The tests' API servers, version
servers, proxies and kubelets use these behaviours.

A behaviour is a function of the server (world.Server) and a request. It yields pieces of bytes.
"""

import base64

from shapes import alias_bomb
from world import answer

TOKEN = "abcdef.0123456789abcdef"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def endless(head, piece):
    yield head
    while True:
        yield piece


def chunk(body):
    return b"%x\r\n%s\r\n" % (len(body), body)


def status(code, reason, headers=(), message="no"):
    body = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason,
            "message": message}
    return lambda server, request: iter([answer(code, body, headers)])


def encoded(token, description):
    """Returns the data of a token's Secret."""
    identity, secret = token.split(".")
    fields = {"token-id": identity, "token-secret": secret, "description": description, "usage-bootstrap-signing": "true"}
    return {name: base64.b64encode(text.encode()).decode() for name, text in fields.items()}


def page(server, request):
    """Responds to every request with a page of a list that never ends."""
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
    "sends empty objects": lambda server, request: iter([answer(200, b'{"items":[' + b"{}," * (9 << 20) + b"{}]}")]),
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
    "is not HTTP": lambda server, request: iter([b"SSH-2.0-OpenSSH_9.2\r\n"]),
    "is HTTP/0.9": lambda server, request: iter([b"{}"]),
    "is HTTP/9": lambda server, request: iter([b"HTTP/9.9 200 OK\r\n\r\n{}"]),
    "compresses": lambda server, request: iter([answer(200, b"\x1f\x8b\x08" + b"\0" * 999, ["Content-Encoding: gzip"])]),
    "lies about its version": lambda server, request: iter([answer(200, {"major": "1", "gitVersion": "v" + "9" * 9999})]),
    "200": lambda server, request: iter([b"HTTP/1.1 200 Connection established\r\n\r\n"]),
    "400": status(400, "BadRequest"),
    "401": status(401, "Unauthorized"),
    "403": status(403, "Forbidden"),
    "404": status(404, "NotFound"),
    "407": status(407, "ProxyAuthenticationRequired"),
    "409": status(409, "Conflict"),
    "409 of a name": status(409, "AlreadyExists"),
    "410": status(410, "Expired"),
    "422": status(422, "Invalid"),
    "429": status(429, "TooManyRequests"),
    "429 with a year's patience": status(429, "TooManyRequests", ["Retry-After: 31536000"]),
    "500": status(500, "InternalError"),
    "502": status(502, "BadGateway"),
    "503": status(503, "ServiceUnavailable"),
    "503 with no patience": status(503, "ServiceUnavailable", ["Retry-After: -1"]),
    "999": status(999, "Whatever"),
}


def configmap(cluster):
    """Returns a behaviour that responds to every request with ConfigMap kubeadm-config. Its ClusterConfiguration is
    `cluster`. The object also has the fields of the response to /version."""
    body = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "kubeadm-config", "namespace": "kube-system"},
            "major": "1", "minor": "36", "gitVersion": "v1.36.0", "data": {"ClusterConfiguration": cluster}}
    return lambda server, request: iter([answer(200, body)])


CLUSTER = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
ESCAPES = "\x1b[2J\x1b]0;owned\x07\r\u202eall is well"
# Well-formed responses with a hostile configuration, or with strings that control a terminal.
BEHAVIOURS |= {
    "has a bomb for a configuration": configmap(b"".join(alias_bomb(0)).decode()),
    "has brackets for a configuration": configmap("[" * (3 << 20)),
    "has another kind of configuration": configmap("apiVersion: kubeadm.k8s.io/v1beta4\nkind: JoinConfiguration\n"),
    "configures a version to come": configmap(CLUSTER + "kubernetesVersion: v9999.9.9\n"),
    "configures an endless version": configmap(CLUSTER + "kubernetesVersion: v1.36.0-" + "x" * (3 << 20) + "\n"),
    "configures a file as its endpoint": configmap(CLUSTER + "kubernetesVersion: v1.36.0\n"
                                                   "controlPlaneEndpoint: file:///etc/passwd\n"),
    "writes on the terminal": lambda server, request: iter([answer(403, {
        "kind": "Status", "reason": "Forbidden", "message": ESCAPES})]),
    "writes on the terminal from a proxy": lambda server, request: iter([answer(502, ESCAPES)]),
    "writes on the terminal in all that it has": lambda server, request: iter([answer(200, {
        "kind": "List", "gitVersion": "v1.36.0" + ESCAPES, "data": {"ClusterConfiguration": CLUSTER + "x: " + ESCAPES},
        "items": [{"metadata": {"name": ESCAPES, "labels": {"node-role.kubernetes.io/control-plane": ""}},
                   "type": "bootstrap.kubernetes.io/token", "data": encoded(TOKEN, ESCAPES),
                   "status": {"nodeInfo": {"kubeletVersion": ESCAPES}}}]})]),
    "speaks at great length": status(403, "Forbidden", message="x" * (900 << 10)),
}
