# SPDX-License-Identifier: Apache-2.0
"""containerd's directory with the images of releases, already imported and unpacked.

An import takes seconds, so it is done once for each set of images. A host gets a copy, whose large parts are hard
links: containerd adds and deletes blobs and layers, but never changes them.
"""

import hashlib
import os
import shutil
import subprocess
import time
from pathlib import Path

from cluster.processes import wait_until
from components import store

PROGRAMS = ("containerd", "containerd-shim-runc-v2", "ctr")
NEVER_CHANGED = ("blobs", "snapshots")
UNUSED_DAYS = 7
MOST_KEPT = 4


class TemplateError(RuntimeError):
    pass


def prepared(release_directories, say, containerd=None):
    """Returns the template with the images of these releases, and creates it if it does not exist. The import uses the
    containerd of the first release, or a containerd 1.x in the directory `containerd`."""
    programs = containerd or release_directories[0] / "bin"
    images = [image for directory in release_directories for image in sorted((directory / "images").glob("*.tar"))]
    parts = [programs / "containerd", *images]
    identity = [(path.name, path.stat().st_ino) for path in parts]
    key = hashlib.sha256(repr(identity).encode()).hexdigest()[:12]
    target = store.root() / "templates" / key
    with store.locked(store.root() / "templates.lock", say):
        if not target.exists():
            begin = time.monotonic()
            _make(programs, images, target, 2 if containerd else 3)
            seconds = time.monotonic() - begin
            say(f"imported {len(images)} images in {seconds:.1f} s, for this and later runs")
        os.utime(target)
        _forget_unused(target.parent)
    return target


def _forget_unused(directory):
    """Deletes templates that were not used for UNUSED_DAYS days, and all but the MOST_KEPT newest ones. Existing hosts
    do not need their template."""
    newest_first = sorted(directory.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for place, path in enumerate(newest_first):
        if place >= MOST_KEPT or time.time() - path.stat().st_mtime > UNUSED_DAYS * 86400:
            shutil.rmtree(path, ignore_errors=True)


def _make(programs, images, target, version):
    _refuse_overlay(store.root())
    work = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.rmtree(work, ignore_errors=True)
    (work / "root").mkdir(parents=True)
    try:
        _import(programs, images, work, version)
        (work / "root").rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _refuse_overlay(directory):
    kind = subprocess.run(
        ["stat", "-f", "-c", "%T", str(directory)], capture_output=True, text=True, check=True
    )
    if kind.stdout.strip() == "overlayfs":
        raise TemplateError(
            f"{directory} is on an overlay: point SLIPWAY_COMPONENTS at a directory on a real disk"
        )


def _import(bin_directory, images, work, version):
    """Imports the images with a temporary containerd, whose data are in `work`. `version` is the version of its
    configuration: 2 for containerd 1.x, 3 for 2.x."""
    socket = work / "containerd.sock"
    configuration = work / "config.toml"
    configuration.write_text(
        f"version = {version}\nroot = '{work}/root'\nstate = '{work}/state'\n"
        f"disabled_plugins = ['io.containerd.cri.v1.images', 'io.containerd.cri.v1.runtime',"
        f" 'io.containerd.grpc.v1.cri']\n"
        f"[grpc]\naddress = '{socket}'\n[ttrpc]\naddress = '{socket}.ttrpc'\n"
    )
    with open(work / "log", "w", encoding="utf-8") as log:
        containerd = subprocess.Popen(
            ["unshare", "--mount", str(bin_directory / "containerd"), "--config", str(configuration)],
            stdout=log,
            stderr=log,
        )
    try:
        ctr = [str(bin_directory / "ctr"), "--address", str(socket), "--namespace", "k8s.io"]
        if not wait_until(
            lambda: subprocess.run([*ctr, "version"], capture_output=True).returncode == 0, 60
        ):
            raise TemplateError("containerd does not start:\n" + (work / "log").read_text()[-2000:])
        for image in images:
            subprocess.run([*ctr, "images", "import", str(image)], check=True, capture_output=True)
    finally:
        containerd.terminate()
        containerd.wait()


def copy(template, target):
    """Fills the directory `target`, which must be on the same file system, with the template's content."""
    for directory, directories, files in os.walk(template):
        inside = Path(directory).relative_to(template)
        for name in directories:
            source = Path(directory, name)
            if source.is_symlink():
                (target / inside / name).symlink_to(source.readlink())
                continue
            (target / inside / name).mkdir(exist_ok=True)
            shutil.copystat(source, target / inside / name)
            os.chown(target / inside / name, source.stat().st_uid, source.stat().st_gid)
        place = os.link if set(NEVER_CHANGED) & set(inside.parts) else shutil.copy2
        for name in files:
            place(Path(directory, name), target / inside / name, follow_symlinks=False)
