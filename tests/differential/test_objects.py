# SPDX-License-Identifier: Apache-2.0
"""Randomly changed configurations: phases of our `init` store the same objects in a real API server as upstream's."""

import base64
import dataclasses
import re
import subprocess
import tempfile
from pathlib import Path

import pytest
import yaml


from . import programs
from .mutation import Mutator
from .patch_files import COREDNS, KUBE_PROXY, Patches
from .real_api import api, plane  # noqa: F401 (fixtures)

COMMANDS = [["upload-config", "all"], ["bootstrap-token"], ["addon", "all"]]
CORE, WORKLOADS, RBAC = "/api/v1", "/apis/apps/v1", "/apis/rbac.authorization.k8s.io/v1"
NAMESPACED = {CORE: ["configmaps", "secrets", "serviceaccounts", "services"], WORKLOADS: ["deployments", "daemonsets"],
              RBAC: ["roles", "rolebindings"]}
KINDS = [f"{group}/namespaces/{namespace}/{kind}" for group, kinds in NAMESPACED.items() for kind in kinds
         for namespace in ("kube-system", "kube-public")] + [f"{RBAC}/clusterroles", f"{RBAC}/clusterrolebindings"]
OF_THE_SERVER = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation")
VERSION = r"^kubernetesVersion: *v{minor}\.\d+(-\w+\.\d+)?$"


def held(api):  # noqa: F811
    """Returns all objects of these kinds, by their paths."""
    found = {}
    for kind in KINDS:
        status, answer = api("GET", kind)
        assert status == 200, answer
        found |= {f"{kind}/{item['metadata']['name']}": item for item in answer["items"]}
    return found


@pytest.fixture(scope="module")
def before(api):  # noqa: F811
    return set(held(api))


def names_the_release(text):
    """Returns True if the configuration names a version of RELEASE. Others are skipped: upstream resolves labels on the
    internet, and ours stores other objects for another release."""
    return re.search(VERSION.format(minor=re.escape(programs.RELEASE)), text, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_objects_are_stored_as_by_upstream(command, seed, plane, api, before, tmp_path, pytestconfig):  # noqa: F811
    mutator = Mutator(seed, programs.version())
    file = tmp_path / "kubeadm.yaml"
    both_took = 0
    for _ in programs.until_taken(lambda: both_took, pytestconfig.getoption("each") // 10):
        text = mutator.configuration()
        if not names_the_release(text):
            continue
        file.write_text(impatient(text))
        phase = ["init", "phase", *command, "--config", file, "--kubeconfig", plane.kubeconfig()]
        theirs = outcome(programs.upstream(programs.RELEASE), phase, api, before)
        ours = outcome(programs.OURS, phase, api, before)
        shown = f"{file.read_text()}\n--- upstream: {theirs}\n--- ours: {ours}"
        assert ours.code == theirs.code, shown
        if ours.code == 0:
            both_took += 1
            assert ours.stored == theirs.stored, shown


def test_patched_addons_are_stored_as_by_upstream(seed, plane, api, before, tmp_path, pytestconfig):  # noqa: F811
    upstream = programs.upstream(programs.RELEASE)
    plain = programs.PLAIN.replace("VERSION", programs.version())
    file = tmp_path / "kubeadm.yaml"
    phase = ["init", "phase", "addon", "all", "--config", file, "--kubeconfig", plane.kubeconfig()]
    file.write_text(plain)
    made = outcome(upstream, phase, api, before).stored
    patches = Patches(seed, {COREDNS: made[f"{WORKLOADS}/namespaces/kube-system/deployments/coredns"],
                             KUBE_PROXY: made[f"{WORKLOADS}/namespaces/kube-system/daemonsets/kube-proxy"]})
    both_took = 0
    for _ in programs.until_taken(lambda: both_took, pytestconfig.getoption("each") // 20):
        directory = Path(tempfile.mkdtemp(dir=tmp_path))
        text = patches.write(directory)
        file.write_text(impatient(plain.replace("---", f"patches:\n  directory: {directory}\n---")))
        theirs = outcome(upstream, phase, api, before)
        ours = outcome(programs.OURS, phase, api, before)
        shown = f"{text}\n--- upstream: {theirs}\n--- ours: {ours}"
        assert (ours.code == 0) == (theirs.code == 0), shown
        if ours.code == 0:
            both_took += 1
            assert ours.stored == theirs.stored, shown


def impatient(text):
    """Returns the configuration with shorter timeouts for requests that the API server refuses."""
    try:
        documents = list(yaml.safe_load_all(text))
    except yaml.YAMLError:
        return text
    for document in documents:
        if isinstance(document, dict) and document.get("kind") == "InitConfiguration":
            document.setdefault("timeouts", {"kubernetesAPICall": "1s"})
    return yaml.safe_dump_all(documents, allow_unicode=True)


@dataclasses.dataclass
class Outcome:
    code: int
    errors: str
    stored: dict  # by the objects' paths


def outcome(program, phase, api, before):  # noqa: F811
    done = subprocess.run([program, *phase], capture_output=True, text=True, timeout=200, check=False)
    made = {path: item for path, item in held(api).items() if path not in before}
    for path in made:
        api("DELETE", path)
    return Outcome(done.returncode, done.stderr, {named(path): meaning(item) for path, item in made.items()})


def named(path):
    return re.sub("bootstrap-token-.*", "bootstrap-token-RANDOM", path)


def meaning(item):
    item["metadata"] = {key: value for key, value in item["metadata"].items() if key not in OF_THE_SERVER}
    if item.get("type") == "bootstrap.kubernetes.io/token":
        item["metadata"].pop("name")
        item["data"] = {key: base64.b64decode(value).decode() for key, value in item["data"].items()
                        if key not in ("expiration", "token-id", "token-secret")}
    return item
