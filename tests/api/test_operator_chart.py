# SPDX-License-Identifier: Apache-2.0
"""The Helm chart of deploy/fleet creates the same objects as kustomize does. The test runs the real helm and
kubectl."""

import json
import subprocess
import tarfile

import pytest
import yaml

from approver import TOP, Api
from test_approver_chart import by_name, explained, helm, run  # noqa: F401 - fixture
from test_approver_deploy import of_kind, render
from test_approver_rights import audited  # noqa: F401 - fixture

FLEET = TOP / "deploy" / "fleet"
CHART = FLEET / "chart"
NAMESPACE = "slipway-fleet"
KEPT = {"helm.sh/resource-policy": "keep"}
MONITORING = ("monitoring.serviceMonitor.enabled=true", "monitoring.prometheusRule.enabled=true")
ARCHIVE = "slipway-operator-1.2.3.tgz"


@pytest.fixture(scope="session")
def operator(request):
    return request.config.getoption("--kubeadm").with_name("slipway-operator")


def template(helm, *values, chart=CHART, namespace=NAMESPACE):  # noqa: F811
    sets = [word for value in values for word in ("--set", value)]
    return list(yaml.safe_load_all(run(helm, "template", "operator", chart, "--namespace", namespace, *sets)))


def container_of(objects):
    [deployment] = of_kind(objects, "Deployment")
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    return container


def require_known_flags(objects, operator):
    done = subprocess.run([operator, *container_of(objects)["args"], "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("values, directories", [((), [FLEET]), (MONITORING, [FLEET, FLEET / "monitoring"])])
def test_the_chart_makes_the_objects_of_kustomize(values, directories, helm, operator):  # noqa: F811
    """Compares all objects except the Namespace: `helm install --create-namespace` creates it before the chart's
    objects."""
    objects = template(helm, *values)
    require_known_flags(objects, operator)
    chart = by_name(objects)
    manifests = by_name([item for directory in directories for item in render(directory)])
    del manifests["Namespace", "", NAMESPACE]
    assert sorted(chart) == sorted(manifests)
    assert chart["CustomResourceDefinition", "", "clusteroperations.operations.slipway"]["metadata"].pop("annotations") == KEPT
    for key, item in manifests.items():
        assert chart[key] == item, explained(chart[key], item)


def test_the_manifests_of_the_chart_are_those_of_kustomize():
    links = list((CHART / "manifests").iterdir())
    assert all(link.is_symlink() and link.resolve() == FLEET / link.name for link in links)
    assert {link.name for link in links} >= set(
        yaml.safe_load((FLEET / "kustomization.yaml").read_text())["resources"]) - {"namespace.yaml"}


def test_lint_finds_nothing(helm):  # noqa: F811
    assert "0 chart(s) failed" in run(helm, "lint", "--strict", CHART)


def test_the_operator_runs_confined():
    objects = render(FLEET)
    pod = of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container_of(objects)["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    [policy] = of_kind(objects, "NetworkPolicy")
    assert "ingress" not in policy["spec"] and "Ingress" in policy["spec"]["policyTypes"]


def test_every_reference_follows_the_namespace(helm, operator):  # noqa: F811
    objects = template(helm, *MONITORING, "monitoring.dashboard.enabled=true", namespace="ops")
    assert NAMESPACE not in json.dumps(of_kind(objects, "Deployment") + of_kind(objects, "RoleBinding")
                                       + of_kind(objects, "ClusterRoleBinding") + of_kind(objects, "Service"))
    assert {item["metadata"].get("namespace") for item in objects} == {None, "ops", "default"}
    assert "--namespace=ops" in container_of(objects)["args"]
    require_known_flags(objects, operator)


def test_values_reach_the_program(helm, operator):  # noqa: F811
    digest = f"sha256:{'0' * 64}"
    objects = template(helm, "image.repository=registry.test/operator", "image.tag=v1", f"kubeadmImage.digest={digest}",
                       "kubeadmImage.repository=registry.test/kubeadm", "history=5", "replicas=3", "tolerations=null",
                       "extraArgs={--metrics-port=9999}", "priorityClassName=", "topologySpread.enabled=false",
                       "networkPolicy.enabled=false", "crd.enabled=false", "podLabels.team=a", "nodeSelector.role=ops")
    container = container_of(objects)
    assert container["image"] == "registry.test/operator:v1"
    assert container["args"] == [f"--image=registry.test/kubeadm@{digest}", f"--namespace={NAMESPACE}", "--history=5",
                                 "--metrics-port=9999"]
    require_known_flags(objects, operator)
    spec = of_kind(objects, "Deployment")[0]["spec"]
    assert spec["replicas"] == 3
    assert spec["template"]["metadata"]["labels"] == {"app": "slipway-operator", "team": "a"}
    assert spec["template"]["spec"]["nodeSelector"] == {"role": "ops"}
    assert not {"priorityClassName", "topologySpreadConstraints", "tolerations"} & set(spec["template"]["spec"])
    assert of_kind(objects, "NetworkPolicy") + of_kind(objects, "CustomResourceDefinition") == []


@pytest.mark.parametrize("value, told", [
    ("replicas=0", "replicas"), ("history=0", "history"), ("replica=2", "replica"), ("image.digest=sha256:1", "digest"),
    ("kubeadmImage.pullPolicy=Always", "pullPolicy"), ("extraArgs={v}", "extraArgs")])
def test_wrong_values_are_refused(value, told, helm):  # noqa: F811
    assert told in run(helm, "template", "operator", CHART, "--set", value, code=1)


def test_monitoring_selects_the_operators_port(helm):  # noqa: F811
    objects = template(helm, *MONITORING, "monitoring.dashboard.enabled=true")
    [service], [monitor] = of_kind(objects, "Service"), of_kind(objects, "ServiceMonitor")
    assert service["spec"]["ports"][0]["targetPort"] == container_of(objects)["ports"][0]["name"]
    assert monitor["spec"]["endpoints"][0]["port"] == service["spec"]["ports"][0]["name"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    [dashboard] = of_kind(objects, "ConfigMap")
    assert json.loads(dashboard["data"]["slipway-operator.json"])["title"] == "slipway-operator"


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A directory with the archive and the OCI layout of version 1.2.3."""
    directory = tmp_path_factory.mktemp("chart")
    run(TOP / "deploy/approver/chart-archive", "--chart", CHART, "--version", "1.2.3", "--output", directory)
    return directory


def test_the_archive_makes_the_same_objects(helm, archives):  # noqa: F811
    latest = ["image.tag=latest", "kubeadmImage.tag=latest"]
    assert by_name(template(helm, *latest, chart=archives / ARCHIVE)) == by_name(template(helm))
    container = container_of(template(helm, chart=archives / ARCHIVE))
    assert (container["image"], container["args"][0]) == ("slipway-operator:1.2.3", "--image=kubeadm:1.2.3")
    with tarfile.open(archives / "slipway-operator-1.2.3-chart.oci.tar") as layout:
        assert "index.json" in layout.getnames()


def test_helm_installs_upgrades_and_removes_all_but_the_definition(helm, audited, archives):  # noqa: F811
    api = Api(audited)
    deployment = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/slipway-operator"
    definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusteroperations.operations.slipway"

    def call(*words):
        return run(helm, *words, "--kubeconfig", audited.kubeconfig(), "--namespace", NAMESPACE)

    call("install", "operator", archives / ARCHIVE, "--create-namespace")
    assert api("GET", deployment)[1]["spec"]["replicas"] == 2
    assert api("GET", definition)[0] == 200
    call("upgrade", "operator", archives / ARCHIVE, "--set", "replicas=1", "--set", "monitoring.dashboard.enabled=true")
    assert api("GET", deployment)[1]["spec"]["replicas"] == 1
    call("uninstall", "operator")
    assert api("GET", deployment)[0] == 404
    assert api("GET", definition)[0] == 200
