# SPDX-License-Identifier: Apache-2.0
"""Publication of the CAs of kubelets, in real API servers with and without ClusterTrustBundles."""

import subprocess

import pytest
import yaml

from approver import Api
from control_plane import ControlPlane, eventually

BUNDLES = "/apis/certificates.k8s.io/v1/clustertrustbundles"
BUNDLE = f"{BUNDLES}/kubernetes.io:kubelet-serving:cluster-ca"
MAP = "/api/v1/namespaces/kube-system/configmaps/kubelet-serving-ca"


class WithoutBundles(ControlPlane):
    """A control plane that does not serve ClusterTrustBundles, like v1.36 and older versions."""

    def _apiserver_flags(self):
        return {**super()._apiserver_flags(), "runtime-config": "certificates.k8s.io/v1/clustertrustbundles=false"}


@pytest.fixture
def api(plane):
    api = Api(plane)
    api("DELETE", BUNDLE)
    api("DELETE", MAP)
    yield api
    api("DELETE", BUNDLE)
    api("DELETE", MAP)


@pytest.fixture
def publish(request, tmp_path):
    """Returns a function that installs the addons of `init --kubelet-serving-certs` and returns the output."""

    def run(plane, **arguments):
        config = tmp_path / "kubeadm.yaml"
        config.write_text(yaml.safe_dump_all([
            {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "InitConfiguration",
             "localAPIEndpoint": {"advertiseAddress": "192.0.2.10"}},
            {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration", "kubernetesVersion": "v1.37.2",
             "certificatesDir": str(plane.certificates.directory), "apiServer": {"extraArgs": [
                 {"name": name, "value": value} for name, value in arguments.items()]}},
            {"apiVersion": "config.slipway/v1alpha1", "kind": "ExtensionConfiguration",
             "kubeletServingCerts": {"enabled": True, "image": "r/approver:1"}}]))
        done = subprocess.run([request.config.getoption("--kubeadm"), "init", "phase", "addon", "all", "--config", config,
                               "--kubeconfig", plane.kubeconfig()], capture_output=True, text=True, timeout=120,
                              check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def ca(plane):
    with open(plane.certificates.path("ca.crt"), encoding="ascii") as file:
        return file.read()


def test_the_ca_is_published_as_a_bundle_of_the_signer(publish, api, plane):
    publish(plane)
    code, bundle = api("GET", BUNDLE)
    assert code == 200, bundle
    assert bundle["spec"] == {"signerName": "kubernetes.io/kubelet-serving", "trustBundle": ca(plane)}
    assert api("GET", MAP)[0] == 404
    api("PATCH", BUNDLE, {"spec": {"trustBundle": ca(plane) + "\n"}})
    publish(plane)
    assert api("GET", BUNDLE)[1]["spec"]["trustBundle"] == ca(plane), "a second run repairs it"


def test_each_service_account_reads_the_bundle_and_none_changes_it(publish, api, plane):
    publish(plane)
    account = {"user": "system:serviceaccount:monitoring:prometheus", "groups": ["system:serviceaccounts"]}
    assert api("GET", BUNDLE, **account)[0] == 200
    approver = {"user": "system:serviceaccount:kube-system:machine-approver", "groups": ["system:serviceaccounts"]}
    node = {"user": "system:node:panda", "groups": ["system:nodes"]}
    for caller in (account, approver, node):
        code, answer = api("PATCH", BUNDLE, {"spec": {"trustBundle": ""}}, **caller)
        assert code == 403, answer
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kubelet-serving-ca"}}
        assert api("POST", "/api/v1/namespaces/kube-system/configmaps", body, **caller)[0] == 403


def test_a_user_with_all_other_rights_cannot_attest(publish, api, plane):
    """A user may write ClusterTrustBundles, but may not `attest` for the signer. The API server must refuse the user's
    change."""
    publish(plane)
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "bundle-writer"},
            "rules": [{"apiGroups": ["certificates.k8s.io"], "resources": ["clustertrustbundles"], "verbs": ["*"]}]}
    api.make(f"{rbac}/clusterroles", role)
    api.make(f"{rbac}/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "bundle-writer"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "bundle-writer"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "writer"}]})

    def refusal():
        code, answer = api("PATCH", BUNDLE, {"spec": {"trustBundle": ca(plane) + "\n"}}, user="writer")
        assert code == 403, answer
        return answer["message"]

    eventually(lambda: "attest" in refusal())  # after the API server has loaded the binding


def test_another_ca_of_kubelets_is_not_published(publish, api, plane):
    text = publish(plane, **{"kubelet-certificate-authority": "/etc/other-ca.crt"})
    assert "The CA of kubelets is not published: it is not this cluster's own" in text
    assert api("GET", BUNDLE)[0] == 404 and api("GET", MAP)[0] == 404


def test_a_server_without_bundles_gets_a_config_map(publish, tmp_path):
    plane = WithoutBundles(tmp_path)
    try:
        plane.start()
        publish(plane)
        api = Api(plane)
        assert api("GET", BUNDLES)[0] == 404
        code, found = api("GET", MAP)
        assert code == 200 and found["data"] == {"ca.crt": ca(plane)}, found
    finally:
        plane.stop()
