# SPDX-License-Identifier: Apache-2.0
"""The objects of a complete cluster behind a test's API server, and the same objects with hostile strings."""

import base64
import copy
import json
import re
import urllib.parse

import yaml

from answers import TOKEN, encoded
from world import answer, cluster_info, kubeconfig

VERSION = "v1.36.0"
SYSTEM = "kube-system"
COREFILE = ".:53 {\n    errors\n    forward . /etc/resolv.conf\n    cache 30\n}\n"
NODE, WORKER = "cp-one", "worker-one"


def _object(api, kind, name, namespace=None, **more):
    metadata = {"name": name, "uid": f"uid-{name}", "resourceVersion": "1", "labels": {}, "annotations": {},
                "creationTimestamp": "2026-01-01T00:00:00Z", **({"namespace": namespace} if namespace else {}),
                **more.pop("metadata", {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **more}


def _node(name, address, labels):
    return _object("v1", "Node", name, metadata={
        "labels": {"kubernetes.io/hostname": name, **labels},
        "annotations": {"endpoint.kubeadm.slipway/named": "old.test:6443", "note": f"at {address}"}},
        spec={"podCIDR": "10.244.0.0/24", "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
        status={"addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}],
                "conditions": [{"type": "Ready", "status": "False", "reason": "Down", "message": "not today"}],
                "nodeInfo": {"kubeletVersion": VERSION, "containerRuntimeVersion": "containerd://2.0.0",
                             "osImage": "Debian", "kernelVersion": "6.1.0", "operatingSystem": "linux"}})


def _pod(component, address, port):
    annotations = {
        "kube-apiserver": {"kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint": f"{address}:{port}"},
        "etcd": {"kubeadm.kubernetes.io/etcd.advertise-client-urls": f"https://{address}:2379"}}.get(component, {})
    image = f"registry.k8s.io/{component}:" + ("3.6.8-0" if component == "etcd" else VERSION)
    return _object("v1", "Pod", f"{component}-{NODE}", SYSTEM, metadata={
        "labels": {"component": component, "tier": "control-plane"},
        "annotations": {"kubernetes.io/config.mirror": "hash", "kubernetes.io/config.hash": "hash", **annotations},
        "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": NODE, "uid": f"uid-{NODE}"}]},
        spec={"nodeName": NODE, "containers": [{"name": component, "image": image,
                                                "command": [component, "--v=2", "--note=x"]}]},
        status={"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [{"name": component, "ready": False, "restartCount": 3, "image": image,
                                       "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "no"}},
                                       "lastState": {"terminated": {"reason": "Error", "message": "bad",
                                                                    "exitCode": 1}}}]})


def _config(name, **data):
    return _object("v1", "ConfigMap", name, SYSTEM,
                   data={key: text if isinstance(text, str) else yaml.safe_dump(text) for key, text in data.items()})


def _workload(kind, name, image):
    container = {"name": name, "image": image, "args": ["--note", "x"]}
    return _object("apps/v1", kind, name, SYSTEM, metadata={"labels": {"k8s-app": name}, "generation": 1},
                   spec={"replicas": 2, "selector": {"matchLabels": {"k8s-app": name}},
                         "template": {"metadata": {"labels": {"k8s-app": name}},
                                      "spec": {"containers": [container]}}},
                   status={"readyReplicas": 1, "observedGeneration": 1})


def objects(address, port, ca_pem):
    """Returns a control plane of one node, a worker, and the objects that commands read."""
    labels = {"node-role.kubernetes.io/control-plane": ""}
    public = cluster_info(kubeconfig(f"https://{address}:{port}", ca_pem, ""), TOKEN)
    return [
        _node(NODE, address, labels), _node(WORKER, "10.66.0.2", {}),
        *(_pod(component, address, port)
          for component in ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd")),
        _config("kubeadm-config", ClusterConfiguration={
            "apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration", "kubernetesVersion": VERSION,
            "clusterName": "prod", "imageRepository": "registry.test", "certificatesDir": "/etc/kubernetes/pki",
            "networking": {"podSubnet": "10.244.0.0/16", "serviceSubnet": "10.96.0.0/12", "dnsDomain": "cluster.local"},
            "apiServer": {"certSANs": ["api.test"], "extraArgs": [{"name": "audit-log-path", "value": "/tmp/x"}],
                          "extraVolumes": [{"name": "v", "hostPath": "/tmp/v", "mountPath": "/tmp/v"}]},
            "scheduler": {"extraArgs": [{"name": "v", "value": "2"}]}}),
        _config("kubelet-config", kubelet={
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "clusterDomain": "cluster.local",
            "clusterDNS": ["10.96.0.10"], "cgroupDriver": "systemd", "staticPodPath": "/etc/kubernetes/manifests",
            "resolvConf": "/etc/resolv.conf"}),
        _config("kube-proxy", **{"config.conf": {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration", "mode": "",
            "clusterCIDR": "10.244.0.0/16", "bindAddress": "0.0.0.0"},
            "kubeconfig.conf": kubeconfig(f"https://{address}:{port}", None)}),
        _config("coredns", Corefile=COREFILE),
        _config("kubeadm-endpoint", endpoint="new.test:6443", previous=f"{address}:{port}", names="old.test",
                switched="2026-01-01T00:00:00Z"),
        public,
        _object("v1", "Secret", "bootstrap-token-" + TOKEN.split(".")[0], SYSTEM, type="bootstrap.kubernetes.io/token",
                data={**encoded(TOKEN, "a description"),
                      "expiration": base64.b64encode(b"2036-01-01T00:00:00Z").decode(),
                      "auth-extra-groups": base64.b64encode(b"system:bootstrappers:x").decode()}),
        _workload("Deployment", "coredns", "registry.k8s.io/coredns/coredns:v1.12.0"),
        _workload("DaemonSet", "kube-proxy", f"registry.k8s.io/kube-proxy:{VERSION}"),
        _object("certificates.k8s.io/v1", "CertificateSigningRequest", "csr-1",
                spec={"request": base64.b64encode(b"no request").decode(), "username": f"system:node:{WORKER}",
                      "signerName": "kubernetes.io/kubelet-serving", "groups": ["system:nodes"],
                      "usages": ["digital signature", "server auth"]}, status={}),
        _object("coordination.k8s.io/v1", "Lease", "slipway-change", SYSTEM,
                spec={"holderIdentity": "another", "leaseDurationSeconds": 1, "renewTime": "2026-01-01T00:00:00.0Z"}),
    ]


HOSTILE = "\x1b[5m\x1b]0;owned\x07\x7f\u009b5m\u202e\u2066\rgone\x08\nFORGED: all is well"
# The fields by which the server identifies an object, and the fields that a command must be able to read before it
# prints anything.
KEPT = re.compile(r"^(apiVersion|kind|metadata\.(namespace|uid|resourceVersion|creationTimestamp))$")


def poisoned(value, chosen, path=""):
    """Returns the value with HOSTILE appended to each string whose path is chosen, including strings in YAML or JSON
    strings."""
    if isinstance(value, dict):
        return {key: poisoned(member, chosen, f"{path}.{key}".lstrip(".")) for key, member in value.items()}
    if isinstance(value, list):
        return [poisoned(member, chosen, f"{path}.{i}") for i, member in enumerate(value)]
    if not isinstance(value, str) or KEPT.match(path):
        return value
    inner = _parsed(value)
    if inner is not None:
        changed = poisoned(inner, chosen, path + "!")
        return value if changed == inner else json.dumps(changed)
    return value + HOSTILE if chosen(path) else value


def _parsed(text):
    if not re.match(r"[{\w]", text) or ":" not in text:
        return None
    try:
        inner = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    return inner if isinstance(inner, dict) else None


def paths(value, path=""):
    """Returns the paths of all strings that may be poisoned."""
    found = []
    poisoned(value, lambda where: bool(found.append(where)), path)
    return found


class Cluster:
    """Serves objects: `behave` is the function of a world.Server. Acknowledges writes and discards them."""

    def __init__(self, everything):
        self.objects = everything

    def changed(self, chosen):
        """Returns the same cluster with poisoned strings where `chosen(object, path)` is true."""
        return Cluster([poisoned(copy.deepcopy(each), lambda path, each=each: chosen(each, path))
                        for each in self.objects])

    def behave(self, request):
        method, target = request.split()[:2]
        url = urllib.parse.urlsplit(target)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/version":
            return iter([answer(200, {"major": "1", "minor": "36", "gitVersion": VERSION, "platform": "linux/amd64"})])
        match = re.fullmatch(r"/(?:api|apis/[^/]+)/v1(?:/namespaces/([^/]+)(?=/))?/([^/?]+)(?:/([^/]+))?(?:/.*)?", url.path)
        if not match:
            return iter([answer(200, "ok")])
        namespace, resource, name = match.groups()
        kind = resource.rstrip("s").lower()
        found = [each for each in self.objects if each["kind"].lower() == kind and
                 namespace in (None, each["metadata"].get("namespace")) and _selected(each, query)]
        if method != "GET":
            return iter([answer(201 if method == "POST" else 200, found[0] if found else {"kind": "Status"})])
        if not name:
            return iter([answer(200, {"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
                                      "items": found})])
        for each in found:
            if each["metadata"]["name"].split("\x1b")[0] == urllib.parse.unquote(name).split("\x1b")[0]:
                return iter([answer(200, each)])
        return iter([answer(404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404,
                                  "message": f"{resource} \"{name}\" not found"})])


def _selected(each, query):
    labels = each["metadata"].get("labels", {})
    for term in filter(None, query.get("labelSelector", "").split(",")):
        key, found, value = term.partition("=")
        if key not in labels or (found and not labels[key].startswith(value.lstrip("="))):
            return False
    return True
