# SPDX-License-Identifier: Apache-2.0
"""The kube library against a real API server."""

import base64
import hashlib
import hmac
import json
import subprocess
import time

import pytest

from conftest import Failure
from control_plane import NOBODY, eventually

TOKEN = ("abcdef", "0123456789abcdef")


def config_map(name, value="x", **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "data": {"key": value},
            "metadata": {"name": name, "namespace": "kube-system", **metadata}}


def failure(call):
    with pytest.raises(Failure) as caught:
        call()
    return caught.value


def test_create_or_update_replaces_the_object(driver):
    driver("create-or-update", "configmaps", body=config_map("update", "one", labels={"old": "1"}))
    driver("create-or-update", "configmaps", body=config_map("update", "two"))
    found = driver("get", "configmaps", "kube-system", "update")
    assert found["data"] == {"key": "two"}
    assert "labels" not in found["metadata"]


def test_create_or_mutate_keeps_what_others_wrote(driver):
    driver("create-or-mutate", "configmaps", "", "", "first", body=config_map("mutate", "one"))
    driver("create-or-mutate", "configmaps", "", "", "second", body=config_map("mutate", "two"))
    found = driver("get", "configmaps", "kube-system", "mutate")
    assert found["data"] == {"key": "one"}
    assert found["metadata"]["labels"] == {"second": "set"}


def test_create_or_retain_leaves_an_existing_object(driver):
    driver("create-or-retain", "configmaps", body=config_map("retain", "one"))
    driver("create-or-retain", "configmaps", body=config_map("retain", "two"))
    assert driver("get", "configmaps", "kube-system", "retain")["data"] == {"key": "one"}


def test_failures_have_their_kinds(driver, plane):
    created = driver("create", "configmaps", body=config_map("kinds"))
    nobody = plane.kubeconfig(NOBODY)
    stranger = plane.token_kubeconfig("aaaaaa.bbbbbbbbbbbbbbbb")
    stale = config_map("kinds", resourceVersion=created["metadata"]["resourceVersion"])
    driver("update", "configmaps", body=config_map("kinds", "newer"))
    wrong = config_map("No Good Name")
    for kind, call in {
        "not found": lambda: driver("get", "configmaps", "kube-system", "absent"),
        "already exists": lambda: driver("create", "configmaps", body=config_map("kinds")),
        "conflict": lambda: driver("update", "configmaps", body=stale),
        "invalid": lambda: driver("create", "configmaps", body=wrong),
        "forbidden": lambda: driver("get", "configmaps", "kube-system", "kinds", config=nobody),
        "unauthorized": lambda: driver("get", "configmaps", "kube-system", "kinds", config=stranger),
    }.items():
        assert failure(call).kind == kind
    driver("delete", "configmaps", "kube-system", "kinds")
    assert failure(lambda: driver("get", "configmaps", "kube-system", "kinds")).kind == "not found"


def test_list_has_all_items(driver):
    for number in range(3):
        driver("create-or-retain", "configmaps", body=config_map(f"list-{number}"))
    names = [item["metadata"]["name"] for item in driver("list", "configmaps", "kube-system")]
    assert [name for name in names if name.startswith("list-")] == ["list-0", "list-1", "list-2"]
    assert len(driver("list", "clusterroles")) > 50


def test_watch_sees_what_happens_after_a_version(driver):
    version = driver("create", "configmaps", body=config_map("watched"))["metadata"]["resourceVersion"]
    command = driver.command(["watch", "configmaps", "kube-system", "end", version])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        driver("create-or-update", "configmaps", body=config_map("watched", "changed"))
        driver("delete", "configmaps", "kube-system", "watched")
        driver("create", "configmaps", body=config_map("end"))
        events = [json.loads(line) for line in watch.stdout]
    seen = [(each["type"], each["object"]["metadata"].get("name")) for each in events]
    assert [each for each in seen if each[1] in ("watched", "end")] == [
        ("MODIFIED", "watched"), ("DELETED", "watched"), ("ADDED", "end")]
    assert watch.returncode == 0


def test_watch_that_is_too_old_is_a_conflict(driver, plane):
    plane.compact()
    # The API server keeps no history of Events.
    assert failure(lambda: driver("watch", "events", "kube-system", "none", "1")).kind == "conflict"


def test_patch_node_merges_taints_and_labels(driver):
    other = {"key": "other", "effect": "NoSchedule"}
    driver("create", "nodes", body={
        "apiVersion": "v1", "kind": "Node", "spec": {"taints": [other]},
        "metadata": {"name": "n1", "labels": {"kubernetes.io/hostname": "n1", "kept": "yes"}}})
    mine = {"key": "mine", "effect": "NoSchedule"}
    driver("patch-node", "nodes", "", "n1", "marked", body=[mine, other])
    node = driver("get", "nodes", "", "n1")
    assert {"kept": "yes", "marked": "set"}.items() <= node["metadata"]["labels"].items()
    keys = [each["key"] for each in node["spec"]["taints"]]
    assert {"mine", "other"} <= set(keys)
    driver("patch-node", "nodes", "", "n1", "marked", body=[mine])
    assert "other" not in [each["key"] for each in driver("get", "nodes", "", "n1")["spec"]["taints"]]


def test_health_of_components_is_waited_for(driver, plane):
    driver("wait-for-url", f"{plane.manager_url}/healthz")
    driver("wait-for-url", f"{plane.server}/livez")


def test_bootstrap_signer_signs_cluster_info(driver, plane):
    identity, secret = TOKEN
    driver("create-or-update", "secrets", body={
        "apiVersion": "v1", "kind": "Secret", "type": "bootstrap.kubernetes.io/token",
        "metadata": {"name": f"bootstrap-token-{identity}", "namespace": "kube-system"},
        "stringData": {"token-id": identity, "token-secret": secret, "usage-bootstrap-signing": "true",
                       "usage-bootstrap-authentication": "true",
                       "auth-extra-groups": "system:bootstrappers:kubeadm:default-node-token"}})
    driver("create-or-update", "configmaps", body={
        "apiVersion": "v1", "kind": "ConfigMap", "data": {"kubeconfig": "kind: Config\n"},
        "metadata": {"name": "cluster-info", "namespace": "kube-public"}})
    name = f"jws-kubeconfig-{identity}"
    signed = eventually(
        lambda: driver("get", "configmaps", "kube-public", "cluster-info")["data"].get(name))
    head, payload, signature = signed.split(".")
    assert payload == ""
    text = base64.urlsafe_b64encode(b"kind: Config\n").rstrip(b"=")
    expected = hmac.new(secret.encode(), head.encode() + b"." + text, hashlib.sha256).digest()
    assert base64.urlsafe_b64encode(expected).rstrip(b"=").decode() == signature
    # The token's user is authenticated now, but has no rights.
    joiner = plane.token_kubeconfig(f"{identity}.{secret}")
    eventually(lambda: failure(lambda: driver("get", "nodes", "", "n1", config=joiner)).kind == "forbidden")
