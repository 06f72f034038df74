# SPDX-License-Identifier: Apache-2.0
"""Preconditions of a release, and the files built from a tag: notes, attestations, checksums, signatures."""

import base64
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import types

import pytest

from packages.conftest import TOP
from packages.test_attestations import SPDX, key  # noqa: F401

sys.path.insert(0, str(TOP / "packaging"))

import identity  # noqa: E402

# A reserved domain without an owner (RFC 8375), which is not one of the refused domains.
IDENTITY = {
    "SLIPWAY_MAINTAINER": "The team <team@slipway.home.arpa>", "SLIPWAY_HOMEPAGE": "https://slipway.home.arpa",
    "SLIPWAY_SOURCE_URL": "https://slipway.home.arpa/slipway.git", "SLIPWAY_REPOSITORY_URL": "https://packages.slipway.home.arpa",
    "SLIPWAY_BUILDER": "https://slipway.home.arpa/builder",
}
AUTHOR = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]


def run(tree, program, *words, **environment):
    return subprocess.run([tree / "packaging" / program, *words], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], **environment})


def commit_and_tag(tree, tag):
    for words in (["init", "-q"], ["add", "."], [*AUTHOR, "commit", "-qm", "x"], [*AUTHOR, "tag", tag]):
        subprocess.run(["git", *words], cwd=tree, check=True)


@pytest.fixture
def tree(tmp_path):
    """A repository with everything that a release of 1.2.3 needs, except for the environment."""
    tree = tmp_path / "tree"
    (tree / "packaging").mkdir(parents=True)
    for name in ("release", "identity.py"):
        shutil.copy(TOP / "packaging" / name, tree / "packaging")
    (tree / "CMakeLists.txt").write_text("project(slipway VERSION 1.2.3 LANGUAGES C CXX)\n")
    (tree / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3\n\n- Better.\n\n## 1.2.2\n\n- Good.\n")
    (tree / ".gitignore").write_text("__pycache__/\n")
    commit_and_tag(tree, "v1.2.3")
    return tree


def test_a_release_that_is_ready_gets_its_notes(tree, tmp_path):
    notes = tmp_path / "NOTES.md"
    done = run(tree, "release", "1.2.3", "--notes", notes, SLIPWAY_SIGNING_KEY="a", SLIPWAY_GPG_KEY="b", **IDENTITY)
    assert (done.returncode, done.stderr) == (0, "")
    assert notes.read_text() == "- Better.\n"


@pytest.fixture
def files(monkeypatch):
    """The program packaging/files as a module."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader = importlib.machinery.SourceFileLoader("files", str(TOP / "packaging" / "files"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("files", loader))
    loader.exec_module(module)
    return module


def test_debian_changelog_keeps_groups_and_wraps_points(files, monkeypatch, tmp_path):
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\nFormat.\n\n## Unreleased\n\n### Added\n\n#### kubeadm init\n\n- First\n  point.\n- Second.\n\n"
        "### Fixed\n\n- Third.\n\n## 0.1.0\n\n- Old.\n")
    monkeypatch.setattr(files, "TOP", tmp_path)
    options = types.SimpleNamespace(version="0.2.0", time=0, maintainer="The team <team@slipway.home.arpa>")
    assert files.changelog(options, "slipway-kubeadm") == (
        "slipway-kubeadm (0.2.0) stable; urgency=medium\n\n"
        "  [ Added ]\n\n  [ kubeadm init ]\n  * First point.\n  * Second.\n\n  [ Fixed ]\n  * Third.\n\n"
        " -- The team <team@slipway.home.arpa>  Thu, 01 Jan 1970 00:00:00 +0000\n")


def test_every_reason_against_a_release_is_named(tree):
    (tree / "CHANGELOG.md").write_text("## Unreleased\n")
    done = run(tree, "release", "1.2.4")
    assert done.returncode == 1
    for words in ("no tag v1.2.4", "not committed", "another version than 1.2.4", 'no section "## 1.2.4"',
                  "SLIPWAY_SIGNING_KEY", "SLIPWAY_GPG_KEY", *IDENTITY):
        assert words in done.stderr


@pytest.mark.parametrize("name, value, words", [
    ("SLIPWAY_MAINTAINER", "The team <team@slipway.example>", "nobody can write to"),
    ("SLIPWAY_MAINTAINER", "The team <team@slipway.invalid>", "nobody can write to"),
    ("SLIPWAY_MAINTAINER", "The team <team@mail.example.org>", "nobody can write to"),
    ("SLIPWAY_MAINTAINER", "root <root@localhost>", "nobody can write to"),
    ("SLIPWAY_MAINTAINER", "The team", "has not the form"),
    ("SLIPWAY_MAINTAINER", "<team@slipway.home.arpa>", "has not the form"),
    ("SLIPWAY_HOMEPAGE", "http://slipway.home.arpa", "not an https:// address"),
    ("SLIPWAY_HOMEPAGE", "slipway.home.arpa", "not an https:// address"),
    ("SLIPWAY_REPOSITORY_URL", "https://packages.example.org/slipway", "not an https:// address"),
    ("SLIPWAY_SOURCE_URL", "file:///srv/slipway.git", "not an https:// address"),
    ("SLIPWAY_BUILDER", "https://ci.internal.local/1", "not an https:// address"),
])
def test_placeholders_are_refused(name, value, words):
    [flaw] = identity.flaws({**IDENTITY, name: value})
    assert flaw.startswith(name) and words in flaw


def test_an_identity_that_is_whole_has_no_flaw():
    assert list(identity.flaws(IDENTITY)) == []


@pytest.fixture
def checkout(tmp_path):
    """All sources in a separate repository, whose only commit has the tag v9.8.7."""
    tree = tmp_path / "checkout"
    tree.mkdir()
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP, check=True,
                            capture_output=True).stdout.split(b"\0")
    there = b"\0".join(name for name in listed if name and (TOP / os.fsdecode(name)).exists())
    subprocess.run(["xargs", "-0", "cp", "--parents", "-P", "-t", tree], cwd=TOP, input=there, check=True)
    for name, old, new in (("CMakeLists.txt", "project(slipway VERSION ", "project(slipway VERSION 9.8.7 WAS "),
                           ("CHANGELOG.md", "## Unreleased", "## 9.8.7")):
        text = (tree / name).read_text()
        assert text.count(old) == 1
        (tree / name).write_text(text.replace(old, new))
    commit_and_tag(tree, "v9.8.7")
    return tree


@pytest.fixture
def made(tmp_path):
    """Small files that replace the files of a release."""
    directory = tmp_path / "packages"
    (directory / "release/v1.37.2/bin/linux/amd64").mkdir(parents=True)
    for name in ("slipway-kubeadm_9.8.7_amd64.deb", "slipway-kubeadm_9.8.7_arm64.deb", "release/v1.37.2/bin/linux/amd64/kubeadm"):
        (directory / name).write_text(name)
    (directory / "kubeadm.spdx.json").write_text(json.dumps(SPDX))
    return directory


def test_a_tagged_checkout_becomes_a_release(checkout, made, key, tmp_path):  # noqa: F811
    environment = {"SLIPWAY_SIGNING_KEY": str(key), "SLIPWAY_GPG_KEY": "b", **IDENTITY}
    done = run(checkout, "release", "9.8.7", **environment)
    assert (done.returncode, done.stderr) == (0, "")
    done = run(checkout, "seal", made, "9.8.7", "c" * 40, SLIPWAY_RELEASE="9.8.7", **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"### (Added|Changed|Fixed|Security)\n\n", (made / "NOTES.md").read_text())

    files = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    sums = (made / "SHA256SUMS").read_text().splitlines()
    assert {line.split("  ")[1] for line in sums} == files - {"SHA256SUMS", "SHA256SUMS.sig"}
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=made, check=True)
    verify(key, made / "SHA256SUMS", made / "SHA256SUMS.sig")

    statement = json.loads((made / "provenance.json").read_text())
    attestations = {"SHA256SUMS", "SHA256SUMS.sig", "provenance.json", "provenance.intoto.jsonl"}
    assert {subject["name"] for subject in statement["subject"]} == files - attestations
    signed = json.loads((made / "provenance.intoto.jsonl").read_text())
    assert json.loads(base64.b64decode(signed["payload"])) == statement
    assert json.loads((made / "vex.openvex.json").read_text())["author"] == IDENTITY["SLIPWAY_MAINTAINER"]


def verify(key, message, signature):  # noqa: F811
    public = message.parent.parent / "public.pem"
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)
    subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", public, "-in", message, "-sigfile",
                    signature], check=True, capture_output=True)


def test_a_checkout_that_changed_after_its_tag_becomes_no_release(checkout):
    (checkout / "README.md").write_text("changed\n")
    done = run(checkout, "release", "9.8.7", SLIPWAY_SIGNING_KEY="a", SLIPWAY_GPG_KEY="b", **IDENTITY)
    assert done.returncode == 1 and "not committed" in done.stderr
