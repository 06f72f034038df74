# SPDX-License-Identifier: Apache-2.0
"""The kubelet of a host comes as a system extension image: `upgrade apply --node-packages` replaces the image, and
restores the previous state of /usr if the new kubelet does not serve."""

import shutil
import subprocess

import pytest

from cluster import kubernetes
from cluster.conftest import Machine
from cluster.upgrades import HOST, IGNORED, NEW, OLD, kubelets
from components import recipes, store

pytestmark = [pytest.mark.ours, pytest.mark.long]

BROKEN_KUBELET = "#!/bin/sh\necho 'this kubelet is broken' >&2\nexit 1\n"
SIZE = "160M"
# systemd-sysext mounts an image by a loop device, which the hosts' /dev lacks.
LOOP_DEVICES = "mknod /dev/loop-control c 10 237; for i in $(seq 0 31); do mknod /dev/loop$i b 7 $i; done"
INSTALLED = "/var/lib/extensions/kubelet.raw"


def build_image(directory, kubelet):
    """Returns a system extension image whose only program is the kubelet that `kubelet` writes."""
    tree = directory / "tree"
    (tree / "usr/bin").mkdir(parents=True)
    kubelet(tree / "usr/bin/kubelet")
    release = tree / "usr/lib/extension-release.d/extension-release.kubelet"
    release.parent.mkdir(parents=True)
    release.write_text("ID=_any\n")
    image = directory / "kubelet.raw"
    subprocess.run(["mkfs.ext4", "-q", "-d", tree, image, SIZE], check=True)
    return image


def write_broken(path):
    path.write_text(BROKEN_KUBELET)
    path.chmod(0o755)


@pytest.fixture(scope="module")
def machine(bench, kubeadm, note_of_module, tmp_path_factory):
    """A control plane of the previous release, whose process 1 is systemd."""
    host = bench.host("extended", kubeadm=kubeadm, init_system="real-systemd", **HOST)
    machine = Machine(host, note_of_module)
    try:
        host.run("sh", "-c", LOOP_DEVICES)
        assert machine.init().code == 0
        kubernetes.wait_healthy(host)
        real = store.release_directory(recipes.DEFAULT_RELEASE) / "bin" / "kubelet"
        for name, kubelet in (("broken", write_broken), ("good", lambda path: shutil.copy2(real, path))):
            host.copy(build_image(tmp_path_factory.mktemp(name), kubelet), f"/srv/{name}/{NEW}/kubelet.raw")
        yield machine
    finally:
        host.down()


def upgrade(machine, packages):
    return machine.kubeadm("upgrade", "apply", "--path", NEW, "--yes", IGNORED, "--node-packages", packages,
                           timeout=900)


def test_a_kubelet_that_does_not_serve_is_removed_again(machine):
    outcome = upgrade(machine, "/srv/broken")
    assert outcome.code != 0
    assert "the kubelet's last words:\nthis kubelet is broken" in outcome.text
    assert "the previous kubelet was restored and serves" in outcome.text
    assert kubelets(machine.host) == {"extended": OLD}
    assert not machine.host.path(INSTALLED).exists()
    kubernetes.wait_healthy(machine.host)


def test_the_kubelet_of_the_image_serves(machine):
    outcome = upgrade(machine, "/srv/good")
    assert outcome.code == 0, outcome.text
    assert kubelets(machine.host) == {"extended": NEW}
    assert "kubelet" in machine.host.run("systemd-sysext", "list").stdout
    kubernetes.wait_healthy(machine.host)
