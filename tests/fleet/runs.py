# SPDX-License-Identifier: Apache-2.0
"""Operations, and runs of them from a terminal of the first control plane."""

import json
import shutil
import subprocess
import sys
import time

from cluster.hosts import KUBECONFIG, PROJECT
from cluster.processes import wait_until

IMAGE = "localhost/kubeadm:test"
OPERATOR_IMAGE = "localhost/slipway-operator:test"
NAMESPACE = "slipway-fleet"
PATIENCE = 300  # seconds, most of them for a Pod and a renewal; the operator pauses 2 s between passes


def import_archive(cluster, archive):
    for machine in cluster.machines:
        machine.host.copy(archive, f"/root/{archive.name}")
        machine.host.run("ctr", "-n", "k8s.io", "images", "import", f"/root/{archive.name}", timeout=300)


def build_image(archive, *words):
    subprocess.run([sys.executable, PROJECT / "packaging/image", "--output", archive, *words], check=True)


def import_image(cluster, program, directory):
    """Builds an image of the program, and imports it on every host. A Job does not search the directory of the tests'
    components, so their programs are linked into another directory."""
    archive = directory / "kubeadm.tar"
    build_image(archive, "--program", program, "--path", "usr/bin/kubeadm", "--user", "0:0", "--tag", IMAGE)
    import_archive(cluster, archive)
    for machine in cluster.machines:
        machine.host.run("sh", "-c", "ln -s /opt/slipway/bin/* /usr/local/bin/ 2>/dev/null || true")


def install_operator(cluster, program, directory):
    """Installs deploy/fleet, with an image of the program."""
    archive = directory / "operator.tar"
    build_image(archive, "--program", program, "--path", "usr/bin/slipway-operator", "--tag", OPERATOR_IMAGE)
    import_archive(cluster, archive)
    host = cluster.first.host
    shutil.copytree(PROJECT / "deploy/fleet", host.path("/root/fleet"))
    rendered = host.kubectl("kustomize", "/root/fleet")
    host.write("/root/operator.yaml", rendered.replace("slipway-operator:latest", OPERATOR_IMAGE)
               .replace("kubeadm:latest", IMAGE))
    host.kubectl("apply", "-f", "/root/operator.yaml")
    host.kubectl("wait", "--for=condition=Established", "crd/clusteroperations.operations.slipway", "--timeout=60s")
    host.kubectl("-n", NAMESPACE, "rollout", "status", "deployment/slipway-operator", "--timeout=180s")


def status(host, name):
    """Returns the status of the operation; empty while no API server answers, because a renewal restarts it."""
    words = ["kubectl", "get", "clusteroperation", name, "-o", "json"]
    answer = host.run(*words, check=False, environment=[f"KUBECONFIG={KUBECONFIG}"])
    return json.loads(answer.stdout).get("status", {}) if answer.returncode == 0 else {}


def path_of(name):
    return f"/root/{name}.yaml"


def write_operation(host, name, spec):
    """Creates an operation in a file. The file contains JSON, which is also YAML."""
    operation = {"apiVersion": "operations.slipway/v1alpha1", "kind": "ClusterOperation",
                 "metadata": {"name": name}, "spec": spec}
    host.write(path_of(name), json.dumps(operation))


def fleet_run(machine, name, *flags):
    return machine.kubeadm("fleet", "run", path_of(name), "--image", IMAGE, "--yes", *flags, timeout=1200)


def fleet(cluster, *words):
    outcome = cluster.first.kubeadm("fleet", *words)
    assert outcome.code == 0, outcome.text
    return outcome.stdout


def apply(cluster, name, spec):
    write_operation(cluster.first.host, name, spec)
    return fleet(cluster, "apply", path_of(name))


def reaches(cluster, name, phase, patience=PATIENCE):
    host = cluster.first.host
    assert wait_until(lambda: status(host, name).get("phase") == phase, patience, pause=0.5), status(host, name)
    cluster.wait_healthy()


def nodes(host):
    listed = json.loads(host.kubectl("get", "nodes", "-o", "json"))["items"]
    return {node["metadata"]["name"]: node for node in listed}


class Run:
    """A run in the background. It is killed at the end of the block."""

    def __init__(self, host, name):
        self.host = host
        self.log = host.logs / f"fleet-{name}.log"
        self.begin = time.monotonic()
        self.seconds = 0.0
        with open(self.log, "wb") as output:
            words = ["kubeadm", "fleet", "run", path_of(name), "--image", IMAGE, "--yes"]
            self.started = host.start("env", f"KUBECONFIG={KUBECONFIG}", *words, output=output)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.started.poll() is None:
            self.host.kill(self.started)

    def wait(self, timeout):
        """Waits for the end of the run, and returns the exit status."""
        code = self.started.wait(timeout)
        self.seconds = time.monotonic() - self.begin
        return code

    def text(self):
        return self.log.read_text()
