# SPDX-License-Identifier: Apache-2.0
"""Disks for a host's files: a disk whose writes are recorded, and images of it after a power cut."""

import contextlib
import subprocess
import threading
from pathlib import Path

from cluster.processes import wait_until
from power_cuts import writes

SIZE = 2 << 30
LOG_SIZE = 16 << 30  # bytes, of a sparse file
MOUNTED = "/mnt/disk"
# The directories of a host on the disk. They contain all state of kubeadm that must survive.
KEPT = {
    "kubernetes": "/etc/kubernetes",
    "kubelet": "/var/lib/kubelet",
    "etcd": "/var/lib/etcd",
    "slipway": "/var/lib/slipway",
}
FILE_SYSTEMS = {"ext4": ["mkfs.ext4", "-q"], "xfs": ["mkfs.xfs", "-q"]}
SECONDS_BETWEEN_LOOKS = 0.01


class Recorder:
    """A disk whose writes and flushes QEMU's storage daemon records, in `directory`.

    The daemon exports the disk as a file by FUSE, and a loop device makes a disk of that file. A flush by the file
    system reaches the daemon as a flush. The daemon itself does not flush, because its files are in memory or on a busy
    disk.
    """

    def __init__(self, directory, file_system):
        self.directory = Path(directory)
        self.log = self.directory / "log"
        self.plain = self.directory / "disk"
        self._exported = self.directory / "exported"
        self._file_system = file_system
        self._loop = None
        self._daemon = None

    def __enter__(self):
        for path, size in ((self.plain, SIZE), (self.log, LOG_SIZE), (self._exported, 0)):
            with open(path, "wb") as file:
                file.truncate(size)
        disk, log = (
            f"driver=file,filename={path},node-name={path.name},cache.no-flush=on" for path in (self.plain, self.log)
        )
        recording = f"driver=blklogwrites,file=disk,log=log,node-name=recorded,log-sector-size={writes.SECTOR}"
        self._daemon = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "qemu-storage-daemon", "--blockdev", disk, "--blockdev", log]
            + ["--blockdev", f"{recording},log-super-update-interval=1"]
            + ["--export", f"type=fuse,id=disk,node-name=recorded,mountpoint={self._exported},writable=on"]
        )
        assert wait_until(lambda: self._exported.stat().st_size == SIZE, 10), "qemu-storage-daemon exports no disk"
        subprocess.run([*FILE_SYSTEMS[self._file_system], self._exported], check=True)
        self._loop = attach(self._exported)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(subprocess.CalledProcessError):
            detach(self._loop)
        self._daemon.terminate()
        self._daemon.wait(timeout=60)

    @property
    def position(self):
        """The present number of entries in the log."""
        return writes.recorded(self.log)

    def put_into(self, host):
        """Mounts the empty disk in a host, with its directories at their paths."""
        mount(host, self._loop)


def attach(path):
    """Returns a loop device for that file."""
    return subprocess.run(["losetup", "-f", "--show", path], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def detach(loop):
    """Releases a loop device after its last mount is gone."""
    subprocess.run(["losetup", "-d", loop], check=True)


def mount(host, loop):
    """Mounts a disk in a host, and binds its directories to their paths."""
    host.run("mkdir", "-p", MOUNTED)
    host.run("mount", loop, MOUNTED)
    for name, path in KEPT.items():
        host.run("mkdir", "-p", f"{MOUNTED}/{name}", path)
        host.run("mount", "--bind", f"{MOUNTED}/{name}", path)
    host.run("mkdir", "-p", "/etc/kubernetes/manifests")
    host.run("chmod", "0700", "/var/lib/etcd")


@contextlib.contextmanager
def mounted_here(image, directory):
    """Mounts an image at a directory of this machine. The mount replays the file system's journal."""
    loop = attach(image)
    try:
        kind = subprocess.run(["blkid", "-o", "value", "-s", "TYPE", loop], capture_output=True, text=True, check=True)
        options = ["-o", "nouuid"] if kind.stdout.strip() == "xfs" else []
        subprocess.run(["mount", *options, loop, directory], check=True)
        try:
            yield
        finally:
            subprocess.run(["umount", directory], check=True)
    finally:
        detach(loop)


class Changes:
    """Records the log's position in `positions` whenever files of a host change."""

    def __init__(self, recorder, host):
        self.positions = []
        self._recorder = recorder
        self._directories = [host.path(KEPT[name]) for name in ("kubernetes", "slipway")]
        self._files = [host.path("/var/lib/kubelet") / name for name in ("config.yaml", "kubeadm-flags.env")]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _look(self):
        seen = self._state()
        while not self._ended.wait(SECONDS_BETWEEN_LOOKS):
            now = self._state()
            if now != seen:
                self.positions.append(self._recorder.position)
                seen = now

    def _state(self):
        paths = [path for directory in self._directories for path in directory.rglob("*")] + self._files
        state = set()
        for path in paths:
            with contextlib.suppress(OSError):  # it may have been removed since
                facts = path.lstat()
                state.add((str(path), facts.st_ino, facts.st_mtime_ns, facts.st_size))
        return state
