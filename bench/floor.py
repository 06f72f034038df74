# SPDX-License-Identifier: Apache-2.0
"""The lower bound of any `init`: starts a kubelet with all files prepared, and waits until the control plane
is healthy."""

from cluster.clusters import INIT

PHASES = (("certs", "all"), ("kubeconfig", "all"), ("etcd", "local"), ("control-plane", "all"))
PROGRAM = "/usr/local/bin/alone"
# Upstream's `init` waits for the same three probes.
ALONE = """#!/bin/sh
set -e
ours init phase kubelet-start --config {init}
for url in https://{address}:6443/livez https://127.0.0.1:10257/healthz https://127.0.0.1:10259/livez; do
  until curl --silent --insecure --fail --max-time 2 --output /dev/null "$url"; do sleep 0.02; done
done
"""


class Floor:
    """Measures the lower bound as the contestant "ours", and upstream's `init` as "upstream". `new_host(name)` brings
    up a host."""

    def __init__(self, new_host):
        self.new_host = new_host

    def sample(self, _scenario, binary, measure):
        """Measures one start of a control plane: upstream's `init`, or a kubelet with prepared files."""
        host = self.new_host("fresh")
        try:
            if binary == "upstream":
                return measure(host, "--config", INIT)
            for phase in PHASES:
                host.run("ours", "init", "phase", *phase, "--config", INIT)
            host.write(PROGRAM, ALONE.format(init=INIT, address=host.address))
            host.run("chmod", "755", PROGRAM)
            return measure(host, program=PROGRAM)
        finally:
            host.down()

    def down(self):
        """Does nothing, because sample() has removed its host."""
