# SPDX-License-Identifier: Apache-2.0
"""The runtime extension of slipway-operator beside a management cluster, and the operator in the workload cluster."""

import base64
import subprocess
from pathlib import Path
from types import SimpleNamespace

import yaml

from cluster.hosts import PROJECT
from cluster_api.life import RIGHTS, Broken
from components import recipes, store
from control_plane import free_ports
from fleet.runs import import_image, install_operator

GATES = "RuntimeSDK=true,InPlaceUpdates=true"
NAMESPACE = ACCOUNT = "slipway-extension"
CONFIGS = "/apis/runtime.cluster.x-k8s.io/v1beta2/extensionconfigs"
NEW_KUBELET = "/root/kubelet.new"
PROGRAM = "/usr/local/bin/kubelet"
KUBELET_COMMAND = f"cp {NEW_KUBELET} {PROGRAM}.next && mv -f {PROGRAM}.next {PROGRAM}"


def equip(life, kubeadm, directory):
    """Installs the operator in the workload cluster. Copies the new kubelet to all hosts."""
    first = life.control_plane_host()
    hosts = [first, *(host for host in life.provider.hosts.values() if host is not first)]
    machines = [SimpleNamespace(host=host) for host in hosts]
    workload = SimpleNamespace(machines=machines, first=machines[0])
    import_image(workload, kubeadm, directory)
    for host in hosts:
        host.copy(store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / "kubelet", NEW_KUBELET)
    install_operator(workload, kubeadm.with_name("slipway-operator"), directory)


class Extension:
    """Runs the extension as a process, with exactly the rights of deploy/fleet/cluster-api, until `stop`."""

    def __init__(self, management, life, program):
        self.life = life
        self.api = management.client()
        config = management.plane.kubeconfig()
        rendered = life.kubectl("kustomize", str(PROJECT / "deploy/fleet/cluster-api"))
        items = list(yaml.safe_load_all(rendered))
        rights = yaml.safe_dump_all(item for item in items if item["kind"] in RIGHTS)
        life.kubectl("apply", "-f", "-", stdin=rights, kubeconfig=config)
        account = life.account("extension", config, NAMESPACE, ACCOUNT)
        certificates = management.plane.certificates
        certificates.sign("extension", "/CN=extension", "subjectAltName=IP:127.0.0.1")
        [port] = free_ports(1)
        self.log = management.directory / "extension.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [program, "extension", f"--kubeconfig={account}", f"--bind-address=127.0.0.1:{port}",
                 f"--tls-cert-file={certificates.path('extension.crt')}",
                 f"--tls-private-key-file={certificates.path('extension.key')}",
                 f"--kubelet-command={KUBELET_COMMAND}"], stdout=log, stderr=log)
        [extension] = [item for item in items if item["kind"] == "ExtensionConfig"]
        self._register(extension, f"https://127.0.0.1:{port}", Path(certificates.path("ca.crt")).read_bytes())

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def _register(self, extension, url, authority):
        """Creates the ExtensionConfig for the process, and waits until Cluster API has discovered the hooks."""
        extension["metadata"].pop("annotations")
        extension["spec"]["clientConfig"] = {"url": url, "caBundle": base64.b64encode(authority).decode()}
        status, answer = self.api("POST", CONFIGS, extension)
        assert status == 201, answer
        self.life.wait("discovery of the hooks", lambda: self._is_discovered(extension["metadata"]["name"]), timeout=120)

    def _is_discovered(self, name):
        if self.process.poll() is not None:
            raise Broken(f"the extension ended: {self.log.read_text()}")
        _, answer = self.api("GET", f"{CONFIGS}/{name}")
        conditions = answer.get("status", {}).get("conditions", [])
        return any(each["type"] == "Discovered" and each["status"] == "True" for each in conditions)
