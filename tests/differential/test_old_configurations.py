# SPDX-License-Identifier: Apache-2.0
"""Files of v1beta3, which upstream refuses since v1.37: one `config migrate` of our kubeadm converts them to a form
that upstream accepts."""

import subprocess

from . import programs

OLD = """\
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
localAPIEndpoint:
  advertiseAddress: 10.20.30.40
nodeRegistration:
  name: cp-one
  kubeletExtraArgs:
    node-ip: 10.20.30.40
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
kubernetesVersion: VERSION
apiServer:
  timeoutForControlPlane: 5m0s
  extraArgs:
    audit-log-maxage: "7"
"""


def call(program, *words):
    return subprocess.run([program, "config", *words], capture_output=True, text=True, check=False, timeout=60)


def test_upstream_accepts_migrated_v1beta3_configurations(tmp_path):
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(OLD.replace("VERSION", programs.version()))
    upstream = programs.upstream(programs.RELEASE)
    refused = call(upstream, "migrate", "--old-config", old, "--new-config", new)
    assert refused.returncode != 0 and "old API spec" in refused.stderr
    migrated = call(programs.OURS, "migrate", "--old-config", old, "--new-config", new)
    assert migrated.returncode == 0, migrated.stderr
    checked = call(upstream, "validate", "--config", new)
    assert (checked.returncode, checked.stdout) == (0, "ok\n"), checked.stderr
    text = new.read_text()
    assert "v1beta3" not in text
    assert "controlPlaneComponentHealthCheck: 5m0s" in text and "name: audit-log-maxage" in text
