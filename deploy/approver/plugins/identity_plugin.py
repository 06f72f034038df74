# SPDX-License-Identifier: Apache-2.0
"""The common part of the plug-ins for identity documents: query, answer, refusals, signatures by openssl."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "approver.slipway/v1alpha1"
REFUSED = 3  # the exit status of a refused document


class Refused(Exception):
    """The document proves nothing; the message tells the machine's owner why."""


def openssl(*arguments, data=b"", **files):
    """Returns the output of openssl, or None if it fails. Arguments of the form {NAME} are files with that content."""
    with tempfile.TemporaryDirectory() as directory:
        for name, content in files.items():
            Path(directory, name).write_bytes(content)
        paths = {name: str(Path(directory, name)) for name in files}
        done = subprocess.run(["openssl", *(each.format(**paths) for each in arguments)], input=data,
                              capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def require(condition, why):
    if not condition:
        raise Refused(why)


def text(document, *path):
    """The string at a path of a JSON document; a document without it is refused."""
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    require(isinstance(document, str) and document, f"it has no {'.'.join(path)}")
    return document


def run(verify):
    """Answers the query on standard input by the machine that `verify(document)` returns, an item of an inventory."""
    query = json.load(sys.stdin)
    if (query.get("apiVersion"), query.get("kind")) != (VERSION, "DocumentQuery"):
        sys.exit(f"unknown query {query.get('kind')} of {query.get('apiVersion')}")
    try:
        machine = verify(query["document"])
    except Refused as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(REFUSED)
    json.dump({"apiVersion": VERSION, "kind": "Inventory", "items": [machine]}, sys.stdout)
