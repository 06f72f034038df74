# SPDX-License-Identifier: Apache-2.0
"""The limits of an attack on the approver with one stolen credential. Most tests use a stand-in for the API server.
"""

import base64
import datetime
import os
import socket
import subprocess
import urllib.request

import pytest
from cryptography import x509

from approver import BOOTSTRAPPER, BOOTSTRAPPER_GROUPS, CSRS, World, request_pem
from control_plane import eventually
from hostile_server import HostileServer
from test_approver import api, program, start  # noqa: F401 - fixtures

MIB = 1 << 20
MOST = 100 * 10**6 // 1024  # KiB


def memory(pid, what="VmHWM"):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(next(line.split()[1] for line in status if line.startswith(what)))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def against(program, tmp_path):  # noqa: F811
    """Runs an approver against a server. Returns its process and a function that reads a path of its metrics server."""
    ends = []

    def begin(server, *flags):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        config = server.kubeconfig(tmp_path / "config")
        log = open(tmp_path / "log", "wb")
        process = subprocess.Popen(
            [program, f"--workload-cluster-kubeconfig={config}", f"--management-cluster-kubeconfig={config}",
             f"--metrics-bind-address=127.0.0.1:{port}", "--leader-elect=false", "--disable-status-controller",
             "--inventory=nodes", *flags], stdout=log, stderr=log)

        def end():
            process.kill()
            process.wait()
            server.end()
            log.close()

        ends.append(end)

        def get(path):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                return answer.read().decode()

        return process, get

    yield begin
    for end in ends:
        end()


def well_formed(names):
    return base64.b64encode(request_pem("system:node:evil", names))


def counted(get, name):
    try:
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in get("/metrics").splitlines() if line.startswith(name))
    except OSError:
        return 0


def test_ten_thousand_hostile_requests_cost_less_than_100_mb(against):
    many_names = [f"{i:x}-{'n' * 50}.example" for i in range(256)]
    texts = [base64.b64encode(b"\0" * (3 * MIB // 2)),  # about the largest text that an API server accepts
             base64.b64encode(b"-----BEGIN CERTIFICATE REQUEST-----\n" + b"A" * 60_000),
             *(well_formed([str(i), *many_names[1:]]) for i in range(8)),
             *(well_formed([f"{i}.example"]) for i in range(10)),
             *(well_formed([*many_names, f"{i}.too.many"]) for i in range(10))]
    texts += texts[2:] * 3  # one in about a hundred requests has more than a megabyte
    server = HostileServer(10_000, texts)
    process, get = against(server)
    eventually(lambda: server.served == server.count, limit=600)
    eventually(lambda: counted(get, "machine_approver_decisions_total") >= server.count, limit=300)
    assert get("/readyz") == "ok\n"
    peak = memory(process.pid)
    print(f"peak {peak // 1024} MiB, now {memory(process.pid, 'VmRSS') // 1024} MiB, {server.events} events, "
          f"{cpu_seconds(process.pid):.0f} s of CPU")
    assert peak <= MOST, f"{peak} KiB"


def test_a_flood_of_long_names_hides_no_other_request(against):
    """A node sends as many requests as it can, with names that come first in the list. A terminal request of another
    node must still get an Event."""
    server = HostileServer(40_000, [base64.b64encode(b"\0")], prefix="a" * 245)
    process, get = against(server)
    eventually(lambda: server.served == server.count, limit=300)
    server.tell("zebra", "system:node:zebra", base64.b64encode(b"-"))
    eventually(lambda: "zebra" in server.told, limit=120)
    assert get("/readyz") == "ok\n"
    assert memory(process.pid) <= MOST


CLIENT, SERVING = "kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"
USAGES = {CLIENT: ["digital signature", "client auth"], SERVING: ["digital signature", "server auth"]}


def ask(world, name, pem, signer=CLIENT, asker=(BOOTSTRAPPER, BOOTSTRAPPER_GROUPS), metadata=None, **spec):
    """Creates a request as the user and groups of `asker`. Returns False if the API server itself refuses it."""
    user, groups = asker
    code, answer = world.api("POST", CSRS, {
        "apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"signerName": signer, "request": base64.b64encode(pem).decode(), "usages": USAGES.get(signer, USAGES[CLIENT]),
                 **spec}}, user=user, groups=groups)
    assert code in (201, 400, 403, 422), answer
    return code == 201


def test_no_other_spelling_of_a_name_is_attested(api, start):  # noqa: F811
    """A Machine exists and waits for its certificate. A request for any other spelling of its name must not be
    approved."""
    world = World(api)
    world.clear()
    start("--api-group-version=machine.openshift.io/v1beta1", "--disable-status-controller").ready()
    world.machine("panda")
    spelled = ["panda.", "Panda", "PANDA", " panda", "panda ", "panda\n", "panda\0", "pand", "pandas", "anda", ":panda",
               "panda:", "panda:x", "system:node:panda", "panda/x", "../panda", "%70anda", "p\u0430nda", "panda\u200b",
               "\uff50anda", "xn--panda", "panda.example.com", "", "*", "panda,system:masters"]
    left = [name for i, text in enumerate(spelled)
            if ask(world, name := f"spelled-{i}", request_pem(f"system:node:{text}"))]
    for i, text in enumerate(("System:node:panda", "system:node", "system:nodes:panda", "panda", "system:node:panda ")):
        if ask(world, f"prefix-{i}", request_pem(text)):
            left.append(f"prefix-{i}")
    assert len(left) > 20
    for name in left:
        eventually(lambda name=name: world.events(name))
        assert world.conditions(name) == [], name
    assert ask(world, "exact", request_pem("system:node:panda"))
    eventually(lambda: world.certificate("exact"))
    world.clear()


def test_no_other_requester_signer_or_usage_is_attested(api, start):  # noqa: F811
    world = World(api)
    world.clear()
    start("--api-group-version=machine.openshift.io/v1beta1", "--disable-status-controller").ready()
    world.machine("panda")
    world.node("bear")
    world.machine("bear", node="bear", addresses=[{"type": "Hostname", "address": "bear"}])
    pem, bear = request_pem("system:node:panda"), request_pem("system:node:bear", ["bear"])
    node = ["system:nodes"]
    tried = {
        "as-node": ask(world, "as-node", pem, asker=("system:node:panda", node)),
        "as-token": ask(world, "as-token", pem, asker=("system:bootstrap:abcdef", ["system:bootstrappers"])),
        "more-groups": ask(world, "more-groups", pem, asker=(BOOTSTRAPPER, [*BOOTSTRAPPER_GROUPS, "system:nodes"])),
        "serving-signer": ask(world, "serving-signer", pem, SERVING, ("system:node:panda", node)),
        "client-signer": ask(world, "client-signer", bear, CLIENT),
        "both-usages": ask(world, "both-usages", pem, usages=["digital signature", "client auth", "server auth"]),
        "any-usage": ask(world, "any-usage", pem, usages=["digital signature", "client auth", "any"]),
        "signing": ask(world, "signing", pem, usages=["digital signature", "cert sign", "client auth"]),
        "no-usage": ask(world, "no-usage", pem, usages=["client auth"]),
        "for-another": ask(world, "for-another", bear, SERVING, ("system:node:evil", node)),
        "colons": ask(world, "colons", bear, SERVING, ("system:node:bear:", node)),
        "twice": ask(world, "twice", bear, SERVING, ("system:node:system:node:bear", node)),
        "capitals": ask(world, "capitals", bear, SERVING, ("system:node:BEAR", node)),
        "no-group": ask(world, "no-group", bear, SERVING, ("system:node:bear", ["system:nodes2"])),
    }
    asked = [name for name, taken in tried.items() if taken]
    assert len(asked) > 8, tried
    # The same users then send honest requests. Their approval shows that the approver has seen all earlier requests.
    assert ask(world, "panda-itself", pem, expirationSeconds=2**31 - 1)
    assert ask(world, "bear-itself", bear, SERVING, ("system:node:bear", node), expirationSeconds=600)
    eventually(lambda: world.certificate("panda-itself"))
    eventually(lambda: world.certificate("bear-itself"))
    for name in asked:
        assert world.conditions(name) == [], name
    long = x509.load_pem_x509_certificate(base64.b64decode(world.certificate("panda-itself")))
    assert long.not_valid_after - long.not_valid_before <= datetime.timedelta(days=366), "the signer has the last word"
    world.clear()


def test_one_nodes_requests_stop_no_others(api, start):  # noqa: F811
    """A node sends more well-formed requests than the limit of pending ones, in its own name and in other names. The
    request of another node must still be approved."""
    world = World(api)
    world.clear()
    approver = start("--api-group-version=machine.openshift.io/v1beta1", "--disable-status-controller").ready()
    most = int(approver.metric("mapi_max_pending_csr"))
    for i in range(most + 20):
        world.serving_csr("evil", ["evil", f"10.8.{i // 250}.{i % 250}"] if i % 2 else [f"other-{i}"], f"-{i}")
    eventually(lambda: approver.metric("mapi_current_pending_csr") == 10)
    world.machine("panda")
    assert ask(world, "panda-flooded", request_pem("system:node:panda"))
    eventually(lambda: world.certificate("panda-flooded"))
    assert approver.metric("mapi_current_pending_csr") == 10
    world.clear()


SWELLS = {
    # Each "<" becomes six characters in JSON: the largest request that etcd stores becomes a response of nine
    # megabytes.
    "an owner's name": lambda world: ask(world, "evil", request_pem("system:node:evil"), metadata={
        "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "<" * 1_500_000, "uid": "1"}]}),
    "an annotation": lambda world: ask(world, "evil", request_pem("system:node:evil"), metadata={
        "annotations": {"a": "<" * 260_000}}),
}


@pytest.mark.parametrize("what", SWELLS)
def test_an_object_that_json_swells_hides_no_others(api, start, what):  # noqa: F811
    world = World(api)
    world.clear()
    flags = "--api-group-version=machine.openshift.io/v1beta1", "--disable-status-controller"
    approver = start(*flags).ready()
    assert SWELLS[what](world)
    for name in ("panda", "bear"):  # the first request arrives by a watch, the second by a list
        world.machine(name)
        assert ask(world, f"{name}-behind", request_pem(f"system:node:{name}"))
        eventually(lambda name=name: world.certificate(f"{name}-behind"))
        assert memory(approver.process.pid) <= MOST
        approver.kill()
        approver = start(*flags).ready()
    world.clear()
