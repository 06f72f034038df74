# SPDX-License-Identifier: Apache-2.0
"""The inventory `dns` with a real name server (CoreDNS) and a real API server."""

import json
import signal
import socket
import subprocess

import pytest

from approver import World
from control_plane import eventually, free_ports
from control_plane import program as component
from test_approver import api, program, start  # noqa: F401 - fixtures
from test_approver_queries import ALONE, explained, is_approved, is_left

DOMAIN = "nodes.test"
COREFILE = """{domain}:{port} {{
  bind 127.0.0.1
  bufsize 512
  template ANY ANY {{
    match ^broken\\.
    rcode SERVFAIL
    fallthrough
  }}
  file {zone} {{
    reload 1s
  }}
}}
"""


class NameServer:
    """A CoreDNS process that serves one zone on a port of the loopback address."""

    def __init__(self, directory):
        self.zone, self.serial, self.records = directory / "zone", 0, []
        [self.port] = free_ports(1)
        self.write()
        corefile = directory / "Corefile"
        corefile.write_text(COREFILE.format(domain=DOMAIN, port=self.port, zone=self.zone))
        self.process = subprocess.Popen([component("coredns"), "-conf", corefile], stdout=subprocess.DEVNULL)
        eventually(self.answers)
        self.flags = ("--inventory=dns", f"--inventory-dns-domain={DOMAIN}", "--inventory-timeout=2s",
                      f"--inventory-dns-servers=127.0.0.1:{self.port}", *ALONE)

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def write(self):
        self.serial += 1
        self.zone.write_text("\n".join([
            f"$ORIGIN {DOMAIN}.", f"@ 1 IN SOA ns admin {self.serial} 60 60 60 1", "@ 1 IN NS ns", *self.records]) + "\n")

    def add(self, *records):
        self.records += records
        self.write()

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def names(tmp_path):
    server = NameServer(tmp_path)
    yield server
    server.end()


@pytest.fixture
def world(api):  # noqa: F811
    world = World(api)
    world.clear()
    return world


def test_dns_knows_the_hosts(world, start, names, program, plane):  # noqa: F811
    start(*names.flags).ready()
    name = world.token_csr("by-dns")
    is_left(world, name, "client-no-machine-with-internal-dns")
    names.add("by-dns 1 IN A 10.0.0.5", "by-dns 1 IN AAAA fd00::5")
    is_approved(world, name)
    world.node("by-dns")
    full = f"by-dns.{DOMAIN}"
    is_approved(world, world.serving_csr("by-dns", ["by-dns", full, "10.0.0.5", "fd00::5"]))
    for suffix, other in (("-ip", "10.0.0.6"), ("-name", "other"), ("-full", f"other.{DOMAIN}"), ("-sub", f"a.{full}")):
        left = world.serving_csr("by-dns", ["by-dns", other], suffix)
        is_left(world, left, "serving-exhausted")
    assert explained(program, plane, left, names.flags)["reason"] == "serving-exhausted"


def test_a_host_that_dns_does_not_have_gets_nothing(world, start, names):  # noqa: F811
    names.add("sub.deeper 1 IN A 10.0.0.7", "text 1 IN TXT a", "* 1 IN TXT b")
    start(*names.flags).ready()
    for host in ("nowhere", "deeper", "text"):
        is_left(world, world.token_csr(host), "client-no-machine-with-internal-dns")
    world.node("nowhere")
    is_left(world, world.serving_csr("nowhere", ["nowhere", "10.0.0.5"]), "serving-exhausted")


@pytest.mark.parametrize("host, records, told", [
    ("alias", ["alias 1 IN CNAME target", "target 1 IN A 10.0.0.5"], "is an alias in DNS"),
    ("dangling", ["dangling 1 IN CNAME elsewhere.test."], "is an alias in DNS"),
    ("broken", ["broken 1 IN A 10.0.0.5"], "DNS does not answer"),
    ("crowd", [f"crowd 1 IN A 10.0.1.{i}" for i in range(65)], "has 65 addresses"),
])
def test_an_answer_that_cannot_be_used_leaves_the_request(host, records, told, world, start, names, program, plane):  # noqa: F811
    names.records += [*records, "fine 1 IN A 10.0.0.8"]
    names.write()
    start(*names.flags).ready()
    is_approved(world, world.token_csr("fine"))
    name = world.token_csr(host)
    is_left(world, name, "machine-list-failed")
    verdict = explained(program, plane, name, names.flags)
    assert verdict["reason"] == "machine-list-failed"
    assert f"inventory dns: {host}.{DOMAIN}" in json.dumps(verdict) or told in json.dumps(verdict)
    assert told in json.dumps(verdict)


def test_a_truncated_answer_is_read_by_tcp(world, start, names):  # noqa: F811
    names.add(*(f"large 1 IN A 10.0.2.{i}" for i in range(60)))
    start(*names.flags).ready()
    is_approved(world, world.token_csr("large"))
    world.node("large")
    is_approved(world, world.serving_csr("large", ["large", "10.0.2.59"]))


def test_a_silent_server_approves_nothing_until_it_answers(world, start, names, program, plane):  # noqa: F811
    names.add("patient 1 IN A 10.0.0.5")
    start(*names.flags).ready()
    names.process.send_signal(signal.SIGSTOP)
    name = world.token_csr("patient")
    is_left(world, name, "machine-list-failed")
    assert f"no DNS server answers for patient.{DOMAIN}" in json.dumps(explained(program, plane, name, names.flags))
    names.process.send_signal(signal.SIGCONT)
    is_approved(world, name)
