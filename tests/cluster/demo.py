#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cluster on this machine, created by our kubeadm: demo.py up [--workers N] | down | status."""

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cluster import hosts, kubernetes, runs, template  # noqa: E402
from cluster.cgroups import CgroupError  # noqa: E402
from components import recipes, store  # noqa: E402

HOST = "slipway"
KUBECONFIG = hosts.PROJECT / "build" / "cluster" / "kubeconfig"
LOGS = hosts.PROJECT / "build" / "logs" / "demo"
RERUN = "the same command can be run again; `./dev down` removes the host"


def existing(name=HOST):
    """Returns a host of the demo, whether or not it runs; None if it does not exist."""
    run = runs.find(hosts.BY_HAND)
    if not run or not (run.record / f"host-{name}.json").exists():
        return None
    return hosts.Host(hosts.Bench(run), name)


def nodes(workers):
    return [HOST, *(f"{HOST}-worker-{number}" for number in range(1, workers + 1))]


def up(kubeadm, workers):
    """Starts the cluster, skipping finished steps, and prints how to reach it."""
    names = nodes(workers)
    found = existing()
    if found and found.alive() and kubernetes.look(found, names).healthy:
        print("the cluster is already up and healthy")
        return describe(found)
    bench = hosts.Bench.named(hosts.BY_HAND)
    with ThreadPoolExecutor(len(names)) as pool:
        host, *others = pool.map(lambda name: started(bench, name, kubeadm), names)
    joined = host.kubectl("get", "nodes", "-o", "name", check=False).split() if found else []
    if f"node/{HOST}" not in joined:
        initialise(host)
    new = [worker for worker in others if f"node/{worker.name}" not in joined]
    if new:
        join(host, new)
    print(f"{len(names)} of {len(names)} nodes Ready and every Pod of kube-system Ready "
          f"{kubernetes.wait_healthy(host, expected_nodes=names):.1f} s later")
    return describe(host)


def started(bench, name, kubeadm):
    host = existing(name)
    if host and not host.alive():
        host.down()
        host = None
    return host or bench.host(name, kubeadm=kubeadm)


def join(host, workers):
    """Joins the workers concurrently, by the command that kubeadm prints."""
    begin = time.monotonic()
    words = host.run("kubeadm", "token", "create", "--print-join-command", "--ttl", "10m").stdout.split()
    ignored = "--ignore-preflight-errors=NumCPU,SystemVerification,Swap"

    def one(worker):
        return worker.run(*words, ignored, check=False, timeout=300)

    with ThreadPoolExecutor(len(workers)) as pool:
        for worker, result in zip(workers, pool.map(one, workers)):
            if result.returncode != 0:
                sys.stderr.write(result.stderr)
                raise hosts.HostError(f"kubeadm join of {worker.name} failed (exit {result.returncode}); "
                                      f"logs: {worker.save_logs(LOGS)}; {RERUN}")
    print(f"kubeadm join of {len(workers)} workers: {time.monotonic() - begin:.1f} s", flush=True)


def initialise(host):
    """Runs `kubeadm init`, and forwards its output."""
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
    run = runs.find(hosts.BY_HAND)
    names = [host.name for host in hosts.Bench(run).hosts()] if run else []
    ours = [existing(name) for name in names if name == HOST or name.startswith(f"{HOST}-worker-")]
    if not ours:
        print("there is no cluster")
        return
    for host in ours:
        host.down()
    KUBECONFIG.unlink(missing_ok=True)
    if not ours[0].bench.hosts():
        ours[0].bench.down()
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
    parser.add_argument("--workers", type=int, default=0, choices=range(0, 10), metavar="N",
                        help="more nodes, which join (0 to 9)")
    arguments = parser.parse_args()
    try:
        if arguments.verb == "up":
            up(arguments.kubeadm, arguments.workers)
        else:
            {"down": down, "status": status}[arguments.verb]()
    except (hosts.HostError, template.TemplateError, CgroupError) as error:
        sys.exit(f"demo: {error}")


if __name__ == "__main__":
    main()
