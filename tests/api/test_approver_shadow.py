# SPDX-License-Identifier: Apache-2.0
"""The shadow mode next to another approver, with exactly the rights of its manifests: it compares decisions, and writes
nothing."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from approver import CAPI, CSRS, MAPI, Approver, World
from control_plane import eventually
from test_approver import program  # noqa: F401 - fixture
from test_approver_deploy import DEPLOY, of_kind, render
from test_approver_rights import (account_of, api, audited, events_about, explain, install,  # noqa: F401 - fixtures
                                  requests_of, rights_of, uninstall, unused)

CASES = ("kubeadm", "cluster-api", "openshift-shadow")
READS = {"get", "list", "watch"}
COMPARISON = re.compile(r'^machine_approver_shadow_comparisons_total\{verdict="(.*?)",outcome="(.*?)",'
                        r'agreement="(.*?)",reason="(.*?)"\} (\d+)$', re.MULTILINE)


def shadow_objects(case, directory):
    """Returns the objects of an overlay with the component `shadow` on top. Removing that component makes the approver
    go live."""
    if case.endswith("-shadow"):
        return render(DEPLOY / "overlays" / case)
    shutil.copytree(DEPLOY, directory / "deploy", symlinks=True)
    own = directory / "deploy" / "own"
    own.mkdir()
    (own / "kustomization.yaml").write_text(yaml.safe_dump({
        "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
        "resources": [f"../overlays/{case}"], "components": ["../components/shadow"]}))
    return render(own)


def decide(api, name, kind):  # noqa: F811
    """Approves or denies a request as another approver would; the user is the administrator."""
    code, request = api("GET", f"{CSRS}/{name}")
    assert code == 200, request
    request.setdefault("status", {})["conditions"] = [
        {"type": kind, "status": "True", "reason": "Other", "message": "by another approver"}]
    code, answer = api("PUT", f"{CSRS}/{name}/approval", request)
    assert code == 200, answer


def compared(approver):
    """Returns the count of comparisons by verdict, outcome, agreement and reason."""
    return {match[:4]: int(match[4]) for match in COMPARISON.findall(approver.get("/metrics"))}


def prepare(world, case):
    """Creates a node with the address 10.9.0.1, whose serving certificate the case's inventory attests."""
    addresses = [{"type": "Hostname", "address": "n1"}, {"type": "InternalIP", "address": "10.9.0.1"}]
    if case == "kubeadm":
        world.config_map("kubeadm-config", {"ClusterConfiguration": "networking: {serviceSubnet: 10.96.0.0/12}"},
                         "kube-system")
        world.api_servers("10.9.0.101")
    else:
        group = CAPI if case == "cluster-api" else MAPI
        world.machine("n1-owner", node="n1", addresses=addresses, group=group)
    world.node("n1", addresses)


def args_of(objects):
    return of_kind(objects, "Deployment")[0]["spec"]["template"]["spec"]["containers"][0]["args"]


@pytest.fixture(params=CASES)
def case(request):
    return request.param


def test_the_shadow_mode_compares_and_writes_nothing(case, audited, api, program, tmp_path):  # noqa: F811
    world = World(api)
    world.clear()
    objects = shadow_objects(case, tmp_path)
    install(api, objects)
    account = account_of(objects)
    begin = len(audited.audit_log())
    _, answer = api("POST", "/api/v1/namespaces/{}/serviceaccounts/{}/token".format(*account),
                    {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
    audited._write_kubeconfig("approver", {"token": answer["status"]["token"]})
    prepare(world, case)
    approver = Approver(program, audited, tmp_path / "log", *args_of(objects), f"--audit-log={tmp_path / 'verdicts'}")
    try:
        approver.ready()
        reason = {"kubeadm": "serving-node-ok"}.get(case, "serving-machine-ok")
        if case != "kubeadm":  # Machines attest client certificates, too
            world.machine("n2", group=CAPI if case == "cluster-api" else MAPI)
            client = world.client_csr("n2")
            eventually(lambda: f"would approve {client}" in approver.log.read_text())
        good = world.serving_csr("n1", ["n1", "10.9.0.1"])
        eventually(lambda: f"would approve {good}" in approver.log.read_text())
        assert world.conditions(good) == []
        decide(api, good, "Approved")
        agreed = ("approve", "approved", "agree", reason)
        eventually(lambda: compared(approver) == {agreed: 1})
        eventually(lambda: world.certificate(good))  # the update of the request is not compared again
        denied = world.serving_csr("n1", ["n1", "10.9.0.1"], "-denied")
        eventually(lambda: f"would approve {denied}" in approver.log.read_text())
        decide(api, denied, "Denied")
        eventually(lambda: ("approve", "denied", "disagree", reason) in compared(approver))
        bad = world.serving_csr("n1", ["n1", "10.9.9.9"], "-bad")
        decide(api, bad, "Approved")  # the approver may have judged the request already, or judges it later
        # The approver waits a minute for evidence before it disagrees.
        eventually(lambda: any(key[:3] == ("leave-pending", "approved", "disagree") for key in compared(approver)), 200)
        removed = world.serving_csr("n1", ["n1", "10.9.9.9"], "-removed")
        eventually(lambda: f"would leave {removed} pending" in approver.log.read_text())
        api("DELETE", f"{CSRS}/{removed}")
        eventually(lambda: any(key[:3] == ("leave-pending", "undecided", "agree") for key in compared(approver)))
        assert sum(compared(approver).values()) == 4
        assert events_about(api, account[0], bad) == []
        explain(program, audited, bad, args_of(objects))
        lines = [json.loads(line) for line in (tmp_path / "verdicts").read_text().splitlines()]
        assert {(line["request"], line["effect"]) for line in lines} >= {
            (good, "would-approve"), (bad, "would-leave-pending"), (removed, "would-leave-pending")}
    finally:
        approver.end()
        uninstall(api, objects)
    requests = requests_of(audited, account, begin)
    assert {(event["verb"], event["requestURI"]) for event in requests
            if event["verb"] not in READS or event["responseStatus"]["code"] == 403} == set()
    if case != "openshift-shadow":  # its rights for OpenShift's networks are not used in this cluster
        assert unused(rights_of(objects, account), requests, set()) == set()


@pytest.mark.parametrize("shadow", CASES)
def test_the_shadow_mode_has_only_read_rights(shadow, tmp_path):
    objects = shadow_objects(shadow, tmp_path)
    rights = rights_of(objects, account_of(objects))
    assert rights
    for _, rule in rights:
        assert set(rule["verbs"]) <= READS
        assert not {"signers", "certificatesigningrequests/approval"} & set(rule["resources"])
    assert of_kind(objects, "Lease") == []


def test_the_shadow_mode_refuses_a_lease(program):  # noqa: F811
    done = subprocess.run([program, "--shadow", "--leader-elect"], capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 2
    assert "leave --leader-elect out" in done.stderr
