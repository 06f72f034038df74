# SPDX-License-Identifier: Apache-2.0
"""Clusters of several hosts, whose endpoint has a name that can be moved from host to host."""

import re

from cluster import kubernetes
from cluster.conftest import Machine

ENDPOINT = "api.bench:6443"
INIT = "/root/init.yaml"


class Cluster:
    """Hosts, and the kubeadm that creates a cluster on them. `self.first` is the first host."""

    def __init__(self, bench, kubeadm, note):
        self.bench = bench
        self.binary = kubeadm
        self.note = note
        self.machines = []

    @property
    def first(self):
        return self.machines[0]

    def machine(self, name, kubeadm=None, **options):
        """Adds a host, on which the endpoint's name resolves to the first host."""
        host = self.bench.host(name, kubeadm=kubeadm or self.binary, **options)
        self.machines.append(Machine(host, self.note))
        self.point(self.machines[-1], self.first)
        return self.machines[-1]

    def point(self, machine, target):
        """Makes the endpoint's name resolve to `target` on `machine`."""
        lines = [line for line in machine.host.read("/etc/hosts").splitlines() if "api.bench" not in line]
        lines.append(f"{target.host.address} api.bench")
        machine.host.write("/etc/hosts", "\n".join(lines) + "\n")

    def init(self, *flags):
        """Runs `kubeadm init` on the first host with the endpoint's name as the control-plane endpoint."""
        host = self.first.host
        text = host.read(INIT)
        if "controlPlaneEndpoint" not in text:
            host.write(INIT, text.replace("networking:", f"controlPlaneEndpoint: {ENDPOINT}\nnetworking:"))
        outcome = self.first.init(*flags)
        assert outcome.code == 0, outcome.text
        return outcome

    def credentials(self):
        """Returns token, pin and certificate key. Extracts them from kubeadm's own output, as a user does."""
        run = self.first.host.run
        printed = run("kubeadm", "init", "phase", "upload-certs", "--upload-certs").stdout
        key = re.search(r"^[0-9a-f]{64}$", printed, re.M).group()
        command = run("kubeadm", "token", "create", "--print-join-command").stdout
        token = re.search(r"--token (\S+)", command).group(1)
        pin = re.search(r"--discovery-token-ca-cert-hash (\S+)", command).group(1)
        return token, pin, key

    def create(self, names, workers=(), **options):
        """Creates a healthy cluster on hosts of these names: control planes, except for the `workers` among them. The
        options are those of Host.up."""
        self.machine(names[0], **options)
        self.init()
        for name in names[1:]:
            join = self.join_worker if name in workers else self.join_control_plane
            join(name, **options)
        self.wait_healthy()

    def join_control_plane(self, name, *flags, **options):
        """Adds a host that joins as a control plane."""
        machine = self.machine(name, **options)
        outcome = machine.join(*self.control_plane_arguments(*self.credentials()), *flags)
        assert outcome.code == 0, outcome.text
        return machine

    def join_worker(self, name="worker", **options):
        """Adds a host that joins as a worker, by the join command that kubeadm prints."""
        worker = self.machine(name, **options)
        command = self.first.host.run("kubeadm", "token", "create", "--print-join-command").stdout.split()
        outcome = worker.join(*command[2:])
        assert outcome.code == 0, outcome.text
        return worker

    def worker_arguments(self, token, pin):
        return [ENDPOINT, "--token", token, "--discovery-token-ca-cert-hash", pin]

    def control_plane_arguments(self, token, pin, key):
        return [*self.worker_arguments(token, pin), "--control-plane", "--certificate-key", key]

    def wait_healthy(self, at=None):
        names = [machine.host.name for machine in self.machines]
        return kubernetes.wait_healthy((at or self.first).host, expected_nodes=names)

    def down(self):
        for machine in reversed(self.machines):
            machine.host.down()


def etcd_members(host, loopback="127.0.0.1"):
    """Returns etcd's own member list, one line for each member."""
    pki = "/etc/kubernetes/pki/etcd"
    return host.run(
        "etcdctl",
        f"--endpoints=https://{loopback}:2379",
        f"--cacert={pki}/ca.crt",
        f"--cert={pki}/healthcheck-client.crt",
        f"--key={pki}/healthcheck-client.key",
        "member",
        "list",
    ).stdout.splitlines()


def leftovers(host):
    """Returns the node's files in the directories of kubeadm, the kubelet and etcd, without hidden manifests."""
    paths = ["/etc/kubernetes", "/var/lib/kubelet", "/var/lib/etcd"]
    found = host.run("find", *paths, "-type", "f", check=False).stdout.split()
    return [path for path in found if not path.startswith("/etc/kubernetes/manifests/.")]
