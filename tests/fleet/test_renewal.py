# SPDX-License-Identifier: Apache-2.0
"""`kubeadm fleet run` renews certificates with a Job, whose Pod is killed during the renewal."""

import json

import pytest

from cluster.hosts import HostError
from cluster.processes import wait_until
from fleet.runs import NAMESPACE, Run, fleet_run, nodes, write_operation

pytestmark = pytest.mark.ours

RENEWAL = {"renewCertificates": {}}
KEY = "/etc/kubernetes/pki/etcd/ca.key"
CERTIFICATE = "/etc/kubernetes/pki/apiserver.crt"
WORKING = "^/var/lib/slipway/fleet/kubeadm certs"


@pytest.fixture(scope="module")
def cluster(new_fleet):
    """A control plane and a worker that have kubeadm's image."""
    return new_fleet(["control"], ["worker"], operator=False)


def jobs(host):
    return json.loads(host.kubectl("-n", NAMESPACE, "get", "jobs", "-o", "json"))["items"]


def pods(host):
    return json.loads(host.kubectl("-n", NAMESPACE, "get", "pods", "-o", "json"))["items"]


def test_a_dry_run_shows_the_plan_and_changes_nothing(cluster):
    host = cluster.first.host
    write_operation(host, "dry", RENEWAL)
    outcome = fleet_run(cluster.first, "dry", "--dry-run")
    assert outcome.code == 0, outcome.text
    assert "control  certs renew all --restart" in outcome.stdout
    with pytest.raises(HostError):
        host.kubectl("get", "namespace", NAMESPACE)


def test_certificates_are_renewed_although_the_pod_is_killed(cluster, note):
    host = cluster.first.host
    before = host.read(CERTIFICATE)
    write_operation(host, "renewal", RENEWAL)
    with Run(host, "renewal") as run:
        assert wait_until(lambda: host.run("pgrep", "-f", WORKING, check=False).stdout, 300), run.text()
        [job] = jobs(host)
        assert job["spec"]["template"]["spec"]["nodeName"] == "control"
        host.run("pkill", "-KILL", "-f", WORKING)
        assert run.wait(900) == 0, run.text()
    note("fleet run", run.seconds)
    assert host.read(CERTIFICATE) != before
    assert "control: Done" in run.text()
    assert jobs(host) == []
    assert not nodes(host)["control"]["spec"].get("unschedulable")
    cluster.wait_healthy()


def test_a_failed_job_stops_the_operation_and_is_tried_again(cluster):
    """A node has a malformed key, so its Job fails. The operation must stop. The failed Pod must be kept, and must have
    no token. After the key is repaired, the same operation succeeds."""
    host = cluster.first.host
    key = host.read(KEY)
    host.write(KEY, "garbage", mode=0o600)
    write_operation(host, "broken", RENEWAL)
    outcome = fleet_run(cluster.first, "broken")
    assert outcome.code == 1, outcome.text
    assert "the operation has stopped: control: " in outcome.stderr
    [pod] = [pod for pod in pods(host) if pod["metadata"]["labels"]["operations.slipway/operation"] == "broken"]
    assert not any("token" in json.dumps(volume) for volume in pod["spec"].get("volumes", []))

    host.write(KEY, key, mode=0o600)
    outcome = fleet_run(cluster.first, "broken")
    assert outcome.code == 0, outcome.text
    assert jobs(host) == []
