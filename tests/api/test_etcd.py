# SPDX-License-Identifier: Apache-2.0
"""The etcd library against real etcd processes that require client certificates."""

import json
import subprocess
import time

import pytest

from conftest import Failure
from control_plane import Certificates, free_ports, program

NAMES = ("cp1", "cp2", "cp3")


class Cluster:
    """etcd members as processes on the loopback address, named as in NAMES."""

    def __init__(self, directory, driver):
        self.directory, self.driver = directory, driver
        directory.mkdir(exist_ok=True)
        self.certificates = Certificates(directory)
        self.certificates.sign("etcd", "/CN=etcd", "subjectAltName=IP:127.0.0.1\n"
                               "extendedKeyUsage=serverAuth,clientAuth")
        ports = free_ports(2 * len(NAMES))
        self.client = {name: f"https://127.0.0.1:{ports[2 * i]}" for i, name in enumerate(NAMES)}
        self.peer = {name: f"https://127.0.0.1:{ports[2 * i + 1]}" for i, name in enumerate(NAMES)}
        self.processes = {}
        self.flags = {}  # additional flags of each member

    def start(self, name, initial_cluster=None):
        path = self.certificates.path
        flags = {
            "name": name, "data-dir": self.directory / name, "unsafe-no-fsync": "true",
            "listen-client-urls": self.client[name], "advertise-client-urls": self.client[name],
            "listen-peer-urls": self.peer[name], "initial-advertise-peer-urls": self.peer[name],
            "initial-cluster": initial_cluster or f"{name}={self.peer[name]}",
            "initial-cluster-state": "existing" if initial_cluster else "new",
            "cert-file": path("etcd.crt"), "key-file": path("etcd.key"), "client-cert-auth": "true",
            "trusted-ca-file": path("ca.crt"), "peer-cert-file": path("etcd.crt"),
            "peer-key-file": path("etcd.key"), "peer-client-cert-auth": "true",
            "peer-trusted-ca-file": path("ca.crt"), **self.flags}
        with open(self.directory / f"{name}.log", "ab") as log:
            command = [program("etcd"), *(f"--{key}={value}" for key, value in flags.items())]
            self.processes[name] = subprocess.Popen(command, stdout=log, stderr=log)

    def kill(self, name):
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def stop(self):
        for name in list(self.processes):
            self.kill(name)

    def __call__(self, *words, endpoints=None, ca="ca.crt", pair="etcd"):
        """Runs the driver; returns all lines of its output."""
        path = self.certificates.path
        where = ",".join(endpoints or (self.client[name] for name in NAMES))
        done = subprocess.run([self.driver, path(ca), path(f"{pair}.crt"), path(f"{pair}.key"), where,
                               *words], capture_output=True, text=True, timeout=120, check=False)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode == 1:
            raise Failure(**answers[-1])
        assert done.returncode == 0, done.stderr
        return answers

    def health(self):
        return self("health")[-1]

    def wait_healthy(self, count):
        deadline = time.monotonic() + 60
        while True:
            try:
                members = self.health()["members"]
                if [each["problem"] for each in members] == [""] * count:
                    return
            except Failure:
                pass
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def join(self, name):
        """Adds, starts and promotes a member; returns the result of AddLearner."""
        joined = self("add", name, self.peer[name], "60000")[-1]
        self.start(name, joined["initial_cluster"])
        self("promote", joined["id"], "60000")
        return joined


@pytest.fixture(scope="session")
def etcd_driver(request):
    build = request.config.getoption("--build")
    subprocess.run(["cmake", "--build", build, "--target", "etcd_driver"], check=True, stdout=subprocess.DEVNULL)
    return build / "bin" / "etcd_driver"


@pytest.fixture
def cluster(tmp_path, etcd_driver):
    it = Cluster(tmp_path, etcd_driver)
    it.start("cp1")
    it.wait_healthy(1)
    yield it
    it.stop()


def failure(call):
    with pytest.raises(Failure) as caught:
        call()
    return caught.value


def test_members_join_one_after_the_other_and_leave(cluster):
    joined = cluster("add", "cp2", cluster.peer["cp2"], "60000")[-1]
    assert joined["found"] == "added"
    members = [f"{name}={cluster.peer[name]}" for name in ("cp1", "cp2")]
    assert sorted(joined["initial_cluster"].split(",")) == members
    # This fails, because the new member has not started yet.
    assert cluster("promote-now", joined["id"]) == [{"refusal": "not in sync"}]
    assert failure(lambda: cluster("promote", joined["id"], "300")).kind == "timeout"
    # A second run finds the learner that the first run added.
    again = cluster("add", "cp2", cluster.peer["cp2"], "60000")[-1]
    assert again == {**joined, "found": "not started"}
    # A third member must wait while the second one learns; the error names the second.
    refused = failure(lambda: cluster("add", "cp3", cluster.peer["cp3"], "300"))
    assert refused.kind == "timeout"
    assert cluster.peer["cp2"] in str(refused)
    cluster.start("cp2", joined["initial_cluster"])
    progress = cluster("promote", joined["id"], "60000")
    assert all(each.keys() == {"started", "applied", "leader_applied"} for each in progress)
    assert cluster("promote", joined["id"], "60000") == []
    assert cluster("promote-now", joined["id"]) == [{"refusal": "not a learner"}]
    cluster.join("cp3")
    cluster.wait_healthy(3)
    found = cluster.health()
    assert (found["quorum"], found["explanation"]) == (True, "")
    assert found["leader"] in NAMES
    assert cluster("remove", cluster.peer["cp3"], "60000")[-1] == {"removal": "removed"}
    assert cluster("remove", cluster.peer["cp3"], "60000") == [{"removal": "absent"}]
    cluster.wait_healthy(2)
    assert cluster("remove", cluster.peer["cp2"], "60000")[-1] == {"removal": "removed"}
    assert cluster("remove", cluster.peer["cp1"], "60000") == [{"removal": "only member"}]


def test_control_planes_that_join_concurrently_are_added_one_at_a_time(cluster):
    joined = cluster("add", "cp2", cluster.peer["cp2"], "60000")[-1]
    path = cluster.certificates.path
    command = [cluster.driver, path("ca.crt"), path("etcd.crt"), path("etcd.key"), cluster.client["cp1"],
               "add", "cp3", cluster.peer["cp3"], "60000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert "takes one new member at a time" in json.loads(other.stdout.readline())["report"]
        cluster.start("cp2", joined["initial_cluster"])
        cluster("promote", joined["id"], "60000")
        answers = [json.loads(line) for line in other.stdout]
    assert other.returncode == 0
    assert answers[-1]["found"] == "added"


def test_only_the_dead_member_can_be_removed(cluster):
    for name in NAMES[1:]:
        cluster.join(name)
    cluster.wait_healthy(3)
    cluster.kill("cp3")
    found = cluster.health()
    assert found["quorum"]
    dead = next(each for each in found["members"] if each["name"] == "cp3")
    assert f"etcd member cp3 ({dead['id']}) is not healthy" in found["explanation"]
    assert f"kubeadm etcd remove {dead['id']}" in found["explanation"]
    # Without cp2, the remaining members would have no majority.
    refused = failure(lambda: cluster("remove", cluster.peer["cp2"], "5000"))
    assert refused.kind == "conflict"
    assert "cp3" in str(refused)
    assert cluster("remove", cluster.peer["cp3"], "60000")[-1] == {"removal": "removed"}
    cluster.kill("cp2")
    found = cluster.health()
    assert not found["quorum"]
    assert len(found["members"]) == 2


def test_additions_of_a_failed_join_can_be_undone(cluster):
    cluster("add", "cp2", cluster.peer["cp2"], "60000")
    assert cluster("undo", cluster.peer["cp2"], "60000") == [{"undone": True, "votes": False}]
    assert cluster("undo", cluster.peer["cp2"], "60000") == [{"undone": False, "votes": False}]
    assert cluster("undo", cluster.peer["cp1"], "60000") == [{"undone": False, "votes": True}]
    assert len(cluster.health()["members"]) == 1


def test_failures_have_their_kinds(cluster, tmp_path):
    stranger = tmp_path / "other"
    stranger.mkdir()
    others = Certificates(stranger)
    others.sign("etcd", "/CN=etcd", "extendedKeyUsage=clientAuth")
    here = cluster.client["cp1"]
    assert failure(lambda: cluster("health", ca="other/ca.crt", endpoints=[here])).kind == "unauthorized"
    nobody = failure(lambda: cluster("health", endpoints=[here], pair="other/etcd"))
    assert nobody.kind in ("unauthorized", "unavailable")
    assert failure(lambda: cluster("health", endpoints=[cluster.client["cp3"]])).kind == "unavailable"
    assert failure(lambda: cluster("promote", "abc", "60000")).kind == "not found"
    taken = failure(lambda: cluster("add", "cp1", cluster.peer["cp2"], "60000"))
    assert taken.kind == "already exists"
    assert "kubeadm etcd remove" in str(taken)
