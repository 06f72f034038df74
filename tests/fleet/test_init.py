# SPDX-License-Identifier: Apache-2.0
"""`kubeadm init --fleet` installs the operator with the rights of its addon, and the operator runs an operation."""

import json

import pytest

from cluster.clusters import Cluster
from cluster.upgrades import IGNORED
from fleet.runs import (IMAGE, NAMESPACE, OPERATOR_IMAGE, apply, build_image, import_archive, import_image, nodes,
                        reaches)

pytestmark = pytest.mark.ours


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request, tmp_path_factory):
    """A control plane with the addon. The addon's Pod waits for its image, which is imported after `init`."""
    cluster = Cluster(bench, kubeadm, note_of_module)
    request.addfinalizer(cluster.down)
    cluster.machine("control")
    cluster.init("--fleet", f"--fleet-image={OPERATOR_IMAGE}", f"--fleet-kubeadm-image={IMAGE}")
    directory = tmp_path_factory.mktemp("image")
    import_image(cluster, kubeadm, directory)
    archive = directory / "operator.tar"
    build_image(archive, "--program", kubeadm.with_name("slipway-operator"), "--path", "usr/bin/slipway-operator",
                "--tag", OPERATOR_IMAGE)
    import_archive(cluster, archive)
    cluster.first.host.kubectl("-n", NAMESPACE, "rollout", "status", "deployment/slipway-operator", "--timeout=300s",
                               timeout=320)
    yield cluster


def test_the_operator_of_init_runs_an_operation(cluster):
    apply(cluster, "config", {"configApply": {"set": ["kubelet.maxPods=77"]}})
    reaches(cluster, "config", "Complete")
    assert nodes(cluster.first.host)["control"]["status"]["capacity"]["pods"] == "77"


def deployment(cluster):
    found = json.loads(cluster.first.host.kubectl("-n", NAMESPACE, "get", "deployment", "slipway-operator", "-o", "json"))
    return found["metadata"]["generation"], found["spec"]


def test_an_upgrade_leaves_the_operator_as_it_is(cluster):
    """A user has set a variable in the operator's Deployment, such as the address of a trace collector. An upgrade must
    change neither the variables nor the images."""
    host = cluster.first.host
    host.kubectl("-n", NAMESPACE, "set", "env", "deployment/slipway-operator", "OTEL_EXPORTER_OTLP_ENDPOINT=http://192.0.2.7")
    before = deployment(cluster)
    version = host.run("kubeadm", "version", "-o", "short").stdout.strip()
    done = cluster.first.kubeadm("upgrade", "apply", version, "--yes", "--force", IGNORED, timeout=600)
    assert done.code == 0, done.text
    assert deployment(cluster) == before


def test_a_skipped_phase_installs_nothing(bench, kubeadm, note, request):
    cluster = Cluster(bench, kubeadm, note)
    request.addfinalizer(cluster.down)
    cluster.machine("without")
    cluster.init("--fleet", "--fleet-image=a", "--fleet-kubeadm-image=b", "--skip-phases=addon/slipway-operator")
    assert NAMESPACE not in cluster.first.host.kubectl("get", "namespaces")
