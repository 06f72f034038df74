# SPDX-License-Identifier: Apache-2.0
"""Uses the same host for several clusters: leftovers of an earlier cluster must not disturb the next one."""

import pytest

from cluster import kubernetes
from cluster.clusters import ENDPOINT, etcd_members

# The phases of `join`, in the order of the complete command.
PHASES = [
    ["preflight"],
    ["control-plane-prepare", "all"],
    ["kubelet-start"],
    ["etcd-join"],
    ["kubelet-wait-bootstrap"],
    ["control-plane-join", "all"],
]
JOIN = """\
apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery:
  bootstrapToken: {{token: {token}, apiServerEndpoint: "{endpoint}", caCertHashes: ["{pin}"]}}
controlPlane: {{certificateKey: {key}}}
nodeRegistration:
  ignorePreflightErrors: [NumCPU, SystemVerification, Swap]
"""


def reset(machine):
    outcome = machine.kubeadm("reset", "--force")
    assert outcome.code == 0, outcome.text


@pytest.mark.long
def test_five_clusters_on_one_host_with_one_configuration(machine):
    for life in range(5):
        outcome = machine.init()
        assert outcome.code == 0, f"life {life + 1}: {outcome.text}"
        if life < 4:
            reset(machine)
    machine.note("all Ready after the last init", kubernetes.wait_healthy(machine.host))


def leave(cluster, machine):
    """Deletes the host's Node: a Node that still looks Ready would block the next machine of its name."""
    reset(machine)
    kubectl = ["kubectl", "--kubeconfig=/etc/kubernetes/admin.conf"]
    cluster.first.host.run(*kubectl, "delete", "node", machine.host.name)


def join_by_phases(machine, token, pin, key):
    """Runs each phase separately, as installers do that act between the phases."""
    machine.host.write("/root/join.yaml", JOIN.format(endpoint=ENDPOINT, token=token, pin=pin, key=key))
    for phase in PHASES:
        outcome = machine.kubeadm("join", "phase", *phase, "--config", "/root/join.yaml")
        assert outcome.code == 0, f"{phase}: {outcome.text}"


def test_a_control_plane_joins_is_reset_and_joins_again_whole_and_by_phases(cluster):
    token, pin, key = cluster.credentials()
    second = cluster.machine("cp-two")
    for life in range(3):
        outcome = second.join(*cluster.control_plane_arguments(token, pin, key))
        assert outcome.code == 0, f"life {life + 1}: {outcome.text}"
        leave(cluster, second)
        assert len(etcd_members(cluster.first.host)) == 1
    for life in range(2):
        join_by_phases(second, token, pin, key)
        assert len(etcd_members(cluster.first.host)) == 2, f"life {life + 1} by phases"
        if life == 0:
            leave(cluster, second)
    cluster.note("all Ready after the joins", cluster.wait_healthy())
