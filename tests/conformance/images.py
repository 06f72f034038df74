# SPDX-License-Identifier: Apache-2.0
"""The images that Kubernetes' e2e suite deploys. The suite's own programs are built from Kubernetes' module, and are
added to Debian's root.

The suite names them in versions that change with each minor version (`e2e.test --list-images`). IMAGES has the content
of each image by its name. Other images are not available; tests that need them are skipped by name.
"""

import dataclasses
import hashlib
import io
import os
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

from components import golang, recipes, store
from components import images as oci

SUITE = "trixie"
PACKAGES = (
    "bash,bash-static,bind9-dnsutils,bind9-host,busybox-static,ca-certificates,curl,iperf,iproute2,iputils-ping,"
    "netcat-openbsd,nginx-light,procps,socat,stress,util-linux"
)
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*")
# Debian's root gets a group that tests expect in the image, and a directory for uploads.
COMPLETED = (
    "groupadd --gid 50000 group-defined-in-image",
    "useradd --uid 1000 --user-group --groups group-defined-in-image user-defined-in-image",
    "mkdir /uploads",
)
NGINX = """events {}
http {
  include /etc/nginx/mime.types;
  access_log /dev/stdout;
  server { listen 80; listen [::]:80; root /usr/share/nginx/html; }
}
"""
BUSYBOX_PROGRAM = "debian ./usr/bin/busybox"
BUSYBOX_TEXTS = {
    "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n",
    "/etc/group": "root:x:0:\nnogroup:x:65534:\n",
}
SET_USER = 0o4755


class ImagesError(RuntimeError):
    pass


@dataclasses.dataclass(frozen=True)
class Image:
    """An image. `files` maps a path to the origin of its content: "program NAME" (built), "module PATH" (a file of
    Kubernetes' module) or "debian PATH" (a file of Debian's root). `texts` maps a path to its content, and `links` a
    path to its target. With `debian`, all of these are added to Debian's root."""

    files: dict
    texts: dict = dataclasses.field(default_factory=dict)
    links: dict = dataclasses.field(default_factory=dict)
    debian: bool = False
    modes: dict = dataclasses.field(default_factory=dict)
    entrypoint: tuple = ()
    command: tuple = ()
    user: str = ""

    def with_files(self, files, **changes):
        return dataclasses.replace(self, files={**self.files, **files}, **changes)


AGNHOST = Image(
    {
        "/agnhost": "program agnhost",
        "/coredns": "program coredns",
        "/localhost.crt": "module test/images/agnhost/porter/localhost.crt",
        "/localhost.key": "module test/images/agnhost/porter/localhost.key",
    },
    links={"/agnhost-2": "agnhost"},
    debian=True,
    entrypoint=("/agnhost",),
    command=("pause",),
)
# The shell is bash: Debian's busybox removes variables such as "data-1", whose names are not shell names, from the
# environment.
BUSYBOX = Image({"/bin/busybox": BUSYBOX_PROGRAM, "/bin/sh": "debian ./usr/bin/bash-static"}, texts=BUSYBOX_TEXTS, command=("sh",))
WEB_SERVER = Image(
    {}, texts={"/etc/nginx/nginx.conf": NGINX}, debian=True, command=("nginx", "-e", "/dev/stderr", "-g", "daemon off;")
)


def _pet(name):
    html = f"module test/images/{name}/html"
    files = {f"/{name}.jpg": f"{html}/{name}.jpg", "/data.json": f"{html}/data.json"}
    return AGNHOST.with_files(files, command=("test-webserver",))


def _single(path, program, **options):
    return Image({path: f"program {program}"}, entrypoint=(path,), **options)


IMAGES = {
    "agnhost": AGNHOST,
    "busybox": BUSYBOX,
    "glibc-dns-testing": Image({"/coredns": "program coredns"}, debian=True),
    "ipc-utils": Image({}, debian=True),
    "kitten": _pet("kitten"),
    "nautilus": _pet("nautilus"),
    "nginx": WEB_SERVER,
    "nonewprivs": Image(
        {"/usr/local/bin/nnp": "program nonewprivs"},
        debian=True,
        modes={"/usr/local/bin/nnp": SET_USER},
        command=("nnp",),
    ),
    "nonroot": dataclasses.replace(BUSYBOX, user="1234"),
    "regression-issue-74839": _single("/regression-issue-74839", "regression-issue-74839"),
    "resource-consumer": _single("/consumer", "resource-consumer", debian=True).with_files(
        {"/consume-cpu": "program consume-cpu"}
    ),
    "sample-apiserver": _single("/sample-apiserver", "sample-apiserver"),
}
REPOSITORY = "registry.k8s.io/e2e-test-images/"


def name(reference):
    """Returns the name of an image in IMAGES; "" for an image of another repository."""
    found = re.fullmatch(re.escape(REPOSITORY) + r"([^:/]+):\S+", reference)
    return found.group(1) if found else ""


class Sources:
    """Reads the files of a minor version's images: built programs, files of Kubernetes' module, files of Debian."""

    def __init__(self, minor, say):
        self.minor = minor
        self.builder = store.Builder(say)
        self.debian = _debian(say)
        directory = recipes.HERE / f"e2e-{minor}"
        answer = subprocess.run(
            ["go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes"],
            cwd=directory, capture_output=True, text=True, check=True,
            env=golang.environment((directory / "go.mod").read_text(), golang.installed_version()),
        )  # fmt: skip
        self.module = Path(answer.stdout.strip())

    def program(self, program):
        if program in recipes.SHARED:
            return store.program_path(recipes.RELEASES[self.minor], program)
        return self.builder.tool(f"{program}-{self.minor}")

    def read(self, origin):
        """Returns the content of one file of an Image."""
        kind, _, rest = origin.partition(" ")
        if kind == "program":
            return self.program(rest).read_bytes()
        if kind == "module":
            return (self.module / rest).read_bytes()
        if kind == "debian":
            with tarfile.open(self.debian) as archive:
                return archive.extractfile(rest).read()
        raise ImagesError(f"unknown origin {origin!r}")

    def applets(self):
        """Returns the commands in busybox."""
        with tempfile.TemporaryDirectory() as directory:
            program = Path(directory, "busybox")
            program.write_bytes(self.read(BUSYBOX_PROGRAM))
            program.chmod(0o755)
            listing = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
        return [name for name in listing.stdout.split() if name != "busybox"]


def _debian(say):
    """Returns Debian's root as a tar file, which is created once."""
    key = hashlib.sha256(repr((SUITE, PACKAGES, LEFT_OUT, COMPLETED)).encode()).hexdigest()[:12]
    target = store.root() / "images" / f"debian-{SUITE}-{key}.tar"
    with store.locked(store.root() / "locks" / target.name, say):
        if not target.exists():
            say("making a root of Debian's packages for test images, once")
            _bootstrap(target)
    return target


def _bootstrap(target):
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"new-{target.name}")
    mirror = [os.environ["SLIPWAY_MIRROR"]] if "SLIPWAY_MIRROR" in os.environ else []
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--skip=output/dev", f"--include={PACKAGES}"]
    command += [f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT]
    command += [f'--customize-hook=chroot "$1" {line}' for line in COMPLETED]
    subprocess.run([*command, SUITE, part, *mirror], check=True)
    part.rename(target)


def directory(minor, references, say):
    """Returns a directory whose images/ has one archive with all available images of `references`."""
    known = sorted(reference for reference in references if name(reference) in IMAGES)
    sources = Sources(minor, say)
    facts = [sources.debian.name, Path(__file__).read_bytes(), known]
    programs = {word.removeprefix("program ") for image in IMAGES.values() for word in image.files.values()
                if word.startswith("program ")}  # fmt: skip
    facts += [sources.program(program).name for program in sorted(programs)]
    key = hashlib.sha256(repr(facts).encode()).hexdigest()[:12]
    target = store.root() / "releases" / f"e2e-{minor}-{key}"
    with store.locked(store.root() / "locks" / target.name, say):
        if not (target / "images" / "complete").exists():
            (target / "images").mkdir(parents=True, exist_ok=True)
            write_archive(known, sources, target / "images" / "e2e.tar")
            (target / "images" / "complete").touch()
    return target


def write_archive(references, sources, output):
    """Writes one OCI archive of all the images. They share one layer with Debian's root."""
    debian = Path(sources.debian).read_bytes()
    with tarfile.open(output, "w") as archive:
        written = set()

        def blob(content):
            digest = oci._digest(content).removeprefix("sha256:")
            if digest not in written:
                written.add(digest)
                oci._add(archive, f"blobs/sha256/{digest}", content, 0o644)

        entries = []
        for reference in references:
            image = IMAGES[name(reference)]
            layers = [*([debian] if image.debian else []), _layer(image, sources)]
            entries.append(_entry(reference, image, layers, blob))
        oci._add(archive, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}', 0o644)
        oci._add(archive, "index.json", oci._json({"schemaVersion": 2, "manifests": entries}), 0o644)


def _entry(reference, image, layers, blob):
    """Passes the image's layers, configuration and manifest to `blob`. Returns the image's entry in the index."""
    settings = {"Env": [f"PATH={oci.SEARCH_PATH}"], "Cmd": list(image.command), "User": image.user}
    if image.entrypoint:
        settings["Entrypoint"] = list(image.entrypoint)
    platform = {"architecture": oci.ARCHITECTURE, "os": "linux"}
    diffs = {"type": "layers", "diff_ids": [oci._digest(layer) for layer in layers]}
    config = oci._json({**platform, "config": settings, "rootfs": diffs})
    manifest = oci._json(
        {
            "schemaVersion": 2,
            "mediaType": oci.MEDIA + "manifest.v1+json",
            "config": oci._descriptor(config, oci.MEDIA + "config.v1+json"),
            "layers": [oci._descriptor(layer, oci.MEDIA + "layer.v1.tar") for layer in layers],
        }
    )
    for part in (*layers, config, manifest):
        blob(part)
    return {
        **oci._descriptor(manifest, oci.MEDIA + "manifest.v1+json"),
        "annotations": {"io.containerd.image.name": reference},
        "platform": platform,
    }


def _layer(image, sources):
    """Returns the image's own files as a tar archive. Directories are included only if Debian's root lacks them."""
    links = dict(image.links)
    if "/bin/busybox" in image.files:
        links.update({f"/bin/{name}": "busybox" for name in sources.applets() if f"/bin/{name}" not in image.files})
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for directory in [] if image.debian else _directories([*image.files, *links]):
            _add_entry(archive, directory, tarfile.DIRTYPE, mode=0o1777 if directory == "tmp" else 0o755)
        for path, origin in sorted(image.files.items()):
            content = sources.read(origin)
            oci._add(archive, path.lstrip("/"), content, image.modes.get(path, 0o755))
        for path, text in sorted(image.texts.items()):
            oci._add(archive, path.lstrip("/"), text.encode(), 0o644)
        for path, target in sorted(links.items()):
            _add_entry(archive, path.lstrip("/"), tarfile.SYMTYPE, linkname=target)
    return buffer.getvalue()


def _add_entry(archive, path, kind, **fields):
    entry = tarfile.TarInfo(path)
    entry.type = kind
    for field, value in fields.items():
        setattr(entry, field, value)
    archive.addfile(entry)


def _directories(paths):
    parents = {str(parent) for path in paths for parent in Path(path.lstrip("/")).parents if parent.name}
    return sorted({*parents, "etc", "home", "root", "tmp"})
