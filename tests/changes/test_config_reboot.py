# SPDX-License-Identifier: Apache-2.0
"""The host reboots during a configuration trial: the old configuration is restored."""

import time

import pytest

from cluster.clusters import Cluster
from cluster.edits import answers, drift, manifest, runs_with
from cluster.processes import wait_until

pytestmark = pytest.mark.ours

JOURNAL = "/var/lib/slipway/operation-config-apply.json"
UNIT = "/etc/systemd/system/kubeadm-config-keep.service"
SCHEDULER = manifest("kube-scheduler")
TRY = ["config", "apply", "--set", "scheduler.extraArgs.v=3", "--set", "kubelet.maxPods=99", "--yes", "--try"]


def made(bench, kubeadm, note, **options):
    cluster = Cluster(bench, kubeadm, note)
    try:
        cluster.machine("cp", **options)
        cluster.init()
        cluster.wait_healthy()
    except BaseException:
        cluster.down()
        raise
    return cluster


def is_as_before(host):
    config = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml", check=False)
    return (
        not host.path(JOURNAL).exists()
        and answers(host)
        and "controllerManager" in config
        and 'value: "3"' not in config
        and "--v=3" not in host.read(SCHEDULER)
        and drift(host)[1] == 0
        and not runs_with(host, "--v=3")
    )


def test_a_reboot_ends_no_trial(bench, kubeadm, note):
    cluster = made(bench, kubeadm, note)
    host = cluster.first.host
    try:
        tried = cluster.first.kubeadm(*TRY, "40s", timeout=300)
        assert tried.code == 0 and host.path(UNIT).exists(), tried.text
        host.reboot()
        assert "--v=3" in host.read(SCHEDULER)
        assert wait_until(lambda: is_as_before(host), timeout=300), drift(host)
        assert not host.path(UNIT).exists()
    finally:
        cluster.down()


def test_a_reset_ends_a_trial(bench, kubeadm, note):
    cluster = made(bench, kubeadm, note)
    host = cluster.first.host
    try:
        tried = cluster.first.kubeadm(*TRY, "90s", timeout=300)
        assert tried.code == 0 and host.path(UNIT).exists(), tried.text
        reset = cluster.first.kubeadm("reset", "--force", timeout=300)
        assert reset.code == 0, reset.text
        assert not host.path(UNIT).exists() and not host.path(JOURNAL).exists()
        assert host.run("pgrep", "-f", "config keep", check=False).stdout == ""
        cluster.init()
        cluster.wait_healthy()
        before = host.read(SCHEDULER)
        time.sleep(90)
        assert host.read(SCHEDULER) == before and "--v=3" not in before
        assert drift(host)[1] == 0, drift(host)
    finally:
        cluster.down()


def test_a_host_without_a_service_manager_is_told_to_undo(bench, kubeadm, note):
    cluster = made(bench, kubeadm, note, init_system="none")
    host = cluster.first.host
    try:
        tried = cluster.first.kubeadm(*TRY, "10m", timeout=300)
        assert tried.code == 0 and "after a reboot run 'kubeadm config undo'" in tried.text, tried.text
        host.reboot()
        assert wait_until(lambda: answers(host), timeout=120)
        undone = cluster.first.kubeadm("config", "undo", "--yes", timeout=300)
        assert undone.code == 0, undone.text
        assert not host.path(JOURNAL).exists() and "--v=3" not in host.read(SCHEDULER)
    finally:
        cluster.down()
