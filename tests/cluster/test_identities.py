# SPDX-License-Identifier: Apache-2.0
"""Joins without a shared secret. A machine with an identity of a real issuer gets only the certificate of its own
node."""

import json

import pytest
import yaml

from cluster.clusters import Cluster
from cluster.conftest import Machine
from cluster.issuer import Issuer
from cluster.processes import wait_until
from cluster.test_bound_tokens import PATIENCE, SHORT, approver_is_ready, exists, reasons, remove, requests, upstream

pytestmark = [pytest.mark.ours, pytest.mark.long]

NODES = ("worker-ours", "worker-upstream", "victim", "thief")


@pytest.fixture(scope="module")
def issuer(bench, kubeadm, note_of_module, request):
    machine = Machine(bench.host("issuer", kubeadm=kubeadm), note_of_module)
    request.addfinalizer(machine.host.down)
    return Issuer(machine, NODES)


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, issuer, request):
    """A control plane that trusts the issuer. No bootstrap token exists."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    cluster.issuer = issuer
    request.addfinalizer(cluster.down)
    host = cluster.machine("control").host
    host.copy(kubeadm.with_name("cluster-machine-approver"), "/usr/local/bin/cluster-machine-approver")
    cluster.issuer.trust(host)
    cluster.init("--kubelet-serving-certs", "--node-bound-tokens")
    approver_is_ready(cluster)
    assert host.run("kubeadm", "token", "list").stdout == ""
    yield cluster


def join(cluster, machine, identity, patience=PATIENCE):
    """Runs `kubeadm join` with a discovery file that has the cluster's CA and names the file with the identity
    token."""
    host = machine.host
    config = json.loads(cluster.first.host.kubectl("config", "view", "--raw", "-o", "json"))
    config["users"][0]["user"] = {"tokenFile": "/root/identity.jwt"}
    host.write("/root/identity.jwt", cluster.issuer.token(identity), mode=0o600)
    host.write("/root/discovery.conf", json.dumps(config), mode=0o600)
    host.write("/root/join.yaml", yaml.safe_dump({
        "apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "JoinConfiguration",
        "discovery": {"file": {"kubeConfigPath": "/root/discovery.conf"}},
        "nodeRegistration": {"criSocket": "unix:///run/containerd/containerd.sock"},
        "timeouts": {"tlsBootstrap": f"{patience}s"}}))
    return machine.join("--config", "/root/join.yaml")


def asked_by(cluster, identity):
    """Returns the requests of the identity's user, whose name is opaque."""
    items = json.loads(cluster.first.host.kubectl("get", "csr", "-o", "json"))["items"]
    users = {item["spec"]["username"] for item in items
             if item["spec"].get("extra", {}).get("identity.slipway/node") == [identity]}
    return [found for user in sorted(users) for found in requests(cluster, user)]


@pytest.mark.parametrize("by", ["ours", "upstream"])
def test_a_machine_joins_with_its_identity(cluster, upstream, by):
    name = f"worker-{by}"
    worker = cluster.machine(name, kubeadm=None if by == "ours" else upstream)
    outcome = join(cluster, worker, name)
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    assert [conditions for _, conditions in asked_by(cluster, name)] == [["Approved"]]
    remove(cluster, worker)


def test_a_stolen_identity_gets_no_other_node(cluster):
    thief = cluster.machine("thief")
    outcome = join(cluster, thief, "victim", SHORT)
    assert outcome.code != 0, outcome.text
    (name, conditions), *_ = asked_by(cluster, "victim")
    assert conditions == []
    assert wait_until(lambda: "client-token-of-another-node" in reasons(cluster, name), PATIENCE)
    assert not exists(cluster, "node", "thief")
    remove(cluster, thief)
