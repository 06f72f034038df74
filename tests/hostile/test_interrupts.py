# SPDX-License-Identifier: Apache-2.0
"""A command gets SIGTERM during one of its requests. It must end, as after SIGINT, and send no further request. It must
not treat the interrupt as a failure of the server that it could work around."""

import os
import shlex
import signal

import pytest

from cluster import Cluster, objects
from programs import run
from test_node import ADDRESS, configuration, laid, network, whole  # noqa: F401: fixtures
from test_terminal import COMMANDS
from world import Authority, Server

SOON = 8  # seconds, even on a busy machine
MOST_WAITS = 40  # the greatest number of requests of one command
# A command with several threads may send a request while another thread's request is interrupted.
CONCURRENT = {"doctor", "drift", "drift --adopt", "upgrade plan"}
# The commands that are left out query no server on this node.
WORDS = {**{name: words for name, words in COMMANDS.items() if name not in ("node recover", "node rename")},
         "upload-config": ["init", "phase", "upload-config", "all", "--config", "{init}"],
         "bootstrap-token": ["init", "phase", "bootstrap-token", "--config", "{init}"],
         "mark-control-plane": ["init", "phase", "mark-control-plane", "--config", "{init}"]}


class Interrupting:
    """Responds like a healthy cluster. At one request, it interrupts the program and then does not answer any more."""

    def __init__(self, healthy, at, pid_file):
        self.healthy, self.at, self.pid_file = healthy, at, pid_file
        self.before, self.after, self.server = 0, [], None

    def behave(self, request):
        if self.before > self.at:
            self.after.append(request.splitlines()[0])
            return iter(())
        self.before += 1
        if self.before <= self.at:
            return self.healthy.behave(request)
        os.kill(int(self.pid_file.read_text()), signal.SIGTERM)
        return self.silent()

    def silent(self):
        self.server.wait(SOON)
        yield b""


@pytest.fixture(scope="module")
def node(kubeadm, whole, tmp_path_factory):  # noqa: F811
    directory = tmp_path_factory.mktemp("interrupted")
    ca = Authority.of(whole["/etc/kubernetes/pki/ca.crt"], whole["/etc/kubernetes/pki/ca.key"])
    state = {}
    with Server(lambda request: state["cluster"].behave(request), ca.server(directory, ADDRESS), host=ADDRESS,
                port=6443) as server:
        places = laid(whole, server, ca.pem(), directory)
        (directory / "init").write_text(configuration(server.port))
        healthy = Cluster(objects(ADDRESS, server.port, ca.pem()))

        def interrupted(words, at):
            """Returns the outcome of a command that is interrupted at a request, and the cluster that interrupted
            it."""
            state["cluster"] = cluster = Interrupting(healthy, at, directory / "pid")
            cluster.server = server
            command = [str(kubeadm), *(word.format(init=directory / "init", port=server.port) for word in words)]
            script = f"echo $$ >{directory / 'pid'}; exec {shlex.join(command)}"
            return run(["bash", "-c", script], limit=2 * SOON, laid=places), cluster

        yield interrupted


def is_release(line):
    """Returns whether the request releases a Lease, so that other nodes do not wait for it."""
    return "/leases/" in line


@pytest.mark.parametrize("name", WORDS)
def test_an_interrupt_ends_a_command_at_each_request(node, name):
    waits = 0
    for at in range(MOST_WAITS):
        outcome, cluster = node(WORDS[name], at)
        if cluster.before <= at:
            break
        waits += 1
        assert outcome.code in (1, -signal.SIGTERM), f"at request {at}: {outcome}"
        assert outcome.seconds < SOON, f"at request {at}: {outcome}"
        if name not in CONCURRENT:
            assert [line for line in cluster.after if not is_release(line)] == [], f"at request {at}: {outcome}"
    assert waits > 0, outcome
