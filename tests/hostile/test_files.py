# SPDX-License-Identifier: Apache-2.0
"""A file that a user names may be anything that has a path. Reading it takes bounded time and memory. A shell's <(…) is
read like a file."""

import json
import os
import subprocess

import pytest

from programs import run
from world import kubeconfig

MOST_MIB = 300
MOST_SECONDS = 20
TOKEN = "abcdef.0123456789abcdef"
INIT = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.36.0\n"

# Commands that read the file in their last argument.
READERS = {
    "validate": ["config", "validate", "--config"],
    "migrate": ["config", "migrate", "--old-config"],
    "init": ["init", "--dry-run", "--ignore-preflight-errors=all", "--config"],
    "phase": ["init", "phase", "certs", "ca", "--config"],
    "join": ["join", "--ignore-preflight-errors=all", "--config"],
    "kubeconfig": ["token", "list", "--kubeconfig"],
    "discovery file": ["join", "--tls-bootstrap-token", TOKEN, "--ignore-preflight-errors=all", "--discovery-file"],
    "token file": ["token", "create", "--dry-run", "--token-file"],
    "template": ["config", "images", "list", "-o"],
    "events": ["events", "render"],
    "reset": ["reset", "--config"],
    "upgrade": ["upgrade", "diff", "v1.36.0", "--config"],
}
ENDLESS = {"/dev/zero": "larger than 64 MiB", "/proc": "directory", "/dev/full": "larger than 64 MiB"}


def words_of(kubeadm, reader, file):
    words = [kubeadm, *READERS[reader]]
    return [*words, f"go-template-file={file}"] if reader == "template" else [*words, file]


def check(outcome):
    assert outcome.mib <= MOST_MIB and outcome.cpu <= MOST_SECONDS, outcome
    assert outcome.code > 0 and outcome.stderr.strip() and len(outcome.stderr) < 64_000, outcome


@pytest.mark.parametrize("file", ENDLESS)
@pytest.mark.parametrize("reader", READERS)
def test_paths_that_are_not_files(kubeadm, reader, file):
    outcome = run(words_of(kubeadm, reader, file), limit=2 * MOST_SECONDS)
    check(outcome)
    assert ENDLESS[file] in outcome.stderr, outcome


@pytest.mark.parametrize("reader", ["validate", "kubeconfig", "discovery file"])
def test_a_pipe_without_a_writer(kubeadm, tmp_path, reader):
    os.mkfifo(tmp_path / "pipe")
    outcome = run(words_of(kubeadm, reader, tmp_path / "pipe"), limit=2 * MOST_SECONDS)
    check(outcome)
    assert "no data came from the pipe" in outcome.stderr, outcome


@pytest.mark.parametrize("named", ["certificate-authority", "tokenFile", "client-certificate", "client-key"])
@pytest.mark.parametrize("file", ["/dev/zero", "/proc"])
def test_files_that_a_kubeconfig_names(kubeadm, ours, tmp_path, named, file):
    config = json.loads(kubeconfig("https://127.0.0.1:1", None, token="x"))
    config["users"][0]["user"] = {"tokenFile": file} if named == "tokenFile" else \
        {"client-certificate": file, "client-key": file} if named.startswith("client") else {}
    if named == "certificate-authority":
        config["clusters"][0]["cluster"][named] = file
    (tmp_path / "config").write_text(json.dumps(config))
    check(run([kubeadm, "token", "list", "--kubeconfig", tmp_path / "config"], limit=2 * MOST_SECONDS))


def test_patches_that_are_not_files(kubeadm, tmp_path):
    (tmp_path / "kube-scheduler.yaml").symlink_to("/dev/zero")
    check(run([kubeadm, "init", "phase", "control-plane", "scheduler", "--patches", tmp_path], limit=2 * MOST_SECONDS))


@pytest.mark.parametrize("words", [["token", "delete", "-"], ["events", "render", "-"],
                                   ["join", "127.0.0.1:1", "--token", "-", "--discovery-token-unsafe-skip-ca-verification",
                                    "--ignore-preflight-errors=all"],
                                   ["config", "validate", "--config", "/dev/stdin"], ["reset"]])
def test_standard_input_without_an_end(kubeadm, words):
    outcome = run([kubeadm, *words], stdin="/dev/zero", limit=2 * MOST_SECONDS)
    check(outcome)


def test_standard_input_without_an_end_of_the_approver(approver):
    check(run([approver, "judge", "--input", "-"], stdin="/dev/zero", limit=2 * MOST_SECONDS))
    check(run([approver, "--workload-cluster-kubeconfig", "/dev/zero", "--leader-elect=false"], limit=2 * MOST_SECONDS))
    check(run([approver, "--inventory=file", "--inventory-file", "/dev/zero", "--workload-cluster-kubeconfig", "/dev/zero",
               "--leader-elect=false", "--metrics-bind-address=127.0.0.1:0"], limit=2 * MOST_SECONDS))


@pytest.mark.parametrize("source", ["<(cat {file})", "<(sleep 2; cat {file}; sleep 1)", "/dev/stdin < {file}",
                                    "/dev/stdin < <(sleep 1; cat {file})", "{file}.pipe & cat {file} > {file}.pipe; wait $!"])
def test_pipes_of_a_shell(kubeadm, tmp_path, source):
    """The commands read a configuration that is larger than a pipe's buffer."""
    (tmp_path / "file").write_text(INIT + "# a long line\n" * 20_000)
    os.mkfifo(tmp_path / "file.pipe")
    line = f"{kubeadm} config validate --config {source.format(file=tmp_path / 'file')}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), done


def test_an_empty_pipe_of_a_shell(kubeadm):
    done = subprocess.run(["bash", "-c", f"{kubeadm} token list --kubeconfig <(true)"], capture_output=True, text=True,
                          timeout=5)
    assert done.returncode != 0 and "without a writer" not in done.stderr, done
