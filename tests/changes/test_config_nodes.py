# SPDX-License-Identifier: Apache-2.0
"""A configuration on several nodes: drift, applying it one node at a time, and a trial while the network is down."""

import json
import threading

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster
from cluster.edits import EDITED, KUBELET, container, drift, edit, manifest, runs_with
from cluster.processes import wait_until

pytestmark = pytest.mark.ours

JOURNAL = "/var/lib/slipway/operation-config-apply.json"
SCHEDULER = manifest("kube-scheduler")
SERVER = manifest("kube-apiserver")


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request):
    """Two control planes and a worker."""
    made = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(made.down)
    made.create(["cp-one", "cp-two", "worker"], workers=["worker"])
    made.point(made.machines[1], made.machines[1])
    made.wait_healthy()
    yield made


def differences(host):
    """Returns the differences that an upgrade would not keep, and the exit status. Returns None if `drift` could not
    read everything."""
    result = host.run("kubeadm", "drift", "-o", "json", "--all-nodes", check=False)
    said = json.loads(result.stdout or "{}")
    if said.get("couldNotSee", True):
        return None
    edits = {
        (each["node"], each["component"], each["field"], each["nextUpgrade"])
        for each in said["differences"]
        if each["edit"] and each["nextUpgrade"] != "kept"
    }
    return edits, result.returncode


def config(machine, *words):
    return machine.kubeadm("config", *words, timeout=400)


def agrees(cluster):
    return wait_until(lambda: differences(cluster.first.host) == (set(), 0), timeout=kubernetes.MIRRORED)


def test_differences_of_all_nodes_are_named(cluster):
    one, two, worker = (machine.host for machine in cluster.machines)
    assert agrees(cluster), differences(one)
    pod = edit(two, SCHEDULER, lambda pod: container(pod)["command"].append("--v=1"))
    settings = edit(worker, KUBELET, lambda config: config.update(maxPods=77))
    worker.run("systemctl", "restart", "kubelet")
    wanted = {
        ("cp-two", "kube-scheduler", "--v", "unknown"),
        ("worker", "kubelet", "maxPods", "unknown"),
    }
    assert wait_until(lambda: differences(one) == (wanted, EDITED), timeout=kubernetes.MIRRORED), differences(one)
    on_worker, code = drift(worker)
    assert code == EDITED and on_worker["differences"][0]["field"] == "maxPods", on_worker
    two.write(SCHEDULER, pod)
    worker.write(KUBELET, settings)
    worker.run("systemctl", "restart", "kubelet")
    assert agrees(cluster), differences(one)


def test_nodes_take_a_configuration_over_in_turns(cluster):
    one, two, worker = cluster.machines
    words = ["apply", "--set", "apiServer.extraArgs.v=1", "--set", "kubelet.maxPods=111", "--yes"]
    outcomes = {}

    def run(machine, *words):
        outcomes[machine.host.name] = config(machine, *words)

    first = threading.Thread(target=run, args=(one, *words))
    first.start()
    assert wait_until(lambda: one.host.path(JOURNAL).exists(), timeout=60)
    run(two, "apply", "--set", "scheduler.extraArgs.v=1", "--yes")
    first.join()
    assert outcomes["cp-one"].code == 0, outcomes["cp-one"].text
    late = outcomes["cp-two"]
    assert late.code == 1 and "Waiting for cp-one" in late.text, late.text
    assert "configuration has changed since" in late.text, late.text
    assert "--v=1" not in two.host.read(SERVER)
    for machine in (two, worker):
        taken = config(machine, "apply", "node", "--yes")
        assert taken.code == 0, taken.text
        assert "maxPods: 111" in machine.host.read(KUBELET)
    assert runs_with(two.host, "--v=1")
    assert agrees(cluster), json.dumps(drift(one.host, "--all-nodes")[0], indent=1)
    again = config(two, "apply", "node", "--yes")
    assert "Nothing changes" in again.text, again.text


def test_proxies_take_their_settings_over(cluster):
    one, _, worker = cluster.machines

    def shows_metrics():
        answer = one.host.run("curl", "-sf", f"http://{worker.host.address}:10249/metrics", check=False)
        return answer.returncode == 0

    assert not shows_metrics()
    done = config(one, "apply", "--set", "kubeProxy.metricsBindAddress=0.0.0.0:10249", "--yes")
    assert done.code == 0 and "replaced one after the other" in done.text, done.text
    assert wait_until(shows_metrics, timeout=120), "kube-proxy on the worker has its old settings"
    back = config(one, "undo", "--yes")
    assert back.code == 0, back.text
    assert wait_until(lambda: not shows_metrics(), timeout=120), "kube-proxy still has the new settings"
    assert agrees(cluster), differences(one.host)


def test_a_change_of_another_control_plane_is_not_rolled_back(cluster):
    one, two, _ = cluster.machines
    done = config(one, "apply", "--set", "scheduler.extraArgs.v=2", "--yes")
    assert done.code == 0, done.text
    for words in (("apply", "node", "--yes"), ("apply", "--set", "scheduler.extraArgs.v=1", "--yes")):
        outcome = config(two, *words)
        assert outcome.code == 0, outcome.text
    refused = config(one, "undo", "--yes")
    assert refused.code == 1 and "configuration has changed since" in refused.text, refused.text
    assert "--v=2" in one.host.read(SCHEDULER)
    taken = config(one, "apply", "node", "--yes")
    assert taken.code == 0 and "--v=1" in one.host.read(SCHEDULER), taken.text
    assert agrees(cluster), differences(one.host)


def test_a_trial_ends_with_the_network_cut(cluster):
    two = cluster.machines[1]
    tried = config(two, "apply", "--set", "scheduler.extraArgs.v=3", "--try", "20s", "--yes")
    assert tried.code == 0 and "--v=3" in two.host.read(SCHEDULER), tried.text
    others = [f"{machine.host.address}/32" for machine in cluster.machines if machine is not two]
    for other in others:
        two.host.run("ip", "route", "add", "blackhole", other)
    try:
        assert wait_until(lambda: "--v=3" not in two.host.read(SCHEDULER), timeout=120)
        assert two.host.path(JOURNAL).exists(), "the stored configuration cannot have been restored"
    finally:
        for other in others:
            two.host.run("ip", "route", "del", "blackhole", other)
    assert wait_until(lambda: not two.host.path(JOURNAL).exists(), timeout=200), two.host.read(JOURNAL)
    assert agrees(cluster), differences(cluster.first.host)
