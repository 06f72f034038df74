# SPDX-License-Identifier: Apache-2.0
"""Hostile joins, races of requests, and the loss of the leader, against a real API server. The complete table of
hostile joins is in src/approver/judgement/hostile_joins_test.cc."""

import base64
import signal
import socket
import threading

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric import ec

from approver import NAMESPACE, TOP, Api, World, request_pem
from control_plane import eventually
from test_approver import api, approvals_written, program, start  # noqa: F401 - fixtures
from test_approver_dns import names  # noqa: F401 - a fixture

TOKEN_GROUPS = ["system:bootstrappers"]
ALONE = "--leader-elect=false"
USED = f"/api/v1/namespaces/{NAMESPACE}/configmaps/cluster-machine-approver-used"


@pytest.fixture(params=["file", "dns"])
def standing_hosts(request, api):  # noqa: F811
    """A cluster, and the flags of an inventory that lists the host `host-1` for any number of joins. Runs each test
    with the inventory `file` and with the inventory `dns`."""
    if request.param == "file":
        return request.getfixturevalue("hosts")
    world, server = World(api), request.getfixturevalue("names")
    world.clear()
    server.add("host-1 1 IN A 10.0.0.1", "alias 1 IN CNAME host-1")
    world.flags = (*server.flags, "--disable-status-controller")
    return world


@pytest.fixture
def hosts(api, tmp_path):  # noqa: F811
    """A cluster, and the flags of an inventory with hosts that may join often and hosts that may join once."""
    for part in ("rbac.yaml", "used.yaml"):
        api.apply(TOP / "deploy/approver/components/inventory-configmap" / part, NAMESPACE)
    api("PATCH", USED, {"data": None})
    world = World(api)
    world.clear()
    file = tmp_path / "hosts.yaml"
    file.write_text(yaml.safe_dump([*({"hostname": f"host-{i}"} for i in range(40)),
                                    *({"hostname": f"once-{i}", "use": "once"} for i in range(20))]))
    world.flags = ("--inventory=file", f"--inventory-file={file}", "--disable-status-controller")
    return world


def judged(world, name):
    """Returns the decision on a request: its conditions, or the reasons of its Events. Returns None if it has
    neither."""
    conditions = world.conditions(name)
    return conditions or world.events(name) or None


# Attacks by name: the attacker's changes of an honest request, and the reason in the approver's Event. For the reason
# None, the approver ignores the request and creates no Event.
SAMPLE = {
    "unlisted": ({"node": "unlisted"}, "client-no-machine-with-internal-dns"),
    "longer": ({"node": "host-1x"}, "client-no-machine-with-internal-dns"),
    "below": ({"node": "a.host-1"}, "client-no-machine-with-internal-dns"),
    "domain": ({"node": "host-1.nodes.test"}, "client-no-machine-with-internal-dns"),
    "underscore": ({"node": "_host-1"}, "client-no-machine-with-internal-dns"),
    "capitals": ({"node": "HOST-1"}, "name-not-canonical"),
    "dot": ({"node": "host-1."}, "name-not-canonical"),
    "path": ({"node": "../host-1"}, "client-node-lookup-failed"),
    "masters": ({"organization": "system:masters"}, "serving-not-a-node-user"),
    "dns": ({"names": ["host-1"]}, "serving-not-a-node-user"),
    "ip": ({"names": ["10.0.0.1"]}, "serving-not-a-node-user"),
    "uri": ({"names": ["spiffe://a/b"]}, "serving-not-a-node-user"),
    "server": ({"usages": ["digital signature", "server auth"]}, "serving-not-a-node-user"),
    "both": ({"usages": ["digital signature", "client auth", "server auth"]}, "serving-not-a-node-user"),
    "user": ({"user": "somebody", "groups": ["system:bootstrappers"]}, None),
    "node": ({"user": "system:node:host-1", "groups": ["system:nodes"]}, None),
    "group": ({"groups": ["joiners"]}, "client-not-bootstrapper"),
    "text": ({"around": "{}text"}, "bad-pem"),
    "twice": ({"around": "{0}{0}"}, "bad-pem"),
}


def ask(world, name, node="host-1", user="system:bootstrap:abcdef", groups=TOKEN_GROUPS, usages=None, around="{}",
        **request):
    pem = around.format(request_pem(f"system:node:{node}", **request).decode()).encode()
    body = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
            "spec": {"signerName": "kubernetes.io/kube-apiserver-client-kubelet",
                     "request": base64.b64encode(pem).decode(),
                     "usages": usages or ["digital signature", "key encipherment", "client auth"]}}
    return world.api("POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests", body, user=user, groups=groups)


def test_no_hostile_join_is_approved(standing_hosts, start, api):  # noqa: F811
    api.make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "anybody-asks"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:node-bootstrapper"},
        "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": "system:authenticated"}]})
    start(*standing_hosts.flags, ALONE).ready()
    sent = {}
    for name, (change, reason) in SAMPLE.items():
        status, answer = ask(standing_hosts, f"hostile-{name}", **change)
        if status == 201:
            sent[f"hostile-{name}"] = reason
        else:
            assert status in (400, 403, 422), answer  # the API server refuses some before the approver
    assert len(sent) >= 12, sent
    for name, reason in sent.items():
        eventually(lambda name=name, reason=reason: reason is None or reason in standing_hosts.events(name))
        assert standing_hosts.conditions(name) == []
    ask(standing_hosts, "honest")
    eventually(lambda: standing_hosts.conditions("honest") == ["Approved"])
    for name in sent:
        assert standing_hosts.conditions(name) == []


def test_of_two_requests_at_once_for_a_one_time_host_one_is_approved(hosts, start, plane):  # noqa: F811
    start(*hosts.flags, ALONE).ready()
    count, rivals = 6, 4
    gate = threading.Barrier(count * rivals)

    def race(node, rival):
        own = World(Api(plane))
        gate.wait()
        status, answer = ask(own, f"race-{node}-{rival}", node=f"once-{node}")
        assert status == 201, answer

    threads = [threading.Thread(target=race, args=(i, j)) for i in range(count) for j in range(rivals)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(count):
        names = [f"race-{i}-{j}" for j in range(rivals)]
        eventually(lambda names=names: sum(hosts.conditions(name) == ["Approved"] for name in names) == 1)
    for i in range(count):
        names = [f"race-{i}-{j}" for j in range(rivals)]
        eventually(lambda names=names: all(judged(hosts, name) for name in names))
        assert sorted(map(hosts.conditions, names)) == [[]] * (rivals - 1) + [["Approved"]]


def test_a_replayed_request_gets_no_second_certificate(hosts, start):  # noqa: F811
    start(*hosts.flags, ALONE).ready()
    key = ec.generate_private_key(ec.SECP256R1())
    ask(hosts, "original", node="once-0", key=key)
    eventually(lambda: hosts.conditions("original") == ["Approved"])
    hosts.api("DELETE", "/apis/certificates.k8s.io/v1/certificatesigningrequests/original")
    for name, change in {"same-key": {"key": key}, "other-key": {}}.items():
        ask(hosts, name, node="once-0", **change)
        eventually(lambda name=name: "client-entry-used" in hosts.events(name))
        assert hosts.conditions(name) == []


class Line:
    """A proxy for TCP connections to the API server, which can simulate a partition."""

    def __init__(self, port):
        self.target, self.is_cut, self.is_over, self.pairs = port, False, threading.Event(), []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.socket.accept()
            except OSError:
                return
            if self.is_cut:
                self.pairs.append(near)  # a connection during the partition gets no answer
                continue
            far = socket.create_connection(("127.0.0.1", self.target))
            self.pairs += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source, sink):
        try:
            while data := source.recv(65536):
                while self.is_cut and not self.is_over.wait(0.1):
                    pass
                if not self.is_over.is_set():
                    sink.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                end.close()

    def close(self):
        self.is_over.set()
        for end in [self.socket, *self.pairs]:
            end.close()

    def cut(self):
        """From now on the proxy forwards nothing, as in a partition."""
        self.is_cut = True


@pytest.fixture
def line(plane, api, tmp_path):  # noqa: F811
    """A proxy between one replica and the API server, and the replica's flags."""
    line = Line(plane.port)
    config = plane.kubeconfig("approver").read_text().replace(f":{plane.port}", f":{line.port}")
    (tmp_path / "config").write_text(config)
    line.flags = tuple(f"--{cluster}-cluster-kubeconfig={tmp_path / 'config'}" for cluster in ("workload", "management"))
    yield line
    line.close()


@pytest.mark.parametrize("end", ["killed", "stopped", "partitioned"])
def test_the_loss_of_the_leader_costs_no_decision_and_makes_no_second(hosts, start, line, end):  # noqa: F811
    """The leader is killed, stopped or partitioned in the middle of 80 requests. Each request must get exactly one
    decision, and the right one."""
    before = approvals_written(hosts.api)
    leader = start(*hosts.flags, *line.flags).ready()
    eventually(leader.leads)
    other = start(*hosts.flags).ready()
    honest, hostile = [], []
    for i in range(40):
        ask(hosts, f"burst-{i}", node=f"host-{i}")
        honest.append(f"burst-{i}")
        ask(hosts, f"thief-{i}", node=f"unlisted-{i}")
        hostile.append(f"thief-{i}")
        if i % 2 == 0:  # the first of two requests for a host that may join once
            ask(hosts, f"first-{i}", node=f"once-{i // 2}")
        if i == 19:
            {"killed": leader.kill, "partitioned": line.cut,
             "stopped": lambda: leader.process.send_signal(signal.SIGSTOP)}[end]()
    eventually(other.leads)
    for i in range(0, 40, 2):
        ask(hosts, f"second-{i}", node=f"once-{i // 2}")
    if end == "stopped":
        leader.process.send_signal(signal.SIGCONT)
    if end != "killed":
        assert leader.process.wait(timeout=30) == 255, "its lease is lost"
    for name in honest:
        eventually(lambda name=name: hosts.conditions(name) == ["Approved"])
    once = [[f"first-{i}", f"second-{i}"] for i in range(0, 40, 2)]
    for pair in once:
        eventually(lambda pair=pair: all(judged(hosts, name) for name in pair) and
                   any(map(hosts.conditions, pair)))
        assert sorted(map(hosts.conditions, pair)) == [[], ["Approved"]], pair
    for name in hostile:
        eventually(lambda name=name: hosts.events(name))
        assert set(hosts.events(name)) == {"client-no-machine-with-internal-dns"} and hosts.conditions(name) == []
    # If the lost leader got no answer to a write, the API server may have made the write without counting it.
    written, expected = approvals_written(hosts.api) - before, len(honest) + len(once)
    assert expected - 8 <= written <= expected, "each approved once"
    assert other.process.poll() is None
