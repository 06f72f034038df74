# SPDX-License-Identifier: Apache-2.0
"""A management cluster: a control plane of processes, with Cluster API's three managers as processes beside it."""

import base64
import contextlib
import subprocess
import urllib.request
from pathlib import Path

import yaml

from approver import Api
from components import golang, recipes, store
from control_plane import ControlPlane, eventually, free_ports

MODULE = "sigs.k8s.io/cluster-api"
# Directories of the managers' manifests in the module.
CONFIGURATIONS = {"core": "core/config", "bootstrap": "bootstrap/kubeadm/config",
                  "control-plane": "controlplane/kubeadm/config"}
GROUPS = {"MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
          "ValidatingWebhookConfiguration": "validatingwebhookconfigurations"}
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CONTRACTS = {"cluster.x-k8s.io/v1beta1": "v1beta1", "cluster.x-k8s.io/v1beta2": "v1beta2"}


def module_directory():
    """Returns the directory of Cluster API's source in the module cache."""
    directory = recipes.HERE / "cluster-api"
    environment = golang.environment((directory / "go.mod").read_text(), golang.installed_version())
    command = ["go", "mod", "download", "-json", MODULE]
    subprocess.run(command, cwd=directory, env=environment, check=True, capture_output=True)
    listed = subprocess.run(["go", "list", "-m", "-f", "{{.Dir}}", MODULE], cwd=directory, env=environment, check=True,
                            capture_output=True, text=True)
    return Path(listed.stdout.strip())


class Management:
    """The management cluster. `directory` gets its certificates and logs. `gates` are feature gates of the managers."""

    def __init__(self, directory, gates="", say=print):
        self.directory = directory
        self.gates = gates
        self.plane = ControlPlane(directory, say)
        self.managers = {}

    def start(self):
        self.plane.start()
        self.api = self.client()
        self.plane.certificates.sign("webhooks", "/CN=webhooks", "subjectAltName=IP:127.0.0.1")
        source = module_directory()
        for name, configuration in CONFIGURATIONS.items():
            webhooks, health, diagnostics = free_ports(3)
            self._install(name, source / configuration, webhooks)
            self._run(name, {"webhook-port": webhooks, "health-addr": f"127.0.0.1:{health}",
                             "diagnostics-address": f"127.0.0.1:{diagnostics}"})
            eventually(lambda port=health: self._is_ready(port), limit=300)

    def stop(self):
        for process in self.managers.values():
            process.kill()
            process.wait()
        self.plane.stop()

    def client(self):
        """Returns a client of the API server, for one thread."""
        return Api(self.plane)

    def _install(self, name, directory, port):
        """Creates the CRDs and the webhooks of a manager, which listens on that port."""
        conversions = {patch["metadata"]["name"]: patch["spec"]["conversion"]
                       for file in directory.glob("crd/patches/webhook_in_*.yaml")
                       for patch in yaml.safe_load_all(file.read_text())}
        for file in sorted(directory.glob("crd/bases/*.yaml")):
            for crd in yaml.safe_load_all(file.read_text()):
                conversion = conversions[crd["metadata"]["name"]]
                self._call_at(conversion["webhook"]["clientConfig"], port)
                crd["spec"]["conversion"] = conversion
                self.define(crd)
        for item in yaml.safe_load_all((directory / "webhook/manifests.yaml").read_text()):
            item["metadata"]["name"] = f"{name}-{item['metadata']['name']}"
            for webhook in item["webhooks"]:
                self._call_at(webhook["clientConfig"], port)
            self.api.make(f"/apis/{item['apiVersion']}/{GROUPS[item['kind']]}", item)

    def _call_at(self, client, port):
        """Replaces the Service of a webhook by the address of the process."""
        ca = Path(self.plane.certificates.path("ca.crt")).read_bytes()
        client["url"] = f"https://127.0.0.1:{port}{client.pop('service')['path']}"
        client["caBundle"] = base64.b64encode(ca).decode()

    def define(self, crd):
        """Creates a CRD with the labels of Cluster API's contracts, and waits until it is served."""
        labels = crd["metadata"].setdefault("labels", {})
        served = {version["name"] for version in crd["spec"]["versions"]}
        labels.update({key: value for key, value in CONTRACTS.items() if value in served})
        self.api.make(CRDS, crd)
        eventually(lambda: self._is_established(crd["metadata"]["name"]))

    def _is_established(self, name):
        _, answer = self.api("GET", f"{CRDS}/{name}")
        conditions = answer.get("status", {}).get("conditions") or []
        return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)

    def _run(self, name, flags):
        flags = {"kubeconfig": self.plane.kubeconfig(), "webhook-cert-dir": self.directory,
                 "webhook-cert-name": "webhooks.crt", "webhook-key-name": "webhooks.key",
                 "insecure-diagnostics": "true", "v": 2, **flags}
        if self.gates:
            flags["feature-gates"] = self.gates
        program = store.Builder(lambda _: None).tool(f"cluster-api-{name}")
        with open(self.directory / f"cluster-api-{name}.log", "wb") as log:
            self.managers[name] = subprocess.Popen(
                [program, *(f"--{key}={value}" for key, value in flags.items())], stdout=log, stderr=log)

    def _is_ready(self, port):
        ended = [name for name, process in self.managers.items() if process.poll() is not None]
        assert not ended, f"{ended} ended; logs in {self.directory}"
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
                return True
        return False
