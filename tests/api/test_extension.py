# SPDX-License-Identifier: Apache-2.0
"""Calls the runtime hooks of `slipway-operator extension` by HTTPS, as Cluster API does. The extension has exactly the
rights of deploy/fleet/cluster-api. The management cluster is the workload cluster, too."""

import base64
import concurrent.futures
import contextlib
import http.client
import json
import shutil
import ssl
import subprocess

import pytest
import yaml

from approver import Api
from control_plane import eventually, free_ports
from test_approver_deploy import render
from test_approver_rights import account_of, audited, install, requests_of, rights_of, unused  # noqa: F401 - fixture
from test_operator_chart import FLEET, operator  # noqa: F401 - fixture

GROUP = "hooks.runtime.cluster.x-k8s.io/v1alpha1"
PATHS = {"Discovery": "discovery", "CanUpdateMachine": "canupdatemachine/can-update-machine",
         "CanUpdateMachineSet": "canupdatemachineset/can-update-machine-set",
         "UpdateMachine": "updatemachine/update-machine"}
OPERATIONS = "/apis/operations.slipway/v1alpha1/clusteroperations"
OLD, NEW = "v1.36.3", "v1.37.2"
KINDS = {"Machine": "cluster.x-k8s.io", "KubeadmConfig": "bootstrap.cluster.x-k8s.io"}
UPDATING = {"in-place-updates.internal.cluster.x-k8s.io/update-in-progress": "",
            "runtime.cluster.x-k8s.io/pending-hooks": "UpdateMachine"}
LARGEST = 4 << 20  # bytes of a body


def definition(kind, group):
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {"kind": kind, "listKind": f"{kind}List", "plural": f"{kind.lower()}s", "singular": kind.lower()}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{names['plural']}.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [
                {"name": "v1beta2", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}]}}


def inline(plane):
    """Returns the administrator's kubeconfig with its certificates, as Cluster API stores it."""
    config = yaml.safe_load(plane.kubeconfig().read_text())
    for entry in (config["clusters"][0]["cluster"], config["users"][0]["user"]):
        for name in ("certificate-authority", "client-certificate", "client-key"):
            if name in entry:
                with open(entry.pop(name), "rb") as file:
                    entry[f"{name}-data"] = base64.b64encode(file.read()).decode()
    return yaml.safe_dump(config)


def machine(version=NEW, name="m"):
    return {"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine",
            "metadata": {"name": name, "namespace": "default", "annotations": UPDATING,
                         "labels": {"cluster.x-k8s.io/control-plane": ""}},
            "spec": {"clusterName": "c", "version": version,
                     "bootstrap": {"configRef": {"kind": "KubeadmConfig", "name": name}}}}


def config(**cluster):
    return {"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta2", "kind": "KubeadmConfig",
            "metadata": {"name": "m", "namespace": "default"}, "spec": {"clusterConfiguration": cluster}}


@pytest.fixture(scope="module")
def api(audited):  # noqa: F811
    api = Api(audited)
    install(api, [*render(FLEET), *render(FLEET / "cluster-api"), *(definition(*each) for each in KINDS.items())])
    eventually(lambda: all(api("GET", f"/apis/{group}/v1beta2/{kind.lower()}s")[0] == 200
                           for kind, group in KINDS.items()))
    eventually(lambda: api("GET", OPERATIONS)[0] == 200)
    api.make("/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines",
             {**machine(), "status": {"nodeRef": {"name": "node-m"}}})
    api.make("/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/default/kubeadmconfigs", config())
    api.make("/api/v1/namespaces/default/secrets", {
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "c-kubeconfig"}, "stringData": {"value": inline(audited)}})
    api.make("/api/v1/namespaces/kube-system/configmaps", {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kubeadm-config"},
        "data": {"ClusterConfiguration": f"kubernetesVersion: {NEW}\n"}})
    api.make("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": "node-m", "labels": {"kubernetes.io/hostname": "node-m", "node-role.kubernetes.io/control-plane": ""}}})
    return api


class Hooks:
    """A process of the extension, called as Cluster API calls it."""

    def __init__(self, operator, plane, api, log):  # noqa: F811
        _, answer = api("POST", "/api/v1/namespaces/{}/serviceaccounts/{}/token".format(
            *account_of(render(FLEET / "cluster-api"))),
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        [self.port] = free_ports(1)
        self.plane, self.directory = plane, log.parent
        self.use_certificate("first")
        with open(log, "wb") as out:
            self.process = subprocess.Popen(
                [operator, "extension", f"--kubeconfig={plane.token_kubeconfig(answer['status']['token'])}",
                 f"--bind-address=127.0.0.1:{self.port}", f"--tls-cert-file={self.directory}/tls.crt",
                 f"--tls-private-key-file={self.directory}/tls.key", "--kubelet-command=true"], stdout=out, stderr=out)
        eventually(self.serves)

    def use_certificate(self, name):
        """Signs a certificate with that common name, and replaces the extension's files by it."""
        self.plane.certificates.sign(name, f"/CN={name}", "subjectAltName=IP:127.0.0.1")
        for suffix in ("crt", "key"):
            shutil.copy(self.plane.certificates.path(f"{name}.{suffix}"), self.directory / f"tls.{suffix}")

    def connection(self):
        context = ssl.create_default_context(cafile=self.plane.certificates.path("ca.crt"))
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=20)

    def serves(self):
        assert self.process.poll() is None
        with contextlib.suppress(OSError):
            return self.ask("GET", "/readyz")[0] == 200
        return False

    def ask(self, method, path, body=None):
        connection = self.connection()
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def call(self, hook, **objects):
        request = {"apiVersion": GROUP, "kind": f"{hook}Request", "settings": {}, **objects}
        status, body = self.ask("POST", f"/{GROUP}/{PATHS[hook]}?timeout=30s", json.dumps(request))
        assert status == 200, body
        answer = json.loads(body)
        assert (answer["apiVersion"], answer["kind"]) == (GROUP, f"{hook}Response")
        return answer

    def update(self):
        return self.call("UpdateMachine", desired={"machine": machine(), "infrastructureMachine": {}})


@pytest.fixture(scope="module")
def hooks(operator, audited, api, tmp_path_factory):  # noqa: F811
    it = Hooks(operator, audited, api, tmp_path_factory.mktemp("extension") / "log")
    yield it
    it.process.terminate()
    assert it.process.wait(timeout=20) == 0


def patch_of(answer, field):
    assert answer["status"] == "Success", answer
    return json.loads(base64.b64decode(answer[field]["patch"])) if field in answer else None


def set_kubelet(api, version):
    code, answer = api("PATCH", "/api/v1/nodes/node-m/status", {"status": {"nodeInfo": {
        **dict.fromkeys(("machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion",
                         "kubeProxyVersion", "operatingSystem", "architecture"), ""), "kubeletVersion": version}}})
    assert code == 200, answer


def test_discovery_names_three_hooks(hooks):
    handlers = hooks.call("Discovery")["handlers"]
    assert [each["requestHook"]["hook"] for each in handlers] == ["CanUpdateMachine", "CanUpdateMachineSet", "UpdateMachine"]
    assert all(f"{each['requestHook']['hook'].lower()}/{each['name']}" in PATHS.values() for each in handlers)


def test_patches_cover_the_version_and_the_arguments(hooks):
    arguments = [{"name": "profiling", "value": "false"}]
    answer = hooks.call("CanUpdateMachine",
                        current={"machine": machine(OLD), "bootstrapConfig": config()},
                        desired={"machine": machine(), "bootstrapConfig": config(apiServer={"extraArgs": arguments})})
    assert patch_of(answer, "machinePatch") == {"spec": {"version": NEW}}
    assert patch_of(answer, "bootstrapConfigPatch") == {
        "spec": {"clusterConfiguration": {"apiServer": {"extraArgs": arguments}}}}


def test_a_machine_set_is_covered_up_to_the_version_of_its_cluster(hooks):
    def objects(version):
        return {"machineSet": {"kind": "MachineSet", "metadata": {"name": "s", "namespace": "default"},
                               "spec": {"clusterName": "c", "template": {"spec": {"version": version}}}},
                "bootstrapConfigTemplate": {"kind": "KubeadmConfigTemplate", "spec": {"template": {"spec": {}}}}}

    answer = hooks.call("CanUpdateMachineSet", current=objects(OLD), desired=objects(NEW))
    assert patch_of(answer, "machineSetPatch") == {"spec": {"template": {"spec": {"version": NEW}}}}
    answer = hooks.call("CanUpdateMachineSet", current=objects("v1.35.1"), desired=objects(OLD))
    assert patch_of(answer, "machineSetPatch") is None


def test_an_update_is_one_operation_with_few_rights(hooks, api, audited):  # noqa: F811
    set_kubelet(api, OLD)
    for _ in range(2):
        answer = hooks.update()
        assert answer["status"] == "Success" and answer["retryAfterSeconds"] > 0, answer
    [operation] = api("GET", OPERATIONS)[1]["items"]
    assert operation["spec"]["upgrade"] == {"version": NEW, "nodesOnly": True, "kubeletCommand": "true"}
    assert operation["spec"]["nodeSelector"] == {"kubernetes.io/hostname": "node-m"}
    path = f"{OPERATIONS}/{operation['metadata']['name']}"
    api("PATCH", f"{path}/status", {"status": {"phase": "Failed", "message": "node-m: no image"}})
    answer = hooks.update()
    assert answer["status"] == "Failure" and "node-m: no image" in answer["message"]
    api("PATCH", f"{path}/status", {"status": {"phase": "Complete", "message": ""}})
    set_kubelet(api, NEW)
    answer = hooks.update()
    assert (answer["status"], answer["retryAfterSeconds"]) == ("Success", 0)

    objects = render(FLEET / "cluster-api")
    account = account_of(objects)
    events = requests_of(audited, account, 0)
    assert {event["requestURI"] for event in events if event["responseStatus"]["code"] == 403} == set()
    assert unused(rights_of(objects, account), events, set()) == set()


def test_a_missing_kind_is_named_with_the_installation(hooks, api):
    assert api("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/clusteroperations.operations.slipway")[0] == 200
    eventually(lambda: api("GET", OPERATIONS)[0] == 404)
    set_kubelet(api, OLD)
    answer = hooks.update()
    assert answer["status"] == "Failure" and "kubectl apply -k deploy/fleet" in answer["message"], answer


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"text"', b"\xff\xfe", b"[" * 100_000, b"{}",
                                  json.dumps({"apiVersion": GROUP, "kind": "DiscoveryRequest"}).encode()])
def test_another_body_is_refused(hooks, body):
    for hook in ("CanUpdateMachine", "CanUpdateMachineSet", "UpdateMachine"):
        assert hooks.ask("POST", f"/{GROUP}/{PATHS[hook]}", body)[0] == 400
    assert hooks.serves()


@pytest.mark.parametrize("value", [None, 1, "text", [], {}, {"machine": 1}, {"machine": {"kind": "Machine", "spec": []}},
                                   {"machine": {"kind": "Pod", "spec": {}}, "bootstrapConfig": {"kind": "Secret"}},
                                   {"machine": {"kind": "Machine", "spec": {}, "metadata": {"namespace": "../../nodes"}}}])
def test_other_objects_fail_and_name_the_problem(hooks, value):
    for hook in ("CanUpdateMachine", "CanUpdateMachineSet", "UpdateMachine"):
        answer = hooks.call(hook, current=value, desired=value)
        assert answer["status"] == "Failure" or not {"machinePatch", "machineSetPatch"} & set(answer)
        assert answer["message"]
    assert hooks.serves()


def test_a_body_that_is_too_large_is_not_read(hooks):
    with pytest.raises((OSError, http.client.HTTPException)):
        hooks.ask("POST", f"/{GROUP}/{PATHS['UpdateMachine']}", b" " * (LARGEST + 100_000))
    assert hooks.serves()


def test_other_paths_and_methods_are_refused(hooks):
    assert hooks.ask("POST", f"/{GROUP}/none", b"{}")[0] == 404
    assert hooks.ask("GET", f"/{GROUP}/discovery")[0] == 405
    assert hooks.ask("DELETE", f"/{GROUP}/discovery")[0] == 405


def test_many_calls_at_a_time_are_answered(hooks):
    with concurrent.futures.ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(lambda _: hooks.call("Discovery")["status"], range(40)))
    assert set(answers) == {"Success"}


def test_a_replaced_certificate_is_used(hooks):
    hooks.use_certificate("second")
    connection = hooks.connection()
    connection.connect()
    assert ((("commonName", "second"),)) in connection.sock.getpeercert()["subject"]
    connection.close()
