# SPDX-License-Identifier: Apache-2.0
"""The Ansible role on hosts with systemd: init, join, a second run that changes nothing, upgrade."""

import os
import re
import subprocess

import pytest
import yaml

from cluster import hosts, kubernetes
from cluster.clusters import Cluster
from cluster.upgrades import HOST, NEW, OLD, images
from components import store

ROLE = hosts.PROJECT / "deploy" / "ansible"
ANSIBLE = hosts.PROJECT / "build" / "ansible-venv" / "bin" / "ansible-playbook"
INTO = hosts.PROJECT / "tests" / "ansible" / "into"
CONTROL_PLANE, WORKER = "play-one", "play-two"
IGNORED = ["NumCPU", "SystemVerification", "Swap"]


class Play:
    """The playbook with an inventory of two hosts. Its runs ignore the settings of this machine."""

    def __init__(self, cluster, kubeadm, directory):
        self.cluster, self.directory = cluster, directory
        first = cluster.machines[0].host
        documents = list(yaml.safe_load_all(first.read("/root/init.yaml")))
        self.settings = {
            "kubeadm_program": str(kubeadm),
            "kubeadm_prepare_kernel": False,  # the hosts share this machine's kernel
            "kubeadm_kubernetes_version": OLD,
            "kubeadm_control_plane_endpoint": f"{first.address}:6443",
            "kubeadm_cluster": {"networking": documents[1]["networking"]},
            "kubeadm_node_registration": {"ignorePreflightErrors": IGNORED,
                                          "criSocket": "unix:///run/containerd/containerd.sock"},
            "kubeadm_documents": documents[2:],
            "kubeadm_upgrade_flags": [f"--ignore-preflight-errors={','.join(IGNORED)}"],
            "ansible_become": False,  # the hosts have only the user root
            "ansible_python_interpreter": "/usr/bin/python3",
            "ansible_ssh_executable": str(INTO),
            "ansible_ssh_transfer_method": "piped",
        }

    def run(self, *flags, **settings):
        """Runs the playbook; returns the number of changes for each host, and the output."""
        inventory = {"all": {"vars": {**self.settings, **settings},
                             "children": {"control_plane": {"hosts": {CONTROL_PLANE: {}}},
                                          "workers": {"hosts": {WORKER: {}}}}}}
        path = self.directory / "inventory.yml"
        path.write_text(yaml.safe_dump(inventory))
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.directory), "LANG": "C.UTF-8",
                       "ANSIBLE_PIPELINING": "1", "ANSIBLE_HOST_KEY_CHECKING": "0",
                       "SLIPWAY_COMPONENTS": str(store.root()),
                       "SLIPWAY_RUN_NUMBER": str(self.cluster.bench.run.number)}
        done = subprocess.run([ANSIBLE, "-i", path, *flags, ROLE / "cluster.yml"], env=environment, check=False,
                              capture_output=True, text=True, timeout=400)
        output = done.stdout + done.stderr
        assert done.returncode == 0, output
        changed = dict(re.findall(r"^(\S+)\s+: ok=\d+\s+changed=(\d+)", output, re.MULTILINE))
        return {name: int(count) for name, count in changed.items()}, output


@pytest.fixture(scope="module")
def play(bench, kubeadm, note_of_module, tmp_path_factory, request):
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    for name in (CONTROL_PLANE, WORKER):
        cluster.machine(name, init_system="real-systemd", **HOST)
        cluster.machines[-1].host.run("rm", "/usr/local/bin/kubeadm")  # the role must install it
    yield Play(cluster, kubeadm, tmp_path_factory.mktemp("play"))


def test_check_mode_changes_nothing(play):
    play.run("--check")
    for machine in play.cluster.machines:
        assert not machine.host.path("/etc/kubernetes/kubelet.conf").exists()
        assert not machine.host.path("/usr/local/bin/kubeadm").exists()


def test_a_run_creates_a_cluster(play):
    changed, output = play.run()
    assert min(changed.values()) > 0, output
    assert "--token" not in output
    play.cluster.wait_healthy()


@pytest.mark.parametrize("flags", [[], ["--check"]], ids=["run", "check"])
def test_a_second_run_changes_nothing(play, flags):
    changed, output = play.run(*flags)
    assert changed == {CONTROL_PLANE: 0, WORKER: 0}, output


def test_another_version_is_an_upgrade(play):
    changed, output = play.run(kubeadm_kubernetes_version=NEW)
    assert min(changed.values()) > 0, output
    host = play.cluster.first.host
    kubernetes.wait_healthy(host, expected_nodes=[CONTROL_PLANE, WORKER])
    assert images(host)[f"kube-apiserver-{CONTROL_PLANE}"] == NEW
    changed, output = play.run(kubeadm_kubernetes_version=NEW)
    assert changed == {CONTROL_PLANE: 0, WORKER: 0}, output
