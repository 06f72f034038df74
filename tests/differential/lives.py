# SPDX-License-Identifier: Apache-2.0
"""Leftovers in a node's directories before a reset: `Lives(seed).lead(directory)` fills "kubernetes" and "lib" (an
/etc/kubernetes and a /var/lib) at random. It returns descriptions of its changes."""

import random
import shutil
from pathlib import Path

ETCD = """\
apiVersion: v1
kind: Pod
metadata: {name: etcd, namespace: kube-system}
spec:
  containers: [{name: etcd, command: [etcd, --data-dir=PATH], image: etcd}]
  volumes:
  - {name: NAME, hostPath: {path: PATH, type: DirectoryOrCreate}}
"""
MANIFESTS = ["kube-apiserver.yaml", "kube-scheduler.yaml", "own.yaml", ".hidden.yaml", "kube-apiserver.yaml.bak"]
DIRECTORIES = ["kubernetes", "kubernetes/pki", "kubernetes/pki/etcd", "kubernetes/manifests", "kubernetes/tmp",
               "kubernetes/patches", "lib/kubelet", "lib/kubelet/pki", "lib/etcd", "lib/cni"]
USUAL = {
    "lib/kubelet": ["config.yaml", "kubeadm-flags.env", "instance-config.yaml", "cpu_manager_state", "pki/kubelet.crt",
                    "pods/u-i-d/etc-hosts", "plugins/p/socket", "device-plugins/kubelet_internal_checkpoint"],
    "lib/etcd": ["member/wal/0.wal", "member/snap/db"],
    "lib/other": ["member/snap/db", "member/wal/0.wal"],
    "lib/cni": ["networks/n/10.0.0.2"],
    "kubernetes": ["tmp/kubeadm-backup-etcd-1/etcd/db", "bootstrap-kubelet.conf", "cloud.conf", "audit/policy.yaml"],
}


class Lives:
    def __init__(self, seed):
        self._random = random.Random(seed)

    def lead(self, directory: Path) -> list[str]:
        for name in ("lib/kubelet", "lib/etcd", "lib/other", "lib/cni", "kubernetes/manifests"):
            (directory / name).mkdir(parents=True, exist_ok=True)
        for place, files in USUAL.items():
            for name in files:
                if self._random.randrange(4):
                    write(directory / place / name)
        for name in MANIFESTS:
            if self._random.randrange(2):
                write(directory / "kubernetes/manifests" / name)
        acts = [self._etcd, self._etcd, self._file, self._mount, self._gone, self._link]
        chosen = [self._random.choice(acts) for _ in range(self._random.choice([1, 2, 3, 4]))]
        # The list `acts` ends with the links, so that no other act follows a link.
        return [act(directory) for act in sorted(chosen, key=acts.index)]

    def _etcd(self, directory):
        path = self._random.choice(["/var/lib/etcd", "/var/lib/etcd", "/var/lib/other", "/var/lib/other/deep", "/nowhere",
                                    "/var/lib/etcd/", "/var/lib/kubelet/../other"])
        name = self._random.choice(["etcd-data"] * 4 + ["data"])
        text = self._random.choice([ETCD.replace("PATH", path).replace("NAME", name)] * 6 + ["", "nothing: [", "{}"])
        (directory / "kubernetes/manifests/etcd.yaml").write_text(text)
        return f"etcd at {path} in {name}" if path in text else "no etcd manifest"

    def _link(self, directory):
        """Links a path to a target elsewhere. When our kubeadm empties a directory, it must not follow the link."""
        name = self._random.choice(["lib/kubelet/pki", "lib/etcd/member", "kubernetes/admin.conf", "lib/cni",
                                    "kubernetes/pki/ca.key", "kubernetes/pki/etcd", "lib/kubelet/config.yaml"])
        path, real = directory / name, directory / "elsewhere" / name.replace("/", "-")
        if path.is_symlink() or not path.exists():
            return "nothing"
        real.parent.mkdir(exist_ok=True)
        path.rename(real)
        path.symlink_to(f"/mnt/{real.name}")
        return f"{name} a link"

    def _file(self, directory):
        place = directory / self._random.choice(DIRECTORIES)
        name = self._random.choice(["mine", "mine.conf", ".mine", "kubeadm.yaml", "a/b/c", "kubelet.conf"])
        write(place / name)
        return f"{place.name}/{name}"

    def _mount(self, directory):
        """Mounts a directory below the kubelet's directory, as volumes are mounted."""
        name = self._random.choice(["pods/u-i-d/volumes/v", "plugins/p/mount", "mine"])
        write(directory / "volume/kept")
        (directory / "lib/kubelet" / name).mkdir(parents=True, exist_ok=True)
        with open(directory / "mounts", "a", encoding="utf-8") as mounts:
            mounts.write(f"/var/lib/kubelet/{name}\n")
        return f"a volume at {name}"

    def _gone(self, directory):
        name = self._random.choice(["lib/etcd", "lib/kubelet/pki", "kubernetes/pki/etcd", "kubernetes/tmp"])
        shutil.rmtree(directory / name, ignore_errors=True)
        return f"no {name}"


def write(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{path.name}\n")
