# SPDX-License-Identifier: Apache-2.0
"""Tests how `./dev new-release` edits the recipes, without the module proxy and without a build."""

import importlib.machinery
import importlib.util
import subprocess

import pytest

from components import recipes

PATH = recipes.HERE.parent.parent / "packaging/new-release"
LOADER = importlib.machinery.SourceFileLoader("new_release", str(PATH))
new_release = importlib.util.module_from_spec(importlib.util.spec_from_loader("new_release", LOADER))
LOADER.exec_module(new_release)

TABLE = (recipes.HERE.parent.parent / "src/model/releases/table.h").read_text()


def row(table, minor):
    return next(row for row in new_release.ROW.findall(table) if new_release.field(row, "minor") == str(minor))


def test_raises_the_row_of_a_patch_and_no_other():
    known = new_release.field(row(TABLE, 36), "version")
    patch = f"v1.36.{int(known.rsplit('.')[-1]) + 1}"
    table, before, is_new = new_release.raised_table(TABLE, patch)
    assert (before, is_new) == (known, False)
    assert new_release.field(row(table, 36), "version") == patch
    assert table.replace(f'"{patch}"', f'"{known}"') == TABLE


def with_last_row_of(suffix):
    """Returns the table with the first release, or a pre-release, of its last minor version. Also returns that minor
    version."""
    last = max(int(new_release.field(each, "minor")) for each in new_release.ROW.findall(TABLE))
    known = row(TABLE, last)
    return TABLE.replace(known, new_release.with_field(known, "version", f"v1.{last}.0{suffix}")), last


def test_appends_a_row_for_the_next_minor():
    before, last = with_last_row_of("")
    table, _, is_new = new_release.raised_table(before, f"v1.{last + 1}.0")
    assert is_new
    added = row(table, last + 1)
    assert new_release.field(added, "version") == f"v1.{last + 1}.0"
    assert table.replace(added, "") == before


def test_appends_no_row_after_a_pre_release():
    before, last = with_last_row_of("-beta.0")
    with pytest.raises(new_release.Refused, match=rf"add the release of v1\.{last} first"):
        new_release.raised_table(before, f"v1.{last + 1}.0-alpha.1")
    table, known, is_new = new_release.raised_table(before, f"v1.{last}.0")
    assert (known, is_new) == (f"v1.{last}.0-beta.0", False)
    assert new_release.field(row(table, last), "version") == f"v1.{last}.0"


@pytest.mark.parametrize("version, is_changed", [("v1.37.3", True), ("v1.38.0", False)])
def test_a_release_of_another_minor_leaves_the_tests_of_the_table(monkeypatch, tmp_path, version, is_changed):
    for name in ("README.md", "src/model/releases/releases_test.cc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("v1.37.2\n")
    monkeypatch.setattr(new_release, "TOP", tmp_path)
    monkeypatch.setattr(new_release, "run", lambda *words, **more: subprocess.CompletedProcess(words, 0, stdout=""))
    new_release.replace_shown("v1.37.2", version)
    assert (tmp_path / "README.md").read_text() == f"{version}\n"
    test = (tmp_path / "src/model/releases/releases_test.cc").read_text()
    assert test == (f"{version}\n" if is_changed else "v1.37.2\n")


@pytest.mark.parametrize("version", ["v1.36.0", "v1.99.0", "1.37.9", "v1.37", "v2.0.0"])
def test_refuses_malformed_and_older_versions_and_skipped_minors(version):
    with pytest.raises(new_release.Refused):
        new_release.raised_table(TABLE, version)


def test_orders_previews_before_their_release():
    versions = ["v1.37.2", "v1.38.0-alpha.3", "v1.38.0-beta.0", "v1.38.0-rc.1", "v1.38.0", "v1.38.1"]
    assert sorted(reversed(versions), key=new_release.key) == versions


def test_takes_the_images_that_kubeadm_prints():
    printed = ("registry.k8s.io/kube-apiserver:v1.36.9\nregistry.k8s.io/coredns/coredns:v1.14.9\n"
               "registry.k8s.io/pause:3.11\nregistry.k8s.io/etcd:3.6.99-0\n")
    table = new_release.with_images(TABLE, 36, new_release.images_in(printed))
    changed = row(table, 36)
    assert [new_release.field(changed, name) for name in ("etcd", "core_dns", "pause")] == ["3.6.99-0", "v1.14.9", "3.11"]
    assert row(table, 37) == row(TABLE, 37)


def test_raises_modules_of_kubernetes_only():
    text = ("module slipway.test/components/k8s-1.36\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/kubernetes v1.36.1 // indirect\n"
            "\tgoogle.golang.org/protobuf v1.36.12-0.2026 // indirect\n)\n\nreplace k8s.io/api => k8s.io/api v0.36.1\n")
    assert new_release.raised_module(text, "v1.36.1", "v1.37.0", "1.27.0") == (
        "module slipway.test/components/k8s-1.37\n\ngo 1.27.0\n\nrequire (\n\tk8s.io/kubernetes v1.37.0 // indirect\n"
        "\tgoogle.golang.org/protobuf v1.36.12-0.2026 // indirect\n)\n\nreplace k8s.io/api => k8s.io/api v0.37.0\n")


def test_raises_the_module_of_kubernetes_own_tests():
    text = "module slipway.test/components/e2e-1.37\n\ngo 1.26.0\n\nrequire k8s.io/sample-apiserver v0.37.2\n"
    assert new_release.raised_module(text, "v1.37.2", "v1.37.3", "1.26.0") == text.replace("v0.37.2", "v0.37.3")


def test_lists_pages_that_name_the_previous_patch_and_counts_examples():
    names = ["docs/timeline.md", "src/node/certs/period_test.cc", "tests/cluster/testdata/dying-kubelet"]
    assert new_release.left_of_names("v1.37.2", names) == [
        "docs/timeline.md names v1.37.2: read it", "2 sources and tests have v1.37.2 as an example, and may keep it"]


@pytest.mark.parametrize("text, is_shown", [
    ("the newest release, v1.37.2. It", True), ("kubeadm = 1.37.2-1.1", True), ("`1.37.2`", True), ("v1.37.2/bin", True),
    ("v1.37.20", False), ("v1.37.2.1", False), ("v11.37.2", False), ("v1.37.2-rc.0", False),
])
def test_finds_the_version_in_texts(text, is_shown):
    assert bool(new_release.shown("v1.37.2").search(text)) == is_shown
