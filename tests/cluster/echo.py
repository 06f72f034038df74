# SPDX-License-Identifier: Apache-2.0
"""A workload: two Pods that answer with their name, behind a Service. See tests/components/echo."""

from cluster import hosts
from cluster.processes import wait_until

MANIFEST = hosts.HERE / "testdata" / "echo.yaml"
NAMES = ("echo", "echo.default.svc.cluster.local")


def deploy(host, patience=60):
    """Returns when both Pods are Ready."""
    host.write("/root/echo.yaml", MANIFEST.read_text())
    host.kubectl("apply", "-f", "/root/echo.yaml")
    host.kubectl("rollout", "status", "deployment/echo", f"--timeout={patience}s")


def fetch(host, name, count):
    """The responses that a Pod gets from http://NAME/, `count` times."""
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
    """Returns True if both Pods answered; kube-proxy knows a new one a moment after it is Ready."""
    return answers.returncode == 0 and len(set(answers.stdout.split())) == 2


def assert_answers(host, patience=20):
    """By address and by name: through the kubelet's client certificate (exec), CoreDNS, kube-proxy and both Pods."""
    address = host.kubectl("get", "service", "echo", "-o", "jsonpath={.spec.clusterIP}")
    for name in (address, *NAMES):
        assert wait_until(lambda name=name: _balanced(fetch(host, name, 20)), timeout=patience), fetch(
            host, name, 20
        )
