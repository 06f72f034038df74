# SPDX-License-Identifier: Apache-2.0
"""metrics-server and Debian's Prometheus verify kubelets by the published CA, before, during and after its
replacement."""

import json
import time
from datetime import datetime
from pathlib import Path

import pytest

from cluster.processes import wait_until
from cluster.test_approver import program  # noqa: F401 - a fixture
from cluster.test_kubelet_trust import cluster, published, renew  # noqa: F401 - a fixture
from cluster.test_rotate_ca import step
from components import debian, images, store

pytestmark = pytest.mark.ours

MANIFEST = Path(__file__).with_name("kubelet_clients.yaml")
DEBIAN = "13"
SYNC = 240  # seconds until a kubelet has updated a mounted ClusterTrustBundle
PATIENCE = 120  # seconds until a client has asked every kubelet again


@pytest.fixture(scope="module")
def clients(cluster, tmp_path_factory):  # noqa: F811
    """Both clients run on the worker."""
    directory = tmp_path_factory.mktemp("images")
    server = store.Builder(lambda _: None).tool("metrics-server")
    prometheus = debian.programs("prometheus", ["prometheus"], DEBIAN, print) / "prometheus"
    worker = cluster.machines[1].host
    for name, file in (("metrics-server", server), ("prometheus", prometheus)):
        path = f"/usr/bin/{name}"
        image = images.Image(f"slipway.test/{name}:1", {path: file, **images.libraries_of([file])}, path)
        archive = directory / f"{name}.tar"
        images.write_archive(image, archive)
        worker.copy(archive, f"/root/{name}.tar")
        worker.run("ctr", "-n", "k8s.io", "images", "import", f"/root/{name}.tar")
    first = cluster.first.host
    first.write("/root/clients.yaml", MANIFEST.read_text())
    first.kubectl("apply", "-f", "/root/clients.yaml")
    return Clients(first)


def seconds(text):
    """Returns the Unix time of an RFC 3339 time, whose fraction may have more digits than Python reads."""
    return datetime.fromisoformat(text[:19] + "+00:00").timestamp()


class Clients:
    """Returns what the clients know of kubelets. Asks the API server of `host`."""

    def __init__(self, host):
        self.host = host

    def _raw(self, path, **options):
        return json.loads(self.host.kubectl("get", "--raw", path, **options) or "{}")

    def metrics_server(self):
        """Returns the time of the newest sample of each node."""
        items = self._raw("/apis/metrics.k8s.io/v1beta1/nodes", check=False).get("items", [])
        return {item["metadata"]["name"]: seconds(item["timestamp"]) for item in items}

    def _targets(self):
        path = "/api/v1/namespaces/monitoring/pods/http:prometheus:9090/proxy/api/v1/targets?state=active"
        return self._raw(path, check=False).get("data", {}).get("activeTargets", [])

    def prometheus(self):
        """Returns the time of the last successful scrape of each node."""
        return {target["labels"]["instance"]: seconds(target["lastScrape"]) for target in self._targets()
                if target["health"] == "up"}

    def refusals(self):
        """Returns why Prometheus cannot scrape nodes."""
        return [target["lastError"] for target in self._targets() if target["health"] == "down"]

    def log(self):
        """Returns the ends of the clients' logs, for a failed check."""
        return "".join(self.host.kubectl("-n", namespace, "logs", name, "--tail=20", check=False) for namespace, name in
                       (("kube-system", "deploy/metrics-server"), ("monitoring", "prometheus")))

    def check(self, nodes=2):
        """Waits until both clients have asked every kubelet since this call."""
        begin = time.time() + 1
        for ask in (self.metrics_server, self.prometheus):
            assert wait_until(lambda ask=ask: sum(when >= begin for when in ask().values()) == nodes, PATIENCE, pause=2), (
                f"{ask.__name__}: {ask()}\n{self.log()}")


def blocks(pem):
    return {block.strip() for block in pem.split("-----END CERTIFICATE-----") if block.strip()}


def wait_for_mounts(cluster, wanted):  # noqa: F811
    """Waits until the mounted files of both clients have exactly the certificates `wanted`."""
    worker = cluster.machines[1].host

    def mounted():
        found = worker.run("sh", "-c", "cat /var/lib/kubelet/pods/*/volumes/kubernetes.io~projected/kubelet-ca/ca.crt; "
                           "ls -d /var/lib/kubelet/pods/*/volumes/kubernetes.io~projected/kubelet-ca | wc -l >&2")
        return blocks(found.stdout) == wanted and found.stdout.count("BEGIN") == len(wanted) * int(found.stderr)

    assert wait_until(mounted, SYNC, pause=2)


def test_clients_of_kubelets_follow_the_replacement_of_the_ca(cluster, clients):  # noqa: F811
    first = cluster.first.host
    clients.check()
    old = blocks(published(first))

    for machine in cluster.machines:
        step(machine, "kubernetes", "trust")
    both = blocks(published(first))
    wait_for_mounts(cluster, both)
    # docs/rotate-ca.md: metrics-server reads the file only at its start.
    first.kubectl("-n", "kube-system", "rollout", "restart", "deployment/metrics-server")
    first.kubectl("-n", "kube-system", "rollout", "status", "deployment/metrics-server", "--timeout=120s", timeout=150)
    clients.check()

    for machine in cluster.machines:
        step(machine, "kubernetes", "reissue")
    for machine in cluster.machines:
        renew(cluster, machine)
    clients.check()

    # The same page: Pods that connect to the API server are restarted between the steps `trust` and `drop`.
    first.kubectl("-n", "monitoring", "delete", "pod", "prometheus", timeout=150)
    first.kubectl("apply", "-f", "/root/clients.yaml")
    clients.check()
    for machine in cluster.machines:
        step(machine, "kubernetes", "drop")
    wait_for_mounts(cluster, both - old)
    clients.check()


def test_a_kubelet_of_another_ca_is_refused(cluster, clients):  # noqa: F811
    """Otherwise the test above would pass without any verification."""
    worker = cluster.machines[1].host
    serving = "/var/lib/kubelet/pki/kubelet-server-current.pem"
    worker.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=system:node:worker/O=system:nodes",
               "-addext", f"subjectAltName=IP:{worker.address},DNS:worker", "-keyout", "/root/own.key", "-out", "/root/own.crt")
    worker.run("sh", "-c", f"rm {serving}; cat /root/own.crt /root/own.key > {serving}")
    worker.service("kubelet", "restart")

    def refused():
        begin = time.time() - 30
        return all(sum(when >= begin for when in ask().values()) == 1 for ask in (clients.metrics_server, clients.prometheus))

    assert wait_until(refused, PATIENCE, pause=2), (clients.metrics_server(), clients.prometheus())
    [why] = clients.refusals()
    assert "certificate signed by unknown authority" in why
