# SPDX-License-Identifier: Apache-2.0
"""Hollow nodes: Node objects that a thread keeps Ready, without a host. Their Pods run and end on paper, so that a
cluster of many nodes fits on one machine. What happens on a node is tested on real hosts."""

import base64
import datetime
import http.client
import json
import re
import ssl
import threading
import traceback

TAINT = {"key": "slipway.test/hollow", "effect": "NoSchedule"}  # Pods that have to work tolerate only some taints
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
BEAT = 10  # seconds between two renewals of the Leases
PAUSE = 0.5  # seconds between two looks at the Pods
MERGE = "application/merge-patch+json"


def _now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class HollowNodes:
    """Keeps `names` as nodes with kubelets of `version` while the `with` block runs. A Job's Pod succeeds at once. A
    Job of `kubeadm upgrade` replaces the kubelet by one of `target`."""

    def __init__(self, host, addresses, names, version, target, directory):
        self.addresses = addresses
        self.versions = dict.fromkeys(names, version)
        self.target = target
        self.failures = []
        self._context = ssl.create_default_context(cadata=host.read("/etc/kubernetes/pki/ca.crt"))
        self._context.load_cert_chain(self._write_pair(host.read("/etc/kubernetes/admin.conf"), directory))
        self._connection = None
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._loop)

    @staticmethod
    def _write_pair(config, directory):
        file = directory / "admin.pem"
        file.touch(0o600)
        pair = [re.search(f"client-{part}-data: (\\S+)", config)[1] for part in ("certificate", "key")]
        file.write_bytes(b"\n".join(map(base64.b64decode, pair)))
        return file

    def __enter__(self):
        for name in self.versions:
            self._create(name)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends.set()
        self._thread.join()

    def _ask(self, method, path, body=None, kind="application/json"):
        """Returns the status and the answer of the API server that serves; tries each of them once."""
        data = None if body is None else json.dumps(body)
        for _ in range(len(self.addresses) + 1):
            try:
                if not self._connection:
                    self._connection = http.client.HTTPSConnection(
                        self.addresses[0], 6443, timeout=10, context=self._context)
                self._connection.request(method, path, data, {"Content-Type": kind})
                answer = self._connection.getresponse()
                text = answer.read()
                if answer.status < 500:
                    return answer.status, json.loads(text)
            except (OSError, http.client.HTTPException, ValueError):
                self._connection = None
            self.addresses = self.addresses[1:] + self.addresses[:1]
            self._connection = None
        raise OSError("no API server answers")

    def _create(self, name):
        node = {"apiVersion": "v1", "kind": "Node", "spec": {"taints": [TAINT]},
                "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}}}
        status, answer = self._ask("POST", "/api/v1/nodes", node)
        assert status == 201, answer
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name},
                 "spec": {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": _now()}}
        status, answer = self._ask("POST", LEASES, lease)
        assert status == 201, answer
        self._report(name)

    def _report(self, name):
        """Writes the status of the node, as a kubelet does after its start."""
        number = sorted(self.versions).index(name) + 1
        ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "hollow",
                 "lastHeartbeatTime": _now()[:19] + "Z", "lastTransitionTime": _now()[:19] + "Z"}
        size = {"cpu": "2", "memory": "4Gi", "pods": "110"}
        status = {"conditions": [ready], "capacity": size, "allocatable": size,
                  "addresses": [{"type": "InternalIP", "address": f"192.0.2.{number}"},
                                {"type": "Hostname", "address": name}],
                  "nodeInfo": {"kubeletVersion": self.versions[name], "kubeProxyVersion": "", "machineID": name,
                               "systemUUID": name, "bootID": name, "kernelVersion": "hollow", "osImage": "hollow",
                               "operatingSystem": "linux", "architecture": "amd64",
                               "containerRuntimeVersion": "hollow://1"}}
        self._ask("PATCH", f"/api/v1/nodes/{name}/status", {"status": status}, MERGE)

    def _loop(self):
        turn, beats = 0, int(BEAT / PAUSE)
        while not self._ends.wait(PAUSE):
            try:
                if turn % beats == 0:
                    for name in self.versions:
                        self._ask("PATCH", f"{LEASES}/{name}", {"spec": {"renewTime": _now()}}, MERGE)
                turn += 1
                for pod in self._ask("GET", "/api/v1/pods")[1]["items"]:
                    if pod["spec"].get("nodeName") in self.versions:
                        self._run(pod)
            except OSError:
                pass  # the API servers restart; the next turn repeats it
            except Exception:
                self.failures.append(traceback.format_exc())

    def _run(self, pod):
        """Ends a Pod of a Job, starts another one, and removes one that is being deleted."""
        metadata, node = pod["metadata"], pod["spec"]["nodeName"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        phase = pod["status"].get("phase")
        if "deletionTimestamp" in metadata:
            self._ask("DELETE", path, {"gracePeriodSeconds": 0})
        elif phase != "Pending":
            return
        elif any(owner["kind"] == "Job" for owner in metadata.get("ownerReferences", [])):
            if "upgrade" in pod["spec"]["containers"][0].get("command", []):
                self.versions[node] = self.target
                self._report(node)
            self._ask("PATCH", path + "/status", {"status": self._status(pod, "Succeeded")}, MERGE)
        else:
            self._ask("PATCH", path + "/status", {"status": self._status(pod, "Running")}, MERGE)

    @staticmethod
    def _status(pod, phase):
        now = _now()[:19] + "Z"
        runs = phase == "Running"
        state = {"running": {"startedAt": now}} if runs else {
            "terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}}
        containers = [{"name": each["name"], "image": each["image"], "imageID": "", "ready": runs, "restartCount": 0,
                       "state": state} for each in pod["spec"]["containers"]]
        return {"phase": phase, "startTime": now, "containerStatuses": containers,
                "conditions": [{"type": kind, "status": str(runs), "lastTransitionTime": now}
                               for kind in ("Ready", "ContainersReady")]}
