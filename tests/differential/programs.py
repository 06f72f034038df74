# SPDX-License-Identifier: Apache-2.0
"""Runs a kubeadm in a separate directory, and returns its output and files."""

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
RELEASE = recipes.DEFAULT_RELEASE  # for tests that compare one release; conftest sets it from --release

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

# Parts of outputs that are replaced before a comparison: generated names, and progress lines, which differ from
# upstream's.
DIFFERS = [
    (re.compile(r"^\[.*\n?", re.MULTILINE), ""),
    (re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"), "TOKEN"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"kubeadm-(init|join)-dryrun\w+"), "DRYRUN"),
    (re.compile(r"[A-Za-z0-9+/=]{200,}"), "BASE64"),
    (re.compile(r"(token-id: |token-secret: |expiration: |bootstrap-token-)\S+"), r"\1RANDOM"),
]

# Default versions, which are replaced in outputs and in files. `choose` fills this list.
DEFAULTS = []

# alone(ROOT, WORD…) runs a command without a network, and with ROOT/kubernetes as /etc/kubernetes. If they exist,
# ROOT/lib becomes /var/lib, ROOT/elsewhere becomes /mnt, and ROOT/volume is mounted at the paths that ROOT/mounts
# names. Nothing is run if one of the mounts fails, because the command may be a reset.
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
    files: dict = dataclasses.field(default_factory=dict)  # files in the dry run's directory, by path


def choose(release):
    """Sets RELEASE. If the input has no version, each program uses its own default version, or the oldest version that
    it supports. Before the next minor version is released, these versions differ between the programs, so the
    comparison ignores them."""
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
    """Returns the Kubernetes version of RELEASE."""
    return recipes.ALL_RELEASES[RELEASE].version


def upstream(release):
    """Returns the kubeadm of that release, which `components --set kubeadm-MINOR` builds."""
    return store.release_directory(release) / "upstream" / "kubeadm"


def run(program, arguments, parent, node=None, describe=None):
    """Runs the program in a new directory below `parent`, because a dry run would resume from leftovers of another one.
    With a directory `node`, runs it isolated in a copy of that directory. DIRECTORY in the arguments is the copy, and
    `describe(path, before)` describes the change from the content at `before`."""
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
    """Yields once for each input to try, until `both_took()` is `wanted`. Fails if both programs accept fewer than one
    of 200 inputs."""
    wanted = max(wanted, 1)
    for _ in range(200 * wanted):
        if both_took() >= wanted:
            return
        yield
    assert both_took() >= wanted, f"both took {both_took()} of {200 * wanted} inputs"


def sound_node(directory, release):
    """Creates certificates and kubeconfigs of a cluster in DIRECTORY/kubernetes, and a kubeadm.yaml."""
    (directory / "kubernetes").mkdir()
    config = directory / "kubeadm.yaml"
    config.write_text(PLAIN.replace("VERSION", recipes.ALL_RELEASES[release].version))
    for what in ("certs", "kubeconfig"):
        phase = ["init", "phase", what, "all", "--config", config]
        subprocess.run(alone(directory, upstream(release), *phase), check=True, capture_output=True, timeout=120)
    return directory


def described(path, directory):
    """Returns a file's content. For a certificate, returns the fields. For a file with random values, returns only its
    suffix."""
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
    # Upstream's validity begins with the CA's, or five minutes before the program's start. Times therefore differ by
    # minutes.
    days = round(life / datetime.timedelta(days=1))
    extensions = sorted((extension.oid.dotted_string, extension.critical, shown(extension.value))
                        for extension in read.extensions)
    return (read.subject.rfc4514_string(), read.issuer.rfc4514_string(), days, extensions)


def shown(value):
    """Returns a description of an extension, without random key identifiers."""
    random = (x509.SubjectKeyIdentifier, x509.AuthorityKeyIdentifier)
    return type(value).__name__ if isinstance(value, random) else str(value)


def refuses_a_socket(ours, theirs):
    """Returns whether only ours refuses the runtime's endpoint, whose text is misleading: a URL parser finds another
    socket in it (docs/parity.md). Upstream accepts such an endpoint, but cannot connect."""
    return theirs.code == 0 and ours.code != 0 and "criSocket: Invalid value" in ours.errors
