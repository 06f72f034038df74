# SPDX-License-Identifier: Apache-2.0
"""Root directories of hosts with a real init system. Each is a Debian that mmdebstrap creates once."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from components import store

SUITE = "trixie"
COMMON = (
    "runc,iproute2,procps,iptables,nftables,ipset,conntrack,kmod,containernetworking-plugins,"
    "ethtool,socat,python3,openssl,ca-certificates,curl"
)
PACKAGES = {
    "real-systemd": f"{COMMON},systemd,systemd-sysv,dbus",
    # Without the last package, cron would install systemd, and kubeadm would use systemctl instead of OpenRC.
    "real-openrc": f"{COMMON},openrc,cron,systemd-standalone-sysusers",
}
# These programs get links in /usr/bin, where packages install them and units expect them.
PROGRAMS = ("kubelet", "kubectl", "crictl", "etcdctl")
DROP_IN = Path(__file__).resolve().parents[2] / "packaging" / "kubeadm" / "10-kubeadm.conf"


def root(init_system, say):
    """Returns the lower directory for hosts of that init system, which is this machine's own root if the init system is
    simulated. Hosts share it, because their changes are written elsewhere."""
    if init_system not in PACKAGES:
        return Path("/")
    packages = PACKAGES[init_system]
    key = hashlib.sha256(f"{SUITE} {packages}".encode()).hexdigest()[:12]
    target = store.root() / "roots" / f"{init_system}-{key}"
    with store.locked(store.root() / "roots.lock", say):
        if not target.exists():
            say(f"making a root with {init_system.removeprefix('real-')}, once")
            _make(packages, target)
    return target


def _make(packages, target):
    unfinished = target.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    mirror = [os.environ["SLIPWAY_MIRROR"]] if "SLIPWAY_MIRROR" in os.environ else []
    subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={packages}", SUITE, unfinished, *mirror],
        check=True,
    )
    unfinished.rename(target)


def complete(files, init_system):
    """Adds the files that a real init system needs: programs at the packages' paths, and the kubelet's drop-in from
    packaging/."""
    if init_system not in PACKAGES:
        return
    (files / "usr/bin").mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        (files / "usr/bin" / program).symlink_to(f"/opt/slipway/bin/{program}")
    if init_system == "real-systemd":
        units = files / "usr/lib/systemd/system"
        (units / "kubelet.service.d").mkdir()
        shutil.copy(DROP_IN, units / "kubelet.service.d")
        wanted = files / "etc/systemd/system/multi-user.target.wants"
        wanted.mkdir(parents=True)
        for name in ("containerd", "kubelet"):
            (wanted / f"{name}.service").symlink_to(f"/usr/lib/systemd/system/{name}.service")
