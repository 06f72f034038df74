# SPDX-License-Identifier: Apache-2.0
"""A cluster for the e2e suite: a control plane, which runs no Pods of tests, and two workers."""

import time

from cluster import demo, hosts, kubernetes

INIT = "/root/init.yaml"
NODES = ("control-plane", "worker-1", "worker-2")


def made(bench, kubeadm, release, images):
    """Creates a healthy cluster with this kubeadm. Returns its hosts, the control plane first. `images` is a directory
    of test images."""

    # Starts all hosts in this thread, because the kernel kills a host when the thread that started it ends.
    first, *workers = [bench.host(name, kubeadm=kubeadm, release=release, images=(images,)) for name in NODES]
    # The bench's default configuration removes the control plane's taint; the suite expects kubeadm's default taint.
    first.write(INIT, first.read(INIT).replace("  taints: []\n", ""))
    begin = time.monotonic()
    first.run("kubeadm", "init", "--config", INIT, "--upload-certs", timeout=900)
    bench.say(f"kubeadm init: {time.monotonic() - begin:.1f} s")
    demo.join(first, workers)
    bench.say(f"healthy {kubernetes.wait_healthy(first, 900, expected_nodes=NODES):.1f} s later")
    return [first, *workers]


def write_kubeconfig(host, path):
    """Writes the administrator's kubeconfig to `path` for programs on this machine."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(host.read(hosts.KUBECONFIG))
    return path
