# SPDX-License-Identifier: Apache-2.0
"""The known vulnerabilities of linked libraries that are fixed in our programs, as an OpenVEX document.

A vulnerability is listed as fixed if Debian's changelog of the linked version names it. A scanner that compares only
upstream's version numbers would report it.
"""

import gzip
import json
import re
import uuid
from pathlib import Path

DOCUMENTS = Path("/usr/share/doc")
CONTEXT = "https://openvex.dev/ns/v0.2.0"


def fixed_by(changelog):
    """Returns vulnerability → the oldest version whose entry in a Debian changelog names the vulnerability."""
    found, version = {}, ""
    for line in changelog.splitlines():
        heading = re.match(r"^\S+ \(([^)]+)\)", line)
        version = heading[1] if heading else version
        found.update(dict.fromkeys(re.findall(r"\bCVE-\d{4}-\d{4,}\b", line), version))
    return found


def changelog_of(binaries, documents=DOCUMENTS):
    """Returns Debian's changelog of the first of the packages that has one; "" if none of them is installed."""
    for name in binaries:
        for file in ("changelog.Debian.gz", "changelog.gz"):
            path = documents / name.split(":")[0] / file
            if path.exists():
                return gzip.decompress(path.read_bytes()).decode(errors="replace")
    return ""


def statements(spdx, documents=DOCUMENTS):
    """Returns one statement for each vulnerability of each library that is linked into the program."""
    program, *linked = spdx["packages"]
    product = f"pkg:generic/slipway/{program['name']}@{program['versionInfo']}"
    for package in linked:
        binaries = package["comment"].removeprefix("from ").split(", ")
        purl = package["externalRefs"][0]["referenceLocator"]
        for name, version in sorted(fixed_by(changelog_of(binaries, documents)).items()):
            yield {"vulnerability": {"name": name},
                   "products": [{"@id": product, "subcomponents": [{"@id": purl}]}],
                   "status": "fixed",
                   "status_notes": f"fixed in Debian's {package['name']} {version}"}


def document(spdx_documents, author, documents=DOCUMENTS):
    """Returns the document as a JSON string. The same input gives the same string."""
    listed = [statement for spdx in spdx_documents for statement in statements(spdx, documents)]
    identity = uuid.uuid5(uuid.NAMESPACE_URL, "".join(spdx["documentNamespace"] for spdx in spdx_documents))
    return json.dumps({
        "@context": CONTEXT,
        "@id": f"urn:uuid:{identity}",
        "author": author,
        "timestamp": spdx_documents[0]["creationInfo"]["created"],
        "version": 1,
        "statements": listed,
    }, indent=1) + "\n"
