# SPDX-License-Identifier: Apache-2.0
"""The objects of a cluster that Cluster API creates from hosts of the bench."""

import yaml

from cluster.hosts import HERE as BENCH
from cluster.hosts import PODS, SERVICES
from cluster_api.provider import GROUP, VERSION

CORE, BOOTSTRAP, CONTROL_PLANE = (f"{prefix}cluster.x-k8s.io" for prefix in ("", "bootstrap.", "controlplane."))
# Documents that Cluster API has no fields for: appended to the configuration of `kubeadm init`, as its users do.
COMPONENTS = "/run/kubeadm/components.yaml"
APPEND = f"[ ! -f /run/kubeadm/kubeadm.yaml ] || cat {COMPONENTS} >>/run/kubeadm/kubeadm.yaml"
DELETION = {"nodeDrainTimeoutSeconds": 60, "nodeVolumeDetachTimeoutSeconds": 30, "nodeDeletionTimeoutSeconds": 30}
UNHEALTHY = 20  # seconds


def reference(group, kind, name):
    return {"apiGroup": group, "kind": kind, "name": name}


def _object(group, kind, name, spec):
    return {"apiVersion": f"{group}/{VERSION}", "kind": kind, "metadata": {"name": name}, "spec": spec}


def _component_configurations():
    """Returns the kubelet's and kube-proxy's configurations of the bench, with certificate requests of kubelets."""
    text = (BENCH / "configs/init.yaml").read_text().replace("@version@", "v0")  # a template
    kinds = {item["kind"]: item for item in yaml.safe_load_all(text)}
    kinds["KubeletConfiguration"]["serverTLSBootstrap"] = True
    items = [kinds["KubeletConfiguration"], kinds["KubeProxyConfiguration"]]
    return "".join(f"---\n{yaml.safe_dump(item)}" for item in items)


def _registration():
    return {"nodeRegistration": {
        "name": "{{ ds.meta_data.local_hostname }}",
        "criSocket": "unix:///run/containerd/containerd.sock",
        "imagePullPolicy": "IfNotPresent",
        "ignorePreflightErrors": ["NumCPU", "SystemVerification", "Swap"],
        "kubeletExtraArgs": [{"name": "provider-id", "value": "bench:////{{ ds.meta_data.instance_id }}"}]}}


def cluster(name):
    network = {"pods": {"cidrBlocks": [PODS]}, "services": {"cidrBlocks": [SERVICES]}}
    return _object(CORE, "Cluster", name, {
        "clusterNetwork": network, "infrastructureRef": reference(GROUP, "BenchCluster", name),
        "controlPlaneRef": reference(CONTROL_PLANE, "KubeadmControlPlane", name)})


def infrastructure(name):
    yield _object(GROUP, "BenchCluster", name, {})
    yield _object(GROUP, "BenchMachineTemplate", name, {"template": {"spec": {}}})


def control_plane(name, version, replicas):
    return _object(CONTROL_PLANE, "KubeadmControlPlane", name, {
        "replicas": replicas, "version": version,
        "machineTemplate": {"spec": {"infrastructureRef": reference(GROUP, "BenchMachineTemplate", name),
                                     "deletion": DELETION}},
        "kubeadmConfigSpec": {
            "initConfiguration": _registration(), "joinConfiguration": _registration(),
            "files": [{"path": COMPONENTS, "permissions": "0600", "content": _component_configurations()}],
            "preKubeadmCommands": [APPEND]}})


def workers(name, version, replicas):
    """Returns a MachineDeployment, and the template of its Machines' bootstrap."""
    yield _object(BOOTSTRAP, "KubeadmConfigTemplate", name,
                  {"template": {"spec": {"joinConfiguration": _registration()}}})
    machine = {"clusterName": name, "version": version, "deletion": DELETION,
               "bootstrap": {"configRef": reference(BOOTSTRAP, "KubeadmConfigTemplate", name)},
               "infrastructureRef": reference(GROUP, "BenchMachineTemplate", name)}
    yield _object(CORE, "MachineDeployment", name,
                  {"clusterName": name, "replicas": replicas, "template": {"spec": machine}})


def health_check(name):
    """Returns the MachineHealthCheck of the control plane: a node that is silent for `UNHEALTHY` s is replaced."""
    silent = {"type": "Ready", "status": "Unknown", "timeoutSeconds": UNHEALTHY}
    return _object(CORE, "MachineHealthCheck", name, {
        "clusterName": name, "selector": {"matchLabels": {"cluster.x-k8s.io/control-plane": ""}},
        "checks": {"unhealthyNodeConditions": [silent]}})
