# SPDX-License-Identifier: Apache-2.0
"""Hostile endpoints and programs as inventories of the approver. They attest nothing, the approver keeps running, its
memory stays bounded, and its credentials go to no other server. An honest API server has one request, which a hostile
answer would have to attest."""

import base64
import json
import stat
import sys
from pathlib import Path

import pytest

from answers import BEHAVIOURS
from programs import run
from world import Server, answer, kubeconfig

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS), str(TESTS / "api")]
from approver import request_pem  # noqa: E402

MOST_MIB = 100
REFRESH = "--inventory-refresh=1s"
SECONDS = 4  # until the approver is stopped
WORDS = ["hangs up", "says nothing", "is slow", "truncates", "lies about its length", "has a length below zero",
         "never ends", "never ends its text", "never ends its chunks", "never ends its little chunks",
         "never ends an error", "never ends its headers", "never ends a header", "never begins", "sends brackets",
         "sends empty objects", "sends empty lists", "redirects in a circle", "redirects to plain http",
         "redirects to a file", "is a web site", "is empty", "is null", "is a number", "is a list",
         "has the wrong types", "is not HTTP", "is HTTP/9", "compresses", "200", "401", "404", "407", "500",
         "writes on the terminal", "speaks at great length"]
GROUPS = ["system:bootstrappers", "system:authenticated"]
HONEST = {"apiVersion": "approver.slipway/v1alpha1", "kind": "Inventory", "items": [{"hostname": "panda"}]}


class Api:
    """An honest API server with one request, made with a bootstrap token for node panda."""

    def __init__(self):
        self.approvals = []
        self.csr = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
                    "metadata": {"name": "panda", "uid": "u", "resourceVersion": "1",
                                 "creationTimestamp": "2026-01-01T00:00:00Z"},
                    "spec": {"signerName": "kubernetes.io/kube-apiserver-client-kubelet", "groups": GROUPS,
                             "username": "system:bootstrap:abcdef",
                             "usages": ["digital signature", "key encipherment", "client auth"],
                             "request": base64.b64encode(request_pem("system:node:panda")).decode()}, "status": {}}

    def __call__(self, request, server):
        method, target = request.split()[:2]
        if method == "PUT" and "/approval" in target:
            self.approvals.append(target)
        if method != "GET":
            yield answer(201, self.csr)
        elif "watch=true" in target:
            yield b"HTTP/1.1 200 OK\r\n\r\n"
            server[0].wait(60)
        elif "certificatesigningrequests/panda" in target:
            yield answer(200, self.csr)
        elif "certificatesigningrequests" in target:
            items = [] if "serving" in target else [self.csr]
            yield answer(200, {"kind": "List", "metadata": {"resourceVersion": "1"}, "items": items})
        elif target.startswith("/api/v1/nodes/"):
            yield answer(404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404, "message": "no"})
        else:
            yield answer(200, {"kind": "List", "metadata": {"resourceVersion": "1"}, "items": []})


@pytest.fixture
def judged(approver, ours, tmp_path):
    """Returns a function that runs the approver with flags, and returns its outcome and the approvals that it wrote."""
    def run_it(*flags):
        honest, holder = Api(), []
        (tmp_path / "api").mkdir()
        with Server(lambda request: honest(request, holder), ours.server(tmp_path / "api")) as server:
            holder.append(server)
            (tmp_path / "config").write_text(kubeconfig(server.url, ours.pem()))
            (tmp_path / "ca.crt").write_text(ours.pem())
            (tmp_path / "secret").mkdir()
            (tmp_path / "secret" / "token").write_text("inventory-token")
            outcome = run([approver, "--workload-cluster-kubeconfig", tmp_path / "config",
                           "--management-cluster-kubeconfig", tmp_path / "config", "--leader-elect=false",
                           "--disable-status-controller", "--metrics-bind-address=127.0.0.1:0",
                           "--inventory-timeout=1s", *flags], limit=SECONDS)
        return outcome, honest.approvals

    return run_it


def is_unharmed(outcome):
    assert outcome.code == -9, outcome  # it ran until the test stopped it
    assert outcome.mib <= MOST_MIB, outcome
    assert len(outcome.stderr) < 16_000, outcome
    assert not set("\x1b\r\x07\u202e") & set(outcome.stderr + outcome.stdout), outcome
    assert "inventory-token" not in outcome.stderr and "terminate" not in outcome.stderr, outcome


def http_flags(directory, server):
    return ("--inventory=http", f"--inventory-http-url={server.url}/hosts", f"--inventory-http-ca={directory / 'ca.crt'}",
            f"--inventory-http-credentials={directory / 'secret'}", REFRESH)


def test_an_honest_endpoint_attests(judged, ours, tmp_path):
    with Server(lambda request: iter([answer(200, HONEST)]), ours.server(tmp_path)) as server:
        outcome, approvals = judged(*http_flags(tmp_path, server))
        assert server.secrets() and set(server.secrets()) == {"Authorization: Bearer inventory-token"}
    assert len(approvals) >= 1, outcome


@pytest.mark.parametrize("word", WORDS)
def test_a_hostile_endpoint_attests_nothing(judged, ours, tmp_path, word):
    server = Server(lambda request: BEHAVIOURS[word](server, request), ours.server(tmp_path))
    with server:
        outcome, approvals = judged(*http_flags(tmp_path, server))
        assert 1 <= len(server.requests) <= 2 * SECONDS + 2, "a storm of requests"
    is_unharmed(outcome)
    assert "inventory http: " in outcome.stderr and approvals == [], outcome


def test_credentials_are_not_sent_to_the_target_of_a_redirect(judged, ours, tmp_path):
    (tmp_path / "other").mkdir()
    with Server(lambda request: iter([answer(200, HONEST)]), ours.server(tmp_path / "other")) as elsewhere, \
            Server(lambda request: iter([answer(307, "", [f"Location: {elsewhere.url}/hosts"])]),
                   ours.server(tmp_path)) as server:
        outcome, approvals = judged(*http_flags(tmp_path, server))
        assert server.requests and elsewhere.requests == [] and approvals == [], outcome
    is_unharmed(outcome)


def test_an_endpoint_of_another_ca_gets_no_request(judged, public, tmp_path):
    with Server(lambda request: iter([answer(200, HONEST)]), public.server(tmp_path)) as server:
        outcome, approvals = judged(*http_flags(tmp_path, server))
        assert server.requests == [] and approvals == [], outcome
    is_unharmed(outcome)


TEXT = json.dumps(HONEST)
PROGRAMS = {
    "hangs": f"echo '{TEXT}'; exec sleep 1000",
    "hangs in a child": f"echo '{TEXT}'; sleep 1000 & wait",
    "ignores signals": f"trap '' TERM INT HUP; echo '{TEXT}'; while :; do sleep 1; done",
    "writes without an end": "exec cat /dev/zero",
    "writes brackets without an end": "exec yes '['",
    "complains without an end": "exec cat /dev/zero >&2",
    "fails after its answer": f"echo '{TEXT}'; exit 1",
    "is killed after its answer": f"echo '{TEXT}'; kill -9 $$",
    "answers twice": f"echo '{TEXT}'; echo '{TEXT}'",
    "answers with text around": f"echo 'hosts:'; echo '{TEXT}'",
    "answers a query": "cat",
    "says nothing": "exit 0",
    "closes its output": "exec >&- 2>&-; sleep 0.2",
    "writes on the terminal": r"printf '\033[2J\033]0;owned\007\r' >&2; exit 2",
    "forks and waits": "for i in $(seq 300); do sleep 100 & done; wait",
    "fails in a long line": "head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 2",
}


@pytest.mark.parametrize("word", PROGRAMS)
def test_a_hostile_program_attests_nothing(judged, tmp_path, word):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n" + PROGRAMS[word] + "\n")
    program.chmod(stat.S_IRWXU)
    outcome, approvals = judged("--inventory=exec", f"--inventory-exec={program}", REFRESH)
    is_unharmed(outcome)
    assert "inventory exec: " in outcome.stderr and approvals == [], outcome


def test_an_honest_program_attests_and_leaves_no_processes(judged, tmp_path):
    program = tmp_path / "program"
    mark = f"{tmp_path.name}-left"
    program.write_text(f"#!/bin/sh\nsh -c 'sleep 1000; : {mark}' &\necho '{TEXT}'\n")
    program.chmod(stat.S_IRWXU)
    outcome, approvals = judged("--inventory=exec", f"--inventory-exec={program}", REFRESH)
    assert len(approvals) >= 1, outcome
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if reads(path, mark)]
    assert left == []


def reads(path, mark):
    try:
        return mark.encode() in path.read_bytes()
    except OSError:
        return False
