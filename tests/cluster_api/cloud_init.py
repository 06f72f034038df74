# SPDX-License-Identifier: Apache-2.0
"""Carries out the cloud-init documents of Cluster API's kubeadm bootstrap provider on a host of the bench."""

import base64
import re
import shlex

import yaml

FIRST_LINES = ("## template: jinja", "#cloud-config")
MODULES = ("bootcmd", "write_files", "runcmd")  # in the order in which cloud-init runs them
DECODERS = {"": str, "base64": lambda text: base64.b64decode(text).decode()}
VARIABLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
SUCCESS = "/run/cluster-api/bootstrap-success.complete"


class Unsupported(Exception):
    """The document asks for something that hosts of the bench do not have. The message names it."""


def parse(document, metadata):
    """Returns the document's modules as a dict. `metadata` are the values of the datasource, for the template.

    Throws Unsupported on modules, encodings, owners and variables that `carry_out` does not know."""
    for expected, line in zip(FIRST_LINES, document.splitlines(), strict=False):
        if line != expected:
            raise Unsupported(f'the line "{line}" instead of "{expected}"')
    modules = yaml.safe_load(VARIABLE.sub(lambda found: _value(found.group(1), metadata), document))
    if unknown := sorted(set(modules) - set(MODULES)):
        raise Unsupported(f"modules: {', '.join(unknown)}")
    for file in modules.get("write_files", []):
        if file.get("encoding", "") not in DECODERS or file.get("owner", "root:root") != "root:root":
            raise Unsupported(f"encoding or owner of {file['path']}")
    return modules


def _value(name, metadata):
    prefix, _, key = name.rpartition(".")
    if prefix != "ds.meta_data" or key not in metadata:
        raise Unsupported(f"variable {name}")
    return metadata[key]


def carry_out(document, metadata, host, timeout):
    """Runs the document on the host, as cloud-init does at a first boot: commands go on after an error. Appends the
    output to cloud-init.log of the host. Returns whether the bootstrap succeeded, by the file that Cluster API's
    providers look for."""
    modules = parse(document, metadata)
    _run(modules.get("bootcmd", []), host, timeout)
    for file in modules.get("write_files", []):
        _write(file, host)
    _run(modules.get("runcmd", []), host, timeout)
    return host.path(SUCCESS).exists()


def _write(file, host):
    content = DECODERS[file.get("encoding", "")](file.get("content", ""))
    if file.get("append") and host.path(file["path"]).exists():
        content = host.read(file["path"]) + content
    host.write(file["path"], content, int(file.get("permissions", "0644"), 8))


def _run(commands, host, timeout):
    """Runs shell commands, and commands that are lists of words, as one script."""
    words = [command if isinstance(command, str) else shlex.join(map(str, command))
             for command in commands]
    result = host.run("sh", "-x", stdin="\n".join([*words, ""]), check=False, timeout=timeout)
    with open(host.logs / "cloud-init.log", "a", encoding="utf-8") as log:
        log.write(result.stdout + result.stderr)
