# SPDX-License-Identifier: Apache-2.0
"""Names are resolved by /etc/hosts and DNS in any root directory, independently of its other files.

kubeadm resolves names in two ways: libcurl for servers, and getaddrinfo in checks.
"""

import pytest

from anywhere.conftest import ROOTS

API = "127.0.0.50"
API6 = "::1"
every_root = pytest.mark.parametrize("world", ROOTS, indirect=True)


def asked(told):
    return [query["name"] for query in told["queries"]]


@every_root
def test_programs_start(world):
    done = world.run("/kubeadm", "version", "-o", "short")
    assert done["exit"] == 0 and done["output"].startswith("v1.")
    assert world.run("/cluster-machine-approver", "version")["exit"] == 0


@every_root
def test_dns_names_resolve(world):
    world.put("etc/resolv.conf", "nameserver 127.0.0.53\n")
    world.server("127.0.0.53", {"api.corp": [API]})
    told = world.connect("api.corp", [API])
    assert told["reached"] == [API], told
    told = world.look_up("api.corp")
    assert asked(told) and "WARNING Hostname" not in told["output"]


@every_root
def test_names_in_the_hosts_file_resolve(world):
    world.put("etc/hosts", f"{API} api.corp api  # the control plane\n")
    assert world.connect("api.corp", [API])["reached"] == [API]
    assert "WARNING Hostname" not in world.look_up("api")["output"]


def test_the_hosts_file_is_preferred_to_dns(world):
    world.put("etc/hosts", f"{API} api.corp\n")
    world.put("etc/resolv.conf", "nameserver 127.0.0.53\n")
    world.server("127.0.0.53", {"api.corp": ["127.0.0.66"]})
    assert world.connect("api.corp", [API, "127.0.0.66"])["reached"] == [API]


def test_an_unknown_name_is_reported(world):
    world.put("etc/resolv.conf", "nameserver 127.0.0.53\n")
    world.server("127.0.0.53", {})
    told = world.connect("api.corp", [API])
    assert told["exit"] == 1 and "api.corp" in told["output"] and told["reached"] == []
    assert 'hostname "api.corp" could not be reached' in world.look_up("api.corp")["output"]


def test_search_domains_are_applied(world):
    world.put("etc/resolv.conf", "nameserver 127.0.0.53\nsearch one.corp two.corp\n")
    world.server("127.0.0.53", {"api.two.corp": [API]})
    told = world.connect("api", [API])
    assert told["reached"] == [API]
    assert list(dict.fromkeys(asked(told))) == ["api.one.corp", "api.two.corp"]


@pytest.mark.parametrize("options, first", [("ndots:1", "api.corp"), ("ndots:5", "api.corp.example")])
def test_ndots_is_respected(world, options, first):
    world.put("etc/resolv.conf", f"nameserver 127.0.0.53\nsearch example\noptions {options}\n")
    world.server("127.0.0.53", {"api.corp": [API]})
    told = world.connect("api.corp", [API])
    assert told["reached"] == [API] and asked(told)[0] == first


def test_a_dead_first_server_is_skipped(world):
    """The first server's address refuses connections: the resolver must query the next server immediately."""
    world.put("etc/resolv.conf", "nameserver 127.0.0.52\nnameserver 127.0.0.53\n")
    world.server("127.0.0.53", {"api.corp": [API]})
    assert world.connect("api.corp", [API])["reached"] == [API]


def test_a_silent_first_server_is_skipped(world):
    world.put("etc/resolv.conf", "nameserver 127.0.0.52\nnameserver 127.0.0.53\noptions timeout:1\n")
    world.server("127.0.0.52", {}, mode="silent")
    world.server("127.0.0.53", {"api.corp": [API]})
    assert world.connect("api.corp", [API])["reached"] == [API]


@pytest.mark.parametrize("options", ["options timeout:1 attempts:1\n", ""], ids=["short", "default"])
def test_a_server_that_is_silent_about_ipv6_addresses(world, options):
    """A server never answers queries for IPv6 addresses. The IPv4 addresses must be used: the resolver returns them
    after a timeout, or a second lookup asks for IPv4 only.
    """
    world.put("etc/resolv.conf", "nameserver 127.0.0.53\n" + options)
    world.server("127.0.0.53", {"api.corp": [API]}, mode="ipv4")
    told = world.connect("api.corp", [API])
    assert told["reached"], told
    assert set(told["reached"]) == {API}
    assert 'hostname "api.corp" could not be reached' not in world.look_up("api.corp")["output"]


def test_truncated_answers_are_fetched_by_tcp(world):
    world.put("etc/resolv.conf", "nameserver 127.0.0.53\n")
    world.server("127.0.0.53", {"api.corp": [API, *(f"127.0.1.{number}" for number in range(1, 60))]}, mode="truncated")
    told = world.connect("api.corp", [API, *(f"127.0.1.{number}" for number in range(1, 60))])
    assert told["reached"]
    assert {query["transport"] for query in told["queries"]} == {"udp", "tcp"}


def test_edns_is_used_if_resolv_conf_enables_it(world):
    world.put("etc/resolv.conf", "nameserver 127.0.0.53\noptions edns0 trust-ad\n")
    world.server("127.0.0.53", {"api.corp": [API]})
    told = world.connect("api.corp", [API])
    assert told["reached"] == [API] and all(query["edns"] for query in told["queries"])


def test_names_resolve_on_an_ipv6_only_host(world):
    world.put("etc/resolv.conf", "nameserver ::1\n")
    world.server("::1", {"api.corp": [API6]})
    assert world.connect("api.corp", [API6], ipv6_only=True)["reached"] == [API6]


def test_the_local_host_is_queried_without_resolv_conf(world):
    world.server("127.0.0.1", {"api.corp": [API]})
    assert world.connect("api.corp", [API])["reached"] == [API]


def test_addresses_need_no_server(world):
    world.put("etc/nsswitch.conf", "hosts: sss\n")
    told = world.connect(API, [API])
    assert told["reached"] == [API] and told["queries"] == []
