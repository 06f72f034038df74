# SPDX-License-Identifier: Apache-2.0
"""Tests of the bench itself: hosts reach only each other, and leave nothing behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from cluster import cgroups, hosts, kubernetes, runs
from cluster.processes import Process, wait_until

OWNER_THAT_CRASHES = """
import os, sys
sys.path.insert(0, {tests!r})
from cluster import hosts
bench = hosts.Bench.create(say=hosts.quiet)
host = bench.host("orphan")
print(bench.run.number, host.init.pid, host.init.start, host.cgroups.directories[0], flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def pair(bench):
    made = [bench.host(name) for name in ("left", "right")]
    yield made
    for host in made:
        host.down()


def test_hosts_reach_each_other_and_nothing_outside(pair):
    left, right = pair
    with open(right.logs / "socat.log", "w", encoding="utf-8") as log:
        listener = right.start("socat", "TCP-LISTEN:7000,fork", "EXEC:hostname", output=log)
    right.run("bash", "-c", "until ss -ltn | grep -q :7000; do sleep 0.05; done", timeout=10)
    assert left.run("socat", "-u", f"TCP:{right.address}:7000", "-").stdout == "right\n"
    right.kill(listener)
    for address in ("192.0.2.1", "1.1.1.1", "192.168.0.101"):
        answer = left.run("socat", "-u", f"TCP:{address}:53,connect-timeout=2", "-", check=False)
        assert "No route to host" in answer.stderr or "unreachable" in answer.stderr


def test_host_inherits_no_cluster_from_this_machine(pair):
    left, _ = pair
    assert left.run(
        "ls", "/etc/kubernetes", "/var/lib/kubelet", "/var/lib/etcd"
    ).stdout.split() == ["/etc/kubernetes:", "manifests", "/var/lib/etcd:", "/var/lib/kubelet:"]
    assert left.run("hostname").stdout == "left\n"


def test_two_runs_at_a_time_have_different_networks(bench):
    with hosts.Bench.create(say=hosts.quiet) as other:
        assert other.run.address(1) != bench.run.address(1)
        host = other.host("alpha")
        assert host.run("ip", "-o", "addr", "show", "eth0").stdout.count(host.address) == 1
    assert not Path(f"/sys/class/net/{other.run.bridge}").exists()


def test_kill_ends_the_command_and_not_only_nsenter(pair):
    left, _ = pair
    with open(left.logs / "sleep.log", "w", encoding="utf-8") as log:
        started = left.start("sleep", "4242", output=log)
    assert wait_until(lambda: left.run("pgrep", "-f", "sleep 4242", check=False).returncode == 0, 5)
    left.kill(started)
    assert left.run("pgrep", "-f", "sleep 4242", check=False).returncode == 1


def test_crash_of_the_owner_ends_its_hosts_and_reap_removes_the_rest():
    script = OWNER_THAT_CRASHES.format(tests=str(hosts.HERE.parent))
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    number, pid, start, cgroup = answer.stdout.split()
    run = next(run for run in runs.all_runs() if run.number == int(number))
    assert wait_until(lambda: not Process(int(pid), int(start)).alive(), timeout=10)
    hosts.reap(hosts.quiet)
    assert not run.directory.exists() and not run.record.exists()
    assert not Path(f"/sys/class/net/{run.bridge}").exists() and not Path(cgroup).exists()


def test_process_differs_from_a_later_one_with_the_same_pid():
    own = Process.own()
    assert own.alive()
    assert not Process(own.pid, own.start + 1).alive()


V1 = """31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw"""
V2 = "32 23 0:29 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"


def test_cgroup_version_follows_from_the_mounts():
    assert [(path.name, options) for path, options in cgroups.parse_mounts(V1)] == [
        ("cpu,cpuacct", "cpu,cpuacct"),
        ("memory", "memory"),
        ("systemd", "none,name=systemd"),
    ]
    assert cgroups.parse_mounts(V2) == [(Path("/sys/fs/cgroup"), "")]
    with pytest.raises(cgroups.CgroupError):
        cgroups.parse_mounts("")


def _resource(name, ready, **labels):
    return {
        "metadata": {"name": name, "labels": labels},
        "status": {"conditions": [{"type": "Ready", "status": "True" if ready else "False"}]},
    }


PARTS = (
    "etcd-a",
    "kube-apiserver-a",
    "kube-controller-manager-a",
    "kube-scheduler-a",
    "kube-proxy-x",
    "coredns-y",
)


@pytest.mark.parametrize(
    ("nodes", "pods", "missing"),
    [
        ([_resource("a", True)], [_resource(part, True) for part in PARTS], []),
        (
            [_resource("a", False)],
            [_resource(part, True) for part in PARTS],
            ["node a is not Ready"],
        ),
        ([], [_resource(part, True) for part in PARTS], ["node a is not there"]),
        (
            [_resource("a", True)],
            [_resource(part, part != "etcd-a") for part in PARTS],
            ["pod etcd-a is not Ready"],
        ),
        (
            [_resource("a", True)],
            [_resource(part, True) for part in PARTS[:-1]],
            ["no pod coredns-… exists"],
        ),
        (
            [_resource(name, True, **{kubernetes.CONTROL_PLANE: ""}) for name in ("a", "b")]
            + [_resource("worker", True)],
            [_resource(part, True) for part in PARTS]
            + [_resource(f"{part}-b", True) for part in kubernetes.STATIC_PODS if part != "kube-scheduler"],
            ["no pod kube-scheduler-b… exists"],
        ),
    ],
)
def test_health_names_missing_parts(nodes, pods, missing):
    assert kubernetes.judge(nodes, pods, ["a"]).missing == missing
