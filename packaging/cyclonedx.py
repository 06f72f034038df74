# SPDX-License-Identifier: Apache-2.0
"""The SBOM of a program as a CycloneDX 1.6 document. It is generated from the SPDX document, so the two agree."""

import json

SCHEMA = "http://cyclonedx.org/schema/bom-1.6.schema.json"


def _licences(package):
    declared = package["licenseDeclared"]
    return {} if declared == "NOASSERTION" else {"licenses": [{"expression": declared}]}


def _component(package):
    component = {"type": "library", "bom-ref": package["SPDXID"], "name": package["name"],
                 "version": package["versionInfo"], **_licences(package)}
    for reference in package.get("externalRefs", []):
        component["purl"] = reference["referenceLocator"]
    if "homepage" in package:
        component["externalReferences"] = [{"type": "website", "url": package["homepage"]}]
    return component


def document(spdx):
    """Returns the document as a JSON string. The same input gives the same string."""
    program, *linked = spdx["packages"]
    hashes = [{"alg": "SHA-256", "content": checksum["checksumValue"]} for checksum in program["checksums"]]
    refs = [package["SPDXID"] for package in linked]
    return json.dumps({
        "$schema": SCHEMA,
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": spdx["documentNamespace"],
        "version": 1,
        "metadata": {
            "timestamp": spdx["creationInfo"]["created"],
            "component": {**_component(program), "type": "application", "hashes": hashes},
        },
        "components": [_component(package) for package in linked],
        "dependencies": [{"ref": program["SPDXID"], "dependsOn": refs}, *({"ref": ref} for ref in refs)],
    }, indent=2) + "\n"
