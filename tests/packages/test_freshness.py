# SPDX-License-Identifier: Apache-2.0
"""A release must not be built with libraries of which the distribution has a newer version."""

import datetime
import sys

import pytest

from packages.conftest import TOP

sys.path.insert(0, str(TOP / "packaging"))

import freshness  # noqa: E402

NOW = datetime.datetime(2026, 6, 15, tzinfo=datetime.timezone.utc)
SECURITY = "Suite: oldstable-security\nValid-Until: {}\n"
VALID = SECURITY.format("Sat, 20 Jun 2026 00:53:02 UTC")
POLICY = """libssl-dev:
  Installed: 3.0.19-1
  Candidate: {}
  Version table:
     3.0.22-1 500
libfmt-dev:
  Installed: 9.1.0
  Candidate: 9.1.0
  Version table:
 *** 9.1.0 500
"""


def test_a_valid_index_is_accepted():
    until = freshness.require_fresh_security_index(["Suite: oldstable\n", VALID], NOW)
    assert until == datetime.datetime(2026, 6, 20, 0, 53, 2, tzinfo=datetime.timezone.utc)


@pytest.mark.parametrize("releases, words", [
    ([], "knows no security archive"),
    (["Suite: oldstable\nValid-Until: Sat, 20 Jun 2027 00:53:02 UTC\n"], "knows no security archive"),
    (["Suite: oldstable-security\n"], "knows no security archive"),
    ([SECURITY.format("Sat, 13 Jun 2026 00:53:02 UTC")], "apt-get update"),
])
def test_an_invalid_index_is_refused(releases, words):
    with pytest.raises(freshness.Stale, match=words):
        freshness.require_fresh_security_index(releases, NOW)


def test_an_older_library_is_named():
    assert freshness.outdated(POLICY.format("3.0.22-1")) == [("libssl-dev", "3.0.19-1", "3.0.22-1")]
    assert freshness.outdated(POLICY.format("3.0.19-1")) == []


def test_this_machine_may_make_releases(packages):
    """The tested packages were built on this machine, so none of their libraries may be outdated now."""
    freshness.check({"libssl-dev", "libzstd-dev", "libyaml-dev"})


def test_packages_made_with_old_ones_are_refused(monkeypatch):
    monkeypatch.setattr(freshness.subprocess, "run", lambda *_, **__: Answer(POLICY.format("3.0.22-1")))
    monkeypatch.setattr(freshness, "require_fresh_security_index", lambda *_: None)
    with pytest.raises(freshness.Stale, match=r"libssl-dev 3.0.19-1 \(offered: 3.0.22-1\)"):
        freshness.check({"libssl-dev", "libfmt-dev"})


def test_a_build_from_an_older_source_is_named(monkeypatch):
    def run(argv, **options):
        if argv[0] == "dpkg-query":
            return Answer("8.14.1-2+deb13u5")
        if argv[0] == "apt-cache":
            return Answer("Package: curl\nVersion: 8.14.1-2+deb13u5\n\nPackage: curl\nVersion: 8.14.1-2+deb13u10\n")
        return subprocess_run(argv, **options)
    subprocess_run = freshness.subprocess.run
    monkeypatch.setattr(freshness.subprocess, "run", run)
    assert list(freshness.outdated_sources({"libcurl-slipway-dev", "libssl-dev"})) == [
        ("libcurl-slipway-dev", "8.14.1-2+deb13u5", "8.14.1-2+deb13u10")]
    assert list(freshness.outdated_sources({"libssl-dev"})) == []


class Answer:
    def __init__(self, stdout):
        self.stdout = stdout
