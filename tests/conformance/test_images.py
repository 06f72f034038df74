# SPDX-License-Identifier: Apache-2.0
"""Tests the images of the e2e suite with small files instead of the real ones."""

import io
import json
import tarfile
import urllib.error
import urllib.request

import pytest

from cluster import template
from conformance import images, registry


class Sources:
    """A fake of the programs and of Debian's root."""

    def __init__(self, debian):
        self.debian = debian

    def read(self, origin):
        return f"content of {origin}".encode()

    def applets(self):
        return ["cat", "sh", "touch"]


@pytest.fixture
def sources(tmp_path):
    with tarfile.open(tmp_path / "debian.tar", "w") as archive:
        entry = tarfile.TarInfo("./bin")
        entry.type, entry.linkname = tarfile.SYMTYPE, "usr/bin"
        archive.addfile(entry)
    return Sources(tmp_path / "debian.tar")


def unpacked(references, sources, output):
    """Returns for each reference its settings and the members of its layers."""
    images.write_archive(references, sources, output)
    with tarfile.open(output) as archive:

        def blob(entry):
            return archive.extractfile("blobs/sha256/" + entry["digest"].removeprefix("sha256:")).read()

        found = {}
        for entry in json.load(archive.extractfile("index.json"))["manifests"]:
            manifest = json.loads(blob(entry))
            layers = [tarfile.open(fileobj=io.BytesIO(blob(layer))).getmembers() for layer in manifest["layers"]]
            found[entry["annotations"]["io.containerd.image.name"]] = (
                json.loads(blob(manifest["config"]))["config"], layers)  # fmt: skip
        assert len(archive.getnames()) == len(set(archive.getnames()))
        return found


def test_name_is_that_of_the_suites_own_images_only():
    assert images.name("registry.k8s.io/e2e-test-images/agnhost:2.66.1") == "agnhost"
    assert images.name("registry.k8s.io/e2e-test-images/volume/nfs:1.6.0") == ""
    assert images.name("registry.k8s.io/etcd:3.7.0-0") == ""


def test_archive_has_each_image_over_the_shared_root(sources, tmp_path):
    references = [f"{images.REPOSITORY}{name}:1" for name in ("agnhost", "kitten", "nonewprivs")]
    found = unpacked(references, sources, tmp_path / "images.tar")
    assert list(found) == references
    settings, (debian, own) = found[references[1]]
    assert [entry.name for entry in debian] == ["./bin"]
    assert {"agnhost", "agnhost-2", "kitten.jpg"} <= {entry.name for entry in own}
    assert settings["Entrypoint"] == ["/agnhost"] and settings["Cmd"] == ["test-webserver"]
    modes = {entry.name: entry.mode for entry in found[references[2]][1][1]}
    assert modes["usr/local/bin/nnp"] == 0o4755


def test_busybox_has_links_for_its_commands_and_another_shell(sources, tmp_path):
    reference = f"{images.REPOSITORY}nonroot:1"
    settings, (own,) = unpacked([reference], sources, tmp_path / "images.tar")[reference]
    kinds = {entry.name: entry.linkname for entry in own}
    assert kinds["bin/cat"] == "busybox" and kinds["bin/sh"] == ""
    assert settings["User"] == "1234"
    assert next(entry.mode for entry in own if entry.name == "tmp") == 0o1777


def test_hosts_get_links_to_directories_as_links(tmp_path):
    layer = tmp_path / "template" / "snapshots" / "1"
    (layer / "usr" / "bin").mkdir(parents=True)
    (layer / "usr" / "bin" / "sh").write_text("shell")
    (layer / "bin").symlink_to("usr/bin")
    (tmp_path / "host").mkdir()
    template.copy(tmp_path / "template", tmp_path / "host")
    assert (tmp_path / "host" / "snapshots" / "1" / "bin").readlink().name == "bin"
    assert (tmp_path / "host" / "snapshots" / "1" / "bin" / "sh").read_text() == "shell"


def test_registry_serves_manifests_and_blobs_of_the_archive(sources, tmp_path):
    images.write_archive([f"{images.REPOSITORY}nginx:1"], sources, tmp_path / "images.tar")
    with registry.serving(tmp_path / "images.tar", "127.0.0.1") as url:
        with urllib.request.urlopen(f"{url}/v2/") as answer:
            assert answer.status == 200
        with urllib.request.urlopen(f"{url}/v2/e2e-test-images/nginx/manifests/1") as answer:
            assert answer.headers["Content-Type"] == "application/vnd.oci.image.manifest.v1+json"
            manifest = json.load(answer)
        digest = manifest["config"]["digest"]
        with urllib.request.urlopen(f"{url}/v2/e2e-test-images/nginx/blobs/{digest}") as answer:
            assert json.load(answer)["config"]["Cmd"][0] == "nginx"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{url}/v2/e2e-test-images/nginx/manifests/2")
