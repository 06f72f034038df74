# SPDX-License-Identifier: Apache-2.0
"""Approvers that are interrupted, overtaken or blocked: no request is lost, and none is approved twice."""

import signal
import socket
import subprocess
import time

import pytest

from approver import CSRS, TOP, World, request_pem
from control_plane import eventually
from test_approver import api, approvals_written, program, start  # noqa: F401 - fixtures

MACHINES = "--api-group-version=machine.openshift.io/v1beta1"


@pytest.fixture
def world(api):  # noqa: F811
    world = World(api)
    world.clear()
    return world


@pytest.fixture
def alone(start):  # noqa: F811
    """An approver without leader election, so that a test may stop it for a while."""
    return start(MACHINES, "--leader-elect=false", "--disable-status-controller").ready()


def decide(world, name, kind):
    csr = world.csr(name)
    csr["status"]["conditions"] = [{"type": kind, "status": "True", "reason": "Me", "message": "by hand"}]
    status, answer = world.api("PUT", f"{CSRS}/{name}/approval", csr)
    assert status == 200, answer


def test_changes_without_a_watch_are_listed(world, alone, plane):
    """The approver is stopped while objects change and etcd's history is compacted, so that its watches end with 410
    Gone. After it continues, it must list the changes, and watch again."""
    world.machine("kept")
    world.machine("gone")
    eventually(lambda: alone.metric("mapi_max_pending_csr") == 102)
    alone.process.send_signal(signal.SIGSTOP)
    world.delete_machine("gone")
    world.machine("made")
    names = {name: world.client_csr(name) for name in ("kept", "made", "gone")}
    plane.compact()
    plane.restart_apiserver()
    alone.process.send_signal(signal.SIGCONT)
    for name in ("kept", "made"):
        eventually(lambda name=name: world.conditions(names[name]) == ["Approved"])
    eventually(lambda: "client-no-machine-with-internal-dns" in world.events(names["gone"]))
    assert world.conditions(names["gone"]) == [], "the machine that attests is read once more before an approval"
    world.machine("late")  # the new watch reports this machine
    late = world.client_csr("late")
    eventually(lambda: world.conditions(late) == ["Approved"])


def test_the_first_decision_is_not_overruled(world, alone):
    world.machine("first")
    world.machine("denied")
    eventually(lambda: alone.metric("mapi_max_pending_csr") == 102)
    alone.process.send_signal(signal.SIGSTOP)
    approved, denied = world.client_csr("first"), world.client_csr("denied")
    decide(world, approved, "Approved")
    decide(world, denied, "Denied")
    written = approvals_written(world.api)
    alone.process.send_signal(signal.SIGCONT)
    world.machine("marker")
    marker = world.client_csr("marker")
    eventually(lambda: world.conditions(marker) == ["Approved"])
    assert [each["message"] for each in world.csr(approved)["status"]["conditions"]] == ["by hand"]
    assert world.conditions(denied) == ["Denied"]
    assert approvals_written(world.api) - written == 1, "the marker's, no other"


def lists(world):
    """Returns the number of lists that the API server has answered to the approver."""
    _, text = world.api("GET", "/metrics")
    lines = [line for line in text.splitlines() if line.startswith("apiserver_request_total{") and 'verb="LIST"' in line
             and any(f'resource="{kind}"' in line for kind in ("machines", "nodes", "certificatesigningrequests"))]
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in lines)


def test_an_approval_costs_one_write_and_no_list(world, alone):
    world.machine("before")
    before = world.client_csr("before")
    eventually(lambda: world.conditions(before) == ["Approved"])
    listed, written = lists(world), approvals_written(world.api)
    names = []
    for i in range(20):
        world.machine(f"cheap-{i}")
        names.append(world.client_csr(f"cheap-{i}"))
    for name in names:
        eventually(lambda name=name: world.conditions(name) == ["Approved"])
    assert lists(world) == listed
    assert approvals_written(world.api) - written == len(names)


def test_an_approval_leaves_the_request_as_it_is(world, alone):
    name = world.client_csr("labelled")
    kept = {"labels": {"team": "a"}, "annotations": {"note": "b"}, "finalizers": ["example.com/archived"]}
    path = f"/apis/certificates.k8s.io/v1/certificatesigningrequests/{name}"
    code, answer = world.api("PATCH", path, {"metadata": kept})
    assert code == 200, answer
    world.machine("labelled")
    eventually(lambda: world.conditions(name) == ["Approved"])
    _, approved = world.api("GET", path)
    assert {key: approved["metadata"].get(key) for key in kept} == kept
    world.api("PATCH", path, {"metadata": {"finalizers": None}})


def test_the_latest_of_waiting_requests_is_approved(world, alone):
    names = []
    for suffix in ("-c", "-a", "-b"):  # a kubelet that was started three times before its Machine got addresses
        names.append(world.client_csr("restarted", suffix=suffix))
        time.sleep(1.1)  # creation times have a resolution of a second
    world.machine("restarted")
    eventually(lambda: world.conditions(names[-1]) == ["Approved"])
    eventually(lambda: "client-superseded" in world.events(names[0]) + world.events(names[1]))
    assert world.conditions(names[0]) == world.conditions(names[1]) == []


def test_an_approver_without_the_lease_approves_nothing(world, start):  # noqa: F811
    flags = (MACHINES, "--disable-status-controller")
    first = start(*flags).ready()
    eventually(first.leads)
    second = start(*flags).ready()
    written = approvals_written(world.api)
    first.process.send_signal(signal.SIGSTOP)
    names = []
    for i in range(5):
        world.machine(f"handed-{i}")
        names.append(world.client_csr(f"handed-{i}"))
    for name in names:
        eventually(lambda name=name: world.conditions(name) == ["Approved"])
    assert second.leads()
    first.process.send_signal(signal.SIGCONT)
    assert first.process.wait(timeout=20) == 255, "its lease is somebody else's"
    assert approvals_written(world.api) - written == len(names)


def test_odd_content_around_a_request_is_refused_and_does_no_harm(world, alone):
    """The API server accepts these requests, because its parser skips content around a PEM block. The approver must
    refuse them, and still approve a plain request."""
    names = []
    for i, odd in enumerate(("-----BEGIN \n{0}", "-----BEGIN X-----\n-----END \n{0}", "-----BEGIN \t \r\n{0}",
                             "\0\xff\n{0}", "text\n{0}", "{0}text", "{0}{0}", "{1}\nk: v\n\n{2}", "{0}{1}\n=\n{2}")):
        world.machine(f"odd-{i}")
        pem = request_pem(f"system:node:odd-{i}").decode()
        names.append(world.client_csr(f"odd-{i}", pem=odd.format(pem, *pem.split("\n", 1)).encode("latin-1")))
    world.machine("plain")
    plain = world.client_csr("plain")
    eventually(lambda: world.conditions(plain) == ["Approved"])
    for name in names:
        eventually(lambda name=name: "bad-pem" in world.events(name))
        assert world.conditions(name) == []
    world.clear()


def test_kubelets_that_do_not_answer_delay_no_others(world, alone, plane):
    """More kubelets than the approver has dialling workers accept connections and never answer. The approver must still
    approve the request of a Machine within 15 s."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as silent:
        bundle = (plane.directory / "ca.crt").read_text()
        world.config_map("csr-controller-ca", {"ca-bundle.crt": bundle}, "openshift-config-managed")
        port = silent.getsockname()[1]
        for i in range(24):
            world.node(f"mute-{i}", [{"type": "InternalIP", "address": "127.0.0.1"}], port)
            world.serving_csr(f"mute-{i}", [f"mute-{i}"])
        world.machine("swift")
        swift = world.client_csr("swift")
        eventually(lambda: world.conditions(swift) == ["Approved"], limit=15)
    world.config_map("csr-controller-ca", {"ca-bundle.crt": ""}, "openshift-config-managed")


def test_clocks_that_step_cost_neither_the_lease_nor_an_approval(world, start, tmp_path):  # noqa: F811
    launcher, shift = tmp_path / "shifted-clock", tmp_path / "shift"
    subprocess.run(["cc", "-o", launcher, TOP / "tests/cluster/testdata/shifted-clock.c"], check=True)
    shift.write_text("0")
    leader = start(environment={"SHIFT_FILE": str(shift)}, under=[launcher]).ready()
    eventually(leader.leads)
    other = start().ready()
    for seconds in (7200, -7200, 0):
        shift.write_text(str(seconds))
        name = f"step{seconds}".replace("-", "-back-")
        world.machine(name)
        csr = world.client_csr(name)
        eventually(lambda csr=csr: world.conditions(csr) == ["Approved"])
        assert leader.leads() and not other.leads()
    leader.kill()
    eventually(other.leads)
    assert other.process.poll() is None


def test_one_certificate_of_a_machine_is_in_flight(world, alone):
    """A machine sends four requests at the same time, and one later. The approver must approve one of them. It may
    approve another one only after the approved request has been deleted."""
    world.machine("single")
    names = [world.client_csr("single", suffix=f"-{i}") for i in range(4)]
    eventually(lambda: [name for name in names if world.conditions(name)])
    names.append(world.client_csr("single", suffix="-after"))
    first, = [name for name in names if world.conditions(name)]
    for name in names:
        if name != first:
            eventually(lambda name=name: "certificate-in-flight" in world.events(name))
            assert world.conditions(name) == []
    eventually(lambda: world.certificate(first))
    world.api("DELETE", f"{CSRS}/{first}")
    eventually(lambda: sum(bool(world.conditions(name)) for name in names if name != first) == 1)
    world.clear()
