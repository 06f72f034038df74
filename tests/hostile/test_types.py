# SPDX-License-Identifier: Apache-2.0
"""Objects in which one field has another type: each command that reads them must work, or end with our own error that
names the object. The objects are those that kubeadm's own phases write, and those that a running cluster adds."""

import copy
import json
import random
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from programs import _script
from store import ApiServer, Store
from test_node import ADDRESS, CONFIG, configuration, ip, laid, network, whole  # noqa: F401

MOVED = "10.66.0.9"
COMPONENTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler")
NODES = {"cp-one": ADDRESS, "cp-two": "10.66.0.2", "worker": "10.66.0.3"}
SEEDING = ("upload-config all", "addon all", "bootstrap-token", "mark-control-plane")
# `{init}` and `{upgrade}` are files. Commands change only objects in the store.
COMMANDS = {
    "drift": ["drift", "--all-nodes"],
    "drift --adopt": ["drift", "--adopt", "--dry-run"],
    "config apply": ["config", "apply", "--set", "apiServer.extraArgs.v=3", "--set", "kubelet.maxPods=99", "--dry-run"],
    "config diff": ["config", "diff", "{init}"],
    "upgrade plan": ["upgrade", "plan", "v1.36.1", "--ignore-preflight-errors=all"],
    "upgrade plan --path": ["upgrade", "plan", "--path", "v1.37.0"],
    "upgrade apply": ["upgrade", "apply", "v1.36.1", "--dry-run", "--yes", "--config", "{upgrade}"],
    "upgrade node": ["upgrade", "node", "--dry-run", "--config", "{upgrade}"],
    "upgrade diff": ["upgrade", "diff", "v1.36.1"],
    "doctor": ["doctor"],
    "endpoint set": ["endpoint", "set", MOVED + ":6443", "--dry-run"],
    "node readdress": ["node", "readdress", "--from", ADDRESS, "--to", MOVED, "--dry-run"],
    "rotate-ca": ["certs", "rotate-ca", "kubernetes", "--dry-run"],
    "token list": ["token", "list"],
    "addon": ["init", "phase", "addon", "all", "--config", "{init}"],
    "upload-config": ["init", "phase", "upload-config", "all", "--config", "{init}"],
    "mark-control-plane": ["init", "phase", "mark-control-plane", "--config", "{init}"],
    "reset": ["reset", "--force", "--dry-run"],
}
ODD = (None, True, 7, "odd", [], ["odd"], {}, {"odd": "odd"}, [None], [7])
LIBRARY = re.compile(r"json\.exception|type_error|type must be|cannot use |std::|terminate called|nlohmann|bad_")
SECONDS = 120  # on a busy machine; a command usually takes a tenth of a second


def mirror(component, node, manifest):
    pod = copy.deepcopy(manifest)
    annotations = pod["metadata"].setdefault("annotations", {})
    annotations |= {"kubernetes.io/config.source": "file", "kubernetes.io/config.mirror": "a", "kubernetes.io/config.hash": "a"}
    pod["metadata"] |= {"name": f"{component}-{node}", "uid": f"{component}-{node}",
                        "ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": node, "uid": node}]}
    pod["spec"]["nodeName"] = node
    pod["status"] = {"phase": "Running", "podIP": NODES[node],
                     "conditions": [{"type": "Ready", "status": "True"}],
                     "containerStatuses": [{"name": component, "ready": True, "restartCount": 0, "state": {"running": {}}}]}
    return pod


def node_object(name):
    role = {"node-role.kubernetes.io/control-plane": ""} if name.startswith("cp") else {}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z", "annotations": {},
                         "labels": {"kubernetes.io/hostname": name, **role}},
            "spec": {"podCIDR": "10.244.0.0/24", "podCIDRs": ["10.244.0.0/24"],
                     "taints": [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}] if role else []},
            "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "x", "message": "x",
                                       "lastHeartbeatTime": "2026-01-01T00:00:00Z"}],
                       "addresses": [{"type": "InternalIP", "address": NODES[name]}, {"type": "Hostname", "address": name}],
                       "nodeInfo": {"kubeletVersion": "v1.36.0", "containerRuntimeVersion": "containerd://2.0.0"}}}


class Place:
    """A mount namespace with a node's files, in which commands run one after the other."""

    def __init__(self, files):
        script = _script(None, files, ()).replace('exec "$@"', "echo ready; sleep infinity")
        self._holder = subprocess.Popen(["unshare", "--mount", "--uts", "bash", "-c", script], stdout=subprocess.PIPE, text=True)
        assert self._holder.stdout.readline() == "ready\n"

    def run(self, words):
        command = ["nsenter", "-t", str(self._holder.pid), "--mount", "--uts", *map(str, words)]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C", "TZ": "UTC"}
        try:
            outcome = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                     text=True, errors="replace", timeout=SECONDS, env=environment)
        except subprocess.TimeoutExpired as error:
            return -1, f"no end within {SECONDS} s: {error.output}"
        return outcome.returncode, outcome.stdout

    def write(self, path, text):
        command = ["nsenter", "-t", str(self._holder.pid), "--mount", "bash", "-c", f"mkdir -p {path.parent} && cat >{path}"]
        subprocess.run(command, input=text, text=True, check=True)

    def end(self):
        self._holder.kill()
        self._holder.wait()


@pytest.fixture(scope="module")
def world(kubeadm, ours, whole, tmp_path_factory):  # noqa: F811
    """A place, the server that the kubeconfig files in it name, and the objects of a cluster."""
    directory = tmp_path_factory.mktemp("types")
    with ApiServer(ours.server(directory, ADDRESS, MOVED), ADDRESS) as server:
        (directory / "init").write_text(configuration(server.port))
        (directory / "upgrade").write_text(CONFIG % "UpgradeConfiguration" + "apply: {ignorePreflightErrors: [all]}\n"
                                           "node: {ignorePreflightErrors: [all]}\n")
        place = Place(laid(whole, server, ours.pem(), directory))
        store = server.store
        manifests = {name: yaml.safe_load(whole[f"/etc/kubernetes/manifests/{name}.yaml"].read_text()) for name in COMPONENTS}
        for name in NODES:
            store.objects["nodes", "", name] = node_object(name)
            for component in COMPONENTS if name.startswith("cp") else ():
                store.objects["pods", "kube-system", f"{component}-{name}"] = mirror(component, name, manifests[component])
        for phase in SEEDING:
            code, text = place.run([kubeadm, "init", "phase", *phase.split(), "--config", directory / "init"])
            assert code == 0, text
        store.settings = yaml.safe_load(store.objects["configmaps", "kube-system", "kubelet-config"]["data"]["kubelet"])
        for name in ("kube-controller-manager", "kube-scheduler"):
            store.objects["leases", "kube-system", name] = {
                "metadata": {"name": name, "namespace": "kube-system"},
                "spec": {"holderIdentity": "cp-one_1", "leaseDurationSeconds": 15, "renewTime": "2026-01-01T00:00:00.000000Z"}}
        ip(f"address add {MOVED}/24 dev lo scope global")
        yield place, server, store, directory
        place.end()


def fields(value, path=()):
    """Yields the paths of all fields below a value. Of a list, yields only the first element. Also descends into
    strings that are YAML documents."""
    inner = document(value)
    members = inner.items() if isinstance(inner, dict) else list(enumerate(inner))[:1] if isinstance(inner, list) else ()
    for name, member in members:
        yield (*path, name)
        yield from fields(member, (*path, name))


def document(value):
    if isinstance(value, str) and "\n" in value and "BEGIN " not in value:
        try:
            value = yaml.safe_load(value)
        except yaml.YAMLError:
            pass
    return value


def replaced(value, path, odd):
    """Returns the value with `odd` at the path. A YAML document stays a string."""
    inner = copy.deepcopy(document(value))
    if len(path) == 1:
        inner[path[0]] = odd
    else:
        inner[path[0]] = replaced(inner[path[0]], path[1:], odd)
    return yaml.safe_dump(inner) if isinstance(value, str) else inner


def cases(wholes):
    """Returns (key, path, odd value, whether the field is an object or list) for each field and each odd value."""
    return [(key, path, odd, isinstance(at(wholes[key], path), (dict, list)))
            for key in sorted(wholes) for path in fields(wholes[key]) for odd in ODD]


def at(value, path):
    for name in path:
        value = document(value)[name]
    return value


def sample(every, seed, request):
    """Returns a random sample: cases in which a number replaces an object or list at the top, and as many other cases.
    With --odd-fields=0, returns all cases."""
    wanted = request.config.getoption("--odd-fields")
    top = [case for case in every if len(case[1]) <= 2 and case[2] == 7 and case[3]]
    rest = [case for case in every if case not in top]
    pick = random.Random(seed)
    return every if wanted == 0 else [case for part in (top, rest) for case in pick.sample(part, min(wanted, len(part)))]


def fault(code, text):
    """Returns the defect in a command's outcome, or None."""
    return f"exit {code}: {text[-300:]}" if code < 0 or code > 2 or LIBRARY.search(text) else None


@pytest.mark.parametrize("command", COMMANDS)
def test_odd_types(kubeadm, world, command, request):
    place, server, store, directory = world
    words = [word.format(init=directory / "init", upgrade=directory / "upgrade") for word in COMMANDS[command]]
    server.store = Store(store.objects)
    server.store.settings = store.settings
    code, text = place.run([kubeadm, *words])
    assert server.store.served, text
    assert code in (0, 1, 2), text
    every = cases({key: store.objects[key] for key in server.store.read if key in store.objects})
    assert every or command == "reset", text
    chosen = sample(every, command, request)
    bad = []
    for key, path, odd, _ in chosen:
        server.store = Store(store.objects)
        server.store.settings = store.settings
        server.store.odd = {key: replaced(store.objects[key], path, odd)}
        if problem := fault(*place.run([kubeadm, *words])):
            bad.append(f"{'/'.join(key)} {'.'.join(map(str, path))}={json.dumps(odd)}: {problem}")
    assert not bad, f"{len(bad)} of {len(chosen)}:\n" + "\n".join(bad[:40]) + f"\n{shlex.join(words)}"


FILES = {f"/etc/kubernetes/manifests/{name}.yaml": name for name in COMPONENTS} | {"/var/lib/kubelet/config.yaml": "kubelet"}


@pytest.mark.parametrize("command", ["drift", "drift --adopt", "config apply", "upgrade apply", "upgrade diff", "doctor",
                                     "node readdress", "rotate-ca", "reset"])
def test_odd_types_in_files(kubeadm, world, whole, command, request):  # noqa: F811
    """One field of a node's file has another type, because a user has edited the file. The command must work, or end
    with our own error."""
    place, server, store, directory = world
    words = [word.format(init=directory / "init", upgrade=directory / "upgrade") for word in COMMANDS[command]]
    texts = {file: whole[file].read_text() if file in whole else yaml.safe_dump(store.settings) for file in FILES}
    every = cases({file: yaml.safe_load(text) for file, text in texts.items()})
    bad = []
    for file, path, odd, _ in sample(every, command, request):
        server.store = Store(store.objects)
        server.store.settings = store.settings
        for other, text in texts.items():
            place.write(Path(other), text)
        place.write(Path(file), yaml.safe_dump(replaced(yaml.safe_load(texts[file]), path, odd)))
        if problem := fault(*place.run([kubeadm, *words])):
            bad.append(f"{file} {'.'.join(map(str, path))}={json.dumps(odd)}: {problem}")
    for file, text in texts.items():
        place.write(Path(file), text)
    assert not bad, f"{len(bad)}:\n" + "\n".join(bad[:40]) + f"\n{shlex.join(words)}"
