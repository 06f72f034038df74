# SPDX-License-Identifier: Apache-2.0
"""Fixtures: root directories that contain little more than the program, each with separate name servers."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]

KUBECONFIG = """apiVersion: v1
kind: Config
current-context: c
clusters: [{{name: c, cluster: {{server: 'https://{name}:6443'}}}}]
contexts: [{{name: c, context: {{cluster: c, user: u}}}}]
users: [{{name: u, user: {{token: t}}}}]
"""
INIT = """apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
nodeRegistration: {{name: {name}, criSocket: unix:///run/none.sock}}
localAPIEndpoint: {{advertiseAddress: 10.1.2.3}}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v1.37.2
"""
# A program that contains its libraries must ignore the libc and the configuration of these other systems.
ROOTS = {
    "empty": {},
    "alpine": {"etc/alpine-release": "3.22.1\n", "lib/ld-musl-x86_64.so.1": "not glibc\n",
               "etc/passwd": "root:x:0:0:root:/root:/bin/ash\n"},
    "rhel8": {"etc/nsswitch.conf": "passwd: sss files systemd\ngroup: sss files systemd\n"
                                   "hosts: sss resolve [!UNAVAIL=return] myhostname\n",
              "etc/redhat-release": "Red Hat Enterprise Linux release 8.10 (Ootpa)\n", "etc/host.conf": "multi on\n"},
    "flatcar": {"usr/share/baselayout/nsswitch.conf": "hosts: files usrfiles resolve [!UNAVAIL=return] dns\n",
                "etc/nsswitch.conf": "hosts: resolve [!UNAVAIL=return] files usrfiles\npasswd: files usrfiles\n",
                "etc/os-release": "ID=flatcar\nID_LIKE=coreos\n"},
}


def pytest_addoption(parser):
    group = parser.getgroup("anywhere")
    group.addoption("--kubeadm", type=Path, default=TOP / "build" / "bin" / "kubeadm",
                    help="a release program, with the approver beside it: others need their libraries")


class World:
    """A root directory, and the network that a program finds when it runs there."""

    def __init__(self, root, work, program):
        self.root, self.work = root, work
        for path in (program, program.with_name("cluster-machine-approver")):
            shutil.copy(path, root / path.name)
        self.spec = {"root": str(root), "servers": [], "listen": []}

    def put(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def server(self, address, names, mode="plain"):
        self.spec["servers"].append({"address": address, "names": names, "mode": mode})

    def run(self, *argv, listen=(), ipv6_only=False):
        spec = {**self.spec, "argv": argv, "listen": list(listen), "ipv6_only": ipv6_only}
        (self.work / "spec.json").write_text(json.dumps(spec))
        done = subprocess.run(["unshare", "--net", "--mount", sys.executable, HERE / "world.py", self.work / "spec.json"],
                              capture_output=True, text=True, check=False, timeout=90)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def connect(self, name, listen, **options):
        """Makes kubeadm connect to an API server of that name, and returns the outcome."""
        self.put("admin.conf", KUBECONFIG.format(name=name))
        return self.run("/kubeadm", "token", "list", "--kubeconfig", "/admin.conf", listen=listen, **options)

    def look_up(self, name):
        """Makes preflight look up the node's own name, and returns the outcome."""
        self.put("init.yaml", INIT.format(name=name))
        return self.run("/kubeadm", "init", "phase", "preflight", "--config", "/init.yaml")


@pytest.fixture
def world(tmp_path, request, pytestconfig):
    """A world with a root directory of the kind in the parameter, by default "empty"."""
    (tmp_path / "root").mkdir()
    world = World(tmp_path / "root", tmp_path, pytestconfig.getoption("--kubeadm"))
    for name, text in ROOTS[getattr(request, "param", "empty")].items():
        world.put(name, text)
    return world
