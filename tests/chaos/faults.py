# SPDX-License-Identifier: Apache-2.0
"""Faults on hosts while kubeadm runs. Each fault is a context manager, which begins and ends it."""

import concurrent.futures
import contextlib
import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from chaos.memory import little_memory
from chaos.slow_network import slow_network
from chaos.stepped_clock import SteppedClock
from cluster.hosts import HostError
from cluster.processes import Process, children

HOGS_PER_CORE = 4
# A hog ends by itself if it is never stopped.
HOG = "import time\nend = time.monotonic() + 900\nwhile time.monotonic() < end: pass"


@contextlib.contextmanager
def cpu_hogs(_):
    """Runs four busy processes for each core of this machine."""
    hogs = [
        subprocess.Popen([sys.executable, "-c", HOG], stdin=subprocess.DEVNULL)
        for _ in range(HOGS_PER_CORE * os.cpu_count())
    ]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def descendants(pid):
    for child in children(pid):
        yield child
        yield from descendants(child)


def processes(host, name):
    """Returns the host's processes that run a program of that name."""
    for pid in descendants(host.init.pid):
        with contextlib.suppress(OSError):
            program = os.readlink(f"/proc/{pid}/exe").split("/")[-1]
            if program == name and (process := Process.of(pid)):
                yield process


def send(process, number):
    if process.alive():
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


class Repeated(contextlib.AbstractContextManager):
    """Calls `act` repeatedly in a separate thread, with pauses from a seeded random source."""

    def __init__(self, act, shortest, longest, seed=1):
        self._act, self._pauses = act, (shortest, longest)
        self._random = random.Random(seed)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        while not self._stop.wait(self._random.uniform(*self._pauses)):
            self._act(self._random)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()


def slow_etcd(machines):
    """Stops etcd for 0.4 s in about every second, which simulates a disk that syncs slowly."""

    def stall(_):
        stopped = [each for machine in machines for each in processes(machine.host, "etcd")]
        for process in stopped:
            send(process, signal.SIGSTOP)
        time.sleep(0.4)
        for process in stopped:
            send(process, signal.SIGCONT)

    return Repeated(stall, 0.3, 0.9)


DROPPING = """\
table inet chaos {{
  chain in {{
    type filter hook input priority -300
    iifname eth0 {0} drop
  }}
  chain out {{
    type filter hook output priority -300
    oifname eth0 {0} drop
  }}
}}
"""


@contextlib.contextmanager
def dropping(machines, rule):
    """Drops packets that match the nftables rule and come from, or go to, other hosts."""
    for machine in machines:
        machine.host.run("nft", "-f", "-", stdin=DROPPING.format(rule))
    try:
        yield
    finally:
        for machine in machines:
            machine.host.run("nft", "delete", "table", "inet", "chaos", check=False)


def lossy_network(machines):
    """Loses one packet of twenty, in each direction."""
    return dropping(machines, "numgen random mod 100 < 5")


@contextlib.contextmanager
def parted_network(machines):
    """Drops all packets between the last host and the others for 20 seconds, starting after three seconds."""

    def part():
        if over.wait(3):
            return
        with dropping(machines[-1:], ""):
            over.wait(20)

    over = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        parting = pool.submit(part)
        try:
            yield
        finally:
            over.set()
        parting.result()


def etcdctl(host, *words):
    pki = "/etc/kubernetes/pki/etcd"
    keys = (f"--cacert={pki}/ca.crt", f"--cert={pki}/healthcheck-client.crt", f"--key={pki}/healthcheck-client.key")
    return host.run("etcdctl", *keys, *words, timeout=20).stdout


def move_leader(host):
    """Transfers etcd's leadership, if there is another voting member."""
    listed = json.loads(
        etcdctl(host, "--endpoints=https://127.0.0.1:2379", "endpoint", "status", "--cluster", "-w", "json")
    )
    statuses = {each["Status"]["header"]["member_id"]: each for each in listed}
    leader = next((number for number, each in statuses.items() if each["Status"]["leader"] == number), None)
    heirs = [n for n, each in statuses.items() if n != leader and not each["Status"].get("isLearner")]
    if leader and heirs:
        etcdctl(host, f"--endpoints={statuses[leader]['Endpoint']}", "move-leader", f"{heirs[0]:x}")


def killed_components(machines):
    """Six times, some seconds apart, kills the kubelet, API server, scheduler or etcd, restarts containerd,
    or transfers etcd's leadership."""
    left = iter(range(6))

    def kill(chance):
        if next(left, None) is None:
            return
        host = chance.choice(machines).host
        victim = chance.choice(["kubelet", "kube-apiserver", "kube-scheduler", "etcd", "containerd", "leader"])
        with contextlib.suppress(HostError, subprocess.SubprocessError, json.JSONDecodeError):
            if victim == "containerd":
                host.service("containerd", "restart")
            elif victim == "leader":
                move_leader(host)
            else:
                for process in processes(host, victim):
                    send(process, signal.SIGKILL)

    return Repeated(kill, 1, 5)


@contextlib.contextmanager
def stepped_clock(_):
    """Repeatedly sets the clock 20 s forwards or backwards, and right again some seconds later."""
    clock = SteppedClock()
    try:
        with Repeated(clock.step, 0.5, 4):
            yield
    finally:
        clock.restore()


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault. `strikes(machines)` returns its context manager. The error of a command under the fault must name one of
    `struck`."""

    strikes: Callable
    struck: tuple


# A component that needs etcd reports etcd, or the API server in front of it, as the cause. A kubelet reports the API
# server, from which it requests its certificate.
CONTROL_PLANE = ("etcd", "api server", "apiserver", ":6443", "kubelet", "controller", "scheduler", "kube-proxy")
SLOW = (*CONTROL_PLANE, "within", "in time", "container runtime")

FAULTS = {
    "cpu-hogs": Fault(cpu_hogs, SLOW),
    "slow-etcd": Fault(slow_etcd, ("etcd", "api server", "apiserver", ":6443", "kubelet")),
    "lossy-network": Fault(lossy_network, ("etcd", "api server", "apiserver", ":6443", "api.bench", "kubelet")),
    "parted-network": Fault(parted_network, ("etcd", "api server", "apiserver", ":6443", "api.bench", "kubelet")),
    "slow-network": Fault(
        slow_network, ("etcd", "api server", "apiserver", ":6443", "api.bench", "kubelet", "within", "in time")
    ),
    "killed-components": Fault(killed_components, (*CONTROL_PLANE, "container runtime", "containerd")),
    "little-memory": Fault(little_memory, (*SLOW, "memory")),
}
# These faults also affect other processes. They are used only if the tests may set this machine's clock (--set-clock).
OF_THE_MACHINE = {
    "stepped-clock": Fault(stepped_clock, (*CONTROL_PLANE, "clock", "time", "certificate", "not yet valid")),
}
