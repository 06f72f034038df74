# SPDX-License-Identifier: Apache-2.0
"""Hostile name servers for the approver's inventory `dns`. They must not make it attest a name, end, use unbounded
memory, or flood them with queries. Only node `panda` could be attested."""

import pytest

from name_server import (A, CNAME, NXDOMAIN, SERVFAIL, TRUNCATED, NameServer, address, encoded, record, reply)
from test_approver_inventories import SECONDS, is_unharmed, judged  # noqa: F401 - a fixture

DOMAIN = "nodes.test"
PANDA, OTHER = encoded(f"panda.{DOMAIN}"), encoded("panda.attacker.test")
SELF_POINTER = b"\xc0\x0c"  # to offset 12, at which the question's name begins
LONGEST = 65_535


def honest(query):
    return [reply(query, address(query))]


def for_every_type(query, text):
    return [record(query.name, A, bytes(map(int, text.split("."))))]


def a_pointer_loop(query):
    """Returns a message in which the name of the question is a compression pointer to itself."""
    return [reply(query, address(query), name=SELF_POINTER)]


def by_tcp_only(answer):
    """Returns a truncated answer over UDP, and the function's messages over TCP."""
    return lambda query: answer(query) if query.tcp else [reply(query, flags=TRUNCATED)]


BEHAVIOURS = {
    "says nothing": lambda query: [],
    "is empty": lambda query: [b""],
    "is not DNS": lambda query: [b"HTTP/1.1 200 OK\r\n\r\n"],
    "ends in the header": lambda query: [reply(query)[:11]],
    "ends in a record": lambda query: [reply(query, address(query))[:-3]],
    "repeats the query": lambda query: [reply(query, address(query), flags=0x8000)[:2] + b"\0\0" + reply(query)[4:]],
    "answers another id": lambda query: [reply(query, address(query), id=query.id ^ 1)],
    "guesses ids": lambda query: [reply(query, address(query), id=(query.id + i) % 65536) for i in range(1, 2000)],
    "answers another question": lambda query: [reply(query, address(query), name=OTHER)],
    "answers another type": lambda query: [reply(query, for_every_type(query, "10.0.0.5"), type=16)],
    "has the addresses of another name": lambda query: [reply(query, address(query, owner=OTHER))],
    "has the addresses of the domain": lambda query: [reply(query, address(query, owner=encoded(DOMAIN)))],
    "is an alias": lambda query: [reply(query, [record(query.name, CNAME, OTHER), *address(query, owner=OTHER)])],
    "is an alias beside addresses": lambda query: [reply(query, [record(query.name, CNAME, OTHER), *address(query)])],
    "is an alias of itself": lambda query: [reply(query, [record(query.name, CNAME, query.name), *address(query)])],
    "loops": a_pointer_loop,
    "loops in an owner": lambda query: [reply(query, [record(b"\xc0" + bytes([len(reply(query))]), A, b"\n\0\0\5")])],
    "points beyond the end": lambda query: [reply(query, [record(b"\xff\xff", A, b"\n\0\0\5")])],
    "lies about its records": lambda query: [reply(query)[:6] + b"\xff\xff" + reply(query)[8:]],
    "has an address of three bytes": lambda query: [reply(query, [record(query.name, A, b"\n\0\0")])],
    "fails with addresses": lambda query: [reply(query, address(query), flags=SERVFAIL)],
    "says no name with addresses": lambda query: [reply(query, address(query), flags=NXDOMAIN)],
    "contradicts itself": lambda query: [reply(query, address(query), flags=0 if query.type == A else NXDOMAIN)],
    "answers half": lambda query: honest(query) if query.type == A else [reply(query, flags=SERVFAIL)],
    "answers one of two": lambda query: honest(query) if query.type == A else [],
    "has a crowd": lambda query: [reply(query, [each for i in range(65) for each in address(query, f"10.0.1.{i}")])],
    "truncates without TCP": lambda query: [] if query.tcp else [reply(query, address(query), flags=TRUNCATED)],
    "truncates for ever": lambda query: [reply(query, address(query), flags=TRUNCATED)],
    "has no names by TCP": by_tcp_only(lambda query: [reply(query, flags=NXDOMAIN)]),
    "sends zeros by TCP": by_tcp_only(lambda query: [b"\0" * LONGEST]),
    "sends 2,000 addresses by TCP": by_tcp_only(lambda query: [reply(query, [
        each for i in range(2000) for each in address(query, f"10.1.{i // 250}.{i % 250}")])]),
}


@pytest.fixture
def judged_by(judged):  # noqa: F811
    """Runs the approver with a name server; returns its outcome, the approvals and the queries."""
    def run_it(behave):
        with NameServer(behave) as server:
            outcome, approvals = judged("--inventory=dns", f"--inventory-dns-domain={DOMAIN}",
                                        f"--inventory-dns-servers=127.0.0.1:{server.port}")
        return outcome, approvals, server.queries

    return run_it


@pytest.mark.parametrize("behave", [honest, by_tcp_only(honest)], ids=["by UDP", "by TCP"])
def test_an_honest_name_server_attests(judged_by, behave):
    outcome, approvals, queries = judged_by(behave)
    assert len(approvals) >= 1, outcome
    assert {query.name.lower() for query in queries} == {PANDA}


@pytest.mark.parametrize("word", BEHAVIOURS)
def test_a_hostile_name_server_attests_nothing(judged_by, word):
    outcome, approvals, queries = judged_by(BEHAVIOURS[word])
    assert 2 <= len(queries) <= 60 * SECONDS, "a storm of queries"
    assert {query.name.lower() for query in queries} == {PANDA}, "no other name is looked up"
    is_unharmed(outcome)
    assert approvals == [], outcome
