# SPDX-License-Identifier: Apache-2.0
"""The provenance of a release's files as an in-toto statement with SLSA's predicate, and its signature.

SLIPWAY_BUILDER and SLIPWAY_SOURCE_URL name the builder and the sources (identity.py). Without them the
statement names neither.
"""

import base64
import hashlib
import json
import os
import subprocess
import tempfile
from pathlib import Path

BUILD_TYPE = "urn:slipway:package:v1"  # built by `./dev package` at the commit, in its build root
PAYLOAD_TYPE = "application/vnd.in-toto+json"


def subjects(directory):
    """Returns each file below the directory with its checksum."""
    paths = sorted(path for path in directory.rglob("*") if path.is_file())
    return [{"name": str(path.relative_to(directory)),
             "digest": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}} for path in paths]


def source(commit, environment):
    """Returns the sources as a resource of the build: the commit, and the URL from which git gets it."""
    url = environment.get("SLIPWAY_SOURCE_URL")
    return {"name": "slipway", **({"uri": f"git+{url}@{commit}"} if url else {}), "digest": {"gitCommit": commit}}


def builder(environment):
    """Returns the part of the statement that names the builder."""
    name = environment.get("SLIPWAY_BUILDER")
    return {"builder": {"id": name}} if name else {}


def statement(directory, spdx_documents, version, commit, environment=os.environ):
    """Returns the statement (in-toto.io/Statement/v1) about all files below the directory."""
    sources = {package["externalRefs"][0]["referenceLocator"] for spdx in spdx_documents
               for package in spdx["packages"][1:]}
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects(directory),
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"version": version, "commit": commit},
                "resolvedDependencies": [source(commit, environment),
                                         *({"uri": uri} for uri in sorted(sources))],
            },
            "runDetails": {
                **builder(environment),
                "metadata": {"invocationId": commit},
            },
        },
    }


def signed_text(payload):
    """Returns the bytes to sign: DSSE's pre-authentication encoding."""
    head = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} "
    return head.encode() + payload


def envelope(document, key):
    """Returns the statement in a DSSE envelope, signed with the Ed25519 key of a PEM file."""
    payload = json.dumps(document, sort_keys=True).encode()
    with tempfile.TemporaryDirectory() as directory:
        message, signature = Path(directory, "message"), Path(directory, "signature")
        message.write_bytes(signed_text(payload))
        subprocess.run(["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", message, "-out", signature],
                       check=True)
        raw = signature.read_bytes()
    return {"payloadType": PAYLOAD_TYPE, "payload": base64.b64encode(payload).decode(),
            "signatures": [{"sig": base64.b64encode(raw).decode()}]}
