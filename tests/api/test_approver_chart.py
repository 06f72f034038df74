# SPDX-License-Identifier: Apache-2.0
"""The Helm chart of deploy/approver creates the same objects as kustomize does. The test runs the real helm and
kubectl."""

import difflib
import functools
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import tarfile
import threading

import pytest
import yaml

from approver import Api, Approver, World
from components import golang, recipes, store
from control_plane import eventually
from test_approver import program  # noqa: F401 - fixture
from test_approver_deploy import DEPLOY, check_program, of_kind, render
from test_approver_rights import (account_of, api, audited, events_about, explain, install, requests_of,  # noqa: F401
                                  rights_of, uninstall, unused)

CHART = DEPLOY / "chart"
NAMESPACE = "cluster-machine-approver"
HELM_LABELS = ("app.kubernetes.io/", "helm.sh/")
NO_NODES = ["inventories.nodes.enabled=false"]
HTTP = ["inventories.http.enabled=true", "inventories.http.url=https://inventory.example.com/hosts"]
EXEC = ["inventories.exec.enabled=true", "inventories.exec.image=inventory-plugin:latest"]
ANYWHERE = ["nodeSelector=null", "tolerations=null"]
DNS = ["inventories.dns.enabled=true", "inventories.dns.domain=nodes.example.com",
       "inventories.dns.servers={192.0.2.53}"]
# Each case has the chart's values, and the overlay (or base) and parts from which kustomize creates the same objects.
CASES = {
    "defaults": ([], "kubeadm", []),
    "shadow": (["shadow=true"], "kubeadm", ["components/shadow"]),
    "cluster-api": ([*NO_NODES, *ANYWHERE, "inventories.machines.enabled=true"], "cluster-api", []),
    "cluster-api, shadow": ([*NO_NODES, *ANYWHERE, "inventories.machines.enabled=true", "shadow=true"], "cluster-api",
                            ["components/shadow"]),
    "configmap": ([*NO_NODES, *ANYWHERE, "inventories.configMap.enabled=true"], "base",
                  ["components/inventory-configmap"]),
    "configmap, shadow": ([*NO_NODES, *ANYWHERE, "inventories.configMap.enabled=true", "shadow=true"], "base",
                          ["components/inventory-configmap", "components/shadow"]),
    "tokens": (["inventories.tokens.enabled=true"], "kubeadm",
               ["components/inventory-tokens", "components/token-bindings"]),
    "tokens, shadow": (["inventories.tokens.enabled=true", "shadow=true"], "kubeadm",
                       ["components/inventory-tokens", "components/token-bindings", "components/shadow"]),
    "http": ([*NO_NODES, *ANYWHERE, *HTTP], "base", ["components/listed-hosts", "components/inventory-http"]),
    "http, shadow": ([*HTTP, "shadow=true"], "kubeadm",
                     ["components/listed-hosts", "components/inventory-http", "components/shadow"]),
    "exec": ([*EXEC, "metrics.secure=true"], "kubeadm",
             ["components/listed-hosts", "components/inventory-exec", "components/secure-metrics"]),
    "http, exec, configmap": ([*HTTP, *EXEC, "inventories.configMap.enabled=true"], "kubeadm",
                              ["components/inventory-configmap", "components/inventory-http",
                               "components/inventory-exec"]),
    "http, tokens": ([*HTTP, "inventories.tokens.enabled=true"], "kubeadm",
                     ["components/inventory-tokens", "components/token-bindings", "components/inventory-http"]),
    "http, dns, shadow": ([*NO_NODES, *ANYWHERE, *HTTP, *DNS, "shadow=true"], "base",
                          ["components/listed-hosts", "components/inventory-http", "components/inventory-dns",
                           "components/shadow"]),
    "identities": (["inventories.tokens.enabled=true", "identities.documents.enabled=true", "identities.tpm=true"],
                   "kubeadm", ["components/inventory-tokens", "components/token-bindings",
                               "components/machine-identities", "components/identity-documents",
                               "components/identity-tpm"]),
    "TPMs, http": ([*HTTP, "inventories.tokens.enabled=true", "identities.tpm=true"], "kubeadm",
                   ["components/inventory-tokens", "components/token-bindings", "components/inventory-http",
                    "components/machine-identities", "components/identity-tpm"]),
    "secure metrics": (["metrics.secure=true"], "kubeadm", ["components/secure-metrics"]),
    "secure metrics, shadow": (["metrics.secure=true", "shadow=true"], "kubeadm",
                               ["components/secure-metrics", "components/shadow"]),
    "disruption budget": (["podDisruptionBudget.enabled=true"], "kubeadm", ["components/pdb"]),
    "admission policy": (["admissionPolicy.enabled=true"], "kubeadm", ["components/admission-policy"]),
    "monitoring": (["monitoring.serviceMonitor.enabled=true", "monitoring.prometheusRule.enabled=true"], "kubeadm",
                   ["monitoring"]),
}
# The kustomization that sets the namespace. A user's own overlay adds its parts there.
INNERMOST = {"kubeadm": "overlays/kubeadm/approver", "cluster-api": "overlays/cluster-api", "base": "base"}
# Parts that are added around an overlay, in a kustomization without a namespace.
OUTERMOST = ("components/shadow", "components/admission-policy", "components/token-bindings")


@pytest.fixture(scope="session")
def helm():
    path = store.root() / "programs" / golang.key(recipes.TOOLS["helm"])
    assert path.exists(), "tests/components/build --tool helm makes it"
    return path


def run(*words, code=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode == 0) == (code == 0), done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def template(helm, *values, chart=CHART, namespace=NAMESPACE):
    sets = [word for value in values for word in ("--set", value)]
    return list(yaml.safe_load_all(run(helm, "template", "approver", chart, "--namespace", namespace, *sets)))


def explained(own, other):
    """Returns a description of the differences between two objects."""
    return "\n".join(difflib.unified_diff(*(yaml.safe_dump(item).splitlines() for item in (own, other)), "chart",
                                          "kustomize", lineterm=""))


def kustomized(directory, overlay, parts):
    """Returns the objects of an overlay, or of the base, with additional components and resources."""
    copy = directory / "deploy"
    shutil.copytree(DEPLOY, copy, symlinks=True)
    top = "base" if overlay == "base" else f"overlays/{overlay}"
    own = copy / "own" / "kustomization.yaml"
    own.parent.mkdir()
    own.write_text(yaml.safe_dump({"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
                                   "resources": [f"../{top}"]}))
    for part in parts:
        add_part(copy, own if part in OUTERMOST else copy / INNERMOST[overlay] / "kustomization.yaml", part)
    return render(own.parent)


def add_part(copy, file, part):
    kustomization = yaml.safe_load(file.read_text())
    field = "components" if part.startswith("components/") else "resources"
    kustomization.setdefault(field, []).append(os.path.relpath(copy / part, file.parent))
    file.write_text(yaml.safe_dump(kustomization))


def by_name(objects):
    """Returns the objects by kind, namespace and name, without Helm's labels."""
    found = {}
    for item in objects:
        labels = item["metadata"].get("labels", {})
        item["metadata"]["labels"] = {name: value for name, value in labels.items()
                                      if not name.startswith(HELM_LABELS)}
        if not item["metadata"]["labels"]:
            del item["metadata"]["labels"]
        key = (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"])
        assert key not in found
        found[key] = item
    return found


@pytest.mark.parametrize("case", CASES)
def test_the_chart_makes_the_objects_of_kustomize(case, helm, tmp_path):
    """Compares all objects except the Namespace: `helm install --create-namespace` creates it before the chart's
    objects."""
    values, overlay, parts = CASES[case]
    chart = by_name(template(helm, *values))
    manifests = by_name(kustomized(tmp_path, overlay, parts))
    del manifests["Namespace", "", NAMESPACE]
    assert sorted(chart) == sorted(manifests)
    for key, item in manifests.items():
        assert chart[key] == item, explained(chart[key], item)


def test_every_object_has_helms_labels(helm):
    for item in template(helm):
        assert item["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "Helm"


def test_lint_finds_nothing(helm):
    assert "0 chart(s) failed" in run(helm, "lint", "--strict", CHART)


def test_every_reference_follows_the_namespace(helm, program):  # noqa: F811
    values = ["inventories.configMap.enabled=true", "admissionPolicy.enabled=true",
              "inventories.machines.enabled=true", "podDisruptionBudget.enabled=true", "monitoring.serviceMonitor.enabled=true"]
    objects = template(helm, *values, namespace="certificates")
    text = json.dumps([{key: value for key, value in item.items() if key != "metadata"} for item in objects])
    assert "cluster-machine-approver/" not in text
    assert "cluster-machine-approver:machine-approver-sa" not in text
    assert {item["metadata"].get("namespace") for item in objects} == {None, "certificates", "default", "kube-system"}
    for binding in of_kind(objects, "RoleBinding") + of_kind(objects, "ClusterRoleBinding"):
        assert [subject["namespace"] for subject in binding["subjects"]] == ["certificates"]
    check_program(objects, program)


def test_values_reach_the_program(helm, program):  # noqa: F811
    objects = template(helm, "inventories.nodes.allowedCIDRs={10.0.0.0/24,fd00::/64}",
                       "inventories.nodes.subdomains=true", "auditLog=true", "logLevel=4", "extraArgs={--dial-timeout=2s}", "replicas=3",
                       "image.repository=registry.test/approver", f"image.digest=sha256:{'0' * 64}",
                       "image.pullPolicy=Always", "hostNetwork=true", "priorityClassName=",
                       "topologySpread.enabled=false", "networkPolicy.enabled=false", "podLabels.team=a", "podAnnotations.note=b")
    container = check_program(objects, program)
    assert container["args"] == [
        "-v=4", f"--leader-elect-resource-namespace={NAMESPACE}", "--disable-status-controller", "--inventory=nodes",
        "--nodes-allowed-cidrs=10.0.0.0/24,fd00::/64", "--nodes-subdomains", "--audit-log=-", "--dial-timeout=2s"]
    assert container["image"] == f"registry.test/approver@sha256:{'0' * 64}"
    assert container["imagePullPolicy"] == "Always"
    deployment = of_kind(objects, "Deployment")[0]["spec"]
    assert deployment["replicas"] == 3
    assert deployment["template"]["spec"]["hostNetwork"] is True
    assert not {"priorityClassName", "topologySpreadConstraints"} & set(deployment["template"]["spec"])
    assert deployment["template"]["metadata"] == {"labels": {"app": "machine-approver", "team": "a"},
                                                  "annotations": {"note": "b"}}
    assert of_kind(objects, "NetworkPolicy") == []


def test_values_of_queried_inventories_reach_the_pod(helm, program):  # noqa: F811
    objects = template(helm, *NO_NODES, *HTTP, *EXEC, "inventories.http.secret=hosts", "inventories.http.credentials=false",
                       "inventories.exec.program=/usr/bin/hosts", "inventories.exec.args={--zone,eu-1}",
                       "inventories.exec.secret=cloud")
    container = check_program(objects, program)
    assert container["args"][3:] == [
        "--inventory=http", "--inventory-http-url=$(INVENTORY_HTTP_URL)",
        "--inventory-http-ca=/etc/inventory-http/ca.crt", "--inventory=exec", "--inventory-exec=/plugin/inventory",
        "--inventory-exec-args=--zone,eu-1"]
    pod = of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]
    assert pod["initContainers"][0]["command"] == ["cp", "/usr/bin/hosts", "/plugin/inventory"]
    assert {item["secret"]["secretName"] for item in pod["volumes"] if "secret" in item} == {"hosts", "cloud"}
    assert {item["name"] for item in pod["volumes"]} == {item["name"] for item in container["volumeMounts"]}
    own = template(helm, *EXEC, "inventories.exec.command={/hosts,install,/plugin/inventory}")
    assert of_kind(own, "Deployment")[0]["spec"]["template"]["spec"]["initContainers"][0]["command"] == [
        "/hosts", "install", "/plugin/inventory"]


def test_values_of_identities_reach_the_pod(helm, program):  # noqa: F811
    objects = template(helm, "inventories.tokens.enabled=true", "identities.documents.enabled=true",
                       "identities.documents.program=/plugins/aws", "identities.documents.args={--account=1,--b}",
                       "identities.secret=endpoint")
    container = check_program(objects, program)
    assert container["args"][-3:] == ["--identity-cert-dir=/etc/identity", "--identity-exec=/plugins/aws",
                                      "--identity-exec-args=--account=1,--b"]
    pod = of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]
    assert [item["secret"]["secretName"] for item in pod["volumes"] if "secret" in item] == ["endpoint"]


def test_entries_of_the_inventory_are_a_config_map(helm):
    objects = template(helm, "inventories.configMap.enabled=true", "inventories.configMap.entries[0].hostname=worker-1",
                       "inventories.configMap.entries[0].addresses={10.0.0.5}",
                       "inventories.configMap.entries[0].use=once")
    [inventory] = [item for item in of_kind(objects, "ConfigMap")
                   if item["metadata"]["name"] == "machine-approver-inventory"]
    assert yaml.safe_load(inventory["data"]["inventory.yaml"]) == [
        {"hostname": "worker-1", "addresses": ["10.0.0.5"], "use": "once"}]


def test_the_dashboard_is_a_config_map(helm):
    objects = template(helm, "monitoring.dashboard.enabled=true")
    [dashboard] = [item for item in of_kind(objects, "ConfigMap") if "dashboard" in item["metadata"]["name"]]
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert json.loads(dashboard["data"]["machine-approver.json"])["title"] == "cluster-machine-approver"


def test_policies_follow_the_values(helm):
    objects = template(helm, "admissionPolicy.enabled=true", "admissionPolicy.breakGlassGroup=admins",
                       "admissionPolicy.bootstrapTokens=false", "admissionPolicy.maxExpirationSeconds=86400")
    variables = {item["name"]: item["expression"] for policy in of_kind(objects, "ValidatingAdmissionPolicy")
                 for item in policy["spec"]["variables"]}
    assert variables["breakGlass"] == "'admins'"
    assert variables["controllerManagerApproves"] == "['system:node:']"
    assert variables["longest"] == "86400"


@pytest.mark.parametrize("value, told", [
    ("replicas=0", "replicas"), ("replica=2", "replica"), ("inventories.nodes.allowedCIDRs={10.0.0.0}", "allowedCIDRs"),
    ("image.digest=sha256:1", "digest"), ("logLevel=a", "logLevel"), ("extraArgs={v}", "extraArgs"),
    ("inventories.nodes.enabled=false", "enable at least one"), ("inventories.http.enabled=true", "inventories.http.url"),
    ("inventories.http.url=http://plain", "url"), ("inventories.http.url=https://user:password@hosts", "url"),
    ("inventories.http.secret=Hosts", "secret"), ("inventories.exec.enabled=true", "inventories.exec.image"),
    (",".join(DNS), "exclude each other"), ("inventories.dns.enabled=true", "inventories.dns.servers"),
    ("inventories.dns.domain=a_b", "domain"), ("inventories.dns.servers={ns.example.com}", "servers"),
    ("inventories.exec.program=hosts", "program"), ("inventories.exec.args={a\\,b}", "args"),
    ("admissionPolicy.maxExpirationSeconds=60", "maxExpirationSeconds"),
    ("identities.tpm=true", "inventories.tokens"), ("identities.documents.program=identity", "program"),
    ("identities.tpm=true,inventories.tokens.enabled=true,shadow=true", "exclude each other")])
def test_wrong_values_are_refused(value, told, helm):
    assert told in run(helm, "template", "approver", CHART, "--set", value, code=1)


def test_shadow_and_admission_policy_exclude_each_other(helm):
    assert "exclude" in run(helm, "template", "approver", CHART, "--set", "shadow=true,admissionPolicy.enabled=true",
                            code=1)


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A directory with the archive and the OCI layout of version 1.2.3."""
    directory = tmp_path_factory.mktemp("chart")
    run(DEPLOY / "chart-archive", "--version", "1.2.3", "--output", directory)
    return directory


def test_the_archive_makes_the_same_objects(helm, archives):
    packed = by_name(template(helm, "image.tag=latest", chart=archives / "cluster-machine-approver-1.2.3.tgz"))
    assert packed == by_name(template(helm))
    image = of_kind(template(helm, chart=archives / "cluster-machine-approver-1.2.3.tgz"), "Deployment")[0]
    assert image["spec"]["template"]["spec"]["containers"][0]["image"] == "cluster-machine-approver:1.2.3"


def test_helm_packs_the_same_files(helm, archives, tmp_path):
    run(helm, "package", CHART, "--destination", tmp_path, "--version", "1.2.3", "--app-version", "1.2.3")
    def names(path):
        with tarfile.open(path) as archive:
            return sorted(archive.getnames())
    name = "cluster-machine-approver-1.2.3.tgz"
    assert names(tmp_path / name) == names(archives / name)


def test_the_same_files_give_the_same_archives(archives, tmp_path):
    run(DEPLOY / "chart-archive", "--version", "1.2.3", "--output", tmp_path)
    for path in archives.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_a_malformed_version_is_refused(tmp_path):
    assert "must have the form 1.2.3" in run(DEPLOY / "chart-archive", "--version", "v1", "--output", tmp_path, code=2)
    assert list(tmp_path.iterdir()) == []


class Registry(http.server.BaseHTTPRequestHandler):
    """A registry (OCI distribution) with one repository, which has `blobs` by digest and the tag 1.2.3."""

    blobs = {}
    tags = {}

    def do_GET(self):
        reference = self.path.rsplit("/", 1)[-1]
        content = self.blobs.get(self.tags.get(reference, reference))
        self.send_response(200 if content is not None or self.path == "/v2/" else 404)
        if content is not None and "/manifests/" in self.path:
            self.send_header("Content-Type", json.loads(content)["mediaType"])
            self.send_header("Docker-Content-Digest", f"sha256:{hashlib.sha256(content).hexdigest()}")
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content or b"")

    do_HEAD = do_GET

    def log_message(self, *_):
        """Logs nothing, to keep the test's output clean."""


@pytest.fixture
def registry(archives):
    with tarfile.open(archives / "cluster-machine-approver-1.2.3-chart.oci.tar") as tar:
        contents = {member.name: tar.extractfile(member).read() for member in tar}
    [top] = json.loads(contents["index.json"])["manifests"]
    blobs = {"sha256:" + name.rsplit("/", 1)[-1]: content for name, content in contents.items()
             if name.startswith("blobs/")}
    handler = type("Handler", (Registry,), {"blobs": blobs, "tags": {"1.2.3": top["digest"]}})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"oci://127.0.0.1:{server.server_port}/charts/cluster-machine-approver"
    server.shutdown()
    server.server_close()


def test_helm_pulls_the_chart_from_a_registry_with_the_layout(helm, archives, registry, tmp_path):
    run(helm, "pull", registry, "--version", "1.2.3", "--plain-http", "--destination", tmp_path)
    name = "cluster-machine-approver-1.2.3.tgz"
    assert (tmp_path / name).read_bytes() == (archives / name).read_bytes()


def rights(api):
    """Returns pairs of verb and resource (or URL) from the chart's ClusterRoles, as stored in the API server."""
    found = set()
    for role in api("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles")[1]["items"]:
        if role["metadata"].get("labels", {}).get("app.kubernetes.io/instance") == "approver":
            found |= {(verb, name) for rule in role["rules"] for verb in rule["verbs"]
                      for name in rule.get("resources", rule.get("nonResourceURLs"))}
    return found


def inventory_plugin(path):
    """Writes an inventory program that lists the host `listed`, which may join once."""
    path.write_text("#!/bin/sh\ncat >/dev/null\necho '" + json.dumps({
        "apiVersion": "approver.slipway/v1alpha1", "kind": "Inventory",
        "items": [{"hostname": "listed", "addresses": ["10.9.0.7"], "use": "once"}]}) + "'\n")
    path.chmod(0o755)
    return path


def test_the_rights_of_listed_hosts_suffice_and_are_used(audited, api, program, tmp_path):  # noqa: F811
    world = World(api)
    world.clear()
    objects = kustomized(tmp_path, "base", ["components/listed-hosts", "components/inventory-exec"])
    install(api, objects)
    account, begin = account_of(objects), len(audited.audit_log())
    _, answer = api("POST", "/api/v1/namespaces/{}/serviceaccounts/{}/token".format(*account),
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    audited._write_kubeconfig("approver", {"token": answer["status"]["token"]})
    api.make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "listed"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:node-bootstrapper"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:bootstrappers"}]})
    container = of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]["containers"][0]
    flags = [flag for flag in container["args"] if not flag.startswith("--inventory-exec=")]
    flags.append(f"--inventory-exec={inventory_plugin(tmp_path / 'plugin')}")
    approver = Approver(program, audited, tmp_path / "log", *flags)
    try:
        approver.ready()
        eventually(lambda: world.certificate(world.token_csr("listed")))
        world.node("listed")
        eventually(lambda: world.certificate(world.serving_csr("listed", ["listed", "10.9.0.7"])))
        left = world.serving_csr("listed", ["listed", "10.9.0.8"], "-left")
        eventually(lambda: events_about(api, account[0], left))
        explain(program, audited, left, flags)
        requests = requests_of(audited, account, begin)
    finally:
        approver.end()
        uninstall(api, objects)
    assert [event["requestURI"] for event in requests if event["responseStatus"]["code"] == 403] == []
    signers = {"kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"}
    assert unused(rights_of(objects, account), requests, signers) == set()


def test_helm_installs_switches_rolls_back_and_removes(helm, audited, archives):  # noqa: F811
    api = Api(audited)  # noqa: F811
    archive = archives / "cluster-machine-approver-1.2.3.tgz"

    def call(*words):
        return run(helm, *words, "--kubeconfig", audited.kubeconfig(), "--namespace", NAMESPACE)

    call("install", "approver", archive, "--create-namespace", "--set", "shadow=true")
    assert {verb for verb, _ in rights(api)} <= {"get", "list", "watch"}
    deployment = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/machine-approver"
    assert api("GET", deployment)[1]["spec"]["replicas"] == 1
    call("upgrade", "approver", archive, "--reuse-values", "--set", "shadow=false",
         "--set", "admissionPolicy.enabled=true", "--set", "podDisruptionBudget.enabled=true", "--set", "metrics.secure=true",
         "--set", "inventories.machines.enabled=true", "--set", "monitoring.dashboard.enabled=true",
         "--set", "inventories.configMap.enabled=true", "--set", "inventories.configMap.entries[0].hostname=worker-1")
    assert ("approve", "signers") in rights(api)
    assert api("GET", deployment)[1]["spec"]["replicas"] == 2
    policy = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/cluster-machine-approver-approvals"
    assert api("GET", policy)[0] == 200
    call("rollback", "approver", "1")
    assert {verb for verb, _ in rights(api)} <= {"get", "list", "watch"}
    assert api("GET", policy)[0] == 404
    call("uninstall", "approver")
    assert rights(api) == set()
    assert api("GET", deployment)[0] == 404


def test_the_manifests_of_the_chart_are_those_of_kustomize():
    for link in (CHART / "manifests").iterdir():
        assert link.is_symlink() and link.resolve() == DEPLOY / link.name


