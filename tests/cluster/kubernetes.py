# SPDX-License-Identifier: Apache-2.0
"""The state of a cluster, as observed from inside one of its hosts."""

import dataclasses
import json
import time

from cluster.hosts import HostError
from cluster.processes import wait_until


@dataclasses.dataclass
class State:
    """An observation of a cluster. `missing` has a sentence for each defect, and is empty if the cluster is healthy."""

    missing: list

    @property
    def healthy(self):
        return not self.missing


def _condition(resource, kind):
    conditions = resource.get("status", {}).get("conditions", [])
    return any(entry["type"] == kind and entry["status"] == "True" for entry in conditions)


STATIC_PODS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"

# A kubelet that cannot reach an API server while it replaces a mirror Pod retries after 60 to 90 s. This timeout allows
# for two failed attempts.
MIRRORED = 200  # seconds


def _needed_pods(nodes, static_pods):
    """Returns prefixes of the names of required Pods; `static_pods` are the static Pods of each control plane.

    Each static Pod of a control plane is listed with its node's name. Otherwise the Pod of another node could hide that
    this one is missing. A mirror Pod is replaced in two steps (delete, create). A kubelet that was restarted between
    them shows the Pod only after its next sync, a minute later.
    """
    control_plane = [
        f"{component}-{node['metadata']['name']}"
        for node in nodes
        if CONTROL_PLANE in node["metadata"].get("labels", {})
        for component in static_pods
    ]
    return control_plane + ["kube-proxy-", "coredns-"]


def judge(nodes, pods, expected_nodes, static_pods=STATIC_PODS):
    """Returns the State according to the Nodes and the Pods of kube-system."""
    names = {node["metadata"]["name"] for node in nodes}
    missing = [f"node {name} is not there" for name in sorted(set(expected_nodes) - names)]
    missing += [
        f"node {node['metadata']['name']} is not Ready"
        for node in nodes
        if not _condition(node, "Ready")
    ]
    missing += [
        f"pod {pod['metadata']['name']} is not Ready"
        for pod in pods
        if not _condition(pod, "Ready")
    ]
    missing += [
        f"no pod {part}… exists"
        for part in _needed_pods(nodes, static_pods)
        if not any(pod["metadata"]["name"].startswith(part) for pod in pods)
    ]
    return State(missing)


def listed(host, *words):
    """Returns the objects that `kubectl get` lists; an empty list while no API server answers."""
    answer = host.run("kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", *words, "-o", "json", check=False)
    return json.loads(answer.stdout)["items"] if answer.returncode == 0 else []


def containers(host, *words):
    """Returns the containers of the Pods that `kubectl get pods` lists with these arguments: (Pod, container) → id."""
    pods = json.loads(host.kubectl("get", "pods", *words, "-o", "json"))["items"]
    return {
        (pod["metadata"]["name"], status["name"]): status["containerID"]
        for pod in pods
        for status in pod["status"].get("containerStatuses", [])
        if "containerID" in status
    }


def control_plane_containers(host):
    """Returns the containers of all control planes' static Pods."""
    return containers(host, "--namespace=kube-system", "--selector=tier=control-plane")


def kept_by_runtime(host):
    """Returns the ids of all containers, running or not, in a node's runtime."""
    return host.run("ctr", "--namespace", "k8s.io", "containers", "list", "--quiet").stdout.split()


def running(host):
    """Returns the containers that run on a node according to its runtime. The ids have the form of the API."""
    tasks = host.run("ctr", "--namespace", "k8s.io", "tasks", "list").stdout.splitlines()[1:]
    return {f"containerd://{task.split()[0]}" for task in tasks if task.split()[2] == "RUNNING"}


def look(host, expected_nodes, only=None, static_pods=STATIC_PODS):
    """Returns the present State of the cluster, or of the nodes `only`. An API server that does not answer is a defect,
    too."""
    answer = host.run(
        "kubectl",
        "--request-timeout=5s",
        "get",
        "nodes,pods",
        "--all-namespaces",
        "-o",
        "json",
        environment=["KUBECONFIG=/etc/kubernetes/admin.conf"],
        check=False,
    )
    if answer.returncode != 0:
        return State([answer.stderr.strip() or answer.stdout.strip()])
    items = json.loads(answer.stdout)["items"]
    nodes = [item for item in items if item["kind"] == "Node"]
    pods = [
        item
        for item in items
        if item["kind"] == "Pod" and item["metadata"]["namespace"] == "kube-system"
    ]
    if only:
        nodes = [node for node in nodes if node["metadata"]["name"] in only]
        pods = [pod for pod in pods if pod["spec"].get("nodeName") in only]
    return judge(nodes, pods, expected_nodes, static_pods)


def wait_healthy(host, timeout=MIRRORED, expected_nodes=None, only=None, static_pods=STATIC_PODS):
    """Waits until the Nodes (or only the Nodes of `only`) and their Pods of kube-system are Ready. Returns the seconds
    of the wait. `static_pods` are the static Pods of each control plane: without "etcd" if etcd is external.

    While a kubelet or the API server is unavailable, the API's data about the node are stale. After such a change,
    first wait for its effect (`running`).
    """
    begin = time.monotonic()
    seen = []

    def healthy():
        seen[:] = look(host, expected_nodes or only or [host.name], only, static_pods).missing
        return not seen

    if not wait_until(healthy, timeout, pause=0.3):
        raise HostError(f"the cluster is not healthy after {timeout} s: " + "; ".join(seen))
    return time.monotonic() - begin
