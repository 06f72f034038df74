# SPDX-License-Identifier: Apache-2.0
"""The settings that users most often change on a running cluster: kubeadm config apply."""

import base64
import json

import pytest

from cluster.clusters import Cluster
from cluster.edits import drift, runs_with
from cluster.processes import wait_until

pytestmark = pytest.mark.ours

QUOTA = "4294967296"
PLUGINS = "NodeRestriction,ExtendedResourceToleration"
REPOSITORY = "bench.local/k8s"

FILE = """
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration:
  taints: [{{key: mine, effect: NoSchedule}}]
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
networking: {{podSubnet: 10.244.0.0/16}}
controlPlaneEndpoint: api.bench:6443
imageRepository: {repository}
etcd:
  local:
    extraArgs: [{{name: quota-backend-bytes, value: "{quota}"}}]
apiServer:
  extraArgs:
  - {{name: enable-admission-plugins, value: "{plugins}"}}
  - {{name: audit-policy-file, value: /etc/audit/policy.yaml}}
  - {{name: audit-log-path, value: /var/log/audit/audit.log}}
  {encryption}
  extraVolumes:
  - {{name: audit-policy, hostPath: /etc/audit, mountPath: /etc/audit, readOnly: true, pathType: Directory}}
  - {{name: audit-log, hostPath: /var/log/audit, mountPath: /var/log/audit, pathType: DirectoryOrCreate}}
  - {{name: encryption, hostPath: /etc/encryption, mountPath: /etc/encryption, readOnly: true, pathType: Directory}}
dns:
  imageRepository: {repository}/dns
"""

KEYS = "- {name: encryption-provider-config, value: /etc/encryption/%s.yaml}"

POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
rules: [{level: Metadata}]
"""

ENCRYPTION = """
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
- resources: [secrets]
  providers:
  - aescbc: {keys: [{name: one, secret: KEY}]}
  - identity: {}
"""


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module):
    made = Cluster(bench, kubeadm, note_of_module)
    made.machine("first")
    made.init()
    made.wait_healthy()
    yield made
    made.down()


def mirror_images(host):
    """Tags the images with the name of another registry, as in a mirror."""
    old, new = (
        host.run("kubeadm", "config", "images", "list", *flags).stdout.split()
        for flags in ((), ("--image-repository", REPOSITORY))
    )
    for before, after in zip(old, new, strict=True):
        host.run("ctr", "-n", "k8s.io", "images", "tag", "--force", before, after)
        if "coredns" in before:
            host.run(
                "ctr", "-n", "k8s.io", "images", "tag", "--force", before,
                f"{REPOSITORY}/dns/coredns:{before.rpartition(':')[2]}",
            )


def images(host):
    """Returns the images of all Pods of the system."""
    return host.kubectl(
        "-n", "kube-system", "get", "pods", "-o", "jsonpath={.items[*].spec.containers[*].image}"
    ).split()


def stored_secret(host, name):
    """Returns the Secret as etcd stores it."""
    pki = "/etc/kubernetes/pki/etcd"
    stored = host.run(
        "etcdctl", "--endpoints=https://127.0.0.1:2379", f"--cacert={pki}/ca.crt",
        f"--cert={pki}/healthcheck-client.crt", f"--key={pki}/healthcheck-client.key",
        "get", f"/registry/secrets/default/{name}", "-w", "json",
    ).stdout
    return base64.b64decode(json.loads(stored)["kvs"][0]["value"])


def apply(machine, keys, *flags):
    encryption = KEYS % keys if keys else ""
    machine.host.write(
        "/root/change.yaml",
        FILE.format(repository=REPOSITORY, quota=QUOTA, plugins=PLUGINS, encryption=encryption),
    )
    return machine.kubeadm("config", "apply", "--config", "/root/change.yaml", "--yes", *flags, timeout=500)


def test_quota_plugins_audit_encryption_and_registries(cluster):
    host, machine = cluster.first.host, cluster.first
    mirror_images(host)
    host.run("mkdir", "-p", "/etc/audit", "/etc/encryption", "/var/log/audit")
    host.write("/etc/audit/policy.yaml", POLICY)
    key = base64.b64encode(b"k" * 32).decode()
    host.write("/etc/encryption/config.yaml", ENCRYPTION.replace("KEY", key), 0o600)
    outcome = apply(machine, "config", "--try", "2m")
    assert outcome.code == 1 and "cannot be rolled back by itself" in outcome.text, outcome.text
    outcome = apply(machine, "config")
    assert outcome.code == 0, outcome.text
    assert "nodeRegistration.taints is not taken" in outcome.text, outcome.text
    cluster.wait_healthy()

    assert runs_with(host, f"--quota-backend-bytes={QUOTA}")
    assert runs_with(host, f"--enable-admission-plugins={PLUGINS}")
    assert wait_until(lambda: "audit.k8s.io" in host.read("/var/log/audit/audit.log"), timeout=60)
    host.kubectl("create", "secret", "generic", "hidden", "--from-literal=x=plainly")
    value = stored_secret(host, "hidden")
    assert value.startswith(b"k8s:enc:aescbc:v1:one:") and b"plainly" not in value, value[:60]

    # Deployment and DaemonSet replace their Pods one by one.
    assert wait_until(lambda: all(image.startswith(f"{REPOSITORY}/") for image in images(host)), timeout=120), \
        images(host)
    assert any(image.startswith(f"{REPOSITORY}/dns/coredns:") for image in images(host)), images(host)
    assert wait_until(lambda: drift(host)[1] == 0, timeout=120), json.dumps(drift(host)[0]["differences"], indent=1)


def test_encryption_of_written_data_is_not_rolled_back(cluster):
    """Secrets have been written with an encryption key. `undo` must refuse to remove the key, without which the API
    server could not read them. The remedy in the error must work."""
    host, machine = cluster.first.host, cluster.first
    back = machine.kubeadm("config", "undo", "--yes", timeout=500)
    assert back.code == 1 and "kubectl replace" in back.text, back.text
    assert "hidden" in host.kubectl("get", "secrets", "-A")

    # Follows the remedy in the error.
    plain_first = host.read("/etc/encryption/config.yaml").replace("  - identity: {}\n", "").replace(
        "  providers:\n", "  providers:\n  - identity: {}\n")
    host.write("/etc/encryption/leaving.yaml", plain_first, 0o600)
    outcome = apply(machine, "leaving")
    assert outcome.code == 0, outcome.text
    host.kubectl("replace", "-f", "-", stdin=host.kubectl("get", "secrets", "-A", "-o", "json"))
    assert b"plainly" in stored_secret(host, "hidden")
    outcome = apply(machine, "")
    assert outcome.code == 0, outcome.text
    cluster.wait_healthy()
    assert "hidden" in host.kubectl("get", "secrets", "-A")


def test_a_quota_is_rolled_back(cluster):
    host, machine = cluster.first.host, cluster.first
    outcome = machine.kubeadm("config", "apply", "--set", "etcd.local.extraArgs.quota-backend-bytes=5368709120",
                              "--yes", timeout=500)
    assert outcome.code == 0, outcome.text
    # The API server is restarted, too: without etcd its old process would hang, and keep the kubelet for minutes from
    # starting another etcd.
    assert "kube-apiserver is restarted on this node" in outcome.stdout, outcome.text
    assert runs_with(host, "--quota-backend-bytes=5368709120")
    back = machine.kubeadm("config", "undo", "--yes", timeout=500)
    assert back.code == 0, back.text
    cluster.wait_healthy()
    assert runs_with(host, f"--quota-backend-bytes={QUOTA}")
