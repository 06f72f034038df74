# SPDX-License-Identifier: Apache-2.0
"""The signed repositories with real apt and dnf: replacing upstream's package, and returning to it."""

import os
import re
import shutil
import subprocess

import pytest

from packages import stand_ins
from packages.conftest import TOP
from packages.stand_ins import VERSION

APT_SOURCE = """Types: deb
URIs: file:/srv/slipway/apt
Suites: stable
Components: main
Signed-By: /srv/slipway/slipway.gpg
"""
DROPIN = "usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf"


def gpg_key(directory):
    """Returns a file with a secret key for these tests."""
    environment = {**os.environ, "GNUPGHOME": str(directory)}
    subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key",
                    "Tests of the packages <tests@slipway.invalid>", "rsa3072", "sign", "never"],
                   env=environment, check=True, capture_output=True)
    key = subprocess.run(["gpg", "--batch", "--armor", "--export-secret-keys"], env=environment, check=True,
                         capture_output=True).stdout
    subprocess.run(["gpgconf", "--kill", "all"], env=environment, check=False)
    (directory / "secret.asc").write_bytes(key)
    return directory / "secret.asc"


@pytest.fixture(scope="session")
def repositories(packages, tmp_path_factory):
    """The repositories that `./dev package` creates from the packages with SLIPWAY_GPG_KEY."""
    key_directory = tmp_path_factory.mktemp("key")
    key_directory.chmod(0o700)
    out = tmp_path_factory.mktemp("offered") / "repositories"
    subprocess.run([TOP / "packaging/repositories", packages, out], check=True, capture_output=True,
                   env={**os.environ, "SLIPWAY_GPG_KEY": str(gpg_key(key_directory)), "SLIPWAY_REPOSITORY_URL": f"file://{out}/"})
    return out


def test_repositories_name_their_address_only_if_given(repositories, tmp_path):
    sources = (repositories / "slipway.sources").read_text()
    assert f"\nURIs: file://{repositories}/apt\n" in sources and "Signed-By: /etc/apt/keyrings/slipway.gpg\n" in sources
    assert f"\ngpgkey=file://{repositories}/slipway.asc\n" in (repositories / "slipway.repo").read_text()
    script = (TOP / "packaging/repositories").read_text()
    (tmp_path / "end").write_text("set -eu; out=$1\n" + script[script.index('[ -n "${SLIPWAY_REPOSITORY_URL'):])
    subprocess.run(["bash", tmp_path / "end", tmp_path], check=True, env={"PATH": os.environ["PATH"]})
    assert not list(tmp_path.glob("slipway.*"))


class Apt:
    """A clean Debian with our repository and a repository that has upstream's package."""

    def __init__(self, root, repositories, upstream):
        self.root = root
        shutil.copytree(repositories, root.path / "srv/slipway")
        shutil.copytree(upstream, root.path / "srv/upstream")
        lists = root.path / "etc/apt"
        (lists / "sources.list").write_text("deb [trusted=yes] file:/srv/upstream ./\n")
        (lists / "sources.list.d/slipway.sources").write_text(APT_SOURCE)

    def get(self, *words, check=True):
        done = self.root.run("apt-get", "-y", "--no-install-recommends", *words, check=False)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def is_ours(self):
        return (self.root.path / "usr/bin/kubeadm").read_bytes()[:4] == b"\x7fELF"


@pytest.fixture
def apt(debian, repositories, tmp_path):
    apt = Apt(debian, repositories, stand_ins.deb(tmp_path))
    apt.get("update")
    return apt


def test_apt_installs_signed_packages(apt):
    apt.get("install", "slipway-kubeadm", "slipway-machine-approver", "slipway-operator")
    assert apt.is_ours()
    assert re.match(r"v1\.\d+\.\d+\n", apt.root.run("kubeadm", "version", "-o", "short").stdout)


def test_apt_refuses_changed_packages(apt):
    index = apt.root.path / "srv/slipway/apt/dists/stable/main/binary-amd64"
    for path in index.iterdir():
        path.write_text(path.read_bytes().decode(errors="replace") + "\n")
    shutil.rmtree(apt.root.path / "var/lib/apt/lists")
    done = apt.get("update", check=False)
    assert done.returncode != 0 and ("Hash Sum mismatch" in done.stderr or "unexpected size" in done.stderr)


def test_apt_refuses_packages_of_another_key(apt):
    (apt.root.path / "srv/slipway/slipway.gpg").write_bytes(b"")
    assert "NO_PUBKEY" in apt.get("update", check=False).stderr


def test_dependencies_on_upstreams_version_are_satisfied(apt, tmp_path):
    apt.get("install", "slipway-kubeadm")
    for number, relation in enumerate((f"= {VERSION}-1.1", f">= {VERSION}-1.1", ">= 1.37.0", "<< 1.38")):
        tree = tmp_path / f"needs-{number}"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(
            f"Package: needs-{number}\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.invalid>\n"
            f"Depends: kubeadm ({relation})\nDescription: x\n")
        subprocess.run(["dpkg-deb", "-b", tree, f"{tree}.deb"], check=True, capture_output=True)
        apt.root.install(f"{tree}.deb")


def test_a_hold_on_upstreams_package_is_respected(apt):
    apt.get("install", "kubeadm")
    apt.root.run("apt-mark", "hold", "kubeadm")
    refused = apt.get("install", "slipway-kubeadm", check=False)
    assert refused.returncode != 0 and "held" in refused.stdout + refused.stderr.lower()
    assert not apt.is_ours()
    apt.root.run("apt-mark", "unhold", "kubeadm")
    apt.get("install", "slipway-kubeadm")
    assert apt.is_ours()


def test_dpkg_respects_a_hold_too(apt, kubeadm_package):
    """Checks docs/packages.md for a single file: dpkg refuses to replace a held package and names the hold. Without the
    hold it installs ours."""
    apt.get("install", "kubeadm")
    apt.root.run("apt-mark", "hold", "kubeadm")
    refused = apt.root.install(kubeadm_package, check=False)
    assert refused.returncode != 0 and "is on hold" in refused.stdout + refused.stderr
    assert not apt.is_ours()
    apt.root.run("apt-mark", "unhold", "kubeadm")
    apt.root.install(kubeadm_package)
    assert apt.is_ours()


def test_dpkg_returns_to_upstream_after_a_removal(apt):
    """dpkg must refuse to install upstream's package over ours, because upstream's package does not declare that it
    replaces ours. After a removal it installs."""
    apt.get("install", "slipway-kubeadm")
    upstream = apt.root.path / "srv/upstream/kubeadm.deb"
    refused = apt.root.install(upstream, check=False)
    assert refused.returncode != 0 and "conflicts with kubeadm" in refused.stdout + refused.stderr
    assert apt.is_ours()
    apt.root.run("dpkg", "--remove", "slipway-kubeadm")
    apt.root.install(upstream)
    assert apt.root.run("kubeadm").stdout == "upstream\n"


def test_there_and_back_by_apt(apt):
    apt.get("install", "kubeadm")
    apt.get("install", "slipway-kubeadm")
    apt.root.run("apt-mark", "hold", "slipway-kubeadm")
    assert apt.get("install", "kubeadm", check=False).returncode != 0
    apt.root.run("apt-mark", "unhold", "slipway-kubeadm")
    apt.get("install", "kubeadm")
    assert apt.root.run("kubeadm").stdout == "upstream\n"
    assert (apt.root.path / DROPIN).read_text() == "[Service]\n"
    installed = apt.root.run("dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Package}\n").stdout
    assert "ii kubeadm" in installed and "ii slipway-kubeadm" not in installed


class Dnf:
    """A clean root directory for which this machine's dnf installs. Signatures of packages and metadata are required.
    """

    def __init__(self, root, repositories, upstream):
        self.root = root
        directory = root.path / "etc/yum.repos.d"
        directory.mkdir(parents=True)
        self.settings = directory / "slipway.repo"
        self.take_from(repositories)
        (directory / "upstream.repo").write_text(f"[upstream]\nname=u\nbaseurl=file://{upstream}\ngpgcheck=0\n")

    def take_from(self, repositories):
        """Configures the repository in the root directory as slipway.repo does, with the repository's present
        location."""
        text = (repositories / "slipway.repo").read_text()
        self.settings.write_text(re.sub(r"file://.*/(rpm|slipway.asc)$", rf"file://{repositories}/\1", text, flags=re.MULTILINE))

    def __call__(self, *words, check=True):
        done = subprocess.run(
            ["dnf", "-y", f"--installroot={self.root.path}", "--releasever=9", "--setopt=install_weak_deps=False",
             f"--setopt=reposdir={self.root.path}/etc/yum.repos.d", f"--setopt=cachedir={self.root.path}/var/cache/dnf",
             "--setopt=keepcache=1", *words], capture_output=True, text=True, check=False, timeout=300)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def is_ours(self):
        return (self.root.path / "usr/bin/kubeadm").read_bytes()[:4] == b"\x7fELF"


@pytest.fixture
def dnf(debian, repositories, tmp_path):
    return Dnf(debian, repositories, stand_ins.rpm_repository(tmp_path))


def test_dnf_installs_signed_packages(dnf):
    dnf("install", "slipway-kubeadm", "slipway-machine-approver", "slipway-operator")
    assert re.match(r"v1\.\d+\.\d+\n", dnf.root.run("kubeadm", "version", "-o", "short").stdout)
    assert "EnvironmentFile=-/etc/sysconfig/kubelet" in (dnf.root.path / DROPIN).read_text()
    assert (dnf.root.path / "etc/sysconfig/slipway-machine-approver").is_file()
    assert "--image string" in dnf.root.run("slipway-operator", "--help").stdout
    assert (dnf.root.path / "usr/share/slipway-operator/crd.yaml").is_file()


@pytest.fixture
def changeable(repositories, tmp_path):
    """A copy of the repositories, which a test may change."""
    return shutil.copytree(repositories, tmp_path / "changeable")


def test_dnf_takes_no_metadata_without_a_signature(dnf, changeable):
    dnf.take_from(changeable)
    (changeable / "rpm/repodata/repomd.xml.asc").unlink()
    done = dnf("install", "slipway-kubeadm", check=False)
    assert done.returncode != 0 and "repomd.xml.asc" in done.stdout + done.stderr


def test_dnf_takes_no_package_without_a_signature(dnf, changeable):
    dnf.take_from(changeable)
    for package in (changeable / "rpm/packages").iterdir():
        subprocess.run(["rpmsign", "--delsign", package], check=True, capture_output=True)
    subprocess.run(["createrepo_c", "--quiet", changeable / "rpm"], check=True, capture_output=True)
    done = dnf("install", "slipway-kubeadm", "--setopt=slipway.repo_gpgcheck=0", check=False)
    assert done.returncode != 0 and "is not signed" in done.stdout + done.stderr


def test_dnf_swaps_upstreams_for_ours_and_back(dnf):
    dnf("install", "kubeadm", "needs-kubeadm", "needs-this-kubeadm", "--disablerepo=slipway")
    assert not dnf.is_ours()
    refused = dnf("install", "slipway-kubeadm", check=False)
    assert refused.returncode != 0 and "conflicts" in refused.stdout + refused.stderr
    dnf("swap", "kubeadm", "slipway-kubeadm")
    assert dnf.is_ours()
    installed = dnf("list", "--installed").stdout
    assert "needs-kubeadm" in installed and "needs-this-kubeadm" in installed
    dnf("swap", "slipway-kubeadm", f"kubeadm-{VERSION}", "--disablerepo=slipway")
    assert dnf.root.run("kubeadm").stdout == "upstream\n"


def test_changed_settings_survive_an_upgrade_by_rpm(dnf):
    dnf("install", "slipway-machine-approver")
    settings = dnf.root.path / "etc/slipway/machine-approver.yaml"
    settings.write_text("nodeClientCert: {disabled: true}\n")
    dnf("reinstall", "slipway-machine-approver")
    assert settings.read_text() == "nodeClientCert: {disabled: true}\n"
    dnf("remove", "slipway-machine-approver")
    assert not (dnf.root.path / "usr/bin/cluster-machine-approver").exists()
    assert (dnf.root.path / "etc/slipway/machine-approver.yaml.rpmsave").exists()


def test_rpmlint_finds_nothing(packages):
    done = subprocess.run(["rpmlint", "--config", TOP / "packaging/rpmlint.toml", *packages.glob("*.rpm")],
                          capture_output=True, text=True, check=False)
    complaints = [line for line in done.stdout.splitlines() if re.search(r": [EW]: ", line) and "no-signature" not in line]
    assert complaints == []
