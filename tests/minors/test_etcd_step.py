# SPDX-License-Identifier: Apache-2.0
"""Follows docs/upgrading.md: upgrades etcd to a patch version from which etcd's next minor version is safe, then the
cluster.
"""

import pytest

from cluster.client import Client
from cluster.clusters import Cluster
from cluster.upgrades import IGNORED, assert_images
from components import golang, images, recipes, store
from minors import steps

pytestmark = pytest.mark.ours

NODES = ["cp-one", "cp-two"]
PATCH = recipes.TOOLS["etcd-3.6"]
TAG = f"{PATCH.version.removeprefix('v')}-0"
OLD, NEW = "1.36", "1.37"
WARNING = "etcd asks for 3.6.11 or later on every member"
LOCAL = "etcd:\n      local:\n"
PINNED = f"        imageTag: {TAG}\n"


@pytest.fixture(scope="session")
def patch():
    """A directory with the image of that patch version."""
    built = store.root() / "programs" / golang.key(PATCH)
    assert built.exists(), f"{built} is missing: tests/components/build --tool etcd-3.6 makes it"
    archive = store.root() / "releases" / built.name / "images" / "etcd.tar"
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        image = images.Image(f"{recipes.REGISTRY}/etcd:{TAG}", {"/usr/local/bin/etcd": built})
        images.write_archive(image, archive)
    return archive.parent.parent


def edit_configuration(host, before, after):
    config = host.kubectl("-n", "kube-system", "get", "cm", "kubeadm-config", "-o", "yaml")
    assert before in config, config
    host.write("/root/config.yaml", config.replace(before, after, 1))
    host.kubectl("apply", "-f", "/root/config.yaml")


def upgrade(cluster, release):
    """Upgrades every control plane; returns the output of the first upgrade."""
    first = cluster.first.kubeadm("upgrade", "apply", steps.version(release), "--yes", IGNORED, timeout=580)
    assert first.code == 0, first.text
    for machine in cluster.machines[1:]:
        outcome = machine.kubeadm("upgrade", "node", IGNORED, timeout=580)
        assert outcome.code == 0, outcome.text
    return first.text


def of_etcd(tag):
    return {f"etcd-{name}": tag for name in NODES}


def test_the_plan_names_the_hazard_and_its_remedy_works(bench, kubeadm, note, patch, pytestconfig):
    if not {OLD, NEW} & set(pytestconfig.getoption("releases")):
        pytest.skip(f"tests an upgrade from v{OLD} to v{NEW}")
    cluster = Cluster(bench, kubeadm, note)
    try:
        for name in NODES:
            cluster.machine(name, release=OLD, also=(NEW,), images=(patch,))
        cluster.init()
        outcome = cluster.machines[1].join(*cluster.control_plane_arguments(*cluster.credentials()))
        assert outcome.code == 0, outcome.text
        cluster.wait_healthy()
        host = cluster.first.host
        planned = cluster.first.kubeadm("upgrade", "plan", steps.version(NEW))
        assert planned.code == 0 and WARNING in planned.text, planned.text
        with Client(host, [machine.host.address for machine in cluster.machines], writes=True) as client:
            edit_configuration(host, LOCAL, LOCAL + PINNED)
            upgrade(cluster, OLD)
            assert_images(host, of_etcd(TAG))
            edit_configuration(host, PINNED, "")
            assert WARNING not in upgrade(cluster, NEW)
            assert_images(host, of_etcd(recipes.RELEASES[NEW].etcd))
        assert not client.lost()
        note("all Ready after the upgrades", cluster.wait_healthy())
    finally:
        cluster.down()
