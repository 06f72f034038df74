# SPDX-License-Identifier: Apache-2.0
"""Metrics over HTTPS for authorized readers only: the real API server checks tokens and rights."""

import urllib.error

import pytest

from approver import NAMESPACE, TOP, World
from control_plane import eventually
from test_approver import api, program, start  # noqa: F401 - fixtures


@pytest.fixture(scope="module")
def accounts(api):  # noqa: F811
    """Tokens of two accounts. Only the first may read metrics."""
    api.apply(TOP / "deploy/approver/components/secure-metrics/rbac.yaml", NAMESPACE)
    tokens = {}
    for name in ("reader", "other"):
        path = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
        api.make(path, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})
        _, answer = api("POST", f"{path}/{name}/token",
                        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        tokens[name] = answer["status"]["token"]
    api.make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": {"name": "metrics-reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                    "name": "cluster-machine-approver-metrics-reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": NAMESPACE}]})
    return tokens


def status_of(approver, path, token=None):
    try:
        approver.get(path, token)
    except urllib.error.HTTPError as error:
        return error.code
    return 200


def test_metrics_are_only_for_authorized_clients(accounts, start):  # noqa: F811
    approver = start("--metrics-secure", scheme="https").ready()
    assert status_of(approver, "/metrics") == 401
    assert status_of(approver, "/metrics", "no.such.token") == 401
    assert status_of(approver, "/metrics", accounts["other"]) == 403
    assert "mapi_max_pending_csr" in approver.get("/metrics", accounts["reader"])
    assert approver.get("/healthz") == "ok\n", "probes show no token"


def test_a_given_certificate_is_shown_and_may_be_replaced(accounts, start, plane, tmp_path):  # noqa: F811
    import ssl
    for name in ("one", "two"):
        plane.certificates.sign(name, f"/CN={name}", "subjectAltName=IP:127.0.0.1")

    def put(name):
        for kind in ("crt", "key"):
            (tmp_path / f"tls.{kind}").write_text((plane.directory / f"{name}.{kind}").read_text())

    put("one")
    approver = start("--metrics-secure", f"--metrics-cert-dir={tmp_path}", scheme="https").ready()

    def shown():
        return ssl.get_server_certificate(("127.0.0.1", approver.port)).strip()

    assert shown() in (plane.directory / "one.crt").read_text()
    put("two")
    assert shown() in (plane.directory / "two.crt").read_text()


def test_an_unusable_certificate_ends_the_approver(program, plane, tmp_path):  # noqa: F811
    import subprocess
    config = plane.kubeconfig()
    done = subprocess.run([program, f"--workload-cluster-kubeconfig={config}",
                           f"--management-cluster-kubeconfig={config}", "--metrics-secure",
                           f"--metrics-cert-dir={tmp_path}"], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 255
    assert str(tmp_path / "tls.crt") in done.stderr
