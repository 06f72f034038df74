# SPDX-License-Identifier: Apache-2.0
"""The cache of built components.

    programs/kubelet-v1.36.3-<key>          each program and image is one file with its cache key in the name
    images/etcd-3.6.8-0-<key>.tar
    releases/1.36-<key>/{bin,images,upstream}   the programs and images of a release, as hard links

A key changes with the recipe. Nothing is ever overwritten, so that two checkouts can share a cache.
"""

import contextlib
import fcntl
import hashlib
import os
import subprocess
import time
from pathlib import Path

from components import golang, images
from components.recipes import ALL_RELEASES, HERE, TOOLS

# Upstream's programs that are compared with ours are not in bin/, which is in the PATH of test hosts.
UPSTREAM = ("kubeadm",)


def root():
    """Returns the cache directory: $SLIPWAY_COMPONENTS, or else slipway/components in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(
        os.environ.get("SLIPWAY_COMPONENTS") or Path(cache) / "slipway" / "components"
    ).absolute()


@contextlib.contextmanager
def locked(path, say=print):
    """Locks the file `path` during the block. If another process holds the lock, says so and waits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another holder of {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def pause_key():
    source = (HERE / "pause" / "pause.c").read_bytes() + os.uname().machine.encode()
    return f"pause-v0-{hashlib.sha256(source).hexdigest()[:12]}"


def program_path(release, name):
    file = pause_key() if name == "pause" else golang.key(release.programs[name])
    return root() / "programs" / file


def release_directory(minor):
    """Returns the directory of a release. It depends only on the recipes; `build` fills it."""
    release = ALL_RELEASES[minor]
    names = sorted([*release.programs, "pause"])
    facts = [program_path(release, name).name for name in names]
    digest = hashlib.sha256(repr((facts, release)).encode())
    for source in ("images.py", "store.py"):
        digest.update((HERE / source).read_bytes())
    return root() / "releases" / f"{minor}-{digest.hexdigest()[:12]}"


class Builder:
    """Builds missing components one after the other, because Go itself uses every processor."""

    def __init__(self, say=print):
        self.say = say

    def build(self, selection):
        """Builds a recipes.Selection; returns its release directory."""
        release = ALL_RELEASES[selection.release]
        directory = release_directory(selection.release)
        for name in selection.programs:
            self._offer(self._program(release, name), directory / self._place(name) / name)
        if selection.images:
            self._images(release, directory)
        return directory

    def tool(self, name):
        """Builds a program outside of the releases; returns its path."""
        program = TOOLS[name]
        target = root() / "programs" / golang.key(program)
        self._make(target, lambda part: golang.build(program, part, root()))
        return target

    def _place(self, name):
        return "upstream" if name in UPSTREAM else "bin"

    def _images(self, release, directory):
        if (directory / "images" / "complete").exists():
            return
        for image in images.release_images(release, lambda name: self._program(release, name)):
            target = root() / "images" / image.key()
            self._make(target, lambda part, image=image: images.write_archive(image, part))
            self._offer(target, directory / "images" / f"{image.name}.tar")
        (directory / "images" / "complete").touch()

    def _program(self, release, name):
        target = program_path(release, name)
        if name == "pause":
            self._make(target, self._compile_pause)
        else:
            self._make(target, lambda part: golang.build(release.programs[name], part, root()))
        return target

    def _compile_pause(self, part):
        source = str(HERE / "pause" / "pause.c")
        subprocess.run(["gcc", "-O2", "-static", "-o", str(part), source], check=True)

    def _make(self, target, make):
        """Calls make(part), and renames the part to `target`. Does nothing if `target` exists."""
        if target.exists():
            return
        with locked(root() / "locks" / target.name, self.say):
            if not target.exists():
                self._make_locked(target, make)

    def _make_locked(self, target, make):
        begin = time.monotonic()
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        try:
            make(part)
            part.rename(target)
        finally:
            part.unlink(missing_ok=True)
        self.say(f"{target.name}: {time.monotonic() - begin:.1f} s")

    def _offer(self, target, link):
        """Atomically makes `link` a hard link to `target`."""
        if link.exists() and link.samefile(target):
            return
        link.parent.mkdir(parents=True, exist_ok=True)
        part = link.with_name(f".{link.name}.{os.getpid()}")
        part.unlink(missing_ok=True)
        os.link(target, part)
        part.rename(link)
