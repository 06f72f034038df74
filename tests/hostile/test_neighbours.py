# SPDX-License-Identifier: Apache-2.0
"""Untrusted neighbours of a node: the socket of the container runtime, and an external etcd."""

import pytest

from answers import BEHAVIOURS
from programs import run
from world import Server

MOST_MIB = 300
MOST_SECONDS = 60  # kubeadm queries an unreachable etcd four times, with pauses

SETTINGS = b"\0\0\0\x04\0\0\0\0\0"  # an empty frame of HTTP/2 (RFC 9113 §6.5)
HEADERS = b"\0\xff\xff\x01\x04\0\0\0\x01"  # a frame that announces 64 KiB of headers


def again(piece):
    while True:
        yield piece


RUNTIMES = {
    "hangs up": lambda: iter([]),
    "is a web server": lambda: iter([b"HTTP/1.1 400 Bad Request\r\n\r\n"]),
    "is not HTTP/2": lambda: again(b"x" * 9999),
    "settles without an end": lambda: again(SETTINGS * 999),
    "never ends its headers": lambda: (piece for piece in [SETTINGS, HEADERS, *[b"\0" * 0xffff] * 99]),
    "goes away": lambda: iter([SETTINGS + b"\0\0\x08\x07\0\0\0\0\0" + b"\0" * 8]),
}

ETCDS = ["never ends", "redirects in a circle", "is a list", "is null", "has the wrong types", "lies about its version",
         "401", "writes on the terminal", "writes on the terminal from a proxy", "sends brackets"]


def check(outcome):
    assert outcome.mib <= MOST_MIB and outcome.seconds <= MOST_SECONDS and outcome.code > 0, outcome
    assert outcome.stderr.strip() and len(outcome.stderr) < 64_000, outcome
    assert not set("\x1b\r\x07\u202e") & set(outcome.stderr + outcome.stdout), outcome


@pytest.mark.parametrize("word", RUNTIMES)
def test_hostile_runtimes_are_bounded(kubeadm, tmp_path, word):
    with Server(lambda request: RUNTIMES[word](), path=tmp_path / "cri.sock") as server:
        outcome = run([kubeadm, "config", "images", "pull", "--kubernetes-version", "v1.36.0", "--cri-socket",
                       f"unix://{tmp_path}/cri.sock"], limit=2 * MOST_SECONDS)
        assert server.requests, outcome
    check(outcome)
    assert "container runtime" in outcome.stderr, outcome


@pytest.mark.parametrize("word", ETCDS)
def test_hostile_external_etcds_are_bounded(kubeadm, ours, tmp_path, word):
    server = Server(lambda request: BEHAVIOURS[word](server, request), ours.server(tmp_path))
    with server:
        (tmp_path / "ca").write_text(ours.pem())
        (tmp_path / "config").write_text(
            "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.36.0\netcd:\n"
            f"  external: {{endpoints: ['{server.url}'], caFile: {tmp_path / 'ca'}, certFile: '', keyFile: ''}}\n")
        outcome = run([kubeadm, "init", "phase", "preflight", "--config", tmp_path / "config"], limit=2 * MOST_SECONDS)
        assert server.requests, outcome
    check(outcome)
    assert "ExternalEtcdVersion" in outcome.stderr, outcome
