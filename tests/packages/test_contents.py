# SPDX-License-Identifier: Apache-2.0
"""The contents of the packages, before any installation."""

import gzip
import json
import os
import re
import subprocess
import sys
import tarfile

import pytest

from packages.conftest import TOP

sys.path.insert(0, str(TOP / "packaging"))

import identity  # noqa: E402

PROGRAMS = ("kubeadm", "cluster-machine-approver", "slipway-operator")
MOST_BYTES = 20_000_000  # ADR 5


def run(*argv, **options):
    return subprocess.run(argv, check=True, capture_output=True, text=True, **options).stdout


@pytest.fixture(params=PROGRAMS)
def program(request, portable):
    return portable / "bin" / request.param


def test_programs_are_small_and_stripped(program):
    assert program.stat().st_size <= MOST_BYTES
    assert ".symtab" not in run("readelf", "-SW", program)


def test_programs_need_no_library(program):
    assert "(NEEDED)" not in run("readelf", "-d", program)
    assert "INTERP" not in run("readelf", "-lW", program)


def test_programs_are_hardened(program):
    """docs/packages.md promises that a memory error ends the program, so the program must have the hardening for it."""
    dynamic = run("readelf", "-dW", program)
    segments = run("readelf", "-lW", program)
    assert re.search(r"Elf file type is DYN", segments)
    assert re.search(r"FLAGS_1\).*\bNOW\b.*\bPIE\b", dynamic)
    assert "GNU_RELRO" in segments
    assert "TEXTREL" not in dynamic
    assert re.search(r"GNU_STACK\s.*\sRW\s", segments)
    assert not re.search(r"LOAD\s.*\sRWE\s", segments)


def test_our_code_checks_its_stack_and_buffers():
    """The program has no symbols, so the libraries' archives show which checks were compiled into our code.
    """
    called = run("nm", "--undefined-only", *(TOP / "build/release").glob("lib*.a"))
    objects = dict(re.findall(r"(?m)^(\w+\.cc\.o):\n((?:.+\n)*)", called))
    checking = [name for name, calls in objects.items() if "__stack_chk_fail" in calls]
    sources = objects.keys() - {"empty.cc.o"}
    assert len(checking) > 0.9 * len(sources) > 50, sources - set(checking)
    assert len(set(re.findall(r"\b__\w+_chk\b", called))) >= 4  # functions that know the size of their buffer


def test_functions_begin_where_jumps_may_lead(program):
    """Control-flow protection (Intel CET): our own functions begin with the mark of a valid jump target.

    The assembly code in linked libraries has a few hundred marks, too.
    """
    assert program.read_bytes().count(b"\xf3\x0f\x1e\xfa") > 3000


def test_functions_that_are_called_together_are_adjacent():
    """The linker must place most functions of packaging/functions.txt in the first part of the code. A stale list
    causes no error, but costs memory. `./dev layout` updates it."""
    lines = (TOP / "packaging" / "functions.txt").read_text().splitlines()
    called = {line for line in lines if not line.startswith("#")}
    rows = [line.split() for line in run("nm", "--defined-only", "--numeric-sort", TOP / "build/release/bin/kubeadm").splitlines()]
    code = [row[2] for row in rows if row[1] in "tTwW"]
    places = [place for place, name in enumerate(code) if name in called]
    assert len(called) > 5000
    assert len({code[place] for place in places}) > 0.8 * len(called)
    assert places[len(places) * 9 // 10] < 0.6 * len(code), "nine in ten come first"


def test_programs_contain_no_build_paths(program):
    assert str(TOP).encode() not in program.read_bytes()


def test_lintian_finds_no_errors(kubeadm_package, approver_package, operator_package):
    # Without SLIPWAY_MAINTAINER, the packages name the authors, who have no common address.
    words = [] if os.environ.get("SLIPWAY_MAINTAINER") else ["--suppress-tags", "malformed-contact,bogus-mail-host-in-debian-changelog"]
    done = subprocess.run(["lintian", "--fail-on", "error", "--tag-display-limit", "0", *words, kubeadm_package,
                           approver_package, operator_package], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def metadata(packages):
    """Returns name → the text in which a package, image or attestation describes itself and its origin."""
    for package in packages.glob("*.deb"):
        yield package.name, run("dpkg-deb", "--field", package)
    for package in packages.glob("*.rpm"):
        yield package.name, run("rpm", "--query", "--info", "--package", package)
    for path in (*packages.glob("*.json"), *packages.glob("repositories/slipway.*o*")):
        yield path.name, path.read_text()
    for image in packages.glob("*.oci.tar"):
        with tarfile.open(image) as tar:
            blobs = [tar.extractfile(member).read() for member in tar if member.isfile()]
        yield image.name, "\n".join(blob.decode() for blob in blobs if blob.startswith(b"{"))


def test_no_metadata_has_a_placeholder(packages):
    """A value that is not set must be left out: the metadata must contain no placeholder domain or invented name."""
    seen = dict(metadata(packages))
    assert len(seen) >= 8
    names = {word: name for name, text in seen.items()
             for word in re.findall(r"\S*(?:\bexample\b|\.invalid\b|:unnamed\b|@localhost\b)\S*", text)}
    assert names == {}


def test_metadata_has_the_identity_that_was_given(packages):
    given = {name: os.environ.get(name, "") for name in ("SLIPWAY_MAINTAINER", "SLIPWAY_HOMEPAGE")}
    for package in packages.glob("*.deb"):
        assert run("dpkg-deb", "--field", package, "Maintainer").strip() == (
            given["SLIPWAY_MAINTAINER"] or identity.AUTHORS)
        assert run("dpkg-deb", "--field", package, "Homepage").strip() == given["SLIPWAY_HOMEPAGE"]
    for package in packages.glob("*.rpm"):
        told = run("rpm", "--query", "--package", "--queryformat", "%{PACKAGER}\n%{URL}\n", package).splitlines()
        assert told == [value or "(none)" for value in given.values()]


def test_checksums_cover_every_file(packages):
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=packages)
    listed = {line.split()[1] for line in (packages / "SHA256SUMS").read_text().splitlines()}
    found = {str(path.relative_to(packages)) for path in packages.rglob("*") if path.is_file()}
    assert listed == found - {"SHA256SUMS", "SHA256SUMS.sig"}


def test_installers_find_the_program_and_its_checksum(packages, portable):
    """The files have the layout of dl.k8s.io: the checksum's file contains only the checksum."""
    version = run(portable / "bin/kubeadm", "version", "-o", "short").strip()
    program = packages / f"release/{version}/bin/linux/amd64/kubeadm"
    assert program.read_bytes() == (portable / "bin/kubeadm").read_bytes()
    assert run("sha256sum", program).split()[0] == program.with_name("kubeadm.sha256").read_text()


def test_units_of_the_tarball_work_for_another_path_as_documented(portable, tmp_path):
    """Runs the sed lines of docs/install.md for a system whose /usr is read-only, below another root directory."""
    page = (TOP / "docs/install.md").read_text()
    lines = [line for line in page.splitlines() if line.startswith("sed ") and "/opt/share/systemd" in line]
    assert len(lines) == 2
    units = tmp_path / "etc/systemd/system"
    (units / "kubelet.service.d").mkdir(parents=True)
    for line in lines:
        subprocess.run(["sh", "-ec", line.replace("/opt/share/", f"{portable}/share/").replace(" >/etc/", f" >{tmp_path}/etc/")],
                       check=True)
    starts = [line for name in ("kubelet.service", "kubelet.service.d/10-kubeadm.conf")
              for line in (units / name).read_text().splitlines() if line.startswith("ExecStart=") and line != "ExecStart="]
    assert len(starts) == 2 and all(line.startswith("ExecStart=/opt/bin/kubelet") for line in starts)


def test_package_contains_licence_and_notice(portable):
    assert (portable / "LICENSE").read_text() == (TOP / "LICENSE").read_text()
    assert (portable / "NOTICE").read_text() == (TOP / "NOTICE").read_text()
    assert "Apache License" in (portable / "share/doc/slipway/kubeadm/copyright").read_text()


def test_program_names_its_own_version_and_sources(portable, kubeadm_package):
    """The program prints its own version and sources in addition to the version of Kubernetes, in fields that
    upstream's kubeadm has, too."""
    told = json.loads(run(portable / "bin/kubeadm", "version", "-o", "json"))["clientVersion"]
    version = run("dpkg-deb", "--field", kubeadm_package, "Version").strip()
    assert told["goVersion"] == f"none (Slipway {version}, C++23)"
    assert re.fullmatch(r"[0-9a-f]{40}", told["gitCommit"]) and told["gitTreeState"] in ("clean", "dirty")
    assert run(portable / "bin/cluster-machine-approver", "version") == version + "\n"


def test_every_command_with_a_text_has_a_page(portable):
    pages = {path.name.removesuffix(".8.gz") for path in (portable / "share/man/man8").iterdir()}
    for directory, prefix, root in (("kubeadm", "kubeadm-", "kubeadm"),
                                 ("machine_approver", "cluster-machine-approver-", "root"),
                                 ("slipway_operator", "slipway-operator-", "root")):
        texts = {path.stem for path in (TOP / "src/programs" / directory / "texts").glob("*.md")} - {root}
        assert {prefix + text for text in texts} - pages == set()
        assert prefix.removesuffix("-") in pages


def test_man_pages_are_readable_and_have_the_content_of_help(portable):
    for path in (portable / "share/man/man8").iterdir():
        text = gzip.decompress(path.read_bytes()).decode()
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-Z", "-"], input=text,
                              capture_output=True, text=True, check=True)
        assert done.stderr == "", path.name
    page = gzip.decompress((portable / "share/man/man8/kubeadm-init.8.gz").read_bytes()).decode()
    shown = run(portable / "bin/kubeadm", "init", "--help")
    flags = set(re.findall(r"(?m)^ +(?:-\w, )?(--[a-z-]+)", shown))
    assert flags and {flag for flag in flags if flag.replace("-", r"\-") not in page} == set()


def test_completions_are_those_that_the_program_prints(portable):
    for shell in ("bash", "zsh", "fish"):
        script = (portable / f"share/completions/kubeadm.{shell}").read_text()
        assert script == run(portable / "bin/kubeadm", "completion", shell)


class Sbom:
    def __init__(self, path):
        self.document = json.loads(path.read_text())
        self.packages = {package["name"]: package for package in self.document["packages"]}

    def related(self, kind):
        names = {package["SPDXID"]: package["name"] for package in self.document["packages"]}
        return {names[row["relatedSpdxElement"]] for row in self.document["relationships"]
                if row["relationshipType"] == kind}


@pytest.fixture(params=PROGRAMS)
def sbom(request, packages):
    return Sbom(packages / f"{request.param}.spdx.json")


def test_sbom_is_of_this_program(sbom, portable):
    name = sbom.document["packages"][0]["name"]
    digest = run("sha256sum", portable / "bin" / name).split()[0]
    assert sbom.packages[name]["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest}]
    assert sbom.document["spdxVersion"] == "SPDX-2.3"


def test_sbom_names_linked_libraries_with_version_and_licence(sbom, portable):
    linked = sbom.related("STATIC_LINK")
    name = sbom.document["packages"][0]["name"]
    assert {"openssl", "curl", "nghttp2", "libyaml", "zlib", "fmtlib", "nlohmann-json3", "glibc"} <= linked
    assert ("protobuf" in linked) == (name != "cluster-machine-approver")  # for the interface of the container runtime
    assert ("c-ares" in linked) == (name == "cluster-machine-approver")  # for the inventory `dns`
    assert sbom.related("DYNAMIC_LINK") == set()
    for package in linked:
        assert sbom.packages[package]["versionInfo"]
        assert sbom.packages[package]["licenseDeclared"] != "NOASSERTION", package
    # The versions must be those in the binary itself.
    text = (portable / "bin" / name).read_bytes()
    for package, pattern in (("openssl", rb"OpenSSL (\d+\.\d+\.\d+)"), ("curl", rb"libcurl/(\d+\.\d+\.\d+)")):
        version = re.search(pattern, text)
        assert version is None or sbom.packages[package]["versionInfo"].startswith(version[1].decode())


def test_package_contains_licences_of_linked_libraries(portable):
    text = gzip.decompress((portable / "share/doc/slipway/kubeadm/third-party-licences.gz").read_bytes()).decode()
    for mark in ("===== libssl-dev =====", "===== libprotobuf-dev =====", "===== Apache-2.0 ====="):
        assert mark in text


def test_the_charts_images_are_in_the_release(packages, portable):
    """The operator's chart names its own image and the image of the Jobs. Each must have the program at its path."""
    [chart] = (path for path in packages.glob("slipway-operator-*.tgz"))
    version = chart.name.removeprefix("slipway-operator-").removesuffix(".tgz")
    with tarfile.open(chart) as archive:
        values = archive.extractfile("slipway-operator/values.yaml").read().decode()
    assert values.count(f'  tag: "{version}"') == 2
    for program, user in (("slipway-operator", "65532:65532"), ("kubeadm", "0:0")):
        [path] = packages.glob(f"{program}-{version}-linux-*.oci.tar")
        with tarfile.open(path) as layout:
            def blob(descriptor):
                return layout.extractfile(f"blobs/{descriptor['digest'].replace(':', '/')}")
            [top] = json.load(layout.extractfile("index.json"))["manifests"]
            assert top["annotations"]["org.opencontainers.image.ref.name"] == f"{program}:{version}"
            while "manifests" in (manifest := json.load(blob(top))):
                top = manifest["manifests"][0]
            config = json.load(blob(manifest["config"]))["config"]
            assert (config["User"], config["Entrypoint"]) == (user, [f"/usr/bin/{program}"])
            with tarfile.open(fileobj=blob(manifest["layers"][0])) as layer:
                content = layer.extractfile(f"usr/bin/{program}").read()
        assert content == (portable / "bin" / program).read_bytes()
