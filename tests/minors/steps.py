# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of older minor versions."""

from components import recipes, store

OLDEST = min(recipes.RELEASES)
NEWEST = recipes.DEFAULT_RELEASE
# `./dev test` creates clusters of the newest, and upgrades those of the previous one.
OLDER = sorted(set(recipes.RELEASES) - {NEWEST})
PACKAGES = "/srv/kubelets"


def after(release):
    """The releases above one, from old to new."""
    return sorted(other for other in recipes.RELEASES if other > release)


def version(release):
    return recipes.RELEASES[release].version


def make(cluster, names, release, workers=(), also=()):
    """Machines of a release, joined to the first of them."""
    options = {"release": release, "also": tuple(also)}
    cluster.machine(names[0], **options)
    cluster.init()
    for name in names[1:]:
        token, pin, key = cluster.credentials()
        arguments = (
            cluster.worker_arguments(token, pin)
            if name in workers
            else cluster.control_plane_arguments(token, pin, key)
        )
        outcome = cluster.machine(name, **options).join(*arguments)
        assert outcome.code == 0, outcome.text
    cluster.wait_healthy()


def lay_kubelets(host, old, releases):
    """A kubelet that can be replaced, and a directory for --node-packages."""
    host.copy(store.release_directory(old) / "bin" / "kubelet", "/usr/local/bin/kubelet")
    for release in releases:
        program = store.release_directory(release) / "bin" / "kubelet"
        host.copy(program, f"{PACKAGES}/{version(release)}/kubelet")
