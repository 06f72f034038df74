# SPDX-License-Identifier: Apache-2.0
"""An operation sends one trace for all nodes to a receiver, which decodes it as OpenTelemetry's collector does."""

import json

import pytest

from cluster.hosts import KUBECONFIG
from cluster.processes import wait_until
from components import store
from fleet.runs import IMAGE, path_of, write_operation

pytestmark = pytest.mark.ours

PORT = 4318
SPANS = "/root/spans"
PIPELINE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture(scope="module")
def cluster(new_fleet):
    """A control plane and a worker that have kubeadm's image, and a receiver of traces."""
    cluster = new_fleet(["control"], ["worker"], operator=False)
    cluster.first.host.copy(store.Builder(lambda _: None).tool("otlp-receiver"), "/usr/local/bin/otlp-receiver")
    return cluster


def run(cluster, name, spec, endpoint, *variables):
    host = cluster.first.host
    write_operation(host, name, spec)
    return host.run("kubeadm", "fleet", "run", path_of(name), "--image", IMAGE, "--yes", check=False, timeout=600,
                    environment=[f"KUBECONFIG={KUBECONFIG}", f"OTEL_EXPORTER_OTLP_ENDPOINT={endpoint}", *variables])


def children(spans, parent):
    return [span for span in spans if span["Parent"] == parent["ID"]]


def test_an_operation_has_one_trace_over_all_nodes(cluster):
    host = cluster.first.host
    with open(host.logs / "otlp-receiver.log", "wb") as log:
        started = host.start("otlp-receiver", f"0.0.0.0:{PORT}", SPANS, output=log)
    endpoint = f"http://{host.address}:{PORT}"
    assert wait_until(lambda: host.run("curl", "-s", endpoint, check=False).returncode == 0, 30)
    done = run(cluster, "traced", {"configApply": {"set": ["kubelet.maxPods=88"]}}, endpoint,
               f"TRACEPARENT=00-{PIPELINE}-b7ad6b7169203331-01")
    host.kill(started)
    assert done.returncode == 0 and "spans are lost" not in done.stderr, done.stdout + done.stderr
    spans = [json.loads(line) for line in host.read(SPANS).splitlines()]
    assert {span["Trace"] for span in spans} == {PIPELINE}
    assert {span["Status"] for span in spans} == {"Ok"}
    assert len({span["ID"] for span in spans}) == len(spans)
    [root] = [span for span in spans if span["Parent"] == "b7ad6b7169203331"]
    assert (root["Name"], root["Attributes"]) == ("configApply", {"slipway.operation": "traced"})
    nodes = {span["Name"]: span for span in children(spans, root)}
    assert set(nodes) == {machine.host.name for machine in cluster.machines}
    for name, node in nodes.items():
        [command] = children(spans, node)
        assert command["Name"].startswith("kubeadm config apply") and command["Resource"]["host.name"] == name
        assert children(spans, command), "its phases"
        assert root["Begin"] <= node["Begin"] <= command["Begin"] + 1_000_000_000, "times of nodes are in seconds"
    assert "maxPods" not in json.dumps(spans), "a value of the spec"


def test_an_operation_succeeds_without_its_collector(cluster):
    done = run(cluster, "lost", {"configApply": {"set": ["kubelet.maxPods=89"]}}, "http://127.0.0.1:9")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "spans are lost" in done.stderr
