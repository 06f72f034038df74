# SPDX-License-Identifier: Apache-2.0
"""Roots of hosts whose init system is a real one: a Debian each, made once by mmdebstrap."""

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
    # The last: cron would bring systemd itself, and kubeadm asks whoever has a systemctl.
    "real-openrc": f"{COMMON},openrc,cron,systemd-standalone-sysusers",
}
# Where packages put them, and where units expect them.
PROGRAMS = ("kubelet", "kubectl", "crictl", "etcdctl")
DROP_IN = Path(__file__).resolve().parents[2] / "packaging" / "kubeadm" / "10-kubeadm.conf"


def root(init_system, say):
    """The directory that a host of that init system is laid over: this machine's own root for those
    whose init system is only played. It is shared; hosts write elsewhere."""
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
    """Adds to a host's files what only a real init system needs: programs in the packages' places, and
    the kubelet's drop-in as it is shipped."""
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
