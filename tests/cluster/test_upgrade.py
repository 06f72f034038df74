"""Clusters of 1.35 are brought to 1.36 while they work: forward, back, and when it goes wrong."""

import concurrent.futures
import json
from pathlib import Path

import pytest

from cluster import kubernetes
from cluster.clusters import Cluster
from cluster.processes import wait_until
from cluster.test_certs import Client, containers
from components import recipes, store

pytestmark = pytest.mark.ours

OLD = recipes.RELEASES["1.35"].version
NEW = recipes.RELEASES["1.36"].version
IGNORED = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap"
HOST = {"release": "1.35", "also": ("1.36",)}

ECHO = Path(__file__).parent / "testdata" / "echo.yaml"


def upstream(release):
    return store.release_folder(release) / "upstream" / "kubeadm"


def made_by_upstream(bench, note, names, **roles):
    """A cluster of 1.35 that upstream's kubeadm of that release has made; the first is init's."""
    cluster = Cluster(bench, upstream("1.35"), note)
    cluster.machine(names[0], **HOST)
    cluster.init()
    for name in names[1:]:
        token, pin, key = cluster.credentials()
        worker = name in roles.get("workers", ())
        arguments = (
            cluster.worker_arguments(token, pin)
            if worker
            else cluster.control_plane_arguments(token, pin, key)
        )
        outcome = cluster.machine(name, **HOST).join(*arguments)
        assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    return cluster


def take_new_kubeadm(cluster, kubeadm):
    for machine in cluster.machines:
        machine.host.copy(kubeadm, "/usr/local/bin/kubeadm")


def apply(machine, *flags, **options):
    return machine.kubeadm("upgrade", "apply", NEW, "--yes", IGNORED, *flags, timeout=400, **options)


def images(host):
    """The images that the control plane's Pods and kube-proxy run: name of the Pod → tag."""
    listed = json.loads(host.kubectl("-n", "kube-system", "get", "pods", "-o", "json"))
    return {
        pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"].rpartition(":")[2]
        for pod in listed["items"]
    }


def proxies(host):
    return {tag for name, tag in images(host).items() if name.startswith("kube-proxy")}


def kubelets(host):
    """The nodes' kubelet versions; none while nobody answers."""
    answer = host.run(
        "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "nodes", "-o", "json", check=False
    )
    listed = json.loads(answer.stdout) if answer.returncode == 0 else {"items": []}
    return {
        node["metadata"]["name"]: node["status"]["nodeInfo"]["kubeletVersion"]
        for node in listed["items"]
    }


def workload(host):
    """The workload's containers, by id, and how often they were restarted."""
    listed = json.loads(host.kubectl("get", "pods", "-l", "app=echo", "-o", "json"))
    return sorted(
        (status.get("containerID"), status["restartCount"])
        for pod in listed["items"]
        for status in pod["status"].get("containerStatuses", [])
        if status["ready"]
    )


def kubernetes_version(host):
    config = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
    return config.partition("kubernetesVersion: ")[2].split()[0]


def test_every_node_is_brought_to_the_new_version(bench, kubeadm, note):
    names = ["cp-one", "cp-two", "worker"]
    cluster = made_by_upstream(bench, note, names, workers=["worker"])
    try:
        first, second, worker = cluster.machines
        host = first.host
        take_new_kubeadm(cluster, kubeadm)
        host.write("/root/echo.yaml", ECHO.read_text())
        host.kubectl("apply", "-f", "/root/echo.yaml")
        assert wait_until(lambda: len(workload(host)) == 2, timeout=60)
        before = workload(host)

        with Client(host) as client:
            outcome = apply(first)
            assert outcome.code == 0, outcome.text
        note(f"apply: {len(client.failed)} of {client.asked} requests failed", client.outage)
        assert client.outage < 60
        for machine in (second, worker):
            outcome = machine.kubeadm("upgrade", "node", IGNORED, timeout=400)
            assert outcome.code == 0, outcome.text
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda machine: machine.host.use_kubelet("1.36"), cluster.machines))
        assert wait_until(lambda: set(kubelets(host).values()) == {NEW}, timeout=90)
        note("all Ready after the upgrade", cluster.wait_healthy())

        running = images(host)
        for name in ("cp-one", "cp-two"):
            for component in ("apiserver", "controller-manager", "scheduler"):
                assert running[f"kube-{component}-{name}"] == NEW
            assert running[f"etcd-{name}"] == recipes.RELEASES["1.36"].etcd
        assert wait_until(lambda: proxies(host) == {NEW}, timeout=60)
        assert kubernetes_version(host) == NEW
        assert workload(host) == before

        # Once more, there is nothing to do.
        untouched = containers(host)
        outcome = second.kubeadm("upgrade", "node", IGNORED)
        assert outcome.code == 0, outcome.text
        assert containers(host) == untouched
    finally:
        cluster.down()


@pytest.fixture(scope="module")
def single(bench, kubeadm, note_of_module):
    """One control plane of 1.35; each test leaves it at that version, and healthy."""
    cluster = made_by_upstream(bench, note_of_module, ["alpha"])
    take_new_kubeadm(cluster, kubeadm)
    yield cluster.first
    cluster.down()


def patch(host, component, text):
    host.run("mkdir", "-p", "/root/patches")
    host.run("sh", "-c", "rm -f /root/patches/*")
    host.write(f"/root/patches/{component}.yaml", text)
    return "--patches=/root/patches"


def is_old_and_serves(host):
    kubernetes.wait_healthy(host)
    return {images(host)[f"kube-{name}-alpha"] for name in
            ("apiserver", "controller-manager", "scheduler")} == {OLD}


def test_plan_and_diff_show_what_an_upgrade_would_be(single):
    host = single.host
    plan = single.kubeadm("upgrade", "plan", "-o", "json")
    assert plan.code == 0, plan.text
    offer = json.loads(plan.stdout)["availableUpgrades"][0]
    rows = {row["name"]: (row["currentVersion"], row["newVersion"]) for row in offer["components"]}
    assert rows["kube-apiserver"] == (OLD, NEW)
    assert rows["etcd"] == tuple(recipes.RELEASES[name].etcd for name in ("1.35", "1.36"))
    assert "upgrade-health-check" not in host.kubectl("-n", "kube-system", "get", "pods,jobs")
    diff = single.kubeadm("upgrade", "diff", NEW)
    assert diff.code == 0, diff.text
    assert f"+    image: registry.k8s.io/kube-scheduler:{NEW}" in diff.stdout


def test_an_image_that_cannot_be_had_stops_nothing(single):
    before = containers(single.host)
    image = "spec: {containers: [{name: kube-scheduler, image: 'slipway.test/none:1'}]}"
    outcome = apply(single, patch(single.host, "kube-scheduler", image))
    assert outcome.code == 1
    assert "nothing has been changed" in outcome.stderr
    assert "slipway.test/none:1" in outcome.stderr
    assert outcome.seconds < 30
    assert containers(single.host) == before
    assert kubernetes_version(single.host) == OLD


def test_a_component_that_does_not_serve_is_put_back(single):
    command = "spec: {containers: [{name: kube-controller-manager, command: [kube-controller-manager, --no-such-flag]}]}"
    outcome = apply(single, patch(single.host, "kube-controller-manager", command))
    assert outcome.code == 1
    assert "unknown flag: --no-such-flag" in outcome.stderr
    assert "The old manifests are back" in outcome.stderr
    assert kubernetes_version(single.host) == OLD
    assert is_old_and_serves(single.host)


def test_etcd_that_does_not_serve_is_put_back(single):
    command = "spec: {containers: [{name: etcd, command: [etcd, --no-such-flag]}]}"
    outcome = apply(single, patch(single.host, "etcd", command))
    assert outcome.code == 1
    assert "The old manifests are back" in outcome.stderr
    assert is_old_and_serves(single.host)


# What the events say at the moments when apply is killed.
POINTS = [
    "[upgrade/etcd] Copying etcd's data",
    'Replacing the static Pod of \\"etcd\\"',
    'Replacing the static Pod of \\"kube-controller-manager\\"',
    "[upload-config] Storing",
    "[upgrade/kubelet-config]",
]


def apply_and_kill(machine, point):
    events = machine.host.logs / "killed.log"
    with open(events, "w", encoding="utf-8") as output:
        started = machine.host.start(
            "kubeadm", "upgrade", "apply", NEW, "--yes", IGNORED, "--output", "json", output=output
        )
    wait_until(
        lambda: point in events.read_text() or started.poll() is not None, timeout=120, pause=0.005
    )
    ended = started.poll()
    machine.host.kill(started)
    assert ended in (None, 0), "\n".join(events.read_text().splitlines()[-5:])
    return ended is None


def test_killed_again_and_again_and_then_undone(single):
    killed = [point for point in POINTS if apply_and_kill(single, point)]
    assert len(killed) >= 4, killed
    outcome = apply(single)
    assert outcome.code == 0, outcome.text
    kubernetes.wait_healthy(single.host)
    assert images(single.host)["kube-apiserver-alpha"] == NEW
    assert "replacing" not in single.host.run("sh", "-c", "cat /etc/kubernetes/manifests/*").stdout

    outcome = single.kubeadm("upgrade", "rollback", "--yes", timeout=400)
    assert outcome.code == 0, outcome.text
    assert kubernetes_version(single.host) == OLD
    assert is_old_and_serves(single.host)
    assert images(single.host)["etcd-alpha"] == recipes.RELEASES["1.35"].etcd


def test_bad_versions_and_states_are_refused_with_nothing_changed(single):
    before = containers(single.host)
    for version, said in (("v1.38.0", "v1.38.0"), ("v1.33.0", "v1.33.0"), ("newest", "newest")):
        outcome = single.kubeadm("upgrade", "apply", version, "--yes", IGNORED)
        assert outcome.code == 1 and said in outcome.stderr, outcome.text
    single.host.run("mv", "/etc/kubernetes/manifests/kube-scheduler.yaml", "/root/")
    outcome = apply(single)
    assert outcome.code == 1 and "kube-scheduler.yaml" in outcome.stderr, outcome.text
    single.host.run("mv", "/root/kube-scheduler.yaml", "/etc/kubernetes/manifests/")
    assert wait_until(lambda: "kube-scheduler" in containers(single.host), timeout=60)
    del before["kube-scheduler"]
    assert before.items() <= containers(single.host).items()
    kubernetes.wait_healthy(single.host)


def test_upstream_upgrades_what_ours_has_made_and_upgraded(bench, kubeadm, note):
    """Ours makes the cluster and upgrades its first node, upstream's the second, then ours again."""
    cluster = Cluster(bench, kubeadm, note)
    try:
        first = cluster.machine("cp-one", **HOST)
        cluster.init()
        token, pin, key = cluster.credentials()
        second = cluster.machine("cp-two", **HOST)
        outcome = second.join(*cluster.control_plane_arguments(token, pin, key))
        assert outcome.code == 0, outcome.text
        cluster.wait_healthy()
        outcome = apply(first)
        assert outcome.code == 0, outcome.text
        second.host.copy(upstream("1.36"), "/usr/local/bin/kubeadm")
        outcome = second.kubeadm("upgrade", "node", IGNORED, timeout=580)
        assert outcome.code == 0, outcome.text
        note("all Ready after the upgrade", cluster.wait_healthy())
        running = images(first.host)
        assert {running[f"kube-apiserver-{name}"] for name in ("cp-one", "cp-two")} == {NEW}
    finally:
        cluster.down()
