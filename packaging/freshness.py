# SPDX-License-Identifier: Apache-2.0
"""Checks that a release links the newest libraries that the distribution offers.

A release contains its libraries, so it would bring the known vulnerabilities of an old library to every user. apt's
data count only while the index of the security archive is valid by its own Valid-Until.
"""

import datetime
import email.utils
import re
import subprocess
from pathlib import Path

LISTS = Path("/var/lib/apt/lists")
# The packages that buildroot/ builds, each with its Debian source package.
BUILT_HERE = {"libcurl-slipway-dev": "curl", "libcurl-slipway-arm64-dev": "curl"}


class Stale(Exception):
    """The reason why a release cannot be built now, with the remedy."""


def require_fresh_security_index(releases, now):
    """Returns when the index of the security archive expires, according to its Release file in `releases`.

    Raises Stale if `releases` has no such file, or if the index is not valid at `now`.
    """
    for text in releases:
        suite = re.search(r"^Suite: (\S+)", text, re.MULTILINE)
        until = re.search(r"^Valid-Until: (.+)$", text, re.MULTILINE)
        if suite and until and suite[1].endswith("-security"):
            end = email.utils.parsedate_to_datetime(until[1].replace("UTC", "+0000"))
            if end <= now:
                raise Stale(f"apt's index of {suite[1]} was valid until {until[1]}: run apt-get update")
            return end
    raise Stale("apt knows no security archive on this machine, so nobody can tell whether the "
                "libraries have known holes: add it to apt's sources and run apt-get update")


def outdated(policy):
    """Returns (package, installed, offered) for each package with a newer candidate in the output of `apt-cache
    policy`."""
    rows = re.findall(r"^(\S+):\n  Installed: (\S+)\n  Candidate: (\S+)$", policy, re.MULTILINE)
    return [row for row in rows if row[1] != row[2]]


def newest(versions):
    """Returns the newest of Debian versions."""
    def newer(one, other):
        return subprocess.run(["dpkg", "--compare-versions", one, "gt", other], check=False).returncode == 0
    best = versions[0]
    for version in versions[1:]:
        best = version if newer(version, best) else best
    return best


def outdated_sources(packages):
    """Yields rows of the same form for packages that were built here from an outdated source."""
    for package in sorted({package.split(":")[0] for package in packages} & set(BUILT_HERE)):
        installed = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], check=True,
                                   capture_output=True, text=True).stdout
        records = subprocess.run(["apt-cache", "showsrc", BUILT_HERE[package]], check=True,
                                 capture_output=True, text=True).stdout
        offered = newest(re.findall(r"^Version: (\S+)$", records, re.MULTILINE))
        if installed != offered:
            yield package, installed, offered


def check(packages):
    """Raises Stale unless all given Debian packages are as new as the archives offer."""
    releases = [path.read_text(errors="replace") for path in LISTS.glob("*Release")]
    require_fresh_security_index(releases, datetime.datetime.now(datetime.timezone.utc))
    policy = subprocess.run(["apt-cache", "policy", *sorted(packages)], check=True,
                            capture_output=True, text=True).stdout
    rows = [*outdated(policy), *outdated_sources(packages)]
    if rows:
        named = ", ".join(f"{name} {installed} (offered: {offered})" for name, installed, offered in rows)
        raise Stale(f"linked libraries are older than what the distribution offers: {named}; ./dev build "
                    "takes the newest that can be had, then make the packages again")
