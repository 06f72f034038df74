#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A one-node cluster on this machine, created by our kubeadm: demo.py up | down | status."""

import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cluster import hosts, kubernetes, runs, template  # noqa: E402
from cluster.cgroups import CgroupError  # noqa: E402
from components import recipes, store  # noqa: E402

HOST = "slipway"
KUBECONFIG = hosts.PROJECT / "build" / "cluster" / "kubeconfig"
LOGS = hosts.PROJECT / "build" / "logs" / "demo"
RERUN = "the same command can be run again; `./dev down` removes the host"


def existing():
    """The demo's host, running or not; None if it does not exist."""
    run = runs.find(hosts.BY_HAND)
    if not run or not (run.record / f"host-{HOST}.json").exists():
        return None
    return hosts.Host(hosts.Bench(run), HOST)


def up(kubeadm):
    """Brings the cluster up, skipping finished steps; prints how to reach it."""
    host = existing()
    if host and host.alive() and kubernetes.look(host, [HOST]).healthy:
        print("the cluster is already up and healthy")
        return describe(host)
    if host and not host.alive():
        host.down()
        host = None
    host = host or hosts.Bench.named(hosts.BY_HAND).host(HOST, kubeadm=kubeadm)
    initialise(host)
    print(
        f"node Ready and every Pod of kube-system Ready {kubernetes.wait_healthy(host):.1f} s later"
    )
    return describe(host)


def initialise(host):
    """Runs `kubeadm init` with its output forwarded to ours."""
    print("$ kubeadm init --config /root/init.yaml", flush=True)
    begin = time.monotonic()
    command = host.command("kubeadm", "init", "--config", "/root/init.yaml")
    result = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
    if result.returncode != 0:
        raise hosts.HostError(
            f"kubeadm init failed (exit {result.returncode}); logs: {host.save_logs(LOGS)}; {RERUN}"
        )
    print(f"kubeadm init: {time.monotonic() - begin:.1f} s", flush=True)


def describe(host):
    KUBECONFIG.parent.mkdir(parents=True, exist_ok=True)
    KUBECONFIG.touch(mode=0o600)
    KUBECONFIG.write_text(host.read(hosts.KUBECONFIG))
    print(host.kubectl("get", "nodes", "-o", "wide"))
    print(host.kubectl("get", "pods", "--all-namespaces"))
    kubectl = store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / "kubectl"
    print(f"API server           https://{host.address}:6443")
    print(f"from this machine    export KUBECONFIG={KUBECONFIG}; {kubectl} get nodes")
    print(f"inside the host      tests/cluster/bench exec {HOST} kubectl get nodes")
    print("to remove it         ./dev down")


def down():
    host = existing()
    if not host:
        print("there is no cluster")
        return
    host.down()
    KUBECONFIG.unlink(missing_ok=True)
    if not host.bench.hosts():
        host.bench.down()
    print("the cluster is gone")


def status():
    host = existing()
    if not host or not host.alive():
        sys.exit("there is no cluster: ./dev up")
    state = kubernetes.look(host, [HOST])
    if not state.healthy:
        sys.exit("not healthy: " + "; ".join(state.missing))
    describe(host)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=("up", "down", "status"))
    parser.add_argument("--kubeadm", default=hosts.PROJECT / "build" / "bin" / "kubeadm", type=Path)
    arguments = parser.parse_args()
    try:
        if arguments.verb == "up":
            up(arguments.kubeadm)
        else:
            {"down": down, "status": status}[arguments.verb]()
    except (hosts.HostError, template.TemplateError, CgroupError) as error:
        sys.exit(f"demo: {error}")


if __name__ == "__main__":
    main()
