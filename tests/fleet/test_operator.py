# SPDX-License-Identifier: Apache-2.0
"""Runs objects of a cluster with slipway-operator, as deploy/fleet deploys it."""

import json

import pytest

from cluster.hosts import KUBECONFIG
from fleet.runs import (IMAGE, NAMESPACE, apply, fleet, path_of, reaches, status,
                        write_operation)

pytestmark = pytest.mark.ours

CERTIFICATE = "/etc/kubernetes/pki/apiserver.crt"
RENEWAL = {"renewCertificates": {}}
# The other replica takes over when the Lease of the killed leader has expired.
TAKEOVER = 300


@pytest.fixture(scope="module")
def cluster(new_fleet):
    """A control plane and a worker, with the operator."""
    return new_fleet(["control"], ["worker"])


def refusal(host, name, spec):
    write_operation(host, name, spec)
    done = host.run("kubectl", "apply", "-f", path_of(name), check=False, environment=[f"KUBECONFIG={KUBECONFIG}"])
    assert done.returncode != 0, f"accepted: {spec}"
    return done.stderr


def test_the_api_server_refuses_invalid_objects(cluster):
    host = cluster.first.host
    upgrade = {"upgrade": {"version": "v1.37.2"}}
    assert "exactly one of" in refusal(host, "none", {})
    assert "exactly one of" in refusal(host, "two", {**upgrade, **RENEWAL})
    assert "unknown field" in refusal(host, "unknown", {**RENEWAL, "burn": {}})
    assert "spec.upgrade.version" in refusal(host, "version", {"upgrade": {"version": "latest"}})
    assert "spec.workers.maxUnavailable" in refusal(host, "zero", {**RENEWAL, "workers": {"maxUnavailable": 0}})
    assert "spec.configApply.set" in refusal(host, "set", {"configApply": {"set": []}})
    assert "spec.backup.recipients" in refusal(host, "key", {"backup": {"destination": "/b", "recipients": ["x"]}})
    local = {"destination": "/b", "recipients": ["age1x"], "credentialsSecret": "keys"}
    assert "needs a destination in S3" in refusal(host, "secret", {"backup": local})
    assert "spec.maintenanceWindows" in refusal(host, "window", {**RENEWAL, "maintenanceWindows": [{"start": "now"}]})
    assert "at most 317 characters" in refusal(host, "label", {**RENEWAL, "nodeSelector": {"a" * 318: "b"}})
    assert "at most 40 characters" in refusal(host, "a" * 41, RENEWAL)


def test_the_api_server_and_kubeadm_know_the_same_fields(cluster):
    host = cluster.first.host
    write_operation(host, "full", {
        "upgrade": {"version": "v1.37.2", "kubeletCommand": "true", "ignorePreflightErrors": ["NumCPU"],
                    "allowExperimentalUpgrades": False, "nodesOnly": True},
        "maintenanceWindows": [{"start": "0 22 * * 6", "duration": "4h", "timeZone": "Europe/Berlin"}],
        "nodeSelector": {"kubernetes.io/os": "linux"}, "workers": {"maxUnavailable": 2},
        "canary": {"nodes": 1, "soak": "1m30s"}, "nodeTimeout": "1h", "rollback": "node", "paused": False,
        "healthGates": [{"apiVersion": "apps/v1", "resource": "deployments", "namespace": "a", "name": "b", "condition": "C"}],
        "drain": {"enabled": True, "force": True, "gracePeriodSeconds": 5, "timeout": "5m"},
    })
    host.kubectl("create", "--dry-run=server", "--validate=strict", "-f", path_of("full"))
    assert "then a pause of 1m30s" in fleet(cluster, "run", path_of("full"), "--image", IMAGE, "--dry-run")
    for name, action in [("config", {"configApply": {"set": ["kubelet.maxPods=99"]}}),
                         ("backup", {"backup": {"destination": "s3://b/", "recipients": ["age1x"],
                                                "credentialsSecret": "keys"}}),
                         ("reboot", {"reboot": {"ifRequired": True}}),
                         ("recovery", {"recover": {"force": True, "tokenSecret": "token"}})]:
        write_operation(host, name, action)
        host.kubectl("create", "--dry-run=server", "--validate=strict", "-f", path_of(name))
        fleet(cluster, "run", path_of(name), "--image", IMAGE, "--dry-run")


def test_an_object_renews_certificates(cluster):
    host = cluster.first.host
    before = host.read(CERTIFICATE)
    assert "Operation renewal created" in apply(cluster, "renewal", RENEWAL)
    reaches(cluster, "renewal", "Complete")
    assert host.read(CERTIFICATE) != before
    found = status(host, "renewal")
    assert found["progress"] == "1/1"
    assert [node["stage"] for node in found["nodes"]] == ["Done"]
    assert {entry["type"]: entry["status"] for entry in found["conditions"]} == {
        "Complete": "True", "Failed": "False", "Ready": "True", "Reconciling": "False", "Stalled": "False"}
    events = json.loads(host.kubectl("get", "events", "-o", "json"))["items"]
    assert "NodeDone" in {event["reason"] for event in events if event["involvedObject"]["name"] == "renewal"}
    assert "Complete" in fleet(cluster, "status")
    assert "1/1" in host.kubectl("get", "clusteroperations")


def test_only_paused_can_be_changed(cluster):
    assert "only paused can be changed" in refusal(cluster.first.host, "renewal",
                                                   {"renewCertificates": {"ifExpiresWithin": "1d"}})


def test_a_paused_object_waits_and_a_deleted_one_ends(cluster):
    apply(cluster, "later", {**RENEWAL, "paused": True})
    reaches(cluster, "later", "Paused")
    apply(cluster, "queued", RENEWAL)
    reaches(cluster, "queued", "Pending")
    fleet(cluster, "abort", "queued")
    assert "queued" not in fleet(cluster, "status")
    fleet(cluster, "resume", "later")
    reaches(cluster, "later", "Complete")


def test_another_replica_completes_the_work_of_a_killed_leader(cluster):
    host = cluster.first.host
    apply(cluster, "taken", {**RENEWAL, "paused": True})
    reaches(cluster, "taken", "Paused")
    fleet(cluster, "resume", "taken")
    host.kubectl("-n", NAMESPACE, "delete", "pod", "-l", "app=slipway-operator", "--force", "--grace-period=0")
    reaches(cluster, "taken", "Complete", TAKEOVER)
