# SPDX-License-Identifier: Apache-2.0
"""Checks every overlay of deploy/approver: it renders, its security context confines the program, the program knows
all flags, and the roles have no wildcards and no access to Secrets."""

import subprocess

import pytest
import yaml

from approver import TOP
from control_plane import program as component
from test_approver import program  # noqa: F401 - fixture

DEPLOY = TOP / "deploy" / "approver"
OVERLAYS = sorted(path.name for path in (DEPLOY / "overlays").iterdir())
COMPONENTS = sorted(path.name for path in (DEPLOY / "components").iterdir())


def render(directory):
    done = subprocess.run([component("kubectl"), "kustomize", directory], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def of_kind(objects, kind):
    return [item for item in objects if item["kind"] == kind]


def check_program(objects, program):  # noqa: F811
    """Checks that the program knows the flags of its container, after the kubelet's expansion of variables."""
    container = of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]["containers"][0]
    arguments = container["args"]
    for variable in container["env"]:
        arguments = [text.replace(f"$({variable['name']})", variable["value"]) for text in arguments]
    assert not any("$(" in text for text in arguments)
    done = subprocess.run([program, *arguments, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return container


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_overlays_run_the_program_confined(overlay, program):  # noqa: F811
    objects = render(DEPLOY / "overlays" / overlay)
    container = check_program(objects, program)
    pod = of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                            "capabilities": {"drop": ["ALL"]}}
    secure = "--metrics-secure" in container["args"]
    assert (container["readinessProbe"]["httpGet"].get("scheme") == "HTTPS") == secure
    assert container["resources"]["limits"] == {"memory": "128Mi"}
    assert container["env"][0] == {"name": "METRICS_PORT", "value": str(container["ports"][0]["containerPort"])}


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_rights_are_few_and_go_to_one_account(overlay):
    objects = render(DEPLOY / "overlays" / overlay)
    namespace = of_kind(objects, "Namespace")[0]["metadata"]["name"]
    assert f"--leader-elect-resource-namespace={namespace}" in str(of_kind(objects, "Deployment")[0])
    roles = of_kind(objects, "ClusterRole") + of_kind(objects, "Role")
    for rule in (rule for role in roles for rule in role["rules"]):
        assert "*" not in rule["verbs"] + rule.get("resources", []) + rule.get("apiGroups", [])
        assert "secrets" not in rule.get("resources", [])
        assert "delete" not in rule["verbs"]
    for binding in of_kind(objects, "ClusterRoleBinding") + of_kind(objects, "RoleBinding"):
        subject = binding["subjects"][0]
        if subject["name"] == "machine-approver-sa":
            assert subject["namespace"] == namespace
        else:
            assert subject["name"] == "prometheus-k8s"
        assert any(role["metadata"]["name"] == binding["roleRef"]["name"] for role in roles)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_the_network_is_closed_but_for_metrics(overlay):
    objects = render(DEPLOY / "overlays" / overlay)
    labels = of_kind(objects, "Deployment")[0]["spec"]["template"]["metadata"]["labels"]
    policies = {item["metadata"]["name"]: item["spec"] for item in of_kind(objects, "NetworkPolicy")}
    closed = policies.pop("machine-approver")
    assert closed["podSelector"]["matchLabels"] == labels
    assert sorted(closed["policyTypes"]) == ["Egress", "Ingress"]
    assert "ingress" not in closed
    assert closed["egress"] == [{"ports": [{"protocol": "TCP"}, {"protocol": "UDP", "port": 53}]}]
    assert bool(policies) == bool(of_kind(objects, "ServiceMonitor"))
    for policy in policies.values():
        assert policy["policyTypes"] == ["Ingress"]
        assert policy["ingress"] == [{"ports": [{"protocol": "TCP", "port": "metrics"}]}]


@pytest.mark.parametrize("part", COMPONENTS)
def test_components_fit_the_base(part, program, tmp_path):  # noqa: F811
    import shutil
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    own = tmp_path / "deploy" / "own"
    own.mkdir()
    (own / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
        "namespace": "cluster-machine-approver", "resources": ["../base"], "components": [f"../components/{part}"]}))
    check_program(render(own), program)


def test_monitoring_selects_the_approvers_port():
    objects = render(DEPLOY / "overlays" / "openshift")
    service, monitor = of_kind(objects, "Service")[0], of_kind(objects, "ServiceMonitor")[0]
    container = of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]["containers"][0]
    assert service["spec"]["ports"][0]["targetPort"] == container["ports"][0]["name"]
    assert monitor["spec"]["endpoints"][0]["port"] == service["spec"]["ports"][0]["name"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
