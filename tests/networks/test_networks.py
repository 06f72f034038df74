# SPDX-License-Identifier: Apache-2.0
"""Clusters of both IP families on the network add-ons flannel and kube-router, in place of the bench's network."""

import json

import pytest

from cluster import echo, kubernetes
from cluster.clusters import ENDPOINT, INIT, Cluster
from cluster.processes import wait_until
from networks.addons import ADDONS, PODS, PODS6

SERVICES = "10.96.0.0/16,fd00:10:96::/112"
OWN_NETWORK = "/etc/cni/net.d/10-bench.conflist"
POLICY = {
    "apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "closed"},
    "spec": {"podSelector": {"matchLabels": {"app": "echo"}}, "policyTypes": ["Ingress"],
             "ingress": [{"from": [{"podSelector": {"matchLabels": {"may": "ask"}}}]}]},
}
PATIENCE = 60  # seconds until the add-on has carried out a policy


def address6(host):
    return f"fd00:10:0::{host.slot + 1:x}"


def machine(cluster, name):
    """Adds a host without a Pod network, which has an address of each family."""
    made = cluster.machine(name)
    host = made.host
    host.run("rm", OWN_NETWORK)
    host.run("sh", "-c", "ip route | sed -n 's/^\\(10\\.244\\.[0-9]*\\.0\\/24\\) via.*/\\1/p' | xargs -n 1 ip route del")
    host.run("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=0", "net.ipv6.conf.eth0.disable_ipv6=0",
             "net.ipv6.conf.all.forwarding=1")
    host.run("ip", "-6", "addr", "add", f"{address6(host)}/64", "dev", "eth0", "nodad")
    host.run("ip", "-6", "route", "add", "default", "dev", "eth0")
    return made


def node_ip(host):
    """Returns the field of nodeRegistration that gives a node both of its addresses."""
    return f"kubeletExtraArgs: [{{name: node-ip, value: '{host.address},{address6(host)}'}}]"


JOIN = """
apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
nodeRegistration: {{criSocket: "unix:///run/containerd/containerd.sock", {node_ip}}}
discovery:
  bootstrapToken: {{apiServerEndpoint: "{endpoint}", token: {token}, caCertHashes: ["{pin}"]}}
"""


@pytest.fixture(scope="module", params=ADDONS, ids=lambda addon: addon.name)
def addon(request):
    return request.param


@pytest.fixture(scope="module")
def cluster(addon, bench, kubeadm, note_of_module, request):
    """A control plane and two workers, still without a Pod network."""
    made = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(made.down)
    host = machine(made, "control").host
    text = host.read(INIT).replace(f"podSubnet: {PODS}", f"podSubnet: {PODS},{PODS6}\n  serviceSubnet: {SERVICES}")
    host.write(INIT, text.replace("nodeRegistration:\n", f"nodeRegistration:\n  {node_ip(host)}\n"))
    made.init()
    token, pin, _ = made.credentials()
    for name in ("worker-1", "worker-2"):
        worker = machine(made, name)
        worker.host.write("/root/join.yaml", JOIN.format(node_ip=node_ip(worker.host), endpoint=ENDPOINT, token=token, pin=pin))
        outcome = worker.join("--config", "/root/join.yaml")
        assert outcome.code == 0, outcome.text
    yield made


def test_nodes_wait_for_the_network(cluster):
    host = cluster.first.host

    def ready():
        return [condition["status"] for node in kubernetes.listed(host, "nodes") for condition in node["status"]["conditions"]
                if condition["type"] == "Ready"]

    assert wait_until(lambda: len(ready()) == 3, PATIENCE), "a worker registers after its join has ended"
    assert set(ready()) == {"False"}
    assert "network-not-ready" in host.run("kubeadm", "doctor", check=False).stdout


def test_nodes_become_ready_with_the_add_on(cluster, addon, tmp_path, note):
    addon.install(cluster, tmp_path)
    note(f"healthy with {addon.name}", cluster.wait_healthy())
    for each in cluster.machines:
        each.host.run("ip", "link", "show", addon.interface)


def addresses(host):
    """Returns the addresses of the workload's Pods, of both families."""
    return [each["ip"] for pod in kubernetes.listed(host, "pods", "-l", "app=echo") for each in pod["status"]["podIPs"]]


def answers(host, url):
    return echo.fetch(host, url, 1).returncode == 0


def test_pods_of_all_nodes_reach_each_other(cluster):
    host = cluster.first.host
    echo.deploy(host)
    echo.assert_answers(host)
    nodes = {pod["spec"]["nodeName"] for pod in kubernetes.listed(host, "pods", "-l", "app=echo")}
    found = addresses(host)
    assert len(nodes) == 2 and len(found) == 4 and sum(":" in each for each in found) == 2, (nodes, found)
    for each in found:
        text = f"[{each}]:8080" if ":" in each else f"{each}:8080"
        assert wait_until(lambda text=text: answers(host, text), PATIENCE), text


def test_a_service_of_both_families_answers(cluster):
    host = cluster.first.host
    host.kubectl("patch", "service", "echo", "-p", json.dumps({"spec": {"ipFamilyPolicy": "RequireDualStack"}}))
    first, second = json.loads(host.kubectl("get", "service", "echo", "-o", "json"))["spec"]["clusterIPs"]
    assert ":" in second and wait_until(lambda: answers(host, first) and answers(host, f"[{second}]"), PATIENCE)


def test_policies_of_the_network_are_enforced(cluster, addon):
    host = cluster.first.host
    name = kubernetes.listed(host, "pods", "-l", "app=echo")[0]["metadata"]["name"]
    address = host.kubectl("get", "service", "echo", "-o", "jsonpath={.spec.clusterIP}")

    def asks():
        return host.run("kubectl", "exec", name, "--", "/echo", "fetch", f"http://{address}", check=False,
                        environment=["KUBECONFIG=/etc/kubernetes/admin.conf"]).returncode == 0

    host.write("/root/policy.json", json.dumps(POLICY))
    host.kubectl("apply", "-f", "/root/policy.json")
    if not addon.has_policies:
        assert not wait_until(lambda: not asks(), 10), "docs/install.md says that this add-on has no policies"
        return
    assert wait_until(lambda: not asks(), PATIENCE), "the policy lets others in"
    host.kubectl("label", "pod", name, "may=ask")
    assert wait_until(asks, PATIENCE), "the policy keeps the named Pod out"


def test_reset_leaves_no_container(cluster):
    for each in reversed(cluster.machines):
        outcome = each.kubeadm("reset", "--force")
        assert outcome.code == 0, outcome.text
        assert kubernetes.kept_by_runtime(each.host) == []
