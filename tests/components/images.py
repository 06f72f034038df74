# SPDX-License-Identifier: Apache-2.0
"""Container images from files: OCI archives with a single layer. The same files give the same bytes."""

import dataclasses
import glob
import hashlib
import io
import json
import platform
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from components.recipes import CONTROL_PLANE, ECHO_IMAGE, REGISTRY

ARCHITECTURE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MEDIA = "application/vnd.oci.image."


class ImageError(RuntimeError):
    pass


@dataclasses.dataclass(frozen=True)
class Image:
    """An image. `files` maps a path inside the image to the file from which it is copied."""

    reference: str
    files: dict
    entrypoint: str = ""

    @property
    def name(self):
        return self.reference.rsplit("/", 1)[1].replace(":", "-")

    def key(self):
        """Returns the image's cache key. The hash covers the content of each file. For files of the store, it covers
        the name, which already contains a hash."""
        digest = hashlib.sha256(repr((self.reference, self.entrypoint, ARCHITECTURE)).encode())
        for path, source in sorted(self.files.items()):
            known = re.search(r"-[0-9a-f]{12}$", source.name)
            digest.update(path.encode())
            digest.update(source.name.encode() if known else source.read_bytes())
        return f"{self.name}-{digest.hexdigest()[:12]}.tar"


def release_images(release, program):
    """Returns the images of a release; `program(name)` returns the built file of a program."""
    versioned = [
        Image(f"{REGISTRY}/{name}:{release.version}", {f"/usr/local/bin/{name}": program(name)})
        for name in CONTROL_PLANE
    ]
    return [
        *versioned,
        Image(
            f"{REGISTRY}/kube-proxy:{release.version}",
            {**packet_filter_files(), "/usr/local/bin/kube-proxy": program("kube-proxy")},
        ),
        Image(
            f"{REGISTRY}/etcd:{release.etcd}",
            {f"/usr/local/bin/{name}": program(name) for name in ("etcd", "etcdctl", "etcdutl")},
        ),
        Image(
            f"{REGISTRY}/coredns/coredns:{release.coredns}",
            {"/coredns": program("coredns")},
            "/coredns",
        ),
        Image(f"{REGISTRY}/pause:{release.pause}", {"/pause": program("pause")}, "/pause"),
        Image(ECHO_IMAGE, {"/echo": program("echo")}, "/echo"),
    ]


def packet_filter_files():
    """Returns kube-proxy's tools from this machine: iptables (nftables variant), conntrack, ip and others, with every
    library that these tools and iptables' plugins load."""
    variants = [
        f"{family}tables{action}"
        for family in ("ip", "ip6")
        for action in ("", "-save", "-restore")
    ]
    tools = {f"/usr/sbin/{name}": tool("xtables-nft-multi") for name in variants}
    tools.update(
        {
            f"/usr/sbin/{name}": tool(name)
            for name in ("nft", "conntrack", "ipset", "ip", "modprobe")
        }
    )
    plugins = [Path(path) for path in glob.glob("/usr/lib/*/xtables/*.so")]
    return {**tools, **{str(path): path for path in plugins}, **libraries_of({*tools.values(), *plugins})}


def libraries_of(files):
    """Returns this machine's shared libraries that the files load, by their paths in an image."""
    return {name: Path(name).resolve() for file in files for name in _libraries(file)}


def tool(name):
    """Returns the file of a program of this machine."""
    found = shutil.which(name, path=SEARCH_PATH)
    if not found:
        raise ImageError(f"{name} is missing: install the packages of tests/cluster/packages.txt")
    return Path(found).resolve()


def _libraries(file):
    listing = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout
    return re.findall(r"(/[^ )]+)", listing)


def with_libraries(files):
    """Returns the files of an image, with the shared libraries that they load."""
    return {**files, **libraries_of(files.values())}


def write_archive(image, output):
    """Writes the OCI archive for `ctr images import`."""
    layer = _layer(image.files)
    config = {
        "architecture": ARCHITECTURE,
        "os": "linux",
        "config": {"Env": [f"PATH={SEARCH_PATH}"]},
        "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
    }
    if image.entrypoint:
        config["config"]["Entrypoint"] = [image.entrypoint]
    config = _json(config)
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": MEDIA + "manifest.v1+json",
            "config": _descriptor(config, MEDIA + "config.v1+json"),
            "layers": [_descriptor(layer, MEDIA + "layer.v1.tar")],
        }
    )
    entry = _descriptor(manifest, MEDIA + "manifest.v1+json")
    entry["annotations"] = {
        "io.containerd.image.name": image.reference,
        "org.opencontainers.image.ref.name": image.reference.rsplit(":", 1)[1],
    }
    entry["platform"] = {"architecture": ARCHITECTURE, "os": "linux"}
    with tarfile.open(output, "w") as archive:
        _add(archive, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}', 0o644)
        _add(archive, "index.json", _json({"schemaVersion": 2, "manifests": [entry]}), 0o644)
        for blob in (layer, config, manifest):
            _add(archive, "blobs/sha256/" + _digest(blob).removeprefix("sha256:"), blob, 0o644)


def _layer(files):
    buffer = io.BytesIO()
    directories = {"tmp": 0o1777, "etc": 0o755}
    for path in files:
        directories.update(
            {str(parent): 0o755 for parent in Path(path.lstrip("/")).parents if parent.name}
        )
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for directory, mode in sorted(directories.items()):
            entry = tarfile.TarInfo(directory)
            entry.type, entry.mode = tarfile.DIRTYPE, mode
            archive.addfile(entry)
        for path, source in sorted(files.items()):
            _add(archive, path.lstrip("/"), source.read_bytes(), 0o755)
    return buffer.getvalue()


def _add(archive, name, content, mode):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))


def _json(value):
    return json.dumps(value, sort_keys=True).encode()


def _digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _descriptor(content, media_type):
    return {"mediaType": media_type, "digest": _digest(content), "size": len(content)}
