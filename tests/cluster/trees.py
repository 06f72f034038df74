# SPDX-License-Identifier: Apache-2.0
"""What a host's files are, so that a reset can be held against the time before it."""

import re

# Where a node's programs write, whole; and, by what lies in them, directories that are the machine's.
WHOLE = ["/etc", "/run", "/var/lib/cni", "/var/lib/etcd", "/var/lib/kubelet", "/var/lib/slipway"]
NAMES = ["/", "/opt", "/root", "/srv", "/usr/local", "/usr/local/bin", "/var/lib"]

# What `kubeadm reset` leaves by its documentation (network, logs, directories that it emptied), what others keep for
# themselves, and locks, which go with the machine's next start.
LEFT = re.compile(
    r"/etc/kubernetes/(pki|manifests)$|/etc/cni(/|$)|/var/lib/cni(/|$)"
    r"|/run/(slipway|containerd|services|netns|flannel|xtables\.lock|lock|mount|utmp|user|systemd)(/|$)"
)


def tree(host):
    """Path → type, mode, owner, and what it holds."""
    listed = host.run("sh", "-c", f"""
        for directory in {" ".join(WHOLE)}; do
            [ ! -e $directory ] ||
              find $directory -xdev \\( -type f -o -type d -o -type l \\) -printf '%p\\t%y %m %U:%G %l\\n'
        done
        find {" ".join(NAMES)} -maxdepth 1 -printf '%p\\tin %Y %m %U:%G\\n'""").stdout
    found = dict(line.split("\t", 1) for line in listed.splitlines())
    files = [path for path, text in found.items() if text.startswith("f ") and not LEFT.search(path)]
    # What others have removed since it was listed has no sum, and is not there.
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
    """What came, went and changed, a line each."""
    return "\n".join(sorted(
        f"{path}: {before.get(path, 'nothing')} → {after.get(path, 'nothing')}"
        for path in before.keys() | after.keys()
        if before.get(path) != after.get(path)
    ))
