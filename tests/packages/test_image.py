# SPDX-License-Identifier: Apache-2.0
"""The approver's image: an image for one program, or an index for programs of several architectures."""

import hashlib
import json
import struct
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
INDEX = "application/vnd.oci.image.index.v1+json"
MACHINES = {"amd64": 62, "arm64": 183}


def program(directory, architecture):
    """Writes a file that, according to its ELF header, is a program for the architecture."""
    path = directory / architecture
    path.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HH", 3, MACHINES[architecture]))
    path.chmod(0o755)
    return path


def layout(directory, *architectures, words=()):
    programs = [program(directory, name) for name in architectures]
    subprocess.run([TOP / "packaging/image", "--program", *programs, "--tag", "a:1", *words, "--output",
                    directory / "image"], check=True)
    return directory / "image"


def blob(image, descriptor):
    content = (image / "blobs" / descriptor["digest"].replace(":", "/")).read_bytes()
    assert hashlib.sha256(content).hexdigest() == descriptor["digest"].removeprefix("sha256:")
    assert len(content) == descriptor["size"]
    return json.loads(content)


def architecture_of(image, manifest):
    return blob(image, blob(image, manifest)["config"])["architecture"]


def test_one_program_is_an_image(tmp_path):
    image = layout(tmp_path, "arm64")
    [manifest] = json.loads((image / "index.json").read_text())["manifests"]
    assert architecture_of(image, manifest) == "arm64"


def test_another_program_has_its_own_path_and_user(tmp_path):
    image = layout(tmp_path, "amd64", words=["--path", "usr/bin/kubeadm", "--user", "0:0"])
    [manifest] = json.loads((image / "index.json").read_text())["manifests"]
    config = blob(image, blob(image, manifest)["config"])["config"]
    assert (config["Entrypoint"], config["User"]) == (["/usr/bin/kubeadm"], "0:0")


def test_two_programs_are_an_index(tmp_path):
    image = layout(tmp_path, "amd64", "arm64")
    [top] = json.loads((image / "index.json").read_text())["manifests"]
    assert top["mediaType"] == INDEX
    assert top["annotations"]["org.opencontainers.image.ref.name"] == "a:1"
    found = {manifest["platform"]["architecture"]: architecture_of(image, manifest)
             for manifest in blob(image, top)["manifests"]}
    assert found == {"amd64": "amd64", "arm64": "arm64"}


def test_annotations_are_the_given_ones(tmp_path):
    for words, expected in ((["--annotation", "version=1.2.3", "url=https://slipway.test/?a=b"],
                             {"org.opencontainers.image.version": "1.2.3",
                              "org.opencontainers.image.url": "https://slipway.test/?a=b"}), ([], {})):
        image = layout(tmp_path, "amd64", words=words)
        [manifest] = json.loads((image / "index.json").read_text())["manifests"]
        read = blob(image, manifest)
        assert read.get("annotations", {}) == expected
        assert blob(image, read["config"])["config"].get("Labels", {}) == expected
