# SPDX-License-Identifier: Apache-2.0
"""Who answers for what is released, and where it is found: given from outside, by the environment.

    SLIPWAY_MAINTAINER      who answers for the packages: NAME <ADDRESS>
    SLIPWAY_HOMEPAGE        the project's page
    SLIPWAY_SOURCE_URL      where git gets the sources from
    SLIPWAY_REPOSITORY_URL  where the directory of the signed repositories is offered
    SLIPWAY_BUILDER         a URI that names whoever builds, the builder's id of SLSA's provenance

What is not given is left out of packages, images and attestations. A release is refused without it.
"""

import re
import urllib.parse

AUTHORS = "the Slipway authors"  # of NOTICE; for what must name somebody when no maintainer is given
ADDRESSES = {
    "SLIPWAY_HOMEPAGE": "the project's page",
    "SLIPWAY_SOURCE_URL": "where git gets the sources from",
    "SLIPWAY_REPOSITORY_URL": "where the signed repositories are offered",
    "SLIPWAY_BUILDER": "a page that tells who builds",
}
# Names that nobody can own (RFC 2606, RFC 6761, RFC 6762).
NOBODYS = ("example", "example.com", "example.net", "example.org", "invalid", "test", "localhost", "local")


def is_nobodys(host):
    """Whether a name can belong to nobody, or only means the machine itself."""
    host = host.lower().rstrip(".")
    return "." not in host or any(host == name or host.endswith(f".{name}") for name in NOBODYS)


def flaws(environment):
    """Every reason why a release cannot be made with what the environment says."""
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
