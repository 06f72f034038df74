# SPDX-License-Identifier: Apache-2.0
"""A cluster of Cluster API on hosts of the bench: its objects, what they report, and the approver beside it."""

import base64
import json
import ssl
import subprocess
import time
from pathlib import Path

import yaml

from cluster.hosts import PROJECT
from cluster.processes import wait_until
from cluster_api import objects
from cluster_api.provider import NAMESPACE, Provider, path
from components import recipes, store
from control_plane import free_ports

APPROVER_NAMESPACE, APPROVER_ACCOUNT = "cluster-machine-approver", "machine-approver-sa"
# Kinds of deploy/approver that the approver needs as a process; the rest is for its Pod.
RIGHTS = ("Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "Lease")
PLACES = {kind: group for group, kinds in {
    objects.CORE: ("Cluster", "Machine", "MachineDeployment", "MachineHealthCheck"),
    objects.BOOTSTRAP: ("KubeadmConfig", "KubeadmConfigTemplate"),
    objects.CONTROL_PLANE: ("KubeadmControlPlane",)}.items() for kind in kinds}
OLD = recipes.RELEASES[recipes.PREVIOUS_RELEASE].version
NEW = recipes.RELEASES[recipes.DEFAULT_RELEASE].version
APISERVER = "/etc/kubernetes/pki/apiserver.crt"
EXPIRY = "machine.cluster.x-k8s.io/certificates-expiry"  # Cluster API's note of a certificate's end
REQUEST = "stolen"  # name of a certificate request
ATTEMPTS, PAUSE = 5, 3  # of a command of kubectl; seconds between two attempts
SETTLED = 120  # seconds until a workload cluster shows what Cluster API has reported
STEP = 1500  # seconds that a step may take


class Broken(AssertionError):
    pass


def _is_running(machine):
    return machine.get("status", {}).get("phase") == "Running"


class Life:
    """One cluster, whose Machines use the programs that `kubeadm(minor)` returns.

    directory: for kubeconfigs and logs."""

    def __init__(self, management, bench, kubeadm, name):
        self.management = management
        self.api = management.client()
        self.name = name
        self.directory = management.directory
        self.provider = Provider(management, bench, kubeadm)
        self.approver = None

    def stop(self):
        if self.approver:
            self.approver.kill()
            self.approver.wait()
        self.provider.stop()

    # Objects of the management cluster.

    def create(self, item):
        group, _, version = item["apiVersion"].partition("/")
        status, answer = self.api("POST", path(item["kind"], "", group, version), item)
        assert status == 201, answer

    def get(self, kind, name=None):
        status, answer = self.api("GET", path(kind, name or self.name, PLACES[kind]))
        assert status == 200, answer
        return answer

    def patch(self, kind, change, name=None):
        status, answer = self.api("PATCH", path(kind, name or self.name, PLACES[kind]), change)
        assert status == 200, answer

    def machines(self, control_plane=None):
        """Returns the Machines; only those of the control plane, or only the others, if `control_plane` is given."""
        _, answer = self.api("GET", path("Machine", "", objects.CORE))
        label = "cluster.x-k8s.io/control-plane"
        return [machine for machine in answer["items"]
                if control_plane is None or (label in machine["metadata"]["labels"]) == control_plane]

    def names(self, control_plane=None):
        return {machine["metadata"]["name"] for machine in self.machines(control_plane)}

    # Waiting.

    def wait(self, what, holds, timeout=STEP):
        """Waits until `holds` returns a true value. Fails at once if the provider, a bootstrap or the approver
        failed. Returns the seconds of the wait."""
        begin = time.monotonic()

        def look():
            if self.provider.failures:
                raise Broken(f"{what}: {self.provider.failures[0]}")
            if self.approver and self.approver.poll() is not None:
                raise Broken(f"{what}: the approver ended")
            return holds()

        if not wait_until(look, timeout, pause=1):
            raise Broken(f"{what}: not after {timeout} s: {json.dumps(self.report(), indent=1)}")
        return time.monotonic() - begin

    def report(self):
        """Returns the conditions that are not as wanted, by object."""
        items = [self.get("Cluster"), self.get("KubeadmControlPlane"), *self.machines()]
        return {f"{item['kind']} {item['metadata']['name']}": [
            f"{each['type']}={each['status']}: {each.get('message', '')}"
            for each in item.get("status", {}).get("conditions", [])] for item in items}

    def wait_control_plane(self, replicas, version):
        return self.wait(f"{replicas} control planes of {version}",
                         lambda: self._is_complete("KubeadmControlPlane", replicas, version, True))

    def wait_workers(self, replicas, version):
        return self.wait(f"{replicas} workers of {version}",
                         lambda: self._is_complete("MachineDeployment", replicas, version, False))

    def _is_complete(self, kind, replicas, version, control_plane):
        item = self.get(kind)
        status = item.get("status", {})
        fields = ("replicas", "readyReplicas", "availableReplicas", "upToDateReplicas")
        counts = {status.get(field, 0) for field in fields}
        current = status.get("observedGeneration") == item["metadata"]["generation"]
        machines = self.machines(control_plane)
        settled = len(machines) == replicas and all(
            machine["spec"]["version"] == version and _is_running(machine) for machine in machines)
        return current and counts == {replicas} and settled

    # The workload cluster.

    def host(self, name):
        return self.provider.hosts[name]

    def control_plane_host(self):
        """Returns a host of a control plane whose node runs."""
        running = {machine["metadata"]["name"] for machine in self.machines(True) if _is_running(machine)}
        return next(host for name, host in self.provider.hosts.items() if name in running and host.alive())

    def kubeconfig(self):
        """Writes the kubeconfig that Cluster API creates for the cluster. Returns None while it does not exist."""
        status, secret = self.api("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets/{self.name}-kubeconfig")
        if status != 200:
            return None
        file = self.directory / f"{self.name}.conf"
        file.touch(0o600)
        file.write_bytes(base64.b64decode(secret["data"]["value"]))
        return file

    def kubectl(self, *words, stdin=None, kubeconfig=None, check=True):
        """Runs an idempotent command of kubectl. If `check`, repeats it after an error, because API servers come and go
        behind the load balancer, and fails after the last attempt."""
        program = store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / "kubectl"
        file = kubeconfig or self.kubeconfig()
        command = [program, f"--kubeconfig={file}", "--request-timeout=20s", *words]
        for _ in range(ATTEMPTS if check else 1):
            result = subprocess.run(command, input=stdin, text=True, capture_output=True, timeout=120, check=False)
            if result.returncode == 0:
                break
            time.sleep(PAUSE)
        if check and result.returncode != 0:
            raise Broken(f"kubectl {' '.join(words)}: {result.stderr}")
        return result.stdout

    def nodes(self):
        """Returns the nodes of the workload cluster: name → version of the kubelet, if it is Ready."""
        listed = json.loads(self.kubectl("get", "nodes", "-o", "json"))["items"]
        return {node["metadata"]["name"]: node["status"]["nodeInfo"]["kubeletVersion"] for node in listed
                if any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"]["conditions"])}

    def facts(self):
        """Returns what can be compared with the cluster of another kubeadm: the conditions of Cluster API's objects,
        the nodes' labels, annotations and taints, and the names of the cluster's own objects."""
        conditions = {kind: {each["type"]: each["status"] for each in self.get(kind)["status"]["conditions"]}
                      for kind in ("Cluster", "KubeadmControlPlane", "MachineDeployment")}
        machines = sorted(sorted(f"{each['type']}={each['status']}" for each in machine["status"]["conditions"])
                          for machine in self.machines())
        nodes = json.loads(self.kubectl("get", "nodes", "-o", "json"))["items"]
        kinds = "configmaps,serviceaccounts,roles,rolebindings,services,daemonsets,deployments"
        objects_of = {namespace: set(self.kubectl("get", kinds, "-n", namespace, "-o", "name").split())
                      for namespace in ("kube-system", "kube-public")}
        everywhere = set(self.kubectl("get", "clusterroles,clusterrolebindings", "-o", "name").split())
        return {"conditions": conditions, "machines": machines, **objects_of, "everywhere": everywhere,
                "labels": sorted(sorted(node["metadata"]["labels"]) for node in nodes),
                "annotations": sorted(sorted(node["metadata"]["annotations"]) for node in nodes),
                "taints": sorted(json.dumps(node["spec"].get("taints")) for node in nodes)}

    def images(self):
        """Returns the tags of the images that Pods of kube-system run, by the images' names."""
        found = {}
        for pod in json.loads(self.kubectl("get", "pods", "-n", "kube-system", "-o", "json"))["items"]:
            name, _, tag = pod["spec"]["containers"][0]["image"].rpartition("/")[2].partition(":")
            found.setdefault(name, set()).add(tag)
        return found

    def etcd_members(self):
        """Returns the names of etcd's members, by etcd itself."""
        pki = "/etc/kubernetes/pki/etcd"
        answer = self.control_plane_host().run(
            "etcdctl", "--endpoints=https://127.0.0.1:2379", f"--cacert={pki}/ca.crt",
            f"--cert={pki}/healthcheck-client.crt", f"--key={pki}/healthcheck-client.key",
            "member", "list", "--write-out=json")
        return {member["name"] for member in json.loads(answer.stdout)["members"]}

    def shorten_certificate(self, host, days):
        """Renews the API server's certificate on a host for a short time, and lets Cluster API read it again."""
        listed = self.kubectl("get", "cm", "kubeadm-config", "-n", "kube-system", "-o", "json")
        configuration = yaml.safe_load(json.loads(listed)["data"]["ClusterConfiguration"])
        configuration["certificateValidityPeriod"] = f"{24 * days}h"
        host.write("/root/short.yaml", yaml.safe_dump(configuration))
        host.run("kubeadm", "certs", "renew", "apiserver", "--config=/root/short.yaml")
        wanted = host.read(APISERVER).strip()
        self.wait("the new certificate is served",
                  lambda: ssl.get_server_certificate((host.address, 6443)).strip() in wanted, timeout=120)
        self.patch("KubeadmConfig", {"metadata": {"annotations": {EXPIRY: None}}}, host.name)

    def request_serving_certificate(self, node, address):
        """Requests a serving certificate with the credentials of a node's kubelet, for the address."""
        host = self.host(node)
        host.run("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                 "-keyout", "/root/stolen.key", "-out", "/root/stolen.csr",
                 "-subj", f"/O=system:nodes/CN=system:node:{node}",
                 "-addext", f"subjectAltName=DNS:{node},IP:{address}")
        request = base64.b64encode(host.read("/root/stolen.csr").encode()).decode()
        spec = {"request": request, "signerName": "kubernetes.io/kubelet-serving",
                "usages": ["digital signature", "server auth"]}
        item = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest",
                "metadata": {"name": REQUEST}, "spec": spec}
        host.run("kubectl", "--kubeconfig=/etc/kubernetes/kubelet.conf", "create", "-f", "-", stdin=json.dumps(item))

    def check_members(self, version):
        """Waits until the Ready nodes, with this version, and etcd's members are exactly those of the Machines."""
        seen = []

        def holds():
            seen[:] = [self.nodes(), self.etcd_members()]
            return seen == [dict.fromkeys(self.names(), version), self.names(control_plane=True)]

        try:
            self.wait("nodes and members of etcd", holds, SETTLED)
        except Broken as error:
            raise Broken(f"{seen}: {error}") from error

    # The approver, with exactly the rights of deploy/approver/overlays/cluster-api, in each of the two clusters.

    def start_approver(self, program):
        """Starts the approver as soon as the workload cluster answers."""
        self.wait("the workload cluster's API server",
                  lambda: self.kubeconfig() and "ok" in self.kubectl("get", "--raw=/readyz", check=False))
        overlay = self.kubectl("kustomize", str(PROJECT / "deploy/approver/overlays/cluster-api"))
        items = [item for item in yaml.safe_load_all(overlay) if item["kind"] in RIGHTS]
        text = yaml.safe_dump_all(items)
        configs = {"workload": self.kubeconfig(), "management": self.management.plane.kubeconfig()}
        flags = ["--api-group-version=cluster.x-k8s.io", "--inventory=machines", f"--machine-cluster={self.name}",
                 f"--machine-namespace={NAMESPACE}", "--disable-status-controller",
                 f"--leader-elect-resource-namespace={APPROVER_NAMESPACE}"]
        for cluster, config in configs.items():
            self.kubectl("apply", "-f", "-", stdin=text, kubeconfig=config)
            account = self.account(f"approver-{self.name}-{cluster}", config, APPROVER_NAMESPACE, APPROVER_ACCOUNT)
            flags.append(f"--{cluster}-cluster-kubeconfig={account}")
        with open(self.directory / f"approver-{self.name}.log", "wb") as log:
            flags.append(f"--metrics-bind-address=127.0.0.1:{free_ports(1)[0]}")
            self.approver = subprocess.Popen([program, *flags], stdout=log, stderr=log)

    def account(self, name, config, namespace, account):
        """Writes a kubeconfig of a ServiceAccount, to the file NAME.conf. `config` is a kubeconfig of its cluster."""
        token = self.kubectl("create", "token", account, "-n", namespace, "--duration=12h", kubeconfig=config).strip()
        content = yaml.safe_load(Path(config).read_text())
        content["users"] = [{"name": each["name"], "user": {"token": token}} for each in content["users"]]
        file = self.directory / f"{name}.conf"
        file.touch(0o600)
        file.write_text(yaml.safe_dump(content))
        return file
