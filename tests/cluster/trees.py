# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a host's files, which compare the state after a reset with the state before init."""

import re

# WHOLE are directories that a node's programs write, and which are compared with their content. Of the directories
# NAMES, only the entries are compared.
WHOLE = ["/etc", "/etc/kubernetes", "/run", "/var/lib/cni", "/var/lib/etcd", "/var/lib/kubelet", "/var/lib/slipway"]
NAMES = ["/", "/opt", "/root", "/srv", "/usr/local", "/usr/local/bin", "/var/lib"]

# Files that `kubeadm reset` leaves, as documented (network, logs, directories that it has emptied), and files of other
# programs. It also leaves lock files, which disappear when the machine restarts.
LEFT = re.compile(
    r"/etc/kubernetes/(pki|manifests)$|/etc/cni(/|$)|/var/lib/cni(/|$)"
    r"|/run/(slipway|containerd|services|netns|flannel|xtables\.lock|lock|mount|utmp|user|systemd)(/|$)"
)


def tree(host):
    """Returns path → type, mode, owner and content."""
    listed = host.run("sh", "-c", f"""
        for directory in {" ".join(WHOLE)}; do
            [ ! -e $directory ] ||
              find $directory -xdev \\( -type f -o -type d -o -type l \\) -printf '%p\\t%y %m %U:%G %l\\n'
        done
        find {" ".join(NAMES)} -maxdepth 1 -printf '%p\\tin %Y %m %U:%G\\n'""").stdout
    found = dict(line.split("\t", 1) for line in listed.splitlines())
    files = [path for path, text in found.items() if text.startswith("f ") and not LEFT.search(path)]
    # A file that was removed after it was listed has no checksum, and is ignored.
    sums = host.run("xargs", "-d", "\n", "sha256sum", stdin="\n".join(files), check=False)
    others = [line for line in sums.stderr.splitlines() if not line.endswith("No such file or directory")]
    assert not others and sums.stdout, others
    digests = {path: digest for digest, path in (line.split("  ", 1) for line in sums.stdout.splitlines())}
    for path in files:
        if path in digests:
            found[path] += digests[path]
        else:
            del found[path]
    return {path: text for path, text in found.items() if not LEFT.search(path)}


def difference(before, after):
    """Returns the added, removed and changed files, one per line."""
    return "\n".join(sorted(
        f"{path}: {before.get(path, 'nothing')} → {after.get(path, 'nothing')}"
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    ))
