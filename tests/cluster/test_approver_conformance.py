# SPDX-License-Identifier: Apache-2.0
"""Runs the conformance suite against our approver in a real cluster with bound tokens: all outcomes must be right."""

import json
import shutil

import pytest

from cluster.hosts import KUBECONFIG, PROJECT
from cluster.test_bound_tokens import cluster, run, token_for  # noqa: F401 - fixture

pytestmark = pytest.mark.ours

NODE = "conformance-new"


@pytest.fixture(scope="module")
def suite(cluster):  # noqa: F811
    host = cluster.first.host
    shutil.copytree(PROJECT / "tests/approver_conformance", host.path("/root/suite"))
    return host


def conformance(host, token, *flags, code):
    """Runs the suite as an administrator, and returns its report."""
    done = host.run("python3", "/root/suite/run", "--kubeconfig", KUBECONFIG, "--output", "/root/report",
                    "--api-server", host.address, "--client-node", NODE,
                    "--client-user", f"system:bootstrap:{token.split('.')[0]}",
                    "--client-group", "system:bootstrappers",
                    "--client-group", "system:bootstrappers:kubeadm:node-bound-token", *flags,
                    check=False, timeout=600)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(host.read("/root/report/report.json")), done.stdout


def test_ours_passes_every_case(cluster, suite, note):  # noqa: F811
    token, _ = token_for(cluster, NODE)
    report, printed = conformance(suite, token, code=0)
    assert report["cases"] > 100 and report["wrong"] == 0, printed
    assert "0 wrong" in suite.read("/root/report/report.md")
    assert 'failures="0"' in suite.read("/root/report/junit.xml")
    run(cluster, "kubeadm", "token", "delete", token.split(".")[0])


def test_the_approver_finds_the_blanket_rule(cluster, suite):  # noqa: F811
    """Without bound tokens, kube-controller-manager approves any name for a token of the default group. The suite must
    report these approvals as wrong."""
    host = cluster.first.host
    run(cluster, "kubeadm", "config", "apply", "--set", "nodeBoundTokens.enabled=false", "--yes")
    done = host.run("python3", "/root/suite/run", "--kubeconfig", KUBECONFIG, "--output", "/root/lax",
                    "--only", "client/", "--wait", "10", "--patience", "10", check=False, timeout=600)
    assert done.returncode == 1, done.stdout + done.stderr
    report = json.loads(host.read("/root/lax/report.json"))
    wrong = {result["id"] for result in report["results"] if not result["right"]}
    assert "client/another-node" in wrong, done.stdout
    assert report["approvedHostile"] == len(wrong)
    assert "client/masters" not in wrong, "kube-controller-manager knows this rule"
    run(cluster, "kubeadm", "config", "apply", "--set", "nodeBoundTokens.enabled=true", "--yes")
