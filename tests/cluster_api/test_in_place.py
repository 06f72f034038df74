# SPDX-License-Identifier: Apache-2.0
"""Cluster API updates three control planes and three workers in place: each test is a step, in this order."""

import json

import pytest

from cluster_api import objects
from cluster_api.extension import GATES, Extension, equip
from cluster_api.life import NEW, OLD, SETTLED

ARGUMENT = "--profiling=false"
NO_SURGE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0}}
ONE_AT_A_TIME = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
MANIFEST = "/etc/kubernetes/manifests/kube-apiserver.yaml"


@pytest.fixture(scope="module", params=["ours"])
def maker(request):
    return request.param


@pytest.fixture(scope="module")
def gates():
    return GATES


@pytest.fixture(scope="module")
def extension(life, management, kubeadm):
    it = Extension(management, life, kubeadm.with_name("slipway-operator"))
    yield it
    it.stop()


def uids(life):
    """Returns the UIDs of the Machines, by their names."""
    return {machine["metadata"]["name"]: machine["metadata"]["uid"] for machine in life.machines()}


def boots(life):
    """Returns the creation times of the Nodes, by their names."""
    listed = json.loads(life.kubectl("get", "nodes", "-o", "json"))["items"]
    return {node["metadata"]["name"]: node["metadata"]["creationTimestamp"] for node in listed}


def require_settled(life):
    """Requires that no node is cordoned, and that every operation of the workload cluster is complete."""
    listed = json.loads(life.kubectl("get", "nodes", "-o", "json"))["items"]
    assert not [node["metadata"]["name"] for node in listed if node["spec"].get("unschedulable")]
    operations = json.loads(life.kubectl("get", "clusteroperations", "-o", "json"))["items"]
    assert {each["status"]["phase"] for each in operations} == {"Complete"}, operations
    return operations


def test_six_machines_join(life, kubeadm, tmp_path_factory, note):
    control_plane = objects.control_plane(life.name, OLD, 3)
    control_plane["spec"]["rollout"] = {"strategy": NO_SURGE}
    for item in (*objects.infrastructure(life.name), control_plane, objects.cluster(life.name)):
        life.create(item)
    life.start_approver(kubeadm.with_name("cluster-machine-approver"))
    for item in objects.workers(life.name, OLD, 3):
        if item["kind"] == "MachineDeployment":
            item["spec"]["rollout"] = {"strategy": ONE_AT_A_TIME}
        life.create(item)
    note("three control planes", life.wait_control_plane(3, OLD))
    note("three workers", life.wait_workers(3, OLD))
    life.check_members(OLD)
    equip(life, kubeadm, tmp_path_factory.mktemp("images"))


def test_an_argument_of_the_api_servers_changes_in_place(life, extension, note):
    del extension  # must run
    before, nodes = uids(life), boots(life)
    name, _, value = ARGUMENT.removeprefix("--").partition("=")
    arguments = {"apiServer": {"extraArgs": [{"name": name, "value": value}]}}
    life.patch("KubeadmControlPlane", {"spec": {"kubeadmConfigSpec": {"clusterConfiguration": arguments}}})

    def have_argument():
        return all(ARGUMENT in life.host(each).read(MANIFEST) for each in life.names(control_plane=True))

    note("argument of three API servers", life.wait("the argument", have_argument))
    life.wait_control_plane(3, OLD)
    assert (uids(life), boots(life)) == (before, nodes)
    life.check_members(OLD)
    assert len(require_settled(life)) == 3


def test_a_minor_version_is_upgraded_in_place(life, note):
    """The MachineDeployment gets the new version at the same time. Its kubelets wait for the control planes."""
    before, nodes = uids(life), boots(life)
    life.patch("KubeadmControlPlane", {"spec": {"version": NEW}})
    life.patch("MachineDeployment", {"spec": {"template": {"spec": {"version": NEW}}}})
    note("upgrade of three control planes", life.wait_control_plane(3, NEW))
    note("upgrade of three workers, after the control planes", life.wait_workers(3, NEW))
    assert (uids(life), boots(life)) == (before, nodes)
    life.check_members(NEW)
    upgraded = dict.fromkeys(("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"), {NEW})
    life.wait("images of the new version", lambda: life.images().items() >= upgraded.items(), timeout=SETTLED)
    for name in life.names(control_plane=True):
        assert ARGUMENT in life.host(name).read(MANIFEST)
    assert f"kubernetesVersion: {NEW}" in life.kubectl("get", "cm", "kubeadm-config", "-n", "kube-system", "-o", "yaml")
    assert len(require_settled(life)) == 9


def test_a_change_that_is_not_covered_replaces_machines(life, note):
    """Another file of the workers' bootstrap is not written in place."""
    before = life.names(control_plane=False)
    template = next(iter(objects.workers(f"{life.name}-2", NEW, 3)))
    template["spec"]["template"]["spec"]["files"] = [{"path": "/root/new", "content": "new"}]
    life.create(template)
    reference = {"bootstrap": {"configRef": objects.reference(objects.BOOTSTRAP, template["kind"], f"{life.name}-2")}}
    life.patch("MachineDeployment", {"spec": {"template": {"spec": reference}}})
    note("deletion of a worker", life.wait("another worker", lambda: life.names(control_plane=False) - before))
    note("three new workers", life.wait_workers(3, NEW))
    assert not before & life.names(control_plane=False)
