# SPDX-License-Identifier: Apache-2.0
"""Runs the role with a kubeadm that prints secrets: Ansible's output must contain every error and no secret."""

import json
import os
import subprocess

import pytest

from ansible.test_role import ANSIBLE, ROLE

SECRET = "abcdef.SECRET0123456789"
# The environment variable FAILS is the subcommand that must fail, for example "init".
KUBEADM = f"""#!/bin/sh
echo "kubeadm join 192.0.2.1:6443 --token {SECRET} --discovery-token-ca-cert-hash sha256:00"
[ "$FAILS" != "$1" ] || {{ echo "error: the reason" >&2; exit 1; }}
"""


@pytest.mark.parametrize("fails", ["", "init", "token", "join"])
def test_no_secret_is_shown_and_every_error_is(tmp_path, fails):
    program = tmp_path / "kubeadm"
    program.write_text(KUBEADM)
    program.chmod(0o755)
    settings = {"kubeadm_program": "", "kubeadm_packages": [], "kubeadm_prepare_kernel": False,
                "kubeadm_enabled_service": "", "ansible_become": False, "ansible_connection": "local",
                "ansible_python_interpreter": "/usr/bin/python3", "kubeadm_config": str(tmp_path / "kubeadm.yaml"),
                "kubeadm_version_note": str(tmp_path / "note"),
                "kubeadm_cluster": {"apiServer": {"extraArgs": [{"name": "x", "value": SECRET}]}}}
    inventory = tmp_path / "inventory.yml"
    inventory.write_text(json.dumps({"control_plane": {"hosts": {"one": {}}}, "workers": {"hosts": {"two": {}}}}))
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path), "LANG": "C.UTF-8", "FAILS": fails}
    # Runs Ansible with its highest verbosity. Only the name of the file with the settings is on the command line.
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    done = subprocess.run([ANSIBLE, "-i", inventory, "-e", f"@{tmp_path}/settings.json", "-vvv", "--diff",
                           ROLE / "cluster.yml"],
                          env=environment, check=False, capture_output=True, text=True, timeout=300)
    output = done.stdout + done.stderr
    assert "SECRET" not in output
    assert (done.returncode == 0) == (fails == ""), output
    assert ("error: the reason" in output) == (fails != ""), output
