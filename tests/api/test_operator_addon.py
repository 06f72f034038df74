# SPDX-License-Identifier: Apache-2.0
"""The addon of `kubeadm init --fleet` and deploy/fleet create the same objects."""

import subprocess

import pytest
import yaml

from approver import PLURALS, Api
from test_approver_chart import explained
from test_approver_deploy import render
from test_approver_rights import INIT, audited  # noqa: F401 - fixture
from test_operator_chart import FLEET, NAMESPACE, container_of, operator, require_known_flags  # noqa: F401 - fixture

DEFINITION = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusteroperations.operations.slipway"
DEPLOYMENT = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/slipway-operator"


def documents(tag):
    return [*INIT[:2], {"apiVersion": "config.slipway/v1alpha1", "kind": "ExtensionConfiguration", "fleet": {
        "enabled": True, "image": f"r/slipway-operator:{tag}", "kubeadmImage": f"r/kubeadm:{tag}"}}]


@pytest.fixture
def phase(request, tmp_path):
    """Returns a function that runs `init phase addon all` with images of the given tag, and returns the output."""

    def run(tag, *flags):
        config = tmp_path / "kubeadm.yaml"
        config.write_text(yaml.safe_dump_all(documents(tag)))
        done = subprocess.run([request.config.getoption("--kubeadm"), "init", "phase", "addon", "all",
                               "--config", config, *flags], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def path_of(item):
    group, metadata = item["apiVersion"], item["metadata"]
    root = f"/apis/{group}" if "/" in group else f"/api/{group}"
    inside = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    plurals = {**PLURALS, "Deployment": "deployments", "NetworkPolicy": "networkpolicies"}
    return f"{root}{inside}/{plurals[item['kind']]}/{metadata['name']}"


def has(live, expected):
    """Returns whether the live object has all fields of the expected one. The API server adds defaults."""
    if isinstance(expected, dict):
        return isinstance(live, dict) and all(key in live and has(live[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return isinstance(live, list) and len(live) == len(expected) and all(map(has, live, expected))
    return live == expected


def test_the_addon_applies_the_objects_of_kustomize(phase, audited, operator):  # noqa: F811
    api = Api(audited)
    assert "Applied addon: slipway-operator" in phase("1", "--kubeconfig", audited.kubeconfig())
    expected = render(FLEET)
    require_known_flags(expected, operator)
    container = container_of(expected)
    container["image"] = "r/slipway-operator:1"
    container["args"] = [word.replace("kubeadm:latest", "r/kubeadm:1") for word in container["args"]]
    for item in expected:
        code, live = api("GET", path_of(item))
        assert code == 200, live
        assert has({**live, "kind": item["kind"], "apiVersion": item["apiVersion"]}, item), explained(live, item)


def test_the_addon_is_applied_again_with_other_images(phase, audited):  # noqa: F811
    api = Api(audited)
    kubeconfig = ("--kubeconfig", audited.kubeconfig())
    assert "Applied addon: slipway-operator" in phase("1", *kubeconfig)
    code, definition = api("GET", DEFINITION)
    assert code == 200, definition
    label = {"metadata": {"labels": {"team": "a"}}}
    assert api("PATCH", DEPLOYMENT, label)[0] == 200
    assert api("PATCH", DEFINITION, {"spec": {"names": {"shortNames": ["other"]}}})[0] == 200
    phase("2", *kubeconfig)
    _, deployment = api("GET", DEPLOYMENT)
    assert container_of([{**deployment, "kind": "Deployment"}])["image"] == "r/slipway-operator:2"
    assert deployment["metadata"]["labels"] == {"app": "slipway-operator", "team": "a"}
    assert api("GET", DEFINITION)[1]["spec"]["names"]["shortNames"] == definition["spec"]["names"]["shortNames"]


def test_a_dry_run_names_the_objects_and_applies_none(phase, audited):  # noqa: F811
    api = Api(audited)
    api("DELETE", DEPLOYMENT)
    shown = phase("3", "--dry-run", "--kubeconfig", audited.kubeconfig())
    assert "slipway-operator" in shown and "r/kubeadm:3" in shown, shown
    assert api("GET", DEPLOYMENT)[0] == 404
