# SPDX-License-Identifier: Apache-2.0
"""Helpers of the upgrade tests: clusters of the previous release, the new kubeadm, and the running versions.
"""

import json

from cluster import kubernetes
from cluster.clusters import Cluster
from cluster.processes import wait_until
from components import recipes, store

OLD = recipes.RELEASES[recipes.PREVIOUS_RELEASE].version
NEW = recipes.RELEASES[recipes.DEFAULT_RELEASE].version
IGNORED = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap"
HOST = {"release": recipes.PREVIOUS_RELEASE, "also": (recipes.DEFAULT_RELEASE,)}


def upstream(release):
    return store.release_directory(release) / "upstream" / "kubeadm"


def made_by_upstream(bench, note, names, workers=()):
    """Creates a cluster of the previous release with upstream's kubeadm of that release. `init` runs on the first host.
    """
    cluster = Cluster(bench, upstream(recipes.PREVIOUS_RELEASE), note)
    try:
        cluster.create(names, workers, **HOST)
    except BaseException:
        cluster.down()
        raise
    return cluster


def take_new_kubeadm(cluster, kubeadm):
    for machine in cluster.machines:
        machine.host.copy(kubeadm, "/usr/local/bin/kubeadm")


def apply(machine, *flags, **options):
    return machine.kubeadm("upgrade", "apply", NEW, "--yes", IGNORED, *flags, timeout=400, **options)


def patch(host, component, text):
    """Writes a patch of that component; returns the argument that applies it."""
    host.run("mkdir", "-p", "/root/patches")
    host.run("sh", "-c", "rm -f /root/patches/*")
    host.write(f"/root/patches/{component}.yaml", text)
    return "--patches=/root/patches"


def images(host):
    """Returns the images of the control plane's Pods and kube-proxy: name of the Pod → tag. Empty while no API server
    answers."""
    return {
        pod["metadata"]["name"]: pod["spec"]["containers"][0]["image"].rpartition(":")[2]
        for pod in kubernetes.listed(host, "pods", "--namespace=kube-system")
    }


def of_kubernetes(nodes, tag):
    """Returns the expected result of `images` for control planes of one version, without etcd."""
    components = ("apiserver", "controller-manager", "scheduler")
    return {f"kube-{component}-{node}": tag for node in nodes for component in components}


def assert_images(host, expected):
    """Checks that mirror Pods have these images (name of the Pod → tag). Waits, because kubelets update mirror Pods
    late."""

    def seen():
        running = images(host)
        return {name: running.get(name) for name in expected}

    wait_until(lambda: seen() == expected, timeout=kubernetes.MIRRORED)
    assert seen() == expected


def proxies(host):
    return {tag for name, tag in images(host).items() if name.startswith("kube-proxy")}


def kubelets(host):
    """Returns the nodes' kubelet versions; empty while no API server answers."""
    return {
        node["metadata"]["name"]: node["status"]["nodeInfo"]["kubeletVersion"]
        for node in kubernetes.listed(host, "nodes")
    }


def workload(host):
    """Returns the ids of the workload's containers, and their restart counts."""
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


def assert_old_and_serves(host):
    kubernetes.wait_healthy(host)
    assert_images(host, of_kubernetes([host.name], OLD))
