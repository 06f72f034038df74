# SPDX-License-Identifier: Apache-2.0
"""Tests the builder of the components without building them."""

import hashlib
import importlib.machinery
import importlib.util
import json
import tarfile

import pytest

from components import golang, images, recipes, store


@pytest.fixture
def image(tmp_path):
    program = tmp_path / "tool"
    program.write_bytes(b"\x7fELF tool")
    return images.Image(
        "registry.test/group/tool:v1", {"/usr/local/bin/tool": program}, "/usr/local/bin/tool"
    )


def written(image, path):
    images.write_archive(image, path)
    with tarfile.open(path) as archive:
        return {
            member.name: archive.extractfile(member).read() for member in archive if member.isfile()
        }


def test_archive_content_matches_its_digests(image, tmp_path):
    files = written(image, tmp_path / "a.tar")
    entry = json.loads(files["index.json"])["manifests"][0]
    assert entry["annotations"]["io.containerd.image.name"] == "registry.test/group/tool:v1"
    manifest = json.loads(files["blobs/sha256/" + entry["digest"].removeprefix("sha256:")])
    for part in (entry, manifest["config"], *manifest["layers"]):
        content = files["blobs/sha256/" + part["digest"].removeprefix("sha256:")]
        assert part["digest"] == "sha256:" + hashlib.sha256(content).hexdigest()
        assert part["size"] == len(content)
    config = json.loads(
        files["blobs/sha256/" + manifest["config"]["digest"].removeprefix("sha256:")]
    )
    assert config["config"]["Entrypoint"] == ["/usr/local/bin/tool"]
    assert config["rootfs"]["diff_ids"] == [manifest["layers"][0]["digest"]]


def test_archive_of_the_same_files_is_the_same(image, tmp_path):
    for name in ("a.tar", "b.tar"):
        images.write_archive(image, tmp_path / name)
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


def test_layer_has_the_program_executable_and_its_directories(image, tmp_path):
    files = written(image, tmp_path / "a.tar")
    manifest = json.loads(files["index.json"])["manifests"][0]["digest"].removeprefix("sha256:")
    layer = json.loads(files["blobs/sha256/" + manifest])["layers"][0]["digest"].removeprefix(
        "sha256:"
    )
    (tmp_path / "layer.tar").write_bytes(files["blobs/sha256/" + layer])
    with tarfile.open(tmp_path / "layer.tar") as archive:
        modes = {member.name: member.mode for member in archive}
    assert modes == {
        "etc": 0o755,
        "tmp": 0o1777,
        "usr": 0o755,
        "usr/local": 0o755,
        "usr/local/bin": 0o755,
        "usr/local/bin/tool": 0o755,
    }


def test_image_key_follows_the_content(image):
    before = image.key()
    next(iter(image.files.values())).write_bytes(b"another")
    assert image.key() != before


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("go version go1.26.8 linux/amd64", (1, 26)),
        ("module x\n\ngo 1.25.0\n", (1, 25)),
        ("go 1.21", (1, 21)),
    ],
)
def test_version_of_go_is_read(text, version):
    assert golang.parse_version(text) == version


def test_go_that_is_too_old_is_refused_with_advice():
    with pytest.raises(golang.ToolchainError, match=r"Go 1\.19 is too old.*bookworm-backports"):
        golang.environment("go 1.26.0", (1, 19))


def test_older_go_fetches_the_toolchain_and_a_new_one_does_not(monkeypatch):
    monkeypatch.delenv("GOTOOLCHAIN", raising=False)
    assert golang.environment("go 1.26.0", (1, 21))["GOTOOLCHAIN"] == "auto"
    assert "GOTOOLCHAIN" not in golang.environment("go 1.26.0", (1, 26))


@pytest.mark.parametrize("minor", sorted(recipes.RELEASES))
def test_every_program_has_a_version_that_go_mod_pins(minor):
    release = recipes.RELEASES[minor]
    assert release.version.startswith(f"v{minor}.")
    assert [name for name, program in release.programs.items() if program.version == "v0"] == [
        "echo"
    ]


def test_kubernetes_programs_get_their_version():
    release = recipes.RELEASES[recipes.DEFAULT_RELEASE]
    flags = release.programs["kubelet"].linker_flags()
    assert f"-X k8s.io/component-base/version.gitVersion={release.version}" in flags
    assert f"-X k8s.io/component-base/version.gitMinor={release.version.split('.')[1]}" in flags


@pytest.mark.skipif(not recipes.PREVIEW, reason="no pre-release has a component set")
def test_a_preview_is_in_no_suite_and_has_the_version_of_its_module():
    assert recipes.PREVIEW.minor not in recipes.RELEASES
    assert recipes.PREVIEW.version.startswith(f"v{recipes.PREVIEW.minor}.")
    flags = recipes.PREVIEW.programs["kubeadm"].linker_flags()
    assert f"-X k8s.io/component-base/version.gitVersion={recipes.PREVIEW.version}" in flags
    assert f"gitMinor={recipes.PREVIEW.minor.split('.')[1]} " in flags


def test_a_release_runs_the_etcd_that_its_image_names():
    for release in recipes.ALL_RELEASES.values():
        built = release.programs["etcd"].version.removeprefix("v")
        assert built.split(".")[:2] == release.etcd.split(".")[:2]


def test_the_user_sets_the_directory_of_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SLIPWAY_COMPONENTS", raising=False)
    assert store.root() == tmp_path / "cache" / "slipway" / "components"
    monkeypatch.setenv("SLIPWAY_COMPONENTS", str(tmp_path / "here"))
    assert store.root() == tmp_path / "here"


def test_part_that_fails_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("SLIPWAY_COMPONENTS", str(tmp_path))
    monkeypatch.setattr(golang, "build", lambda program, part, cache: part.write_text("half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        store.Builder(say=lambda _: None).build(recipes.SELECTIONS["kubeadm"])
    assert list((tmp_path / "programs").iterdir()) == []


def test_part_that_is_there_is_not_built_again(monkeypatch, tmp_path):
    monkeypatch.setenv("SLIPWAY_COMPONENTS", str(tmp_path))
    built = []
    monkeypatch.setattr(
        golang, "build", lambda program, part, cache: built.append(program.name) or part.write_text("x")
    )
    builder = store.Builder(say=lambda _: None)
    directories = {builder.build(recipes.SELECTIONS["kubeadm"]) for _ in range(2)}
    assert built == ["kubeadm"]
    assert (directories.pop() / "upstream" / "kubeadm").read_text() == "x"


def test_tool_belongs_to_no_release(monkeypatch, tmp_path):
    monkeypatch.setenv("SLIPWAY_COMPONENTS", str(tmp_path))
    monkeypatch.setattr(golang, "build", lambda program, part, cache: part.write_text(program.name))
    path = store.Builder(say=lambda _: None).tool("gocsr")
    assert path.read_text() == "gocsr"
    assert not (tmp_path / "releases").exists()
    assert all("gocsr" not in release.programs for release in recipes.RELEASES.values())


def served():
    loader = importlib.machinery.SourceFileLoader("served", str(recipes.HERE / "served"))
    spec = importlib.util.spec_from_loader("served", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_served_versions_that_the_table_does_not_know_are_named():
    known = {37: "v1.37.2", 38: "v1.38.0-beta.0"}
    missing = served().missing
    assert missing(known, ["v1.36.9", "v1.37.2", "v1.37.1", "v1.38.0-alpha.3"]) == []
    assert missing(known, ["v1.37.10", "v1.37.9"]) == ["v1.37.10: the row of v1.37 has v1.37.2"]
    assert missing(known, ["v1.38.0-rc.1", "v1.38.0-beta.10"]) == [
        "v1.38.0-rc.1: the row of v1.38 has v1.38.0-beta.0"
    ]
    assert missing(known, ["v1.38.0", "v1.38.0-rc.1"])[0].startswith("v1.38.0: ")
    assert missing(known, ["v1.39.0-alpha.1"])[0].startswith("v1.39.0-alpha.1: v1.39 has no row")


def test_the_table_of_releases_is_read():
    module = served()
    known = module.known_versions(module.TABLE.read_text())
    assert {f"1.{minor}" for minor in known} == set(recipes.ALL_RELEASES)
    last = recipes.ALL_RELEASES[recipes.LAST_RELEASE]
    assert known[int(last.minor.split(".")[1])] == last.version
