# SPDX-License-Identifier: Apache-2.0
"""The attestations of a release's files: CycloneDX, VEX, provenance."""

import base64
import gzip
import json
import subprocess
import sys

import pytest

from packages.conftest import TOP

sys.path.insert(0, str(TOP / "packaging"))

import cyclonedx  # noqa: E402
import provenance  # noqa: E402
import sbom  # noqa: E402
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


def test_cyclonedx_has_the_content_of_spdx():
    document = json.loads(cyclonedx.document(SPDX))
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert document["metadata"]["component"]["hashes"] == [{"alg": "SHA-256", "content": "ab" * 32}]
    assert document["components"] == [{
        "type": "library", "bom-ref": "SPDXRef-openssl", "name": "openssl", "version": "3.5.1-1",
        "licenses": [{"expression": "Apache-2.0"}], "purl": "pkg:deb/debian/openssl@3.5.1-1?arch=source"}]
    assert document["dependencies"][0] == {"ref": "SPDXRef-program", "dependsOn": ["SPDXRef-openssl"]}


def test_vex_names_vulnerabilities_that_debians_changelog_fixed(tmp_path):
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
    directory = tmp_path / "files"
    (directory / "below").mkdir(parents=True)
    (directory / "below/kubeadm").write_bytes(b"program")
    document = provenance.statement(directory, [SPDX], "1.2.3", "c" * 40, {})
    assert [subject["name"] for subject in document["subject"]] == ["below/kubeadm"]
    assert sources_in(document) == {"name": "slipway", "digest": {"gitCommit": "c" * 40}}
    envelope = provenance.envelope(document, key)
    payload = base64.b64decode(envelope["payload"])
    assert json.loads(payload) == document
    (tmp_path / "message").write_bytes(provenance.signed_text(payload))
    (tmp_path / "signature").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    public = tmp_path / "public.pem"
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
    subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", public, "-in", tmp_path / "message",
                    "-sigfile", tmp_path / "signature"], check=True, capture_output=True)


def sources_in(statement):
    return statement["predicate"]["buildDefinition"]["resolvedDependencies"][0]


def test_provenance_names_builder_and_sources_only_if_given(tmp_path):
    told = provenance.statement(tmp_path, [], "1.2.3", "c" * 40, {
        "SLIPWAY_BUILDER": "https://slipway.test/builder", "SLIPWAY_SOURCE_URL": "https://slipway.test/slipway.git"})
    assert told["predicate"]["runDetails"]["builder"] == {"id": "https://slipway.test/builder"}
    assert sources_in(told)["uri"] == "git+https://slipway.test/slipway.git@" + "c" * 40
    untold = provenance.statement(tmp_path, [], "1.2.3", "c" * 40, {})
    assert "builder" not in untold["predicate"]["runDetails"]


def test_the_sbom_has_the_home_page_if_it_is_set(tmp_path):
    (tmp_path / "kubeadm").write_bytes(b"program")
    for homepage in ("https://slipway.test", ""):
        spdx = json.loads(sbom.document("kubeadm", "1.2.3", tmp_path / "kubeadm", [], time="2026-01-31T00:00:00Z",
                                        homepage=homepage))
        assert spdx["packages"][0].get("homepage", "") == homepage
        component = json.loads(cyclonedx.document(spdx))["metadata"]["component"]
        assert component.get("externalReferences", []) == ([{"type": "website", "url": homepage}] if homepage else [])


def test_the_built_files_have_attestations(packages):
    document = json.loads((packages / "provenance.json").read_text())
    named = {subject["name"] for subject in document["subject"]}
    assert {path.name for path in packages.glob("*.deb")} | {path.name for path in packages.glob("*.rpm")} <= named
    assert json.loads((packages / "vex.openvex.json").read_text())["statements"]
    assert json.loads((packages / "kubeadm.cdx.json").read_text())["components"]
