# SPDX-License-Identifier: Apache-2.0
"""Input of up to 64 MiB must not take a program more than 300 MiB of memory or 20 seconds of processor time."""

import json

import pytest

from programs import run
from shapes import JSON, MIB, PATHS, PEM, TEMPLATES, YAML

MOST_MIB = 300
SIZES = {"15 MiB": 15 * MIB, "63 MiB": 63 * MIB}  # of YAML, which has a lower limit, and of other input


def write(path, pieces):
    with path.open("wb") as file:
        for piece in pieces:
            file.write(piece)
    return path


def check(outcome, seconds):
    assert outcome.mib <= MOST_MIB, outcome
    assert outcome.cpu <= seconds, outcome
    assert outcome.code >= 0, outcome  # it was not killed
    assert len(outcome.stderr) < 64_000, "an error that is too long to read"
    if outcome.code != 0:
        assert outcome.stderr.strip(), "no word of what is wrong"


def readers(kubeadm, approver, file):
    """Returns the commands that read a file as YAML: a configuration, a kubeconfig, an inventory."""
    return {
        "validate": [kubeadm, "config", "validate", "--config", file],
        "kubeconfig": [kubeadm, "token", "list", "--kubeconfig", file],
        "discovery file": [kubeadm, "join", "--discovery-file", file, "--tls-bootstrap-token",
                           "abcdef.0123456789abcdef", "--ignore-preflight-errors=all"],
        "approver": [approver, "--workload-cluster-kubeconfig", file, "--config", file, "--leader-elect=false",
                     "--metrics-bind-address=127.0.0.1:0"],
    }


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())
@pytest.mark.parametrize("shape", YAML.values(), ids=YAML.keys())
def test_large_configurations_are_bounded(kubeadm, approver, seconds, tmp_path, shape, size):
    file = write(tmp_path / "file", shape(size))
    outcome = run(readers(kubeadm, approver, file)["validate"], limit=4 * seconds)
    check(outcome, seconds)
    assert outcome.code != 0, outcome


@pytest.mark.parametrize("reader", ["kubeconfig", "discovery file", "approver"])
@pytest.mark.parametrize("name", ["nested anchors", "alias bomb", "long paths", "lists in lists", "empty lists", "keys",
                                  "a long word", "a binary text", "documents"])
def test_other_large_files_are_bounded(kubeadm, approver, seconds, tmp_path, name, reader):
    file = write(tmp_path / "file", YAML[name](SIZES["15 MiB"]))
    outcome = run(readers(kubeadm, approver, file)[reader], limit=4 * seconds)
    check(outcome, seconds)
    assert outcome.code != 0, outcome


def test_a_kubeconfig_of_long_data(kubeadm, seconds, tmp_path):
    from shapes import fill
    head = b"clusters:\n- cluster:\n    server: https://127.0.0.1:1\n    certificate-authority-data: "
    tail = b"\n  name: c\ncontexts:\n- context: {cluster: c}\n  name: x\ncurrent-context: x\n"
    file = write(tmp_path / "file", fill(b"QUFB", SIZES["15 MiB"], head=head, tail=tail))
    outcome = run([kubeadm, "token", "list", "--kubeconfig", file], limit=4 * seconds)
    check(outcome, seconds)
    assert outcome.code != 0, outcome


@pytest.mark.parametrize("shape", JSON.values(), ids=JSON.keys())
def test_large_requests_are_bounded(approver, seconds, tmp_path, shape):
    file = write(tmp_path / "file", shape(SIZES["63 MiB"]))
    check(run([approver, "judge", "--input", "-"], stdin=file, limit=4 * seconds), seconds)


@pytest.mark.parametrize("shape", PEM.values(), ids=PEM.keys())
def test_large_certificates_are_bounded(kubeadm, seconds, tmp_path, shape):
    for name in ("ca.crt", "ca.key", "apiserver.crt", "sa.key"):
        write(tmp_path / name, shape(SIZES["63 MiB"]))
    for words in (["certs", "check-expiration"], ["init", "phase", "certs", "apiserver"]):
        check(run([kubeadm, *words, "--cert-dir", tmp_path], limit=4 * seconds), seconds)


@pytest.mark.parametrize("form, shape", [*((f"go-template-file={name}", s) for name, s in TEMPLATES.items()),
                                         *((f"jsonpath-file={name}", s) for name, s in PATHS.items())])
def test_large_templates_are_bounded(kubeadm, seconds, tmp_path, form, shape):
    form, name = form.split("=")
    file = write(tmp_path / "template", shape(SIZES["63 MiB"]))
    # This command prints the largest object.
    check(run([kubeadm, "certs", "check-expiration", "-o", f"{form}={file}"], limit=4 * seconds), seconds)
    outcome = run([kubeadm, "config", "images", "list", "-o", f"{form}={file}"], limit=4 * seconds)
    check(outcome, seconds)
    if name not in ("comments", "unions"):
        assert outcome.code != 0, outcome


@pytest.mark.parametrize("shape", YAML.values(), ids=YAML.keys())
def test_large_patches_are_bounded(kubeadm, seconds, tmp_path, shape):
    write(tmp_path / "kube-scheduler+merge.yaml", shape(SIZES["15 MiB"]))
    outcome = run([kubeadm, "init", "phase", "control-plane", "scheduler", "--patches", tmp_path], limit=4 * seconds)
    check(outcome, seconds)


OPERATIONS = {
    "copies that double": lambda i: {"op": "copy", "from": "/metadata", "path": f"/metadata/labels/x{i}"},
    "copies of a long text": lambda i: ({"op": "add", "path": "/metadata/labels/x", "value": "x" * (8 << 20)} if i == 0
                                        else {"op": "copy", "from": "/metadata/labels/x", "path": f"/metadata/labels/x{i}"}),
    "many": lambda i: {"op": "add", "path": "/metadata/labels/x", "value": "x"},
}


@pytest.mark.parametrize("operation, count", zip(OPERATIONS.values(), (40, 100, 500_000)), ids=OPERATIONS.keys())
def test_large_patches_of_operations_are_bounded(kubeadm, seconds, tmp_path, operation, count):
    write(tmp_path / "kube-scheduler+json.json", [json.dumps([operation(i) for i in range(count)]).encode()])
    outcome = run([kubeadm, "init", "phase", "control-plane", "scheduler", "--patches", tmp_path], limit=4 * seconds)
    check(outcome, seconds)
    assert outcome.code != 0, outcome


@pytest.mark.parametrize("shape", JSON.values(), ids=JSON.keys())
def test_large_event_files_are_bounded(kubeadm, seconds, tmp_path, shape):
    file = write(tmp_path / "events.jsonl", shape(SIZES["63 MiB"]))
    check(run([kubeadm, "events", "render", file], limit=4 * seconds), seconds)
