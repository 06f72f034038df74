# SPDX-License-Identifier: Apache-2.0
"""The server of the newest version is hostile. Whatever it answers, a command must soon continue with its own version,
or with a valid one."""

import re

import pytest

from answers import BEHAVIOURS, ESCAPES
from programs import run
from world import Proxy, Server, answer

MOST_MIB = 300
MOST_SECONDS = 30
OWN = "v1.37."

TEXTS = {
    "a version": ("v1.36.1\n", "v1.36.1"),
    "an old version": ("v1.35.0", "v1.35.0"),
    "a version to come": ("v1.99.0", OWN),
    "a version of another age": ("v2147483648.99999999999999999999.0", OWN),
    "a long version": ("v1.36.0-" + "x" * 5000, OWN),
    "two versions": ("v1.36.1\nv1.36.2", OWN),
    "a version and more": ("v1.36.1 && reboot", OWN),
    "a version and a line end": ("v1.36.1\r\nx: y", OWN),
    "a version and the terminal": ("v1.36.1" + ESCAPES, OWN),
    "a path": ("v1.36.1/../../x", OWN),
    "another registry": ("v1.36.1@evil.test/x", OWN),
    "a web page": ("<html>" * 99, OWN),
    "a file of no end": ("v1.36.1" + " " * 100_000, OWN),
}


@pytest.fixture
def newest(kubeadm, public, machine_cas, tmp_path):
    """Returns a function that lists the images of the newest version, which a server with arbitrary answers names."""

    def ask(behave, label="stable-1"):
        (tmp_path / "route").write_text("Iface Destination Gateway Flags RefCnt Use Metric Mask\n"
                                        "eth0 00000000 00000000 0003 0 0 0 00000000\n")
        with Server(lambda request: behave(server, request), public.server(tmp_path, "dl.k8s.io")) as server:
            with Proxy(server) as proxy:
                outcome = run([kubeadm, "config", "images", "list", "--kubernetes-version", label],
                              machine_cas=machine_cas, laid={"/proc/net/route": tmp_path / "route"}, emptied=["/proc"],
                              env={"https_proxy": proxy.url}, limit=2 * MOST_SECONDS)
                assert server.requests, outcome
        assert outcome.mib <= MOST_MIB and outcome.seconds <= MOST_SECONDS, outcome
        assert outcome.code == 0 and len(outcome.stderr) < 8_000, outcome
        assert not set("\x1b\r\x07\u202e") & set(outcome.stderr + outcome.stdout), outcome
        return re.search(r"/kube-apiserver:(\S+)\n", outcome.stdout)[1]

    return ask


@pytest.mark.parametrize("word", TEXTS)
def test_texts(newest, word):
    text, version = TEXTS[word]
    found = newest(lambda server, request: iter([answer(200, text)]))
    assert found == version or (version == OWN and re.fullmatch(r"v1\.37\.\d+", found))


@pytest.mark.parametrize("word", BEHAVIOURS)
def test_hostile_servers(newest, word):
    assert re.fullmatch(r"v1\.37\.\d+", newest(BEHAVIOURS[word]))
