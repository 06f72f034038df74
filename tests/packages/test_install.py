# SPDX-License-Identifier: Apache-2.0
"""Packages in a clean Debian 12 are installed, run, removed, and purged completely."""

import gzip
import re
import shlex
import shutil
import subprocess

import yaml

from packages.conftest import TOP
from packages.roots import Root

UNIT = "usr/lib/systemd/system/slipway-machine-approver.service"
# The greatest exposure that `systemd-analyze security` may report, on its scale from 0.0 (safest) to 10.0.
MOST_EXPOSED = 15  # tenths



def test_kubeadm_is_installed_and_removed_without_a_trace(debian, kubeadm_package):
    before = debian.files()
    debian.install(kubeadm_package)
    assert re.fullmatch(r"v1\.\d+\.\d+\n", debian.run("kubeadm", "version", "-o", "short").stdout)
    assert debian.run("kubeadm", "config", "print", "init-defaults").stdout.startswith("apiVersion:")
    for path in ("usr/share/bash-completion/completions/kubeadm",
                 "usr/share/zsh/vendor-completions/_kubeadm",
                 "usr/share/fish/vendor_completions.d/kubeadm.fish",
                 "usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf"):
        assert (debian.path / path).is_file(), path
    debian.run("dpkg", "--purge", "slipway-kubeadm")
    assert debian.files() == before


def test_approver_is_installed_and_removed_without_a_trace(debian, approver_package):
    before = debian.files()
    debian.install(approver_package)
    assert debian.run("cluster-machine-approver", "version").stdout.strip()
    assert debian.run("cluster-machine-approver", "--help").returncode == 0
    debian.run("dpkg", "--remove", "slipway-machine-approver")
    left = set(debian.files()) - set(before)
    assert left == {"etc/default/slipway-machine-approver", "etc/slipway", "etc/slipway/machine-approver.yaml"}
    debian.run("dpkg", "--purge", "slipway-machine-approver")
    assert debian.files() == before


def test_operator_is_installed_with_its_manifests_and_removed_without_a_trace(debian, operator_package):
    before = debian.files()
    debian.install(operator_package)
    assert "--image string" in debian.run("slipway-operator", "--help").stdout
    page = debian.path / "usr/share/man/man8/slipway-operator.8.gz"
    assert b"Run the ClusterOperations of a cluster" in gzip.decompress(page.read_bytes())
    manifests, source = debian.path / "usr/share/slipway-operator", TOP / "deploy/fleet"
    listed = yaml.safe_load((manifests / "kustomization.yaml").read_text())["resources"]
    for name in ("kustomization.yaml", *listed, "monitoring/alerts.yaml"):
        assert (manifests / name).read_bytes() == (source / name).read_bytes(), name
    assert not (manifests / "chart").exists(), "the chart is an archive of its own"
    debian.run("dpkg", "--purge", "slipway-operator")
    assert debian.files() == before


def test_configuration_that_was_changed_survives_an_upgrade(debian, approver_package):
    debian.install(approver_package)
    config = debian.path / "etc/slipway/machine-approver.yaml"
    config.write_text("nodeClientCert: {disabled: true}\n")
    debian.install(approver_package)
    assert config.read_text() == "nodeClientCert: {disabled: true}\n"


def test_package_replaces_kubeadm(debian, kubeadm_package, tmp_path):
    """Our package must replace a package named kubeadm, and satisfy dependencies on kubeadm."""
    for name, extra in (("kubeadm", ""), ("needs-kubeadm", "Depends: kubeadm (>= 1.36)\n")):
        directory = tmp_path / name
        (directory / "DEBIAN").mkdir(parents=True)
        (directory / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: 1.36.0\nArchitecture: all\nMaintainer: a <a@b.example>\n{extra}Description: x\n")
        subprocess.run(["dpkg-deb", "-b", directory, f"{directory}.deb"], check=True, capture_output=True)
    debian.install(tmp_path / "kubeadm.deb")
    debian.install(kubeadm_package)
    assert debian.run("dpkg-query", "-W", "kubeadm", check=False).stdout.split()[1:] != ["1.36.0"]
    debian.install(tmp_path / "needs-kubeadm.deb")


def test_unit_is_one_that_systemd_understands_and_finds_hardened(debian, approver_package):
    debian.install(approver_package)
    # The root directory has no systemd, so the units to which our unit refers do not exist.
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
                           f"--root={debian.path}", f"/{UNIT}"], capture_output=True, text=True, check=False)
    complaints = [line for line in done.stderr.splitlines() if "slipway-machine-approver" in line]
    assert done.returncode == 0 and complaints == [], done.stderr
    done = subprocess.run(["systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSED}",
                           f"--root={debian.path}", "slipway-machine-approver.service"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def allowed_calls(unit):
    """Returns the names of the system calls that the unit's filters allow."""
    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", unit, re.MULTILINE):
        names = set()
        for word in line.lstrip("~").split():
            names |= calls_of(word)
        allowed = allowed - names if line.startswith("~") else allowed | names
    return allowed


def calls_of(word):
    if not word.startswith("@"):
        return {word}
    listed = subprocess.run(["systemd-analyze", "syscall-filter", word], check=True, capture_output=True, text=True).stdout
    found = set()
    for entry in re.findall(r"^    (\S+)$", listed, re.MULTILINE):
        found |= calls_of(entry) if not entry.startswith("#") else set()
    return found


def test_filter_lets_pass_what_the_program_calls(portable, tmp_path):
    """Runs the controller for two seconds without an API server. The unit's filter must allow all of its system
    calls."""
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
        "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:9'}}]\n"
        "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {token: t}}]\n")
    trace = tmp_path / "trace"
    subprocess.run(["timeout", "-s", "TERM", "2", "strace", "-f", "-o", trace, portable / "bin/cluster-machine-approver",
                    f"--workload-cluster-kubeconfig={kubeconfig}", f"--management-cluster-kubeconfig={kubeconfig}",
                    "--inventory=nodes", "--metrics-bind-address=127.0.0.1:0"],
                   check=False, capture_output=True)
    called = set(re.findall(r"^\d+ +(\w+)\(", trace.read_text(), re.MULTILINE))
    unit = (TOP / "packaging/approver/slipway-machine-approver.service").read_text()
    # systemd always allows execve and arch_prctl, which start every program.
    assert "socket" in called and ("clone3" in called or "clone" in called)
    assert called - allowed_calls(unit) - {"execve", "arch_prctl"} == set()


def test_dropin_starts_the_kubelet_as_the_test_hosts_do():
    """All other tests use the kubelet flags of tests/cluster, so the package must have the same flags."""
    dropin = (TOP / "packaging/kubeadm/10-kubeadm.conf").read_text()
    hosts = (TOP / "tests/cluster/host/common/usr/lib/slipway/services").read_text()
    for flag in re.findall(r"--[a-z-]+=[^\s\"]+", dropin):
        assert flag in hosts, flag
    assert dropin.index("ExecStart=\n") < dropin.index("ExecStart=/usr/bin/kubelet")


def test_tarball_runs_in_a_root_with_nothing_else(portable, tmp_path):
    bare = Root(tmp_path / "bare")
    bare.path.mkdir()
    for program in ("kubeadm", "cluster-machine-approver"):
        shutil.copy(portable / "bin" / program, bare.path / program)
    (bare.path / "k.yaml").write_text("apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n"
                                      "localAPIEndpoint: {advertiseAddress: 10.0.0.1}\n"
                                      "---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                                      "kubernetesVersion: v1.36.3\ncertificatesDir: /pki\n")
    for line in ("/kubeadm version -o short", "/kubeadm token generate", "/kubeadm config print init-defaults",
                 "/kubeadm init phase certs ca --config /k.yaml",
                 "/cluster-machine-approver version", "/cluster-machine-approver --help"):
        done = subprocess.run(["chroot", bare.path, *shlex.split(line)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, line + done.stdout + done.stderr
    assert (bare.path / "pki/ca.key").exists()
