# SPDX-License-Identifier: Apache-2.0
"""Compares the rights in the manifests with the approver's requests to the API server. The approver runs as the account
of each overlay, and of `init`, without any other rights."""

import json
import subprocess
import tempfile
from pathlib import Path

import pytest
import yaml

from approver import BOOTSTRAPPER, CAPI, MAPI, NAMESPACE, PLURALS, TOP, Api, Approver, World
from control_plane import ControlPlane, eventually
from test_approver import program  # noqa: F401 - fixture
from test_approver_cases import kubelet
from test_approver_deploy import DEPLOY, OVERLAYS, of_kind, render

INIT = [
    {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "InitConfiguration",
     "localAPIEndpoint": {"advertiseAddress": "10.77.0.1"},
     "nodeRegistration": {"name": "n1", "criSocket": "unix:///run/containerd/containerd.sock"}},
    {"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "ClusterConfiguration", "kubernetesVersion": "v1.37.2"},
    {"apiVersion": "config.slipway/v1alpha1", "kind": "ExtensionConfiguration",
     "kubeletServingCerts": {"enabled": True, "image": "example.com/approver:1"}}]
TOKENS = [*INIT[:2], {**INIT[2], "nodeBoundTokens": {"enabled": True}}]


@pytest.fixture(scope="module")
def audited():
    with tempfile.TemporaryDirectory(prefix="slipway-rights-") as directory:
        plane = ControlPlane(Path(directory), say=lambda _: None, guarded=True)
        try:
            plane.start()
            yield plane
        finally:
            plane.stop()


@pytest.fixture(scope="module")
def api(audited):
    api = Api(audited)
    for namespace in ("machines", "openshift-config-managed"):
        api.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    api.apply(TOP / "tests/api/testdata/machines.yaml")
    for group in (MAPI, CAPI, "config.openshift.io", "network.openshift.io", "k8s.ovn.org"):
        eventually(lambda group=group: api("GET", f"/apis/{group}")[0] == 200)
    api.make("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "bootstrapper"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "system:node-bootstrapper"},
        "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": BOOTSTRAPPER}]})
    return api


def installed_by_kubeadm(request, plane, api, documents):
    """The objects that `init --kubelet-serving-certs` creates, as the API server stores them."""
    config = plane.directory / "kubeadm.yaml"
    config.write_text(yaml.safe_dump_all(documents))
    for phase in (["upload-config", "kubeadm"], ["addon", "all"]):
        done = subprocess.run([request.config.getoption("--kubeadm"), "init", "phase", *phase, "--config", config,
                               "--kubeconfig", plane.kubeconfig()], capture_output=True, text=True, timeout=120,
                              check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    rbac, inside = "/apis/rbac.authorization.k8s.io/v1", "/namespaces/kube-system"
    paths = [("ClusterRole", f"{rbac}/clusterroles/kubeadm:machine-approver"),
             ("ClusterRoleBinding", f"{rbac}/clusterrolebindings/kubeadm:machine-approver"),
             ("Deployment", f"/apis/apps/v1{inside}/deployments/machine-approver")]
    for namespace in ("kube-system", "default"):
        paths += [("Role", f"{rbac}/namespaces/{namespace}/roles/kubeadm:machine-approver"),
                  ("RoleBinding", f"{rbac}/namespaces/{namespace}/rolebindings/kubeadm:machine-approver")]
    if documents is TOKENS:
        name = "kubeadm:machine-approver:tokens"
        paths += [("ClusterRole", f"{rbac}/clusterroles/{name}"),
                  ("ClusterRoleBinding", f"{rbac}/clusterrolebindings/{name}"),
                  ("Role", f"{rbac}{inside}/roles/{name}"), ("RoleBinding", f"{rbac}{inside}/rolebindings/{name}")]
    objects = []
    for kind, path in paths:
        code, answer = api("GET", path)
        assert code == 200, answer
        objects.append({**answer, "kind": kind})
    return objects


def install(api, objects):
    for item in objects:
        if item["kind"] in PLURALS:
            api.put(item)


def uninstall(api, objects):
    for item in objects:
        if item["kind"] in PLURALS and item["kind"] != "Namespace":
            api("DELETE", f"{api.place(item)}/{item['metadata']['name']}")


def account_of(objects):
    """Returns namespace and name of the Deployment's account."""
    deployment = of_kind(objects, "Deployment")[0]
    return deployment["metadata"]["namespace"], deployment["spec"]["template"]["spec"]["serviceAccountName"]


def rights_of(objects, account):
    """Returns the rules that are bound to the account, each with its namespace."""
    found = []
    for binding in of_kind(objects, "ClusterRoleBinding") + of_kind(objects, "RoleBinding"):
        if (binding["subjects"][0].get("namespace"), binding["subjects"][0]["name"]) != account:
            continue
        inside = binding["metadata"].get("namespace") if binding["kind"] == "RoleBinding" else None
        role = next(role for role in of_kind(objects, binding["roleRef"]["kind"])
                    if role["metadata"]["name"] == binding["roleRef"]["name"]
                    and role["metadata"].get("namespace") == inside)
        found += [(inside, rule) for rule in role["rules"]]
    return found


def requests_of(plane, account, begin):
    """Returns the account's requests in the audit log after its first `begin` characters."""
    user = "system:serviceaccount:{}:{}".format(*account)
    events = [json.loads(line) for line in plane.audit_log()[begin:].splitlines()]
    return [event for event in events if event["user"]["username"] == user]


def covers(inside, rule, group, resource, verb, event):
    """Returns whether `rule` allows the audited request by this group, resource and verb. `inside` is the rule's
    namespace, or None for a ClusterRole."""
    target = event.get("objectRef", {})
    asked = target.get("resource", "") + ("/" + target["subresource"] if "subresource" in target else "")
    return ((group, resource, verb) == (target.get("apiGroup", ""), asked, event["verb"])
            and inside in (None, target.get("namespace"))
            and (not rule.get("resourceNames") or target.get("name") in rule["resourceNames"]))


def unused(rights, events, approved):
    """Returns resource and verb of each right that no request needed. The right to approve for a signer counts as used
    if the approver approved for this signer."""
    left = set()
    for inside, rule in rights:
        for resource in rule["resources"]:
            for verb in rule["verbs"]:
                if resource == "signers":
                    left |= {(signer, verb) for signer in rule["resourceNames"] if signer not in approved}
                    continue
                for group in rule["apiGroups"]:
                    if not any(covers(inside, rule, group, resource, verb, event) for event in events):
                        left.add((resource, verb))
    return left


def ask_by_a_kubelet(world, plane, name, directory):
    """Creates a serving request with the address of the kubelet's current certificate and one more address. The
    approver must then connect to the kubelet, and look for the other address among the egress addresses."""
    certificates = plane.certificates
    certificates.sign("kubelet", f"/O=system:nodes/CN=system:node:{name}",
                      "extendedKeyUsage=serverAuth\nsubjectAltName=IP:127.0.0.1")
    world.config_map("csr-controller-ca", {"ca-bundle.crt": Path(certificates.path("ca.crt")).read_text()},
                     "openshift-config-managed")
    shown = {f"{kind}PEM": Path(certificates.path(f"kubelet.{end}")).read_text()
             for kind, end in (("cert", "crt"), ("key", "key"))}
    with kubelet(shown, directory) as port:
        world.node(name, [{"type": "InternalIP", "address": "127.0.0.1"}], port)
        left = world.serving_csr(name, [name, "127.0.0.1", "10.9.9.8"])
        eventually(lambda: events_about(world.api, NAMESPACE, left))
    world.config_map("csr-controller-ca", {"ca-bundle.crt": ""}, "openshift-config-managed")


def set_network(api, kind):
    path = "/apis/config.openshift.io/v1/networks"
    api.make(path, {"apiVersion": "config.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"}})
    code, answer = api("PATCH", f"{path}/cluster", {"status": {"networkType": kind}})
    assert code == 200, answer


def work(world, case, name):
    """Creates one request for each signer that the approver of this case handles, and waits for the certificates.
    Returns these signers."""
    serving, client = "kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"
    names = [{"type": "Hostname", "address": name}, {"type": "InternalIP", "address": "10.9.0.1"}]
    approved = set()
    if case in ("openshift", "cluster-api"):
        group = MAPI if case == "openshift" else CAPI
        host = f"{name}-client"
        world.machine(host, group=group)
        eventually(lambda: world.certificate(world.client_csr(host)))
        approved.add(client)
        world.machine(f"{name}-owner", node=name, addresses=names, group=group)
    if case == "init-tokens":
        host = f"{name}-client"
        rbac = "rbac.authorization.k8s.io"
        world.api.make(f"/apis/{rbac}/v1/clusterrolebindings", {
            "apiVersion": f"{rbac}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "bootstrappers"},
            "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": "system:node-bootstrapper"},
            "subjects": [{"apiGroup": rbac, "kind": "Group", "name": "system:bootstrappers"}]})
        world.config_map("kubeadm-node-identities", {"token.abcdef": json.dumps(
            {"node": host, "once": True, "created": "2026-01-01T00:00:00Z"})}, "kube-system")
        eventually(lambda: world.certificate(world.token_csr(host)))
        approved.add(client)
    world.node(name, names)
    eventually(lambda: world.certificate(world.serving_csr(name, [name, "10.9.0.1"])))
    return approved | {serving}


@pytest.mark.parametrize("case", [*(name for name in OVERLAYS if not name.endswith("-shadow")), "init", "init-tokens"])
def test_every_right_is_used_and_none_is_missing(case, request, audited, api, program, tmp_path):  # noqa: F811
    world = World(api)
    world.clear()
    by_init = case.startswith("init")
    objects = (installed_by_kubeadm(request, audited, api, INIT if case == "init" else TOKENS) if by_init
               else render(DEPLOY / "overlays" / case))
    install(api, [] if by_init else objects)
    account = account_of(objects)
    begin = len(audited.audit_log())
    _, answer = api("POST", "/api/v1/namespaces/{}/serviceaccounts/{}/token".format(*account),
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    audited._write_kubeconfig("approver", {"token": answer["status"]["token"]})
    if case == "kubeadm":
        world.config_map("kubeadm-config", {"ClusterConfiguration": "networking: {serviceSubnet: 10.96.0.0/12}"},
                         "kube-system")
    if case == "kubeadm" or by_init:
        world.api_servers("10.9.0.101")
    container = of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]["containers"][0]
    # Leaves out flags for times and addresses, which the test sets itself, and for files that only a Pod has.
    flags = [flag for flag in container["args"]
             if not flag.startswith(("--leader-elect-lease", "--leader-elect-renew", "--leader-elect-retry",
                                     "--metrics-bind", "--metrics-cert", "--config="))]
    if case == "openshift":
        flags.append("--ovn-egress-ips")
        set_network(api, "OpenShiftSDN")
    approver = Approver(program, audited, tmp_path / "log", *flags,
                        scheme="https" if "--metrics-secure" in flags else "http")
    try:
        approver.ready()
        if case == "openshift":
            ask_by_a_kubelet(world, audited, f"n-{case}-sdn", tmp_path)
            set_network(api, "OVNKubernetes")
        approved = work(world, case, f"n-{case}")
        left = world.serving_csr(f"n-{case}", [f"n-{case}", "10.9.9.9"], "-left")
        eventually(lambda: events_about(api, account[0], left))
        if case == "openshift":
            with pytest.raises(OSError):
                approver.get("/metrics", answer["status"]["token"])
            operator = "/apis/config.openshift.io/v1/clusteroperators/machine-approver"
            eventually(lambda: api("GET", operator)[1].get("status"))
            # The audit log must show that the watch has started.
            eventually(lambda: any(event["verb"] == "watch" and "/clusteroperators" in event["requestURI"]
                                   for event in requests_of(audited, account, begin)))
        explain(program, audited, left, flags)
        denied = {(event["verb"], event["requestURI"]) for event in requests_of(audited, account, begin)
                  if event["responseStatus"]["code"] == 403}
    finally:
        approver.end()
        uninstall(api, objects)
    assert denied == set(), approver.log.read_text()
    events = requests_of(audited, account, begin)
    assert unused(rights_of(objects, account), events, approved) == set()


def events_about(api, namespace, name):
    _, answer = api("GET", f"/api/v1/namespaces/{namespace}/events")
    return [event for event in answer["items"] if event["involvedObject"]["name"] == name]


def explain(program, plane, name, flags):  # noqa: F811
    config = plane.kubeconfig("approver")
    world = [flag for flag in flags if flag.startswith(("--inventory", "--api-group", "--ovn", "--leader-elect-resource-n"))]
    done = subprocess.run([program, "explain", name, *world, f"--workload-cluster-kubeconfig={config}",
                           f"--management-cluster-kubeconfig={config}"], capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 0, done.stderr


def test_rights_in_a_namespace_are_on_named_objects():
    for objects in [render(DEPLOY / "overlays" / overlay) for overlay in OVERLAYS]:
        for inside, rule in rights_of(objects, account_of(objects)):
            if inside and rule["resources"] != ["events"]:
                assert rule["resourceNames"] and "create" not in rule["verbs"], rule


def test_nodes_may_not_write_the_evidence_of_the_rules(api):
    World(api).node("evil")
    api.make("/api/v1/namespaces/kube-system/configmaps", {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cluster-machine-approver-nodes"}})
    node = {"user": "system:node:evil", "groups": ["system:nodes"]}
    label = {"metadata": {"labels": {"node-role.kubernetes.io/control-plane": ""}}}
    for method, path, body in (
            ("PATCH", "/api/v1/nodes/evil", label),
            ("PATCH", "/api/v1/nodes/evil/status", label),
            ("DELETE", "/api/v1/nodes/evil", None),
            ("PATCH", "/api/v1/namespaces/kube-system/configmaps/cluster-machine-approver-nodes", {"data": {"evil": None}}),
            ("PATCH", "/api/v1/namespaces/kube-system/configmaps/kubeadm-config", {"data": None}),
            ("POST", "/apis/networking.k8s.io/v1/servicecidrs",
             {"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR", "metadata": {"name": "a"},
              "spec": {"cidrs": ["10.32.0.0/16"]}}),
            ("PATCH", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes", {"endpoints": []})):
        assert api(method, path, body, **node)[0] == 403, (method, path)
    uid = api("GET", "/api/v1/nodes/evil")[1]["metadata"]["uid"]
    api("PATCH", "/api/v1/nodes/evil", {"metadata": {"uid": "0"}}, **node)
    assert api("GET", "/api/v1/nodes/evil")[1]["metadata"]["uid"] == uid
