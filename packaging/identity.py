# SPDX-License-Identifier: Apache-2.0
"""The contact data of a release, read from the environment.

SLIPWAY_MAINTAINER: the maintainer of the packages, NAME <ADDRESS>.
SLIPWAY_HOMEPAGE: the project's page.
SLIPWAY_SOURCE_URL: the URL from which git gets the sources.
SLIPWAY_REPOSITORY_URL: the URL of the directory with the signed repositories.
SLIPWAY_BUILDER: the URI of the builder, which is the builder's id in SLSA's provenance.

Packages, images and attestations omit values that are not set. A release requires all of them.
"""

import re
import urllib.parse

AUTHORS = "the Slipway authors"  # as in NOTICE; for required fields if no maintainer is set
ADDRESSES = {
    "SLIPWAY_HOMEPAGE": "the project's page",
    "SLIPWAY_SOURCE_URL": "where git gets the sources from",
    "SLIPWAY_REPOSITORY_URL": "where the signed repositories are offered",
    "SLIPWAY_BUILDER": "a page that tells who builds",
}
# Reserved names, which have no owner (RFC 2606, RFC 6761, RFC 6762).
NOBODYS = ("example", "example.com", "example.net", "example.org", "invalid", "test", "localhost", "local")


def is_nobodys(host):
    """Returns True if a host name has no owner, or means only the machine itself."""
    host = host.lower().rstrip(".")
    return "." not in host or any(host == name or host.endswith(f".{name}") for name in NOBODYS)


def flaws(environment):
    """Returns all reasons why a release cannot be built with this environment."""
    maintainer = environment.get("SLIPWAY_MAINTAINER", "")
    address = re.fullmatch(r"[^<>\s][^<>]* <[^<>@\s]+@([^<>@\s]+)>", maintainer)
    if not maintainer:
        yield "SLIPWAY_MAINTAINER does not say who answers for the packages: NAME <ADDRESS>"
    elif not address:
        yield f"SLIPWAY_MAINTAINER has not the form NAME <ADDRESS>: {maintainer}"
    elif is_nobodys(address[1]):
        yield f"SLIPWAY_MAINTAINER has an address that nobody can write to: {maintainer}"
    for name, what in ADDRESSES.items():
        value = environment.get(name, "")
        parts = urllib.parse.urlsplit(value)
        if not value:
            yield f"{name} is not set: {what}"
        elif parts.scheme != "https" or is_nobodys(parts.hostname or ""):
            yield f"{name} is not an https:// address that others can open: {value}"
