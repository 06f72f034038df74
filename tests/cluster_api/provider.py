# SPDX-License-Identifier: Apache-2.0
"""An infrastructure provider for Cluster API: a BenchMachine is a host of the bench, a BenchCluster is a load
balancer."""

import base64
import concurrent.futures
import threading
import traceback

from cluster_api import cloud_init
from cluster_api.balancer import PORT, Balancer
from components import recipes, store

GROUP = "infrastructure.cluster.x-k8s.io"
VERSION = "v1beta2"
NAMESPACE = "default"
FINALIZER = f"bench.{GROUP}"
KINDS = ("BenchCluster", "BenchMachine", "BenchMachineTemplate")
CONTROL_PLANE = "cluster.x-k8s.io/control-plane"
PAUSE = 1  # seconds between two looks at the objects
BOOTSTRAP = 900  # seconds for the commands of a document
MOST_AT_ONCE = 4


def path(kind, name="", group=GROUP, version=VERSION):
    """Returns the path of an object, or of the collection if `name` is empty."""
    return f"/apis/{group}/{version}/namespaces/{NAMESPACE}/{kind.lower()}s" + (f"/{name}" if name else "")


def definitions():
    """Returns the CRDs. Their fields are not limited: they hold what Cluster API's contract names."""
    for kind in KINDS:
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        version = {"name": VERSION, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
                   "subresources": {"status": {}}}
        names = {"kind": kind, "listKind": f"{kind}List", "plural": f"{kind.lower()}s", "singular": kind.lower()}
        yield {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
               "metadata": {"name": f"{names['plural']}.{GROUP}"},
               "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]}}


def provisioned(**status):
    """Returns the status of an object whose infrastructure exists."""
    ready = {"type": "Ready", "status": "True", "reason": "Ready", "message": "",
             "lastTransitionTime": "2026-01-01T00:00:00Z"}
    return {"status": {"initialization": {"provisioned": True}, "conditions": [ready], **status}}


class Provider:
    """Runs the provider in a thread until `stop`. `kubeadm` returns the program for a minor version of Kubernetes.

    `failures` has an entry for each host that did not start, and for each bootstrap that failed. `hosts` has the hosts
    that exist, by the names of their Machines."""

    def __init__(self, management, bench, kubeadm):
        self.bench = bench
        self.kubeadm = kubeadm
        self.new_client = management.client
        self.failures = []
        self.hosts = {}
        self.balancers = {}
        self._begun = set()
        self._ends = threading.Event()
        # These threads live as long as the hosts: the kernel kills a host when the thread that started it ends.
        self._workers = concurrent.futures.ThreadPoolExecutor(MOST_AT_ONCE)
        for crd in definitions():
            management.define(crd)
        self._thread = threading.Thread(target=self._loop, daemon=True)
        self._thread.start()

    def stop(self):
        """Ends the thread and removes the hosts."""
        self._ends.set()
        self._thread.join()
        self._workers.shutdown(cancel_futures=True)
        for host in self.bench.hosts():
            host.down()
        for balancer in self.balancers.values():
            balancer.stop()

    def _loop(self):
        api = self.new_client()
        while not self._ends.wait(PAUSE):
            try:
                for item in self._list(api, "BenchCluster"):
                    self._reconcile_cluster(api, item)
                for item in self._list(api, "BenchMachine"):
                    self._reconcile_machine(api, item)
            except Exception:  # the next turn repeats it
                self.failures.append(traceback.format_exc())

    @staticmethod
    def _list(api, kind):
        status, answer = api("GET", path(kind))
        if status == 429:
            return []  # the storage of a new CRD is not ready yet
        assert status == 200, answer
        return answer["items"]

    @staticmethod
    def _patch(api, kind, name, change):
        """Writes metadata and spec, or the status if `change` has one."""
        place = path(kind, name) + ("/status" if "status" in change else "")
        status, answer = api("PATCH", place, change)
        assert status in (200, 404), answer

    def _reconcile_cluster(self, api, item):
        name = item["metadata"]["name"]
        if name in self.balancers:
            return
        # One balancer per run: its address is the bridge's.
        address = self.bench.run.address(1)
        self.balancers[name] = Balancer(address)
        self._patch(api, "BenchCluster", name, {"spec": {"controlPlaneEndpoint": {"host": address, "port": PORT}}})
        self._patch(api, "BenchCluster", name, provisioned())

    def _reconcile_machine(self, api, item):
        metadata = item["metadata"]
        name = metadata["name"]
        if "deletionTimestamp" in metadata:
            if (name, "down") not in self._begun:
                self._begun.add((name, "down"))
                self._submit(name, self._remove, name)
            return
        if FINALIZER not in metadata.get("finalizers", []):
            self._patch(api, "BenchMachine", name, {"metadata": {"finalizers": [FINALIZER]}})
        if name in self._begun or not (machine := self._machine_of(api, metadata)):
            return
        secret = machine["spec"]["bootstrap"].get("dataSecretName")
        if secret:
            self._begun.add(name)
            self._submit(name, self._create, name, machine, secret)

    @staticmethod
    def _machine_of(api, metadata):
        """Returns the Machine that owns a BenchMachine; None if it has none yet."""
        for owner in metadata.get("ownerReferences", []):
            if owner["kind"] == "Machine":
                status, machine = api("GET", path("Machine", owner["name"], "cluster.x-k8s.io"))
                return machine if status == 200 else None
        return None

    def _submit(self, name, work, *arguments):
        def guarded():
            try:
                work(self.new_client(), *arguments)
            except Exception:
                self.failures.append(f"{name}: {traceback.format_exc()}")
        self._workers.submit(guarded)

    def _create(self, api, name, machine, secret):
        """Starts the host, reports it as provisioned, and runs the bootstrap document."""
        minor = machine["spec"]["version"].removeprefix("v").rpartition(".")[0]
        # All hosts have the images of both releases, since kube-proxy's release changes after the nodes'. Only the
        # kubelet and kubeadm differ.
        host = self.bench.host(name, kubeadm=self.kubeadm(minor), release=recipes.PREVIOUS_RELEASE,
                               also=(recipes.DEFAULT_RELEASE,))
        self.hosts[name] = host
        host.copy(store.release_directory(minor) / "bin" / "kubelet", "/usr/local/bin/kubelet")
        if CONTROL_PLANE in machine["metadata"]["labels"]:
            self.balancers[machine["spec"]["clusterName"]].backends.add(host.address)
        identity = f"bench:////{name}"
        self._patch(api, "BenchMachine", name, {"spec": {"providerID": identity}})
        addresses = [{"type": "Hostname", "address": name}, {"type": "InternalDNS", "address": name},
                     {"type": "InternalIP", "address": host.address}]
        self._patch(api, "BenchMachine", name, provisioned(addresses=addresses))
        _, data = api("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets/{secret}")
        document = base64.b64decode(data["data"]["value"]).decode()
        if not cloud_init.carry_out(document, {"local_hostname": name, "instance_id": name}, host, BOOTSTRAP):
            self.failures.append(f"{name}: the bootstrap failed: {(host.logs / 'cloud-init.log').read_text()}")

    def _remove(self, api, name):
        if host := self.hosts.pop(name, None):
            for balancer in self.balancers.values():
                balancer.backends.discard(host.address)
            host.down()
        self._patch(api, "BenchMachine", name, {"metadata": {"finalizers": []}})
