# SPDX-License-Identifier: Apache-2.0
"""The life of a cluster under Cluster API, by our kubeadm and by upstream's: each test is a step, in this order."""

import json

import pytest

from cluster_api import objects
from cluster_api.life import APISERVER, NEW, OLD, REQUEST, SETTLED

SERVING = "/var/lib/kubelet/pki/kubelet-server-current.pem"
DAY = 24 * 3600  # seconds


@pytest.fixture(scope="module")
def facts():
    """A dict: the kubeadm → the facts of its cluster of three control planes and two workers."""
    return {}


def check_serving_certificates(life):
    """Checks that the approver had the CA sign a serving certificate of each kubelet, for its Machine's names."""
    for name in life.names():
        host = life.host(name)
        life.wait(f"serving certificate of {name}",
                  lambda host=host: host.run("test", "-s", SERVING, check=False).returncode == 0, timeout=180)
        host.run("openssl", "verify", "-CAfile", "/etc/kubernetes/pki/ca.crt", SERVING)
        shown = host.run("openssl", "x509", "-in", SERVING, "-noout", "-ext", "subjectAltName").stdout
        assert f"DNS:{name}" in shown and f"IP Address:{host.address}" in shown


def test_first_control_plane_becomes_available(life, kubeadm, note):
    for item in (*objects.infrastructure(life.name), objects.control_plane(life.name, OLD, 1),
                 objects.cluster(life.name)):
        life.create(item)
    life.start_approver(kubeadm.with_name("cluster-machine-approver"))
    note("first control plane", life.wait_control_plane(1, OLD))
    life.check_members(OLD)


def test_three_control_planes_and_two_workers_join(life, maker, facts, note):
    for item in objects.workers(life.name, OLD, 2):
        life.create(item)
    life.patch("KubeadmControlPlane", {"spec": {"replicas": 3}})
    note("two workers", life.wait_workers(2, OLD))
    note("three control planes", life.wait_control_plane(3, OLD))
    life.check_members(OLD)
    facts[maker] = life.facts()


def test_kubelets_get_serving_certificates_by_their_machines(life):
    check_serving_certificates(life)


def test_a_certificate_request_for_another_machine_stays_pending(life):
    thief, victim = sorted(life.names(control_plane=False))
    life.request_serving_certificate(thief, life.host(victim).address)
    life.wait("the approver's Event", lambda: "serving-" in life.kubectl(
        "get", "events", "-A", f"--field-selector=involvedObject.name={REQUEST}"), timeout=120)
    request = json.loads(life.kubectl("get", "csr", REQUEST, "-o", "json"))
    assert request["status"] == {}


def test_rolling_upgrade_of_a_minor_version(life, note):
    before = life.names()
    life.patch("KubeadmControlPlane", {"spec": {"version": NEW}})
    note("upgrade of three control planes", life.wait_control_plane(3, NEW))
    life.patch("MachineDeployment", {"spec": {"template": {"spec": {"version": NEW}}}})
    note("upgrade of two workers", life.wait_workers(2, NEW))
    check_serving_certificates(life)
    life.check_members(NEW)
    assert not before & life.names()
    upgraded = dict.fromkeys(("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"), {NEW})
    # Pods of nodes that are gone are listed until the garbage collector deletes them.
    life.wait("images of the new version", lambda: life.images().items() >= upgraded.items(), timeout=SETTLED)
    assert f"kubernetesVersion: {NEW}" in life.kubectl("get", "cm", "kubeadm-config", "-n", "kube-system", "-o", "yaml")


def test_a_dead_control_plane_is_replaced(life, note):
    life.create(objects.health_check(life.name))
    before = life.names(control_plane=True)
    dead = life.control_plane_host()
    dead.init.kill()
    note("deletion of the dead Machine",
         life.wait("deletion of the dead Machine", lambda: dead.name not in life.names(True)))
    note("three control planes again", life.wait_control_plane(3, NEW))
    assert life.names(control_plane=True) & before == before - {dead.name}
    life.check_members(NEW)


def test_a_machine_is_replaced_before_its_certificates_expire(life, note):
    before = life.names(control_plane=True)
    host = life.control_plane_host()
    life.shorten_certificate(host, days=10)
    life.patch("KubeadmControlPlane", {"spec": {"rollout": {"before": {"certificatesExpiryDays": 30}}}})
    note("deletion of the Machine", life.wait("deletion of the Machine", lambda: host.name not in life.names(True)))
    note("three control planes again", life.wait_control_plane(3, NEW))
    assert life.names(control_plane=True) & before == before - {host.name}
    for machine in life.machines(control_plane=True):
        life.host(machine["metadata"]["name"]).run("openssl", "x509", "-in", APISERVER, "-checkend", str(300 * DAY))


def test_scaling_down_removes_machines_and_members(life, note):
    life.patch("MachineDeployment", {"spec": {"replicas": 1}})
    life.patch("KubeadmControlPlane", {"spec": {"replicas": 1}})
    note("one worker", life.wait_workers(1, NEW))
    note("one control plane", life.wait_control_plane(1, NEW))
    life.check_members(NEW)


def test_both_clusters_are_alike(facts):
    if len(facts) < 2:
        pytest.skip("needs the clusters of both")
    assert facts["ours"] == facts["upstream"]
