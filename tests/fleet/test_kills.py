# SPDX-License-Identifier: Apache-2.0
"""Processes are killed while operations of slipway-operator run. Each operation must end in success, or in a rollback
with its cause.

FLEET_KILLS sets the number of kills (default 12), and FLEET_SEED the seed for their times and victims.
"""

import collections
import contextlib
import json
import os
import random
import signal
import subprocess
import time

import pytest

from chaos.faults import processes, send
from cluster.hosts import HostError
from cluster.processes import wait_until
from fleet.runs import NAMESPACE, apply, nodes, reaches, status

pytestmark = pytest.mark.ours

KILLS = int(os.environ.get("FLEET_KILLS", "12"))
SEED = int(os.environ.get("FLEET_SEED", "1"))
KILLS_OF_ONE_OPERATION = 8  # fewer than the number of Pods that a Job may have
# Each of these costs a minute or two, for the start of the host or the end of the Lease.
ONCE_IN_AN_OPERATION = ("leader", "operator", "reboot")
# Jobs have a high weight, because an operation consists of them and each runs only for seconds.
CHANCES = {"apiserver": 1, "job": 4, "kubeadm": 4, "kubelet": 1, "leader": 1, "operator": 1, "reboot": 1}
ENDED = ("Complete", "Failed")
LIMIT = 900  # seconds for one operation: a killed leader costs one Lease, and a killed Pod its backoff
API_SERVER = "/etc/kubernetes/manifests/kube-apiserver.yaml"
LEASE = ("-n", NAMESPACE, "get", "lease", "slipway-fleet", "-o", "jsonpath={.spec.holderIdentity}")


@pytest.fixture(scope="module")
def cluster(new_fleet):
    """A control plane and two workers, with the operator."""
    return new_fleet(["control"], ["worker-1", "worker-2"])


class Killer:
    """Kills processes that take part in an operation, at random from a seed."""

    def __init__(self, cluster, seed):
        self._cluster = cluster
        self._chance = random.Random(seed)
        self._done = set()
        self._kills = {"operator": lambda: self._kill_processes("slipway-operator"), "leader": self._kill_leader,
                       "kubeadm": lambda: self._kill_processes("kubeadm"), "job": self._delete_pods_of_jobs,
                       "kubelet": lambda: self._kill_processes("kubelet"),
                       "apiserver": lambda: self._kill_processes("kube-apiserver"), "reboot": self._reboot}
        self.hits = collections.Counter()

    def begin_operation(self):
        self._done.clear()

    def pause(self):
        time.sleep(self._chance.uniform(0.5, 6))

    def strike(self):
        """Tries the victims in a random order, and kills the first one that runs. Returns its name; "" if none runs."""
        for victim in self._chance.sample(list(CHANCES), counts=CHANCES.values(), k=sum(CHANCES.values())):
            if victim in self._done:
                continue
            with contextlib.suppress(HostError, subprocess.SubprocessError, json.JSONDecodeError):
                if self._kills[victim]():
                    self.hits[victim] += 1
                    self._done.update({victim} & set(ONCE_IN_AN_OPERATION))
                    return victim
        return ""

    def _kill_processes(self, name):
        """Kills the processes of the program on one of the hosts on which it runs."""
        by_host = [found for machine in self._cluster.machines if (found := list(processes(machine.host, name)))]
        if not by_host:
            return False
        for process in self._chance.choice(by_host):
            send(process, signal.SIGKILL)
        return True

    def _kubectl(self, *words):
        return self._cluster.first.host.kubectl(*words, timeout=20)

    def _delete(self, pods):
        for pod in pods:
            self._kubectl("-n", NAMESPACE, "delete", "pod", pod, "--force", "--grace-period=0")
        return pods

    def _kill_leader(self):
        """Deletes the Pod that holds the Lease of operations. The holder's identity begins with the Pod's name."""
        return self._delete([self._kubectl(*LEASE).split("_")[0]])

    def _delete_pods_of_jobs(self):
        """Deletes the running Pods of all Jobs, as the garbage collection for a failed node does."""
        pods = json.loads(self._kubectl("-n", NAMESPACE, "get", "pods", "-l", "batch.kubernetes.io/job-name",
                                        "--field-selector", "status.phase=Running", "-o", "json"))["items"]
        return self._delete([pod["metadata"]["name"] for pod in pods])

    def _reboot(self):
        self._chance.choice(self._cluster.machines).host.reboot()
        return True


def run_under_kills(cluster, killer, name, number):
    """Runs an operation, during which it kills processes. Returns its final status, and the kills with their
    seconds."""
    host = cluster.first.host
    apply(cluster, name, {"configApply": {"set": [f"apiServer.extraArgs.event-ttl={number}m", f"kubelet.maxPods={number}"]}})
    begin, left, killed = time.monotonic(), KILLS_OF_ONE_OPERATION, []
    killer.begin_operation()
    while status(host, name).get("phase") not in ENDED:
        assert time.monotonic() - begin < LIMIT, (killed, status(host, name))
        killer.pause()
        if left and (victim := killer.strike()):
            left -= 1
            killed.append(f"{victim}@{time.monotonic() - begin:.0f}")
    assert wait_until(lambda: status(host, name).get("phase") in ENDED, 120), "the API server was killed last"
    return status(host, name), killed, time.monotonic() - begin


def capacities(host):
    return {name: node["status"]["capacity"]["pods"] for name, node in nodes(host).items()}


def require_changed(cluster, number):
    """Checks that every node has the values of the operation."""
    assert wait_until(lambda: set(capacities(cluster.first.host).values()) == {str(number)}, 120)
    assert f"--event-ttl={number}m" in cluster.first.host.read(API_SERVER)


def test_every_operation_ends_and_leaves_no_node_cordoned(cluster):
    host, killer, ends = cluster.first.host, Killer(cluster, SEED), collections.Counter()
    number = 60
    while killer.hits.total() < KILLS:
        number += 1
        found, killed, seconds = run_under_kills(cluster, killer, f"kills-{number}", number)
        cluster.wait_healthy()
        ends[found["phase"]] += 1
        print(f"kills-{number}: {found['phase']} after {seconds:.0f} s, {killed}, {found.get('message', '')}", flush=True)
        if found["phase"] == "Complete":
            require_changed(cluster, number)
        else:
            assert "rolled back: " in found["message"], found
        assert not [name for name, node in nodes(host).items() if node["spec"].get("unschedulable")]
    print(f"seed {SEED}: {dict(ends)}, kills: {dict(killer.hits)}", flush=True)
    assert ends["Complete"] > 0, ends
    apply(cluster, "after", {"configApply": {"set": ["apiServer.extraArgs.event-ttl=50m", "kubelet.maxPods=50"]}})
    reaches(cluster, "after", "Complete", LIMIT)
    require_changed(cluster, 50)
