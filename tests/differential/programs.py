# SPDX-License-Identifier: Apache-2.0
"""Runs a kubeadm in a directory of its own, and returns its output and files."""

import dataclasses
import datetime
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from cryptography import x509

from components import recipes, store

OURS = store.HERE.parent.parent / "build/bin/kubeadm"
RELEASE = recipes.DEFAULT_RELEASE  # of the tests that compare one release; conftest sets it from --release

PLAIN = """\
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
bootstrapTokens:
- token: abcdef.0123456789abcdef
localAPIEndpoint:
  advertiseAddress: 10.20.30.40
nodeRegistration:
  name: cp-one
  criSocket: unix:///run/containerd/containerd.sock
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: VERSION
"""

# Names that each run creates for itself, and lines of progress in our own words.
DIFFERS = [
    (re.compile(r"^\[.*\n?", re.MULTILINE), ""),
    (re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"), "TOKEN"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"kubeadm-(init|join)-dryrun\w+"), "DRYRUN"),
    (re.compile(r"[A-Za-z0-9+/=]{200,}"), "BASE64"),
    (re.compile(r"(token-id: |token-secret: |expiration: |bootstrap-token-)\S+"), r"\1RANDOM"),
]

# The same for versions, in files as well. Filled by `choose`.
DEFAULTS = []

# alone(ROOT, WORD…) runs without a network, and with ROOT/kubernetes for the machine's /etc/kubernetes; if
# they exist, with ROOT/lib for /var/lib, ROOT/elsewhere for /mnt, and ROOT/volume at the paths that
# ROOT/mounts names. Nothing is run if one of them could not be mounted: the command may be a reset.
ALONE = """
set -e
put() { if [ -e "$1" ]; then mkdir -p "$2"; mount --bind "$1" "$2"; fi; }
put "$0/kubernetes" /etc/kubernetes
put "$0/lib" /var/lib
put "$0/elsewhere" /mnt
if [ -e "$0/mounts" ]; then while read -r place; do put "$0/volume" "$place"; done < "$0/mounts"; fi
exec "$@"
"""


def alone(root, *words):
    return ["unshare", "--mount", "--net", "sh", "-c", ALONE, str(root), *words]


@dataclasses.dataclass
class Outcome:
    code: int
    output: str
    errors: str
    files: dict = dataclasses.field(default_factory=dict)  # of the dry run's directory, by path


def choose(release):
    """Makes it RELEASE. Without a version in its input, each program takes its own default, or the oldest that it
    still manages: before the release of the next minor version these differ, and so do not count."""
    global RELEASE  # pylint: disable=global-statement
    RELEASE = release
    if release == recipes.DEFAULT_RELEASE:
        return
    both = [recipes.ALL_RELEASES[name] for name in (release, recipes.DEFAULT_RELEASE)]
    oldest = [f"v1.{int(each.minor.partition('.')[2]) - 1}.0" for each in both]
    for name, values in {"OLDEST": oldest, "VERSION": [each.version for each in both],
                         "ETCD": [each.etcd for each in both], "COREDNS": [each.coredns for each in both]}.items():
        DEFAULTS.append((re.compile("|".join(map(re.escape, values))), name))


def version():
    """The version of Kubernetes of RELEASE."""
    return recipes.ALL_RELEASES[RELEASE].version


def upstream(release):
    """The kubeadm of that release, as `components --set kubeadm-MINOR` builds it."""
    return store.release_directory(release) / "upstream" / "kubeadm"


def run(program, arguments, parent, node=None, describe=None):
    """Runs it in a new directory below `parent`, since a dry run resumes from another's leftovers there. With
    a directory `node`, runs in a copy of that, alone; DIRECTORY in the arguments is the copy, and
    `describe(path, before)` describes what happened to the content at `before`."""
    directory = Path(tempfile.mkdtemp(dir=parent))
    words = [program, *(argument.replace("DIRECTORY", str(directory)) for argument in arguments)]
    if node:
        subprocess.run(["cp", "-a", f"{node}/.", directory], check=True)
        words = alone(directory, *words)
    done = subprocess.run(words, cwd=directory, capture_output=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"], "HOME": str(directory),
                               "KUBEADM_INIT_DRYRUN_DIR": str(directory), "KUBEADM_JOIN_DRYRUN_DIR": str(directory)})
    output = done.stdout.decode(errors="replace").replace(str(directory), "DIRECTORY")
    for pattern, replacement in [*DIFFERS, *DEFAULTS]:
        output = pattern.sub(replacement, output)
    files = {str(path.relative_to(directory)):
             describe(path, node / path.relative_to(directory)) if describe else described(path, directory)
             for path in sorted(directory.rglob("*")) if describe or path.is_file()}
    shutil.rmtree(directory)
    return Outcome(done.returncode, output.lstrip("\n"), done.stderr.decode(errors="replace"), files)


def until_taken(both_took, wanted):
    """Rounds until both programs accepted `wanted` inputs, at least one: most are refused by both, but not
    nearly all."""
    wanted = max(wanted, 1)
    for _ in range(200 * wanted):
        if both_took() >= wanted:
            return
        yield
    assert both_took() >= wanted, f"both took {both_took()} of {200 * wanted} inputs"


def sound_node(directory, release):
    """Creates certificates and kubeconfigs of a cluster in DIRECTORY/kubernetes, and its kubeadm.yaml."""
    (directory / "kubernetes").mkdir()
    config = directory / "kubeadm.yaml"
    config.write_text(PLAIN.replace("VERSION", recipes.ALL_RELEASES[release].version))
    for what in ("certs", "kubeconfig"):
        phase = ["init", "phase", what, "all", "--config", config]
        subprocess.run(alone(directory, upstream(release), *phase), check=True, capture_output=True, timeout=120)
    return directory


def described(path, directory):
    """A file's content; of certificates the fields, of random values only that they exist."""
    if path.suffix == ".crt":
        return certificate(path.read_bytes())
    if path.suffix in (".key", ".pub", ".conf", ".csr"):
        return path.suffix
    text = path.read_text(errors="replace").replace(str(directory), "DIRECTORY")
    for pattern, replacement in DEFAULTS:
        text = pattern.sub(replacement, text)
    return text


def certificate(pem):
    read = x509.load_pem_x509_certificate(pem)
    life = read.not_valid_after_utc - read.not_valid_before_utc
    # Upstream counts from the CA's start, or from five minutes before its own: not to the minute.
    days = round(life / datetime.timedelta(days=1))
    extensions = sorted((extension.oid.dotted_string, extension.critical, shown(extension.value))
                        for extension in read.extensions)
    return (read.subject.rfc4514_string(), read.issuer.rfc4514_string(), days, extensions)


def shown(value):
    """An extension; key identifiers are random."""
    random = (x509.SubjectKeyIdentifier, x509.AuthorityKeyIdentifier)
    return type(value).__name__ if isinstance(value, random) else str(value)


def refuses_a_socket(ours, theirs):
    """An endpoint of a runtime that leads to another socket than it shows is refused on purpose
    (docs/parity.md); upstream accepts it and cannot connect."""
    return theirs.code == 0 and ours.code != 0 and "criSocket: Invalid value" in ours.errors
