# SPDX-License-Identifier: Apache-2.0
"""Packages with the names of upstream's, whose program prints that it is upstream's. Our packages must replace them."""

import subprocess

from components import recipes

VERSION = recipes.RELEASES[recipes.DEFAULT_RELEASE].version.removeprefix("v")  # of upstream's package
PROGRAM = "#!/bin/sh\necho upstream\n"
DROPIN = "usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf"

def files(directory):
    """Writes the files of upstream's kubeadm package."""
    for name, text, mode in (("usr/bin/kubeadm", PROGRAM, 0o755), (DROPIN, "[Service]\n", 0o644)):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)


def deb(directory, version=f"{VERSION}-1.1"):
    """Creates a Debian package kubeadm in a flat repository; returns the repository's directory."""
    tree = directory / "tree"
    files(tree)
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN/control").write_text(
        f"Package: kubeadm\nVersion: {version}\nArchitecture: amd64\nMaintainer: a <a@b.invalid>\nDescription: x\n")
    offered = directory / "offered"
    offered.mkdir()
    subprocess.run(["dpkg-deb", "--build", "--root-owner-group", tree, offered / "kubeadm.deb"], check=True,
                   capture_output=True)
    index = subprocess.run(["apt-ftparchive", "packages", "."], cwd=offered, check=True, capture_output=True)
    (offered / "Packages").write_bytes(index.stdout)
    return offered


def rpm(directory, name, version, release, body=""):
    """Creates an architecture-independent RPM. `body` follows the common fields in its spec file."""
    spec = directory / f"{name}.spec"
    spec.write_text(f"Name: {name}\nVersion: {version}\nRelease: {release}\nSummary: x\nLicense: MIT\nAutoReqProv: no\n"
                    f"BuildArch: noarch\n{body}")
    subprocess.run(["rpmbuild", "-bb", "--quiet", "--nodeps", "--define", f"_topdir {directory}", "--define",
                    f"_rpmdir {directory}/rpms", "--define", "_rpmfilename %{NAME}.rpm", spec],
                   check=True, capture_output=True)


def rpm_repository(directory):
    """Creates RPMs in a repository: kubeadm, and a shell for scriptlets (the root's own). Returns its directory."""
    rpm(directory, "shell", "1", "1", "Provides: /bin/sh\n%description\nx\n%files\n")
    files(directory / "upstream")
    rpm(directory, "kubeadm", VERSION, "150500.1.1",
        f"%description\nx\n%install\ncp -a {directory}/upstream/. %{{buildroot}}\n%files\n/usr/bin/kubeadm\n/{DROPIN}\n")
    for name, relation in (("needs-kubeadm", ">= 1.37.0"), ("needs-this-kubeadm", f"= {VERSION}-150500.1.1")):
        rpm(directory, name, "1", "1", f"Requires: kubeadm {relation}\n%description\nx\n%files\n")
    subprocess.run(["createrepo_c", "--quiet", directory / "rpms"], check=True, capture_output=True)
    return directory / "rpms"
