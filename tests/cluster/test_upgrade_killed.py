# SPDX-License-Identifier: Apache-2.0
"""An upgrade that is killed repeatedly finishes when it is run again, and can be rolled back."""

import time

import pytest

from cluster import edits, kubernetes
from cluster.processes import wait_until
from cluster.upgrades import (
    IGNORED,
    NEW,
    OLD,
    apply,
    assert_images,
    assert_old_and_serves,
    kubernetes_version,
    made_by_upstream,
    of_kubernetes,
    patch,
    proxies,
    take_new_kubeadm,
)
from components import recipes

pytestmark = pytest.mark.ours

# The events at which apply is killed.
POINTS = [
    "[upgrade/backup] Backing this node up",
    'Replacing the static Pod of \\"etcd\\"',
    'Replacing the static Pod of \\"kube-controller-manager\\"',
    "[upload-config] Storing",
    "[upgrade/kubelet-config]",
]


LABELLED_PROXY = ("kubeproxydaemonset", "metadata: {labels: {team: a}}")

# The time after the message about the API server's replacement: the manifest is written, and the old Pod ends.
MIDWAY = 0.4  # seconds


def apply_and_kill(machine, point, later=0.0):
    events = machine.host.logs / "killed.log"
    with open(events, "w", encoding="utf-8") as output:
        started = machine.host.start(
            "kubeadm", "upgrade", "apply", NEW, "--yes", IGNORED, "--output", "json", output=output
        )
    assert wait_until(
        lambda: point in events.read_text() or started.poll() is not None, timeout=120, pause=0.005
    )
    time.sleep(later)
    ended = started.poll()
    machine.host.kill(started)
    assert ended in (None, 0), "\n".join(events.read_text().splitlines()[-5:])
    return ended is None


@pytest.fixture
def single(bench, kubeadm, note, request):
    """One control plane of the previous release."""
    cluster = made_by_upstream(bench, note, ["alpha"])
    request.addfinalizer(cluster.down)
    take_new_kubeadm(cluster, kubeadm)
    yield cluster.first


def etcd_after_a_rollback():
    """Returns the etcd version after a rollback. If the new release has another minor version of etcd, etcd is not
    rolled back, because the old version refuses the data."""
    old, new = (recipes.RELEASES[name].etcd for name in (recipes.PREVIOUS_RELEASE, recipes.DEFAULT_RELEASE))
    return old if old.split(".")[:2] == new.split(".")[:2] else new


@pytest.mark.long
def test_an_upgrade_that_is_killed_repeatedly_is_undone(single):
    killed = [point for point in POINTS if apply_and_kill(single, point)]
    assert len(killed) >= 4, killed
    outcome = apply(single, patch(single.host, *LABELLED_PROXY))
    assert outcome.code == 0, outcome.text
    kubernetes.wait_healthy(single.host)
    assert_images(single.host, of_kubernetes(["alpha"], NEW))
    assert "replacing" not in single.host.run("sh", "-c", "cat /etc/kubernetes/manifests/*").stdout

    # The upgrade is run again with a patch that breaks a component. It rolls back to the result of the first upgrade,
    # not to the previous release.
    command = "spec: {containers: [{name: kube-scheduler, command: [kube-scheduler, --no-such-flag]}]}"
    outcome = apply(single, patch(single.host, "kube-scheduler", command))
    assert outcome.code == 1 and "The old manifests are back" in outcome.stderr, outcome.text
    kubernetes.wait_healthy(single.host)
    assert_images(single.host, of_kubernetes(["alpha"], NEW))

    # A rollback works even if the upgraded API server does not run.
    host = single.host
    host.run("sed", "-i", "s|- kube-apiserver$|- /nothing|", "/etc/kubernetes/manifests/kube-apiserver.yaml")
    assert wait_until(lambda: not edits.runs_with(host, "--allow-privileged=true"), timeout=90)
    outcome = single.kubeadm("upgrade", "rollback", "--yes", timeout=400)
    assert outcome.code == 0, outcome.text
    assert "this node is rolled back first" in outcome.stdout
    assert kubernetes_version(single.host) == OLD
    assert_old_and_serves(single.host)
    manifest = single.host.read("/etc/kubernetes/manifests/etcd.yaml")
    assert f"/etcd:{etcd_after_a_rollback()}\n" in manifest, manifest
    assert_images(single.host, {"etcd-alpha": etcd_after_a_rollback()})
    # The rollback uses the upgrade's patches, of which a copy was kept, because the user's directory has changed since.
    assert "kube-proxy" in host.kubectl("-n", "kube-system", "get", "ds", "-l", "team=a", "-o", "name")
    assert wait_until(lambda: proxies(host) == {OLD}, timeout=90)

    # The next run waits for the API server as long as needed, and reports no file of the killed run as a manual change.
    assert apply_and_kill(single, 'Replacing the static Pod of \\"kube-apiserver\\"', later=MIDWAY)
    outcome = apply(single, patch(host, *LABELLED_PROXY))
    assert outcome.code == 0, outcome.text
    assert "lost by this upgrade" not in outcome.text
