# SPDX-License-Identifier: Apache-2.0
"""The cluster of a worker: its API server and the kubelet's health check, as far as `config apply node` needs them.

    python3 worker_cluster.py

While /run/slow exists, the kubelet takes three seconds to answer.
"""

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

API_PORT, KUBELET_PORT = 16443, 10248
CLUSTER = """apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.37.2
controlPlaneEndpoint: 127.0.0.1:16443
networking: {podSubnet: 10.244.0.0/16, serviceSubnet: 10.96.0.0/12, dnsDomain: cluster.local}
"""
MAPS = {
    "kubeadm-config": {"ClusterConfiguration": CLUSTER},
    "kubelet-config": {
        "kubelet": "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 111\n"
    },
    "kube-proxy": {
        "config.conf": "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n",
        "kubeconfig.conf": "",
    },
}
TEXTS = {"/version": b'{"gitVersion": "v1.37.2"}', "/readyz": b"ok", "/healthz": b"ok"}


def found(path):
    """Returns the object at a path of the API, and the status."""
    name = path.rpartition("/")[2]
    if path.startswith("/api/v1/namespaces/kube-system/configmaps/") and name in MAPS:
        return 200, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": MAPS[name]}
    if path.startswith("/api/v1/nodes/"):
        return 200, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {}}
    return 404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404, "message": f"{path} not found"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass

    def do_GET(self):  # pylint: disable=invalid-name
        path = self.path.partition("?")[0]
        if path == "/healthz" and os.path.exists("/run/slow"):
            time.sleep(3)
        status, body = (200, TEXTS[path]) if path in TEXTS else found(path)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):  # pylint: disable=arguments-differ
        """Prints nothing, because killed commands close connections."""


if __name__ == "__main__":
    for port in (API_PORT, KUBELET_PORT):
        server = Server(("127.0.0.1", port), Handler)
        threading.Thread(target=server.serve_forever).start()
