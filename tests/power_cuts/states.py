# SPDX-License-Identifier: Apache-2.0
"""The defects of a node's files after a power cut, found while no program runs."""

import json
import shutil
import socket
import subprocess

import yaml

from cluster.processes import wait_until
from kill_points.states import SPLIT

# Files of the kubelet's directory that kubeadm writes or needs. Other files there belong to the kubelet.
OF_KUBELET = ("config.yaml", "kubeadm-flags.env", "instance-config.yaml")
CERTIFICATE, KEY = "-----BEGIN CERTIFICATE-----", "PRIVATE KEY-----"
# Suffixes of files that a write or a link has not renamed yet.
TEMPORARY = (".tmp", ".new")


def defects(disk, work, etcd):
    """Returns the defects of the files on a mounted disk, one per line. `etcd` is the program, `work` an empty
    directory."""
    found = []
    for path in files(disk):
        text = path.read_text(errors="replace")
        if wrong := judge(path, text):
            found.append(f"{path.relative_to(disk)}: {wrong}")
    found += pairs(disk / "kubernetes")
    return found + starts(etcd, disk / "etcd", work)


def files(disk):
    """Returns the files that kubeadm writes, without those that have a temporary name."""
    below = [path for name in ("kubernetes", "slipway") for path in sorted((disk / name).rglob("*"))]
    below += [disk / "kubelet" / name for name in OF_KUBELET]
    below += sorted((disk / "kubelet" / "pki").glob("*.pem"))
    return [path for path in below if path.is_file() and not temporary(path)]


def temporary(path):
    """Returns whether readers ignore the file: its name begins with a dot, or has the suffix of an unfinished write."""
    return path.name.startswith(".") or path.name.endswith(TEMPORARY)


def judge(path, text):
    """Returns the defect of a file of that name, or None."""
    if not text:
        return None if path.name in EMPTY else "is empty"
    if "\0" in text:
        return "contains zero bytes"
    try:
        for suffix, check in FORMATS.items():
            if path.name.endswith(suffix):
                return check(text)
    except (yaml.YAMLError, json.JSONDecodeError) as error:
        return f"is not complete: {error}"
    return None


EMPTY = ("lock",)  # files that exist only to be locked


def _pem(kind):
    def check(text):
        program = ["x509", "-noout"] if kind == CERTIFICATE else ["pkey", "-noout"]
        read = subprocess.run(["openssl", *program], input=text, capture_output=True, text=True, check=False)
        return None if read.returncode == 0 else f"is no complete PEM block: {read.stderr.strip()}"

    return check


def _yaml(text):
    documents = list(yaml.safe_load_all(text))
    return None if documents and all(isinstance(each, dict) for each in documents if each) else "is no YAML object"


def _json(text):
    json.loads(text)


FORMATS = {
    ".crt": _pem(CERTIFICATE),
    ".key": _pem(KEY),
    ".pem": _pem(CERTIFICATE),
    ".conf": _yaml,
    ".yaml": _yaml,
    ".json": _json,
    ".env": lambda text: None if text.startswith("KUBELET_KUBEADM_ARGS=") else "is not a file of flags",
}


def pairs(kubernetes):
    """Returns keys and certificates that do not match, or of which one is missing.

    Two files cannot appear atomically. The certificate is first written to `.crt.new`, from which the next command
    completes the pair. A rotation creates an unfinished pair of its future CA again.
    """
    split = subprocess.run(["sh", "-c", SPLIT, "split", kubernetes], capture_output=True, text=True, check=False)
    below = {str(path.relative_to(kubernetes)) for path in (kubernetes / "pki").rglob("*")}
    below -= {path for path in below if path.startswith("pki/rotate-ca/")}
    alone = [f"{path} has no key" for path in below if path.endswith(".crt") and f"{path[:-4]}.key" not in below]
    alone += [
        f"{path} has no certificate"
        for path in below
        if path.endswith(".key") and path != "pki/sa.key"
        and not any(path[:-4] + suffix in below for suffix in (".crt", ".crt.new", ".csr"))
    ]
    return split.stdout.splitlines() + sorted(alone)


def starts(etcd, data, work):
    """Starts etcd with a copy of the data. Returns a list with the reason if it does not start, and otherwise an empty
    list. Without data, returns an empty list."""
    if not (data / "member").exists():
        return []
    copy = work / "etcd"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(data, copy)
    client, peer = free_port(), free_port()
    urls = [f"--listen-client-urls=http://127.0.0.1:{client}", f"--advertise-client-urls=http://127.0.0.1:{client}"]
    urls += [f"--listen-peer-urls=http://127.0.0.1:{peer}"]
    with open(work / "etcd.log", "wb") as log:
        # The copy has the member's addresses. At other addresses, it must start as a new cluster of one member.
        started = subprocess.Popen(
            [etcd, f"--data-dir={copy}", "--force-new-cluster", *urls], stdout=log, stderr=log
        )
    try:
        wait_until(lambda: started.poll() is not None or answers(client), 30)
        if started.poll() is None and answers(client):
            return []
        return [f"etcd does not start with its data: {(work / 'etcd.log').read_text()[-2000:]}"]
    finally:
        started.kill()
        started.wait()
        shutil.rmtree(copy)


def answers(port):
    """Returns whether etcd answers at that port as a healthy member."""
    url = f"http://127.0.0.1:{port}/health"
    asked = subprocess.run(["curl", "-s", "--max-time", "2", url], capture_output=True, text=True, check=False)
    return asked.returncode == 0 and json.loads(asked.stdout or "{}").get("health") == "true"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
