# SPDX-License-Identifier: Apache-2.0
"""Scenarios of `upgrade` and `reset`, run on clusters that upstream's kubeadm has created."""

import time

from cluster import kubernetes
from cluster.processes import wait_until
from components import recipes, store

INIT = "/root/init.yaml"
ENDPOINT = "api.bench:6443"
IGNORED = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap"
NEW = recipes.RELEASES[recipes.DEFAULT_RELEASE].version
APPLY = ("apply", NEW, "--yes", IGNORED)


class Changes:
    """Measures changes of clusters; `new_host(name, **options)` brings up a host that has every binary."""

    def __init__(self, new_host):
        self.new_host = new_host
        self.settled = None  # a control plane that runs the new version already
        self.pair = None  # two control planes; the second is measured
        self.made = 0

    def sample(self, scenario, _binary, measure):
        """Runs one scenario; measure(host, *arguments) runs and measures its command."""
        return getattr(self, f"_{scenario}")(measure)

    def down(self):
        for host in [self.settled, *(self.pair or [])]:
            if host:
                host.down()

    def _upgrade(self, measure):
        self.made += 1
        host = self.new_host(f"old-{self.made}", release=recipes.PREVIOUS_RELEASE, also=(recipes.DEFAULT_RELEASE,))
        try:
            host.copy(
                store.release_directory(recipes.PREVIOUS_RELEASE) / "upstream" / "kubeadm", "/usr/local/bin/kubeadm-old"
            )
            host.run("kubeadm-old", "init", "--config", INIT, timeout=300)
            kubernetes.wait_healthy(host)
            return measure(host, *APPLY)
        finally:
            host.down()

    def _upgrade_again(self, measure):
        if not self.settled:
            self.settled = self.new_host("upgraded")
            self.settled.run("upstream", "init", "--config", INIT, timeout=300)
        kubernetes.wait_healthy(self.settled)
        return measure(self.settled, *APPLY)

    def _upgrade_node(self, measure):
        if not self.pair:
            self.pair = self._two_control_planes()
        first, second = self.pair
        kubernetes.wait_healthy(first, expected_nodes=[first.name, second.name])
        time.sleep(1)  # upstream fails if a directory is named after the current second
        return measure(second, "node", IGNORED)

    def _two_control_planes(self):
        first, second = (self.new_host(name) for name in ("one", "two"))
        for host in (first, second):
            host.write("/etc/hosts", host.read("/etc/hosts") + f"{first.address} api.bench\n")
        text = first.read(INIT)
        first.write(
            INIT, text.replace("networking:", f"controlPlaneEndpoint: {ENDPOINT}\nnetworking:")
        )
        first.run("upstream", "init", "--config", INIT, timeout=300)
        key = "0" * 64
        first.run(
            "upstream", "init", "phase", "upload-certs", "--upload-certs", "--certificate-key", key
        )
        command = first.run("upstream", "token", "create", "--print-join-command").stdout.split()
        second.run(
            "upstream", *command[1:], "--control-plane", "--certificate-key", key, IGNORED,
            timeout=300,
        )
        return first, second

    def _reset(self, measure):
        """Measures the reset of a control plane with an external etcd, so that the reset removes no etcd member."""
        self.made += 1
        host = self.new_host(f"reset-{self.made}")
        try:
            with open(host.logs / "etcd.log", "w", encoding="utf-8") as log:
                host.start("etcd", "--data-dir", "/var/lib/elsewhere", output=log)
            text = host.read(INIT)
            external = "etcd: {external: {endpoints: ['http://127.0.0.1:2379']}}\nnetworking:"
            host.write(INIT, text.replace("networking:", external))
            assert wait_until(
                lambda: host.run("etcdctl", "endpoint", "health", check=False).returncode == 0, 20
            )
            host.run("upstream", "init", "--config", INIT, timeout=300)
            return measure(host, "--force")
        finally:
            host.down()
