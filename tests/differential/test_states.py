# SPDX-License-Identifier: Apache-2.0
"""Nodes with randomly changed files: our commands leave the same files as upstream's."""

import base64
import random
import re
import subprocess

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization


from . import programs
from .command_lines import CERTIFICATES, KUBECONFIGS, RENEWABLE
from .states import Material, States

COMMANDS = [
    *(["init", "phase", "certs", what] for what in CERTIFICATES), *([["init", "phase", "certs", "all"]] * 6),
    *(["init", "phase", "kubeconfig", what] for what in KUBECONFIGS), *([["init", "phase", "kubeconfig", "all"]] * 6),
    *(["certs", "renew", what] for what in RENEWABLE), *([["certs", "renew", "all"]] * 6),
    *([["certs", "check-expiration"]] * 6), *([["certs", "check-expiration", "-o", "json"]] * 3),
    *([["certs", "generate-csr"]] * 4), *([["kubeconfig", "user", "--client-name", "me"]] * 4),
    ["init", "phase", "control-plane", "all"], ["init", "phase", "etcd", "local"],
]


@pytest.fixture(scope="module")
def material():
    return Material()


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    return programs.sound_node(tmp_path_factory.mktemp("node"), programs.RELEASE)


def test_spoiled_files_are_left_as_by_upstream(seed, node, material, tmp_path, pytestconfig):
    choice = random.Random(seed)
    states = States(seed, material)
    both_took = 0
    for number in range(pytestconfig.getoption("each") // 2):
        spoiled = tmp_path / f"node{number}"
        subprocess.run(["cp", "-a", node, spoiled], check=True)
        what = states.spoil(spoiled / "kubernetes")
        arguments = [*choice.choice(COMMANDS), "--config", "DIRECTORY/kubeadm.yaml"]
        theirs = programs.run(programs.upstream(programs.RELEASE), arguments, tmp_path, spoiled, describe)
        ours = programs.run(programs.OURS, arguments, tmp_path, spoiled, describe)
        both_took += theirs.code == ours.code == 0
        different = differences(arguments, theirs, ours)
        assert not different, "\n".join([f"kubeadm {arguments} where {what}", *different, theirs.errors, "--- ours:",
                                         ours.errors])
    assert both_took, "nothing was run"


def differences(arguments, theirs, ours):
    """Returns the differences that a user would notice, as text. Ignores the files after a failure, because one program
    may have got further than the other."""
    if is_repaired(ours, theirs):
        return []
    if ours.code != theirs.code:
        return [f"ends with {ours.code}, upstream with {theirs.code}"]
    if ours.code:
        return []
    found = [f"{name}: {ours.files.get(name)}\n--- upstream: {theirs.files.get(name)}"
             for name in sorted({*ours.files, *theirs.files})
             if ours.files.get(name) != theirs.files.get(name) and not is_more_than_upstream(name, theirs)]
    if "check-expiration" in arguments and said(ours) != said(theirs):
        found.append(f"says:\n{ours.output}\n--- upstream:\n{theirs.output}")
    return found


def is_repaired(ours, theirs):
    """Returns whether ours has renewed a certificate without extended key usages, which it does on purpose
    (docs/parity.md). Upstream fails."""
    return ours.code == 0 and theirs.code != 0 and "must specify at least one ExtKeyUsage" in theirs.errors \
        and "is not a copy of the old one" in ours.errors


def is_more_than_upstream(name, theirs):
    """Returns whether ours has created sa.pub and upstream has not. The file follows from the key, and no API server
    starts without it."""
    return name == "kubernetes/pki/sa.pub" and name not in theirs.files


def said(outcome):
    return re.sub(r'"residualTime": \d+', "", outcome.output)


def describe(path, before):
    """Returns the mode and "as before" for an unchanged file. For a changed file, returns the mode and a description
    without random values."""
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if path.is_dir():
        return "directory"
    mode = path.stat().st_mode & 0o777
    data = path.read_bytes()
    if before.is_file() and before.read_bytes() == data:
        return f"{mode:o}, as before"
    # Ours writes a secret without access for others, even if the replaced file was readable for all.
    return f"{mode & 0o770:o}", meaning(path, data)


def meaning(path, data):
    try:
        if b"BEGIN CERTIFICATE-----" in data:
            return programs.certificate(data), key_of(path.with_suffix(".key"), data), data.count(b"BEGIN")
        if path.suffix in (".key", ".pub", ".csr"):
            return data.splitlines()[0], data.count(b"BEGIN")
        if path.suffix == ".conf":
            return kubeconfig(yaml.safe_load(data), path.parent)
    except (ValueError, TypeError, OSError, KeyError, yaml.YAMLError) as error:
        return f"unreadable: {error}"
    return data.decode(errors="replace")


def key_of(key, certificate):
    if not key.is_file():
        return "no key"
    own = serialization.load_pem_private_key(key.read_bytes(), None)
    read = x509.load_pem_x509_certificate(certificate)
    return "its key" if own.public_key() == read.public_key() else "another key"


def kubeconfig(config, directory):
    """Returns the kubeconfig with certificates described by their fields, and keys by whether they match."""
    for entry in config.get("users") or []:
        user = entry["user"]
        if "client-certificate-data" in user:
            pem = base64.b64decode(user["client-certificate-data"])
            own = serialization.load_pem_private_key(base64.b64decode(user["client-key-data"]), None)
            user["client-key-data"] = own.public_key() == x509.load_pem_x509_certificate(pem).public_key()
            user["client-certificate-data"] = programs.certificate(pem)
    for entry in config.get("clusters") or []:
        if "certificate-authority-data" in entry["cluster"]:
            pem = base64.b64decode(entry["cluster"]["certificate-authority-data"])
            entry["cluster"]["certificate-authority-data"] = authority(pem, directory / "pki" / "ca.crt")
    return str(config)


def authority(pem, own):
    """Describes the first certificate of `pem`: "ca.crt" if it is also the first one in the file `own`, else its
    fields. During a rotation ca.crt has two certificates, and only ours embeds both."""
    trusted = x509.load_pem_x509_certificate(pem)
    is_own = own.is_file() and x509.load_pem_x509_certificate(own.read_bytes()) == trusted
    return "ca.crt" if is_own else programs.certificate(pem)
