# SPDX-License-Identifier: Apache-2.0
"""Objects that etcd stores in an API version that the API server of a release no longer serves."""

import base64
import json
import subprocess

import pytest

from api.control_plane import ADMIN, ControlPlane
from components import store
from minors import steps

pytestmark = pytest.mark.ours

GROUP = "resource.k8s.io"
CLAIM = {
    "apiVersion": f"{GROUP}/v1beta1", "kind": "ResourceClaim",
    "metadata": {"name": "old", "namespace": "default", "uid": "6d3a5d0f-6b0f-4a3e-9f38-1d4b5f0a7c11",
                 "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {"devices": {"requests": [
        {"name": "gpu", "deviceClassName": "gpu.example.org", "allocationMode": "ExactCount", "count": 1}]}},
}


class ServersOfRelease(ControlPlane):
    """etcd and the API server of a release, without a controller manager."""

    def __init__(self, directory, programs):
        super().__init__(directory, say=lambda text: None)
        self.programs = programs

    def _run(self, name, flags):
        if name != "kube-controller-manager":
            super()._run(name, flags)

    def _wait(self, url, limit=60):
        if url.startswith(self.manager_url):
            return
        super()._wait(url, limit)

    def put(self, key, value):
        """Writes a value to etcd."""
        encode = {name: base64.b64encode(text.encode()).decode() for name, text in (("key", key), ("value", value))}
        self._ask_etcd("kv/put", encode)

    def kubectl(self, *words):
        return subprocess.run([self.programs / "kubectl", f"--kubeconfig={self.kubeconfig(ADMIN)}", *words],
                              capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
def servers(release, tmp_path, monkeypatch):
    if release != steps.V1_38:
        pytest.skip(f"v{release} serves {GROUP}/v1beta1")
    programs = store.release_directory(release) / "bin"
    monkeypatch.setenv("SLIPWAY_PROGRAMS", str(programs))
    it = ServersOfRelease(tmp_path, programs)
    try:
        it.start()
        yield it
    finally:
        it.stop()


def test_a_claim_that_is_stored_as_v1beta1_is_read_as_v1(servers):
    servers.put("/registry/resourceclaims/default/old", json.dumps(CLAIM))
    read = servers.kubectl("get", "resourceclaims.v1.resource.k8s.io", "old", "-o", "json")
    assert read.returncode == 0, read.stderr
    claim = json.loads(read.stdout)
    assert claim["apiVersion"] == f"{GROUP}/v1"
    assert claim["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] == "gpu.example.org"
    assert servers.kubectl("annotate", "resourceclaims", "old", "written=again").returncode == 0


def test_v1beta1_is_not_served(servers):
    refused = servers.kubectl("get", "--raw", f"/apis/{GROUP}/v1beta1")
    assert refused.returncode == 1 and "NotFound" in refused.stderr, refused.stderr
