# SPDX-License-Identifier: Apache-2.0
"""systemd itself checks the units of `certs auto-renew enable`."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parent.parent.parent

# `verify` needs the other units that systemd would start. A machine without systemd needs no timer.
pytestmark = pytest.mark.skipif(
    not (shutil.which("systemd-analyze") and shutil.which("systemctl")),
    reason="systemd is not installed",
)


def units(directory, *flags):
    """Writes the units to `directory`; returns their paths."""
    (directory / "bin").mkdir()
    program = pathlib.Path(os.environ.get("KUBEADM", TOP / "build/bin/kubeadm")).resolve()
    (directory / "bin/kubeadm").symlink_to(program)
    shown = subprocess.run(
        ["kubeadm", "certs", "auto-renew", "enable", "--dry-run", "-o", "json", *flags],
        env={"PATH": f"{directory}/bin:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    paths = []
    for unit in json.loads(shown)["written"]:
        paths.append(directory / pathlib.Path(unit["path"]).name)
        paths[-1].write_text(unit["content"])
    return paths


def verify(paths):
    return subprocess.run(
        ["systemd-analyze", "verify", *paths],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize(
    "flags", [[], ["--if-expires-within", "12h", "--textfile", "/var/lib/a.prom", "--restart=false"]]
)
def test_systemd_finds_nothing_wrong(tmp_path, flags):
    paths = units(tmp_path, *flags)
    assert sorted(path.suffix for path in paths) == [".service", ".timer"]
    done = verify(paths)
    assert done.returncode == 0, done.stderr
    assert not [line for line in done.stderr.splitlines() if "kubeadm-certs" in line], done.stderr


def test_systemd_would_find_a_mistake(tmp_path):
    service, *_ = [path for path in units(tmp_path) if path.suffix == ".service"]
    service.write_text(service.read_text().replace("ExecStart=", "ExecStart=relative/"))
    done = verify([service])
    assert done.returncode != 0 or "kubeadm-certs" in done.stderr
