# SPDX-License-Identifier: Apache-2.0
"""Thirty-one manual edits: each is found, adopted if possible, and kept by the next upgrade."""

import json

import pytest
import yaml

from cluster import kubernetes
from cluster.edits import KUBELET, container, drift, edit, found, manifest, runs_with
from cluster.processes import wait_until
from cluster.upgrades import apply, made_by_upstream, take_new_kubeadm

pytestmark = pytest.mark.ours

FLAGS = "/var/lib/kubelet/kubeadm-flags.env"
# The edits of static Pods: arguments, environment variables, and values at a path.
ARGUMENTS = {
    "kube-apiserver": ["--max-requests-inflight=399", "--profiling=false"],
    "kube-controller-manager": ["--concurrent-deployment-syncs=6", "--terminated-pod-gc-threshold=500"],
    "kube-scheduler": ["--v=1"],
    "etcd": ["--quota-backend-bytes=4294967296", "--auto-compaction-retention=1"],
}
VARIABLES = {
    "kube-apiserver": ("GOGC", "90"),
    "kube-controller-manager": ("GOGC", "110"),
    "kube-scheduler": ("GOGC", "120"),
    "etcd": ("GOGC", "130"),
}
VALUES = [
    ("kube-apiserver", ("metadata", "labels", "team"), "alpha"),
    ("kube-apiserver", ("metadata", "annotations", "example.org/why"), "tuned-by-hand"),
    ("kube-apiserver", ("livenessProbe", "failureThreshold"), 21),
    ("kube-apiserver", ("readinessProbe", "timeoutSeconds"), 22),
    ("kube-apiserver", ("resources", "requests", "cpu"), "101m"),
    ("kube-controller-manager", ("resources", "requests", "cpu"), "51m"),
    ("kube-scheduler", ("resources", "limits", "memory"), "1025Mi"),
    ("etcd", ("resources", "requests", "memory"), "65Mi"),
]
SETTINGS = {"maxPods": 99, "containerLogMaxSize": "21Mi", "containerLogMaxFiles": 7}
KEPT = {  # upgrades keep these without adoption
    ("kubelet", "--v"),
    ("coredns", "spec.replicas"),
    ("coredns", ".:53 cache"),
    ("kube-proxy", "config.conf.metricsBindAddress"),
}
OF_OBJECTS = {("coredns", "resources.limits.memory"), ("kube-proxy", "resources.requests.cpu")}
OF_VOLUMES = {
    ("kube-apiserver", "volume audit"),
    ("kube-apiserver", "mount /var/log/audit"),
    ("kube-controller-manager", "spec.hostAliases"),
}


def field_of(path):
    """Returns the name that `drift` prints for the path."""
    kinds = {"labels": "label", "annotations": "annotation"}
    return f"{kinds[path[1]]} {path[2]}" if path[0] == "metadata" else ".".join(path)


def adopted():
    """Returns all edits that an upgrade keeps only if they were adopted."""
    flags = {
        (name, argument.partition("=")[0]) for name, words in ARGUMENTS.items() for argument in words
    }
    variables = {(name, f"env {variable}") for name, (variable, _) in VARIABLES.items()}
    values = {(name, field_of(path)) for name, path, _ in VALUES}
    return flags | variables | values | OF_OBJECTS | OF_VOLUMES | {("kubelet", name) for name in SETTINGS}


def set_at(pod, path, value):
    at = pod if path[0] == "metadata" else container(pod)
    for name in path[:-1]:
        at = at.setdefault(name, {})
    at[path[-1]] = value


def edit_pods(host):
    host.run("mkdir", "-p", "/var/log/audit")

    def change(name, pod):
        container(pod)["command"] += ARGUMENTS[name]
        variable, text = VARIABLES[name]
        container(pod).setdefault("env", []).append({"name": variable, "value": text})
        for owner, path, value in VALUES:
            if owner == name:
                set_at(pod, path, value)
        if name == "kube-apiserver":
            container(pod)["volumeMounts"].append({"name": "audit", "mountPath": "/var/log/audit"})
            audit = {"path": "/var/log/audit", "type": "DirectoryOrCreate"}
            pod["spec"]["volumes"].append({"name": "audit", "hostPath": audit})
        if name == "kube-controller-manager":
            pod["spec"]["hostAliases"] = [{"ip": "10.1.2.3", "hostnames": ["idp.example.org"]}]

    for name in ARGUMENTS:
        edit(host, manifest(name), lambda pod, name=name: change(name, pod))


def edit_kubelet(host):
    edit(host, KUBELET, lambda config: config.update(SETTINGS))
    flags = host.read(FLAGS).rstrip()
    host.write(FLAGS, flags.removesuffix('"') + ' --v=1"\n')
    host.run("systemctl", "restart", "kubelet")


def patch(host, kind, name, value):
    host.kubectl("-n", "kube-system", "patch", kind, name, "-p", json.dumps(value))


def resources(kind, name, value):
    spec = {"containers": [{"name": name, "resources": {kind: value}}]}
    return {"spec": {"template": {"spec": spec}}}


def edit_objects(host):
    memory = resources("limits", "coredns", {"memory": "201Mi"})
    memory["spec"]["replicas"] = 1
    patch(host, "deployment", "coredns", memory)
    patch(host, "daemonset", "kube-proxy", resources("requests", "kube-proxy", {"cpu": "11m"}))
    corefile = data(host, "coredns", "Corefile")
    patch(host, "configmap", "coredns", {"data": {"Corefile": corefile.replace("cache 30", "cache 31")}})
    config = yaml.safe_load(data(host, "kube-proxy", "config.conf"))
    config["metricsBindAddress"] = "127.0.0.1:10251"
    patch(host, "configmap", "kube-proxy", {"data": {"config.conf": yaml.safe_dump(config)}})


def data(host, name, key):
    shown = host.kubectl("-n", "kube-system", "get", "configmap", name, "-o", "json")
    return json.loads(shown)["data"][key]


def objects(host):
    """Returns all edited objects as one string."""
    shown = host.kubectl("-n", "kube-system", "get", "deployment,daemonset,configmap", "-o", "yaml")
    files = [host.read(manifest(name)) for name in ARGUMENTS] + [host.read(KUBELET), host.read(FLAGS)]
    return "\n".join([shown, *files])


def expect_in_force(host):
    text = objects(host)
    for words in ARGUMENTS.values():
        for argument in words:
            assert argument in text and runs_with(host, argument), argument
    for value in [value for _, _, value in VALUES] + list(SETTINGS.values()):
        assert str(value) in text, value
    for value in ("201Mi", "11m", "cache 31", "127.0.0.1:10251", "/var/log/audit", "idp.example.org", "--v=1"):
        assert value in text, value


def test_edits_are_found_adopted_and_kept_by_an_upgrade(bench, kubeadm, note):
    cluster = made_by_upstream(bench, note, ["cp"])
    host, machine = cluster.first.host, cluster.first
    try:
        take_new_kubeadm(cluster, kubeadm)
        edit_pods(host)
        # Waits first, because a kubelet that is restarted now would start new Pods next to the old ones.
        for argument, *_ in ARGUMENTS.values():
            assert wait_until(lambda argument=argument: runs_with(host, argument), timeout=120), argument
        kubernetes.wait_healthy(host)
        edit_kubelet(host)
        kubernetes.wait_healthy(host)
        edit_objects(host)
        assert wait_until(lambda: not found(drift(host)[0], "waits"), timeout=120), drift(host)
        said, code = drift(host)
        assert len(adopted() | KEPT) == 31
        assert found(said, "lost") == adopted()
        assert KEPT <= found(said, "kept")
        warned = apply(machine, "--dry-run").text
        for component, field in adopted():
            named = f"{component}{' of cp' if component not in ('coredns', 'kube-proxy') else ''}: {field}:"
            assert f"lost by this upgrade: {named}" in warned, named
        done = machine.kubeadm("drift", "--adopt")
        assert "Left:" not in done.text, done.text
        assert code == 2 and done.code == 0, done.text
        upgraded = apply(machine)
        assert upgraded.code == 0, upgraded.text
        assert "lost by this upgrade" not in upgraded.text, upgraded.text
        expect_in_force(host)
        host.run("systemctl", "restart", "kubelet")
        assert wait_until(lambda: drift(host)[1] == 0, timeout=120), json.dumps(drift(host)[0], indent=1)
        assert found(drift(host)[0], "kept") >= KEPT
    finally:
        cluster.down()
