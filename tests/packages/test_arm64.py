# SPDX-License-Identifier: Apache-2.0
"""The packages for arm64, which ./dev package --arch arm64 builds: their architecture is right, and their programs
run."""

import hashlib
import re
import subprocess

import pytest

AARCH64 = "AArch64"


@pytest.fixture(scope="module")
def made(packages):
    """The directory, if it contains packages for arm64."""
    if not list(packages.glob("*_arm64.deb")):
        pytest.skip("there are no packages for arm64: ./dev package --arch arm64 makes them")
    return packages


def run(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def programs(made, directory):
    [archive] = made.glob("slipway-*-linux-arm64.tar.xz")
    subprocess.run(["tar", "-xf", archive, "-C", directory], check=True)
    return directory / archive.name.removesuffix(".tar.xz") / "bin"


def test_programs_are_static_and_of_the_architecture(made, tmp_path):
    for program in programs(made, tmp_path).iterdir():
        assert re.search(rf"Machine:\s+{AARCH64}", run("readelf", "-hW", program))
        assert "NEEDED" not in run("readelf", "-dW", program)
        assert re.search(r"Elf file type is DYN", run("readelf", "-lW", program))


def test_programs_run(made, tmp_path):
    found = programs(made, tmp_path)
    told = run("qemu-aarch64", found / "kubeadm", "version", "-o", "json")
    assert '"platform": "linux/arm64"' in told
    assert run("qemu-aarch64", found / "cluster-machine-approver", "version").strip()


def test_packages_name_the_architecture(made):
    for package in made.glob("*_arm64.deb"):
        assert run("dpkg-deb", "--field", package, "Architecture").strip() == "arm64"
        name = package.name.split("_")[0]
        [other] = made.glob(f"{name}-*.aarch64.rpm")
        assert run("rpm", "--query", "--package", "--queryformat", "%{ARCH}", other) == "aarch64"


def test_raw_program_has_its_checksum(made):
    [program] = made.glob("release/v*/bin/linux/arm64/kubeadm")
    assert hashlib.sha256(program.read_bytes()).hexdigest() == program.with_name("kubeadm.sha256").read_text()


def test_the_image_is_for_both(made):
    [image] = made.glob("cluster-machine-approver-*-linux-*.oci.tar")
    assert image.name.endswith("-linux-multi.oci.tar")
