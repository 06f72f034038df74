# SPDX-License-Identifier: Apache-2.0
"""Scenarios of `join`: clusters, and hosts that join them.

In most scenarios, both programs join a settled cluster that upstream created. In the scenario right after `init`, each
program joins the cluster that it created itself.
"""

import re

from cluster import kubernetes

INIT = "/root/init.yaml"
ENDPOINT = "api.bench:6443"
IGNORED = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap"


class Joins:
    """Measures joins; `new_host(name)` brings up a host that has every binary."""

    def __init__(self, new_host, upstream):
        self.new_host = new_host
        self.upstream = upstream
        self.settled_control = None
        self.joined = 0

    def sample(self, scenario, binary, measure):
        """Runs one scenario; measure(host, *arguments) runs and measures the join with that binary."""
        return getattr(self, f"_{scenario}")(binary, measure)

    def down(self):
        if self.settled_control:
            self.settled_control.down()

    def _settled(self, _binary, measure):
        control = self._settled_cluster()
        return self._join(control, measure, self._worker_arguments(control))

    def _control_plane(self, _binary, measure):
        control = self._settled_cluster()
        printed = control.run("upstream", "init", "phase", "upload-certs", "--upload-certs").stdout
        key = re.search(r"^[0-9a-f]{64}$", printed, re.M).group()
        arguments = [*self._worker_arguments(control), "--control-plane", "--certificate-key", key]
        return self._join(control, measure, arguments)

    def _after_init(self, binary, measure):
        """Brings the joining host up, runs init, and joins as soon as init ends."""
        control = self._control("fresh")
        host = self._joining_host(control)
        try:
            printed = self._init(control, binary)
            token, pin = re.search(
                r"--token (\S+) .*?--discovery-token-ca-cert-hash (\S+)", printed, re.S
            ).groups()
            return measure(host, *_worker(token, pin))
        finally:
            host.down()
            control.down()

    def _settled_cluster(self):
        if not self.settled_control:
            self.settled_control = self._control("settled")
            self._init(self.settled_control, "upstream")
            kubernetes.wait_healthy(self.settled_control)
        return self.settled_control

    def _control(self, name):
        control = self.new_host(name)
        _name_endpoint(control, control)
        text = control.read(INIT)
        control.write(
            INIT, text.replace("networking:", f"controlPlaneEndpoint: {ENDPOINT}\nnetworking:")
        )
        return control

    def _init(self, control, binary):
        return control.run(binary, "init", "--config", INIT, timeout=300).stdout

    def _worker_arguments(self, control):
        command = control.run("upstream", "token", "create", "--print-join-command").stdout
        token = re.search(r"--token (\S+)", command).group(1)
        pin = re.search(r"--discovery-token-ca-cert-hash (\S+)", command).group(1)
        return _worker(token, pin)

    def _joining_host(self, control):
        self.joined += 1
        host = self.new_host(f"joining-{self.joined}")
        _name_endpoint(host, control)
        return host

    def _join(self, control, measure, arguments):
        host = self._joining_host(control)
        try:
            taken = measure(host, *arguments)
            # Removes the etcd member of the joined host from the cluster.
            host.run("upstream", "reset", "--force", check=False, timeout=120)
            return taken
        finally:
            host.down()
            control.kubectl("delete", "node", host.name, "--ignore-not-found", "--wait=false")


def _worker(token, pin):
    return [ENDPOINT, "--token", token, "--discovery-token-ca-cert-hash", pin, IGNORED]


def _name_endpoint(host, control):
    host.write("/etc/hosts", host.read("/etc/hosts") + f"{control.address} api.bench\n")
