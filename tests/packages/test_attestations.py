# SPDX-License-Identifier: Apache-2.0
"""What is said about a release's files: CycloneDX, VEX, provenance, and what a release must be."""

import base64
import gzip
import json
import os
import subprocess
import sys

import pytest

from packages.conftest import TOP

sys.path.insert(0, str(TOP / "packaging"))

import cyclonedx  # noqa: E402
import provenance  # noqa: E402
import vex  # noqa: E402

SPDX = {
    "documentNamespace": "urn:uuid:013ea83d-33da-58af-adfd-24d60d332d35",
    "creationInfo": {"created": "2026-01-31T00:00:00Z"},
    "packages": [
        {"SPDXID": "SPDXRef-program", "name": "kubeadm", "versionInfo": "1.2.3", "licenseDeclared": "Apache-2.0",
         "checksums": [{"algorithm": "SHA256", "checksumValue": "ab" * 32}]},
        {"SPDXID": "SPDXRef-openssl", "name": "openssl", "versionInfo": "3.5.1-1", "licenseDeclared": "Apache-2.0",
         "comment": "from libssl-dev:amd64",
         "externalRefs": [{"referenceLocator": "pkg:deb/debian/openssl@3.5.1-1?arch=source"}]},
    ],
}
CHANGELOG = """openssl (3.5.1-1) unstable; urgency=medium

  * Fixes CVE-2025-4575 and CVE-2024-13176.

openssl (3.4.1-1) unstable; urgency=medium

  * CVE-2024-13176
"""


def test_cyclonedx_says_what_spdx_says():
    document = json.loads(cyclonedx.document(SPDX))
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert document["metadata"]["component"]["hashes"] == [{"alg": "SHA-256", "content": "ab" * 32}]
    assert document["components"] == [{
        "type": "library", "bom-ref": "SPDXRef-openssl", "name": "openssl", "version": "3.5.1-1",
        "licenses": [{"expression": "Apache-2.0"}], "purl": "pkg:deb/debian/openssl@3.5.1-1?arch=source"}]
    assert document["dependencies"][0] == {"ref": "SPDXRef-program", "dependsOn": ["SPDXRef-openssl"]}


def test_vex_names_what_debians_changelog_fixed(tmp_path):
    (tmp_path / "libssl-dev").mkdir()
    (tmp_path / "libssl-dev/changelog.Debian.gz").write_bytes(gzip.compress(CHANGELOG.encode()))
    document = json.loads(vex.document([SPDX], "A <a@b.invalid>", tmp_path))
    told = {entry["vulnerability"]["name"]: entry for entry in document["statements"]}
    assert set(told) == {"CVE-2025-4575", "CVE-2024-13176"}
    assert told["CVE-2024-13176"]["status_notes"] == "fixed in Debian's openssl 3.4.1-1"
    assert told["CVE-2025-4575"]["status"] == "fixed"
    assert told["CVE-2025-4575"]["products"] == [{
        "@id": "pkg:generic/slipway/kubeadm@1.2.3",
        "subcomponents": [{"@id": "pkg:deb/debian/openssl@3.5.1-1?arch=source"}]}]


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True, capture_output=True)
    return path


def test_provenance_covers_every_file_and_its_signature_verifies(tmp_path, key):
    folder = tmp_path / "files"
    (folder / "below").mkdir(parents=True)
    (folder / "below/kubeadm").write_bytes(b"program")
    document = provenance.statement(folder, [SPDX], "1.2.3", "c" * 40)
    assert [subject["name"] for subject in document["subject"]] == ["below/kubeadm"]
    assert {"uri": "git:slipway", "digest": {"gitCommit": "c" * 40}} in (
        document["predicate"]["buildDefinition"]["resolvedDependencies"])
    envelope = provenance.envelope(document, key)
    payload = base64.b64decode(envelope["payload"])
    assert json.loads(payload) == document
    (tmp_path / "message").write_bytes(provenance.signed_text(payload))
    (tmp_path / "signature").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    public = tmp_path / "public.pem"
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
    subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", public, "-in", tmp_path / "message",
                    "-sigfile", tmp_path / "signature"], check=True, capture_output=True)


def test_what_was_made_has_its_attestations(packages):
    document = json.loads((packages / "provenance.json").read_text())
    named = {subject["name"] for subject in document["subject"]}
    assert {path.name for path in packages.glob("*.deb")} | {path.name for path in packages.glob("*.rpm")} <= named
    assert json.loads((packages / "vex.openvex.json").read_text())["statements"]
    assert json.loads((packages / "kubeadm.cdx.json").read_text())["components"]


def release(folder, *words, **environment):
    return subprocess.run([folder / "packaging/release", *words], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], **environment})


@pytest.fixture
def tree(tmp_path):
    """A repository that has all that a release of 1.2.3 needs, but for the keys."""
    folder = tmp_path / "tree"
    (folder / "packaging").mkdir(parents=True)
    (folder / "packaging/release").write_bytes((TOP / "packaging/release").read_bytes())
    (folder / "packaging/release").chmod(0o755)
    (folder / "CMakeLists.txt").write_text("project(slipway VERSION 1.2.3 LANGUAGES C CXX)\n")
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3\n\n- Better.\n\n## 1.2.2\n\n- Good.\n")
    author = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "x"], [*author, "tag", "v1.2.3"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    return folder


def test_a_release_that_is_ready_gets_its_notes(tree, tmp_path):
    notes = tmp_path / "NOTES.md"
    done = release(tree, "1.2.3", "--notes", notes, SLIPWAY_SIGNING_KEY="a", SLIPWAY_GPG_KEY="b")
    assert (done.returncode, done.stderr) == (0, "")
    assert notes.read_text() == "- Better.\n"


def test_every_reason_against_a_release_is_named(tree):
    (tree / "CHANGELOG.md").write_text("## Unreleased\n")
    done = release(tree, "1.2.4")
    assert done.returncode == 1
    for words in ("no tag v1.2.4", "not committed", "another version than 1.2.4", 'no section "## 1.2.4"',
                  "SLIPWAY_SIGNING_KEY", "SLIPWAY_GPG_KEY"):
        assert words in done.stderr
