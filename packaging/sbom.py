# SPDX-License-Identifier: Apache-2.0
"""The libraries linked into a program, as an SPDX 2.3 document.

The linker's map names the archives from which it took members. ninja's record of headers names the libraries whose code
was included as templates. readelf names the libraries that are loaded at run time. dpkg knows the package and version
of each file. Only the licences are listed by hand.
"""

import hashlib
import json
import re
import subprocess
import uuid
from pathlib import Path

# Source package → licence of its linked code (https://spdx.org/licenses).
LICENCES = {
    "c-ares": "MIT",
    "curl": "curl",
    "fmtlib": "MIT",
    "gcc-14": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-14-cross": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "libyaml": "MIT",
    "nghttp2": "MIT",
    "nlohmann-json3": "MIT",
    "openssl": "Apache-2.0",
    "protobuf": "BSD-3-Clause",
    "libzstd": "BSD-3-Clause",
    "zlib": "Zlib",
}
# The headers of these packages contain only declarations: none of their code is in a program.
DECLARATIONS_ONLY = {"glibc", "linux"}
HOW = {"archive": "STATIC_LINK", "headers": "STATIC_LINK", "loaded": "DYNAMIC_LINK"}


def run(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


def archives(link_map):
    """Returns the paths of the archives whose members are in the program. Our own archives have the names of their
    libraries."""
    return sorted(set(re.findall(r" (\S+\.a)\(\S+\):\(", link_map)))


def headers(build, libraries):
    """Returns the system's headers that the sources of those libraries include."""
    found = set()
    wanted = False
    for line in run("ninja", "-C", str(build), "-t", "deps").splitlines():
        if not line.startswith(" "):
            wanted = any(line.startswith(f"CMakeFiles/{library}.dir/") for library in libraries)
        elif wanted and line.strip().startswith("/usr/"):
            found.add(line.strip())
    return sorted(found)


def loaded(program):
    """Returns the paths of the libraries that the program needs at run time."""
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", str(program)))
    directory = f"/usr/lib/{run('gcc', '-print-multiarch').strip()}"
    return [str(Path(directory, name)) for name in names]


class Dpkg:
    """Queries the owners of files."""

    def owners(self, paths):
        """Returns source package → (version, binary packages) for the packages that own one of the files."""
        found = {}
        for path in paths:
            found.update(dict.fromkeys(self._packages_of(path)))
        owners = {}
        for package in found:
            line = run("dpkg-query", "-W", "-f", "${source:Package}\t${source:Version}\n", package)
            source, version = line.splitlines()[0].split("\t")
            owners.setdefault(source, (version, set()))[1].add(package)
        return owners

    def _packages_of(self, path):
        # dpkg may know a library by the path that it had before /usr was merged.
        for name in (path, path.removeprefix("/usr"), str(Path(path).resolve())):
            result = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
            if result.returncode == 0:
                return {line.rsplit(": ", 1)[0].split(",")[0] for line in result.stdout.splitlines()}
        raise SystemExit(f"no Debian package owns {path}, so its version is not known")


def directories(paths):
    """Returns one header of each directory: one identifies the owner, and dpkg has fewer queries to answer."""
    return sorted({str(Path(path).parent): path for path in reversed(paths)}.values())


def linked(program, link_map, build):
    """Returns sorted rows (source package, version, binary packages, how)."""
    taken = archives(link_map.read_text())
    ours = [Path(path).stem.removeprefix("lib") for path in taken if not path.startswith("/")]
    system = [path for path in taken if path.startswith("/") and not path.startswith(str(build))]
    dpkg = Dpkg()
    rows = {}
    for how, paths in (
        ("loaded", loaded(program)),
        ("headers", directories(headers(build, ours))),
        ("archive", system),
    ):
        for source, (version, packages) in dpkg.owners(paths).items():
            if how == "headers" and source in DECLARATIONS_ONLY:
                continue
            known = rows.get((source, how == "loaded"))
            rows[source, how == "loaded"] = (
                source, version, sorted(packages | set(known[2] if known else ())), how)
    # Ignores headers of a library that is not linked, because they contribute only declarations.
    with_archive = {row[0] for row in rows.values() if row[3] != "headers"}
    header_only = {"fmtlib", "nlohmann-json3"}
    return sorted(row for row in rows.values() if row[0] in with_archive | header_only)


def document(name, version, program, rows, *, time, homepage=""):
    """Returns the SPDX document as a JSON string. The same input gives the same string."""
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    root = {
        "SPDXID": "SPDXRef-program",
        "name": name,
        "versionInfo": version,
        "supplier": "Organization: Slipway",
        "downloadLocation": "NOASSERTION",
        **({"homepage": homepage} if homepage else {}),
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "Copyright 2026 the Slipway authors",
        "primaryPackagePurpose": "APPLICATION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }
    packages, relations = [root], [_relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-program")]
    for source, source_version, binaries, how in rows:
        identity = f"SPDXRef-{'loaded-' if how == 'loaded' else ''}{source}"
        licence = LICENCES.get(source, "NOASSERTION")
        packages.append({
            "SPDXID": identity,
            "name": source,
            "versionInfo": source_version,
            "supplier": "Organization: Debian",
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": licence,
            "licenseDeclared": licence,
            "copyrightText": "NOASSERTION",
            "comment": "from " + ", ".join(binaries),
            "externalRefs": [{
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:deb/debian/{source}@{source_version}?arch=source",
            }],
        })
        relations.append(_relation("SPDXRef-program", HOW[how], identity))
    return json.dumps({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "creationInfo": {"created": time, "creators": ["Tool: slipway-sbom"]},
        "packages": packages,
        "relationships": relations,
    }, indent=2) + "\n"


def _relation(source, kind, target):
    return {"spdxElementId": source, "relationshipType": kind, "relatedSpdxElement": target}
