# SPDX-License-Identifier: Apache-2.0
"""The approver's Helm chart in a real cluster: installed in shadow mode, made live, rolled back and removed."""

import json
import subprocess

import pytest

from cluster.clusters import Cluster
from cluster.hosts import PROJECT
from cluster.processes import wait_until
from cluster.test_approver import (NAMESPACE, PATIENCE, approvers, build_image, check_confinement,
                                   is_signed_by_the_ca, logs_work, program, reasons, requests)  # noqa: F401 - a fixture
from components import golang, recipes, store
from components.recipes import ALL_RELEASES, DEFAULT_RELEASE

pytestmark = pytest.mark.ours

VERSION = "1.2.3"
CHART = f"/root/cluster-machine-approver-{VERSION}.tgz"
IMAGE = "image.repository=localhost/cluster-machine-approver,image.tag=test"
PLUGIN = PROJECT / "tests/cluster/testdata/inventory_plugin.c"
KUBECONFIG = "KUBECONFIG=/etc/kubernetes/admin.conf"
SERVING = "/var/lib/kubelet/pki/kubelet-server-current.pem"


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, program, note_of_module, request, tmp_path_factory):  # noqa: F811
    """A control plane without an approver, whose kubelet requests a serving certificate. The host has helm and the
    chart."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    host = cluster.machine("control").host
    host.copy(program, "/usr/local/bin/cluster-machine-approver")
    cluster.init("--kubelet-serving-certs", "--skip-phases=addon/machine-approver")
    directory = tmp_path_factory.mktemp("chart")
    build_image(program, directory / "approver.tar")
    subprocess.run([PROJECT / "deploy/approver/chart-archive", "--version", VERSION, "--output", directory], check=True)
    host.copy(directory / "approver.tar", "/root/approver.tar")
    host.copy(directory / f"cluster-machine-approver-{VERSION}.tgz", CHART)
    host.copy(store.root() / "programs" / golang.key(recipes.TOOLS["helm"]), "/usr/local/bin/helm")
    host.run("ctr", "-n", "k8s.io", "images", "import", "/root/approver.tar")
    yield cluster


def helm(cluster, *words):
    return cluster.first.host.run("helm", *words, "--namespace", NAMESPACE, environment=[KUBECONFIG]).stdout


def rolled_out(cluster, replicas):
    host = cluster.first.host
    host.kubectl("-n", NAMESPACE, "rollout", "status", "deployment/machine-approver", f"--timeout={PATIENCE}s")
    assert wait_until(lambda: len(approvers(host)) == replicas, PATIENCE), "the replaced Pods have ended"


def log(cluster):
    return cluster.first.host.kubectl("-n", NAMESPACE, "logs", "deployment/machine-approver", "--tail=-1")


def pending(cluster):
    return [name for name, _, conditions in requests(cluster, "kubelet-serving") if not conditions]


def next_request(cluster):
    """Makes the kubelet request another serving certificate; returns the request's name."""
    host = cluster.first.host
    before = {name for name, _, _ in requests(cluster, "kubelet-serving")}
    host.run("rm", SERVING)
    host.service("kubelet", "restart")

    def new():
        return [name for name, _, _ in requests(cluster, "kubelet-serving") if name not in before]

    assert wait_until(new, PATIENCE)
    return new()[0]


def test_the_shadow_mode_judges_and_leaves_the_decision(cluster, note):
    assert wait_until(lambda: pending(cluster), PATIENCE), "the kubelet has asked"
    helm(cluster, "install", "approver", CHART, "--create-namespace", "--set", IMAGE, "--set", "shadow=true")
    cluster.first.host.kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted")
    rolled_out(cluster, 1)
    name = pending(cluster)[0]
    assert not logs_work(cluster, cluster.first), "its kubelet has no certificate of the CA"
    cluster.first.host.kubectl("certificate", "approve", name)
    assert wait_until(lambda: logs_work(cluster, cluster.first), PATIENCE)
    # `kubectl logs` of the approver works only when the kubelet has its serving certificate.
    assert wait_until(lambda: f"shadow: agree: {name} was approved, would be approved" in log(cluster), PATIENCE), log(cluster)
    assert f"shadow: would approve {name} of system:node:control: serving-node-ok" in log(cluster)


def test_the_switch_lets_the_approver_approve(cluster):
    helm(cluster, "upgrade", "approver", CHART, "--reuse-values", "--set", "shadow=false")
    rolled_out(cluster, 2)
    for pid in approvers(cluster.first.host):
        check_confinement(cluster.first.host, pid)
    name = next_request(cluster)
    assert wait_until(lambda: "Approved" in dict((each, conditions) for each, _, conditions in
                                                 requests(cluster, "kubelet-serving"))[name], PATIENCE)
    assert wait_until(lambda: logs_work(cluster, cluster.first), PATIENCE)
    assert is_signed_by_the_ca(cluster, cluster.first)


def build_plugin(directory):
    """Builds an image that contains only a static program, as a user would build one without a shell."""
    subprocess.run(["gcc", "-static", "-O1", "-o", directory / "inventory", PLUGIN], check=True)
    subprocess.run([PROJECT / "packaging/image", "--program", directory / "inventory", "--path", "inventory",
                    "--tag", "localhost/inventory-plugin:test", "--output", directory / "plugin.tar"], check=True)
    return directory / "plugin.tar"


def test_a_program_from_an_image_lists_the_hosts(cluster, tmp_path):
    host = cluster.first.host
    host.copy(build_plugin(tmp_path), "/root/plugin.tar")
    host.run("ctr", "-n", "k8s.io", "images", "import", "/root/plugin.tar")
    addresses = json.loads(host.kubectl("get", "node", "control", "-o", "json"))["status"]["addresses"]
    answer = {"apiVersion": "approver.slipway/v1alpha1", "kind": "Inventory", "items": [
        {"hostname": "control", "addresses": [each["address"] for each in addresses if each["type"] == "InternalIP"]}]}
    host.kubectl("-n", NAMESPACE, "create", "secret", "generic", "machine-approver-inventory-exec",
                 f"--from-literal=hosts={json.dumps(answer)}")
    plugin = {"enabled": True, "image": "localhost/inventory-plugin:test",
              "command": ["/inventory", "install", "/plugin/inventory"]}
    helm(cluster, "upgrade", "approver", CHART, "--reuse-values", "--set", "auditLog=true",
         "--set-json", f"inventories.exec={json.dumps(plugin)}")
    rolled_out(cluster, 2)
    for pid in approvers(host):
        check_confinement(host, pid)
    name = next_request(cluster)
    assert wait_until(lambda: logs_work(cluster, cluster.first), PATIENCE)
    assert wait_until(lambda: "serving-machine-ok" in verdicts(cluster, name), PATIENCE), log(cluster)
    helm(cluster, "upgrade", "approver", CHART, "--reuse-values", "--set", "inventories.exec.enabled=false")
    rolled_out(cluster, 2)


def verdicts(cluster, name):
    """Returns the reasons of the verdicts on the request, from the audit logs of all replicas."""
    text = cluster.first.host.kubectl("-n", NAMESPACE, "logs", "--selector=app=machine-approver", "--tail=-1")
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [line["reason"] for line in lines if line["request"] == name]


def test_name_servers_know_the_hosts(cluster):
    """The approver's Pods look hosts up by DNS over UDP, through the Pod network and its network policy. The name
    server is CoreDNS on the host. The approver must leave a request with a wrong address, and approve it after the zone
    is corrected."""
    host = cluster.first.host
    address = json.loads(host.kubectl("get", "node", "control", "-o", "json"))["status"]["addresses"][0]["address"]

    def write(serial, record):
        host.write("/root/zone", f"$ORIGIN nodes.test.\n@ 1 IN SOA ns admin {serial} 60 60 60 1\n@ 1 IN NS ns\n{record}\n")

    write(1, "control 1 IN A 192.0.2.1")
    host.write("/root/Corefile", f"nodes.test {{\n bind {address}\n file /root/zone {{\n reload 1s\n }}\n}}\n")
    host.copy(store.program_path(ALL_RELEASES[DEFAULT_RELEASE], "coredns"), "/usr/local/bin/coredns")
    with open(host.logs / "coredns.log", "w", encoding="utf-8") as output:
        server = host.start("coredns", "-conf", "/root/Corefile", output=output)
    dns = {"enabled": True, "domain": "nodes.test", "servers": [address]}
    helm(cluster, "upgrade", "approver", CHART, "--reuse-values", "--set", "auditLog=true",
         "--set", "inventories.nodes.enabled=false", "--set-json", f"inventories.dns={json.dumps(dns)}")
    rolled_out(cluster, 2)
    for pid in approvers(host):
        check_confinement(host, pid)
    # `next_request` removes the kubelet's certificate, so Pod logs cannot be read until the kubelet has a new one.
    name = next_request(cluster)
    assert wait_until(lambda: "serving-exhausted" in reasons(cluster, name), PATIENCE), "the address is another host's"
    assert not dict((each, conditions) for each, _, conditions in requests(cluster, "kubelet-serving"))[name]
    write(2, f"control 1 IN A {address}")
    assert wait_until(lambda: logs_work(cluster, cluster.first), PATIENCE)
    assert wait_until(lambda: "serving-machine-ok" in verdicts(cluster, name), PATIENCE), log(cluster)
    helm(cluster, "upgrade", "approver", CHART, "--reuse-values", "--set", "inventories.nodes.enabled=true",
         "--set", "inventories.dns.enabled=false")
    rolled_out(cluster, 2)
    host.kill(server)


def test_the_policies_stop_an_administrator_outside_of_the_group(cluster):
    host = cluster.first.host
    helm(cluster, "upgrade", "approver", CHART, "--reuse-values", "--set", "admissionPolicy.enabled=true")
    host.kubectl("-n", NAMESPACE, "scale", "deployment", "machine-approver", "--replicas=0")
    assert wait_until(lambda: approvers(host) == [], PATIENCE)
    name = next_request(cluster)
    approve = ["kubectl", "certificate", "approve", name]
    refused = host.run(*approve, check=False, environment=[KUBECONFIG])
    assert refused.returncode != 0 and "machine-approver:break-glass" in refused.stderr, refused
    host.run(*approve, "--as=jane", "--as-group=system:masters", "--as-group=machine-approver:break-glass",
             environment=[KUBECONFIG])
    assert wait_until(lambda: logs_work(cluster, cluster.first), PATIENCE)
    helm(cluster, "upgrade", "approver", CHART, "--reuse-values", "--set", "admissionPolicy.enabled=false")


def test_the_rollback_is_the_shadow_mode_again(cluster):
    helm(cluster, "upgrade", "approver", CHART, "--reuse-values", "--set", "shadow=true")
    rolled_out(cluster, 1)
    name = next_request(cluster)
    host = cluster.first.host
    host.kubectl("certificate", "approve", name)
    assert wait_until(lambda: logs_work(cluster, cluster.first), PATIENCE)
    assert wait_until(lambda: f"shadow: agree: {name} was approved" in log(cluster), PATIENCE), log(cluster)


def test_nothing_is_left_after_uninstall(cluster):
    host = cluster.first.host
    helm(cluster, "uninstall", "approver", "--wait")
    host.kubectl("delete", "namespace", NAMESPACE, "--timeout=120s")
    kinds = "clusterroles,clusterrolebindings,roles,rolebindings,validatingadmissionpolicies"
    left = json.loads(host.kubectl("get", kinds, "-A", "-l", "app.kubernetes.io/name=cluster-machine-approver",
                                   "-o", "json"))["items"]
    assert left == []
