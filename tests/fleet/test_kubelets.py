# SPDX-License-Identifier: Apache-2.0
"""The kubelets of an upgrade come from an image. A kubelet that does not serve is replaced by the previous one."""

import shutil

import pytest

from cluster.upgrades import NEW, OLD, kubelets, kubernetes_version, made_by_upstream, take_new_kubeadm
from components import recipes, store
from fleet.runs import apply, build_image, fleet, import_archive, nodes, reaches, status, write_operation

pytestmark = pytest.mark.ours

PROGRAM = "/usr/local/bin/kubelet"
GOOD, BROKEN = "localhost/kubelets:good", "localhost/kubelets:broken"
# States its version, as each kubelet does before it is installed.
BROKEN_KUBELET = f"""#!/bin/sh
[ "$1" != --version ] || {{ echo "Kubernetes {NEW}"; exit 0; }}
echo "this kubelet is broken" >&2
exit 1
"""


def spec(image):
    return {"upgrade": {"version": NEW, "kubeletImage": image,
                        "ignorePreflightErrors": ["NumCPU", "SystemVerification", "Swap"]}, "rollback": "node"}


def import_kubelets(cluster, program, directory, tag, kubelet):
    """Builds an image with kubeadm and a kubelet, and imports it on every host."""
    place = directory / "kubelets" / NEW
    place.mkdir(parents=True)
    kubelet(place / "kubelet")
    archive = directory / f"{directory.name}.tar"
    build_image(archive, "--program", program, "--path", "usr/bin/kubeadm", "--user", "0:0", "--tag", tag,
                "--add", f"{directory / 'kubelets'}:/kubelets")
    import_archive(cluster, archive)


def write_broken(path):
    path.write_text(BROKEN_KUBELET)
    path.chmod(0o755)


@pytest.fixture(scope="module")
def cluster(bench, kubeadm, note_of_module, request, equip, tmp_path_factory):
    """A control plane and a worker of the previous release, with the operator and both images."""
    cluster = made_by_upstream(bench, note_of_module, ["control", "worker"], workers=["worker"])
    request.addfinalizer(cluster.down)
    take_new_kubeadm(cluster, kubeadm)
    import_kubelets(cluster, kubeadm, tmp_path_factory.mktemp("broken"), BROKEN, write_broken)
    real = store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / "kubelet"
    import_kubelets(cluster, kubeadm, tmp_path_factory.mktemp("good"), GOOD, lambda path: shutil.copy2(real, path))
    equip(cluster)
    old = store.release_directory(recipes.PREVIOUS_RELEASE) / "bin" / "kubelet"
    for machine in cluster.machines:  # the tests' components are on a read-only file system
        machine.host.run("rm", PROGRAM)
        machine.host.copy(old, PROGRAM)
    return cluster


def test_the_api_server_refuses_an_image_and_a_command(cluster):
    host = cluster.first.host
    write_operation(host, "both", {"upgrade": {"version": NEW, "kubeletImage": GOOD, "kubeletCommand": "true"}})
    done = host.run("kubectl", "create", "--dry-run=server", "-f", "/root/both.yaml", check=False,
                    environment=["KUBECONFIG=/etc/kubernetes/admin.conf"])
    assert done.returncode != 0 and "not both" in done.stderr


def test_a_kubelet_that_does_not_serve_is_restored(cluster):
    host = cluster.first.host
    apply(cluster, "broken", spec(BROKEN))
    reaches(cluster, "broken", "Failed", 900)
    found = status(host, "broken")
    assert "the previous kubelet was restored and serves" in found["message"], found
    assert kubelets(host) == dict.fromkeys(("control", "worker"), OLD)
    assert kubernetes_version(host) == OLD
    assert not any(node["spec"].get("unschedulable") for node in nodes(host).values())
    assert not host.path(f"{PROGRAM}.restore").exists()
    fleet(cluster, "abort", "broken")


def test_every_node_gets_the_kubelet_of_the_image(cluster):
    host = cluster.first.host
    apply(cluster, "good", spec(GOOD))
    reaches(cluster, "good", "Complete", 900)
    assert kubelets(host) == dict.fromkeys(("control", "worker"), NEW)
    assert kubernetes_version(host) == NEW
