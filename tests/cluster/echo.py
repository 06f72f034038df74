# SPDX-License-Identifier: Apache-2.0
"""A workload: two Pods that answer with their name, behind a Service. See tests/components/echo."""

from cluster import hosts
from cluster.processes import wait_until

MANIFEST = hosts.HERE / "testdata" / "echo.yaml"
NAMES = ("echo", "echo.default.svc.cluster.local")


def deploy(host, patience=60):
    """Creates the Pods and the Service. Returns when both Pods are Ready."""
    host.write("/root/echo.yaml", MANIFEST.read_text())
    host.kubectl("apply", "-f", "/root/echo.yaml")
    host.kubectl("rollout", "status", "deployment/echo", f"--timeout={patience}s")


def fetch(host, name, count):
    """Returns the responses that a Pod gets from `count` requests to http://NAME/."""
    urls = [f"http://{name}/"] * count
    return host.run(
        "kubectl",
        "exec",
        "deploy/echo",
        "--",
        "/echo",
        "fetch",
        *urls,
        check=False,
        environment=[f"KUBECONFIG={hosts.KUBECONFIG}"],
    )


def _balanced(answers):
    """Returns True if both Pods answered. kube-proxy knows a new Pod a moment after the Pod is Ready."""
    return answers.returncode == 0 and len(set(answers.stdout.split())) == 2


def assert_answers(host, patience=20):
    """Checks the workload by address and by name. This requires the kubelet's client certificate (exec), CoreDNS,
    kube-proxy and both Pods."""
    address = host.kubectl("get", "service", "echo", "-o", "jsonpath={.spec.clusterIP}")
    for name in (address, *NAMES):
        assert wait_until(lambda name=name: _balanced(fetch(host, name, 20)), timeout=patience), fetch(
            host, name, 20
        )
