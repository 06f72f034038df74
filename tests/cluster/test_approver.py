# SPDX-License-Identifier: Apache-2.0
"""The approver in real clusters: kubelets get serving certificates that the API server verifies."""

import json
import shutil
import subprocess
import sys
import time

import pytest
import yaml

from cluster.clusters import Cluster
from cluster.hosts import KUBECONFIG, PROJECT
from cluster.processes import wait_until

pytestmark = pytest.mark.ours

DEPLOY = PROJECT / "deploy" / "approver"
IMAGE = "localhost/cluster-machine-approver:test"
NAMESPACE = "cluster-machine-approver"
BOOTSTRAPPER = "node-bootstrapper"
BOOTSTRAPPER_NAMESPACE = "openshift-machine-config-operator"
SERVING = "/var/lib/kubelet/pki/kubelet-server-current.pem"
PATIENCE = 180  # seconds until a certificate is approved, signed, and used by a kubelet and a Pod


@pytest.fixture(scope="module")
def program(kubeadm):
    """The approver program, from the directory of the kubeadm under test."""
    path = kubeadm.with_name("cluster-machine-approver")
    assert path.exists(), f"{path} is missing: ./dev build makes it"
    return path


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, program, note_of_module, request):
    """A control plane whose kubelets' serving certificates the cluster's CA signs."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    cluster.machine("control").host.copy(program, "/usr/local/bin/cluster-machine-approver")
    cluster.init("--kubelet-serving-certs")
    yield cluster


def logs(cluster, machine):
    """Runs `kubectl logs` of kube-proxy on that node. The API server queries the node's kubelet for these logs."""
    first = cluster.first.host
    selector = f"--field-selector=spec.nodeName={machine.host.name}"
    pods = json.loads(
        first.kubectl("-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-proxy", selector, "-o", "json")
    )["items"]
    if not pods:
        return None
    name = pods[0]["metadata"]["name"]
    command = ["kubectl", "-n", "kube-system", "logs", name, "--tail=1"]
    return first.run(*command, check=False, environment=[f"KUBECONFIG={KUBECONFIG}"])


def logs_work(cluster, machine):
    answer = logs(cluster, machine)
    return answer is not None and answer.returncode == 0


def is_signed_by_the_ca(cluster, machine):
    """Returns whether the cluster's CA signed the kubelet's serving certificate, which is valid for its address."""
    done = cluster.first.host.run(
        "openssl", "s_client", "-connect", f"{machine.host.address}:10250", "-verify_return_error",
        "-verify_ip", machine.host.address, "-CAfile", "/etc/kubernetes/pki/ca.crt", check=False, stdin="",
    )
    return "Verify return code: 0 (ok)" in done.stdout


def requests(cluster, signer):
    """Returns the requests for that signer as (name, requesting user, types of conditions)."""
    items = json.loads(cluster.first.host.kubectl("get", "csr", "-o", "json"))["items"]
    return [
        (
            item["metadata"]["name"],
            item["spec"]["username"],
            [condition["type"] for condition in item.get("status", {}).get("conditions", [])],
        )
        for item in items
        if item["spec"]["signerName"] == f"kubernetes.io/{signer}"
    ]


def test_the_first_kubelet_serves_with_a_certificate_of_the_ca(cluster, note):
    begin = time.monotonic()
    assert wait_until(lambda: logs_work(cluster, cluster.first), PATIENCE), logs(cluster, cluster.first)
    note("kubectl logs after init", time.monotonic() - begin)
    assert is_signed_by_the_ca(cluster, cluster.first)
    manifest = cluster.first.host.read("/etc/kubernetes/manifests/kube-apiserver.yaml")
    assert "--kubelet-certificate-authority=/etc/kubernetes/pki/ca.crt" in manifest


def test_the_approver_runs_without_rights_on_the_node(cluster):
    host = cluster.first.host
    assert wait_until(lambda: len(approvers(host)) == 1, PATIENCE)
    check_confinement(host, approvers(host)[0])


def approvers(host):
    """Returns the pids of the approvers on the host; the kernel keeps only 15 characters of a name."""
    return [int(pid) for pid in host.run("pgrep", "-x", "cluster-machine", check=False).stdout.split()]


def check_confinement(host, pid):
    """Checks that the process does not run as root, has no capabilities, and cannot write to its root directory."""
    status = host.read(f"/proc/{pid}/status")
    values = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert values["Uid"].split() == ["65532"] * 4
    assert {values[kind] for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert values["NoNewPrivs"] == "1"
    root = next(line for line in host.read(f"/proc/{pid}/mountinfo").splitlines() if line.split()[4] == "/")
    assert "ro" in root.split()[5].split(",")


def test_a_worker_that_joins_gets_one_as_well(cluster, note):
    worker = cluster.machine("worker")
    token, pin, _ = cluster.credentials()
    outcome = worker.join(*cluster.worker_arguments(token, pin))
    assert outcome.code == 0, outcome.text
    begin = time.monotonic()
    assert wait_until(lambda: logs_work(cluster, worker), PATIENCE), logs(cluster, worker)
    note("kubectl logs after join", time.monotonic() - begin)
    assert is_signed_by_the_ca(cluster, worker)
    worker.host.down()
    cluster.machines.remove(worker)
    cluster.first.host.kubectl("delete", "node", "worker", "--wait=false")


def build_image(program, target):
    subprocess.run(
        [sys.executable, PROJECT / "packaging/image", "--program", program, "--output", target, "--tag", IMAGE], check=True
    )
    return target.read_bytes()


@pytest.fixture(scope="module")
def deployed(cluster, program, tmp_path_factory):
    """The approver of deploy/ for Machines of Cluster API, with an image built here."""
    directory = tmp_path_factory.mktemp("image")
    archive = build_image(program, directory / "approver.tar")
    assert build_image(program, directory / "again.tar") == archive, "the same program, the same image"
    host = cluster.first.host
    host.kubectl("-n", "kube-system", "scale", "deployment", "machine-approver", "--replicas=0")
    host.copy(directory / "approver.tar", "/root/approver.tar")
    host.run("ctr", "-n", "k8s.io", "images", "import", "/root/approver.tar")
    host.write("/root/crds.yaml", (PROJECT / "tests/api/testdata/machines.yaml").read_text())
    host.kubectl("apply", "-f", "/root/crds.yaml")
    host.kubectl("wait", "--for=condition=Established", "crd/machines.cluster.x-k8s.io", "--timeout=30s")
    shutil.copytree(DEPLOY, host.path("/root/deploy"))
    rendered = host.kubectl("kustomize", "/root/deploy/overlays/cluster-api")
    rendered = rendered.replace("cluster-machine-approver:latest", IMAGE)
    host.write("/root/approver.yaml", rendered)
    host.kubectl("apply", "-f", "/root/approver.yaml")
    host.kubectl("-n", NAMESPACE, "rollout", "status", "deployment/machine-approver", "--timeout=60s")
    return host


def test_the_image_runs_confined_as_its_deployment(deployed):
    pods = json.loads(deployed.kubectl("-n", NAMESPACE, "get", "pods", "-o", "json"))["items"]
    assert len(pods) == 2
    assert wait_until(lambda: len(approvers(deployed)) == 2, PATIENCE), "the other one has ended"
    for pid in approvers(deployed):
        check_confinement(deployed, pid)


def bootstrap_kubeconfig(cluster):
    """Creates a ServiceAccount that may request client certificates, as OpenShift's machine-config operator does.
    Returns a kubeconfig with its token."""
    host = cluster.first.host
    host.kubectl("create", "namespace", BOOTSTRAPPER_NAMESPACE)
    host.kubectl("-n", BOOTSTRAPPER_NAMESPACE, "create", "serviceaccount", BOOTSTRAPPER)
    host.kubectl(
        "create", "clusterrolebinding", BOOTSTRAPPER, "--clusterrole=system:node-bootstrapper",
        f"--serviceaccount={BOOTSTRAPPER_NAMESPACE}:{BOOTSTRAPPER}",
    )
    token = host.kubectl("-n", BOOTSTRAPPER_NAMESPACE, "create", "token", BOOTSTRAPPER).strip()
    config = yaml.safe_load(host.read(KUBECONFIG))
    config["users"][0]["user"] = {"token": token}
    return yaml.safe_dump(config)


def start_kubelet(cluster, machine):
    """Starts a kubelet with the files that an installer would have written, without kubeadm."""
    host, first = machine.host, cluster.first.host
    host.write("/etc/kubernetes/pki/ca.crt", first.read("/etc/kubernetes/pki/ca.crt"))
    host.write("/etc/kubernetes/bootstrap-kubelet.conf", bootstrap_kubeconfig(cluster), mode=0o600)
    config = first.kubectl("-n", "kube-system", "get", "configmap", "kubelet-config", "-o", "jsonpath={.data.kubelet}")
    host.write("/var/lib/kubelet/config.yaml", config)
    host.write("/var/lib/kubelet/kubeadm-flags.env", first.read("/var/lib/kubelet/kubeadm-flags.env"))
    host.service("kubelet", "restart")


def put_machine(cluster, name, status):
    host = cluster.first.host
    machine = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine",
               "metadata": {"name": name, "namespace": "default"}}
    host.write("/root/machine.json", json.dumps(machine))
    host.kubectl("apply", "-f", "/root/machine.json")
    host.kubectl("patch", "machines.cluster.x-k8s.io", name, "--subresource=status", "--type=merge", "-p",
                 json.dumps({"status": status}))


def reasons(cluster, request):
    events = json.loads(cluster.first.host.kubectl("-n", NAMESPACE, "get", "events", "-o", "json"))["items"]
    return [event["reason"] for event in events if event["involvedObject"]["name"] == request]


def test_a_machine_waits_for_its_machine_object(cluster, deployed, note):
    mule = cluster.machine("mule")
    start_kubelet(cluster, mule)
    account = f"system:serviceaccount:{BOOTSTRAPPER_NAMESPACE}:{BOOTSTRAPPER}"

    def pending():
        return [name for name, user, _ in requests(cluster, "kube-apiserver-client-kubelet") if user == account]

    assert wait_until(pending, PATIENCE), requests(cluster, "kube-apiserver-client-kubelet")
    name = pending()[0]
    assert wait_until(lambda: "client-no-machine-with-internal-dns" in reasons(cluster, name), PATIENCE)
    addresses = [{"type": "InternalDNS", "address": "mule"}, {"type": "InternalIP", "address": mule.host.address}]
    begin = time.monotonic()
    put_machine(cluster, "mule-machine", {"addresses": addresses})
    node = ["kubectl", "get", "node", "mule"]
    assert wait_until(
        lambda: deployed.run(*node, check=False, environment=[f"KUBECONFIG={KUBECONFIG}"]).returncode == 0, PATIENCE
    )
    note("node after its Machine", time.monotonic() - begin)
    # No inventory attests the kubelet's serving certificate yet, so its logs cannot be read.
    def of_mule():
        return [name for name, user, _ in requests(cluster, "kubelet-serving") if user == "system:node:mule"]

    assert wait_until(of_mule, PATIENCE), requests(cluster, "kubelet-serving")
    serving = of_mule()[0]
    assert wait_until(lambda: "serving-exhausted" in reasons(cluster, serving), PATIENCE)
    assert not logs_work(cluster, mule)
    put_machine(cluster, "mule-machine", {"addresses": addresses, "nodeRef": {"name": "mule"}})
    assert wait_until(lambda: logs_work(cluster, mule), PATIENCE), logs(cluster, mule)
    assert is_signed_by_the_ca(cluster, mule)
