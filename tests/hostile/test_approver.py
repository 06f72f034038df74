# SPDX-License-Identifier: Apache-2.0
"""Malicious API servers: the approver retries, or ends with an error. Its memory stays bounded, it logs little, and it
sends its token only to the server for which the token is. Malicious kubelets are in
src/approver/evidence/hostile_kubelet_test.cc."""

import pytest

from answers import BEHAVIOURS
from programs import run
from world import Server, answer, kubeconfig

MOST_MIB = 100
SECONDS = 6  # until the approver is stopped: enough for its requests on a busy machine

WORDS = ["hangs up", "says nothing", "truncates", "lies about its length", "never ends", "never ends its text",
         "never ends its chunks", "never ends an error", "never ends its headers", "never ends its list",
         "sends brackets", "sends empty objects", "sends empty lists", "redirects in a circle", "redirects to plain http", "is empty",
         "is null", "is a list", "has the wrong types", "has wrong types within", "is not HTTP", "401", "403", "409",
         "410", "429 with a year's patience", "500", "503 with no patience", "writes on the terminal",
         "writes on the terminal in all that it has", "speaks at great length"]


def watch(server, request):
    """Responds with a valid list, and with a watch that never ends."""
    if "watch=true" not in request.split("\r\n")[0]:
        yield answer(200, {"kind": "List", "metadata": {"resourceVersion": "1"}, "items": []})
        return
    yield b"HTTP/1.1 200 OK\r\n\r\n"
    number = 0
    while not server.wait(0):
        number += 1
        yield b'{"type":"ADDED","object":{"metadata":{"name":"n%d-%s","resourceVersion":"%d"}}}\n' % (
            number, b"x" * 5000, number)


def silent_bookmarks(server, request):
    if "watch=true" not in request.split("\r\n")[0]:
        yield from watch(server, request)
        return
    yield b"HTTP/1.1 200 OK\r\n\r\n"
    while not server.wait(0):
        yield b'{"type":"BOOKMARK","object":{}}\n' * 1000


def long_event(server, request):
    yield from watch(server, request) if "watch=true" not in request.split("\r\n")[0] else iter(
        [b"HTTP/1.1 200 OK\r\n\r\n", *[b"x" * (1 << 20)] * 64])


WATCHES = {"watches without an end": watch, "bookmarks without an end": silent_bookmarks, "an event without an end": long_event}


# With leader election, the first request is for the Lease.
LEASES = ["is a list", "is null", "has the wrong types", "403", "never ends its text"]


@pytest.mark.parametrize("word, leads", [*((word, "--leader-elect=false") for word in [*WORDS, *WATCHES]),
                                         *((word, "--leader-elect") for word in LEASES)])
def test_hostile_api_servers(approver, ours, tmp_path, word, leads):
    behave = WATCHES.get(word) or BEHAVIOURS[word]
    server = Server(lambda request: behave(server, request), ours.server(tmp_path))
    with server, Server(lambda request: iter([answer(200, {})]), ours.server(tmp_path)) as elsewhere:
        (tmp_path / "config").write_text(kubeconfig(server.url, ours.pem()))
        outcome = run([approver, "--workload-cluster-kubeconfig", tmp_path / "config", "--management-cluster-kubeconfig",
                       tmp_path / "config", "--inventory=nodes",
                       leads, "--metrics-bind-address=127.0.0.1:0"], limit=SECONDS)
        assert server.requests and elsewhere.requests == [], outcome
        assert len(server.requests) < 500, "a storm of requests"
    # The approver ran until it was stopped, or ended with an error.
    assert outcome.mib <= MOST_MIB and outcome.code in (-9, 1), outcome
    assert len(outcome.stderr) < 24_000 * SECONDS, outcome
    assert outcome.code == -9 or "error:" in outcome.stderr, outcome
    assert not set("\x1b\r\x07\u202e") & set(outcome.stderr + outcome.stdout), outcome
    assert "json.exception" not in outcome.stderr and "terminate" not in outcome.stderr, outcome
    assert "a-secret-token" not in outcome.stderr, outcome
