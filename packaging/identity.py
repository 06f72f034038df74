# SPDX-License-Identifier: Apache-2.0
"""The contact data of a release, read from the environment.

SLIPWAY_MAINTAINER: the packages' maintainer, NAME <ADDRESS>.
SLIPWAY_HOMEPAGE: the project's page.
SLIPWAY_SOURCE_URL: where git gets the sources from.
SLIPWAY_REPOSITORY_URL: where the directory of the signed repositories is served.
SLIPWAY_BUILDER: a URI of the builder, the builder's id of SLSA's provenance.

Unset values are left out of packages, images and attestations. A release is refused without them.
"""

import re
import urllib.parse

AUTHORS = "the Slipway authors"  # of NOTICE; for required fields without a maintainer
ADDRESSES = {
    "SLIPWAY_HOMEPAGE": "the project's page",
    "SLIPWAY_SOURCE_URL": "where git gets the sources from",
    "SLIPWAY_REPOSITORY_URL": "where the signed repositories are offered",
    "SLIPWAY_BUILDER": "a page that tells who builds",
}
# Reserved names without an owner (RFC 2606, RFC 6761, RFC 6762).
NOBODYS = ("example", "example.com", "example.net", "example.org", "invalid", "test", "localhost", "local")


def is_nobodys(host):
    """Returns True if a name has no owner, or only means the machine itself."""
    host = host.lower().rstrip(".")
    return "." not in host or any(host == name or host.endswith(f".{name}") for name in NOBODYS)


def flaws(environment):
    """Every reason why a release cannot be built with this environment."""
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
