# SPDX-License-Identifier: Apache-2.0
"""A day of requests beside another approver that approves everything, in a few minutes: the shadow mode agrees with the
approval of each honest request, and disagrees with the approval of each hostile one."""

import concurrent.futures
import re
import threading
import time

import pytest

from approver import CAPI, CSRS, Api, Approver, World
from control_plane import eventually
from test_approver import program  # noqa: F401 - fixture
from test_approver_rights import account_of, api, audited, install, uninstall  # noqa: F401 - fixtures
from test_approver_shadow import args_of, shadow_objects

NODES = 40
LATE = 5  # every fifth machine gets its addresses only after its request
RENEWALS = 3
PARALLEL = 4
EVERYTHING = re.compile(r"shadow: (agree|disagree): (\S+) was (\w+), would be (approved|left pending): (\S+)")


class Stamp(threading.Thread):
    """Approves every request as soon as it sees it."""

    def __init__(self, plane):
        super().__init__(daemon=True)
        self.api = Api(plane)
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.1):
            for request in self.api("GET", CSRS)[1]["items"]:
                if not request.get("status", {}).get("conditions"):
                    request["status"] = {"conditions": [{"type": "Approved", "status": "True", "reason": "Stamp",
                                                         "message": "everything is approved"}]}
                    self.api("PUT", f"{CSRS}/{request['metadata']['name']}/approval", request)

    def end(self):
        self.ended.set()
        self.join()


def addresses_of(number):
    name = f"node-{number}"
    return [{"type": "InternalDNS", "address": name}, {"type": "Hostname", "address": name},
            {"type": "InternalIP", "address": f"10.8.{number // 250}.{number % 250 + 1}"}]


def names_of(number):
    return [f"node-{number}", addresses_of(number)[2]["address"]]


def join(world, number):
    """A machine joins as a kubelet does, and renews its serving certificate. Returns the names of its requests."""
    name = f"node-{number}"
    late = number % LATE == 0
    world.machine(name, addresses=[{"type": "Hostname", "address": name}] if late else addresses_of(number), group=CAPI)
    requests = [world.client_csr(name)]
    if late:
        time.sleep(2)
        world.machine(name, addresses=addresses_of(number), group=CAPI)
    eventually(lambda: world.certificate(requests[0]))
    world.node(name, addresses_of(number))
    world.machine(name, node=name, addresses=addresses_of(number), group=CAPI)
    for renewal in range(RENEWALS):
        requests.append(world.serving_csr(name, names_of(number), f"-{renewal}"))
        eventually(lambda: world.certificate(requests[-1]))
    return requests


def attack(world, number):
    """Requests that no machine attests, made with the credentials of a node that has joined, or of a joining one."""
    name, other = f"node-{number}", f"node-{(number + 1) % NODES}"
    return [
        world.client_csr(name, suffix="-again"),  # the node exists
        world.client_csr(f"unknown-{number}"),  # no machine has this name
        world.client_csr(f"stranger-{number}", names=["10.0.0.1"]),  # a client certificate has no names
        world.serving_csr(name, [name, names_of((number + 1) % NODES)[1]], "-address"),  # the address of another node
        world.serving_csr(name, [name, other], "-name"),  # the name of another node
        world.serving_csr(name, [*names_of(number), "kubernetes.default.svc"], "-service"),  # the name of a Service
    ]


def compared(approver):
    """Returns the agreement by request, as logged."""
    return {match[2]: match[1] for match in EVERYTHING.finditer(approver.log.read_text())}


@pytest.fixture
def shadow(audited, api, program, tmp_path):  # noqa: F811
    """The approver in the shadow mode, with the rights of its manifests, beside the stamp."""
    World(api).clear()
    objects = shadow_objects("cluster-api", tmp_path)
    install(api, objects)
    _, answer = api("POST", "/api/v1/namespaces/{}/serviceaccounts/{}/token".format(*account_of(objects)),
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    audited._write_kubeconfig("approver", {"token": answer["status"]["token"]})
    approver = Approver(program, audited, tmp_path / "log", *args_of(objects))
    stamp = Stamp(audited)
    try:
        approver.ready()
        stamp.start()
        yield approver
    finally:
        stamp.end()
        approver.end()
        World(api).clear()
        uninstall(api, objects)


def test_the_shadow_mode_agrees_with_honest_requests_only(shadow, audited):  # noqa: F811
    local = threading.local()

    def each(action, number):
        if not hasattr(local, "world"):  # a connection for each thread
            local.world = World(Api(audited))
        return action(local.world, number)

    with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
        honest = [name for names in pool.map(lambda number: each(join, number), range(NODES)) for name in names]
        hostile = [name for names in pool.map(lambda number: each(attack, number), range(0, NODES, 4))
                   for name in names]
    assert (len(honest), len(hostile)) == (NODES * (1 + RENEWALS), 60)
    # A disagreement is reported after a minute, in which evidence could arrive.
    eventually(lambda: set(compared(shadow)) == {*honest, *hostile}, limit=240)
    agreement = compared(shadow)
    assert {name for name in honest if agreement[name] != "agree"} == set()
    assert {name for name in hostile if agreement[name] != "disagree"} == set()
