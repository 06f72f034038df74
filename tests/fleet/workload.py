# SPDX-License-Identifier: Apache-2.0
"""A workload with a disruption budget, and a record of whether the budget was kept."""

import json
import threading

from cluster import echo
from cluster.hosts import KUBECONFIG

REPLICAS, MIN_AVAILABLE = 3, 2
BUDGET = {
    "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "echo"},
    "spec": {"minAvailable": MIN_AVAILABLE, "selector": {"matchLabels": {"app": "echo"}}},
}


def deploy(host):
    """Deploys the echo Pods with their budget. Returns when they are Ready."""
    echo.deploy(host)
    host.kubectl("scale", "deployment/echo", f"--replicas={REPLICAS}")
    host.kubectl("rollout", "status", "deployment/echo", "--timeout=60s")
    host.write("/root/budget.json", json.dumps(BUDGET))
    host.kubectl("apply", "-f", "/root/budget.json")


class Watched:
    """Records the smallest number of Ready Pods of the workload while the API server answers."""

    def __init__(self, host):
        self.host = host
        self.least = None
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.done.wait(0.5):
            answer = self.host.run("kubectl", "get", "deployment", "echo", "-o", "jsonpath={.status.readyReplicas}",
                                   environment=[f"KUBECONFIG={KUBECONFIG}"], check=False)
            if answer.returncode == 0:
                ready = int(answer.stdout or 0)
                self.least = ready if self.least is None else min(self.least, ready)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()
