# SPDX-License-Identifier: Apache-2.0
"""Every source says in its first three lines under which licence it is."""

import subprocess

from docs.fences import TOP

LINE = "SPDX-License-Identifier: Apache-2.0"
SOURCES = {".cc", ".h", ".proto", ".go", ".py", ".sh", ".cmake"}


def is_source(path):
    if path.is_symlink() or not path.is_file():
        return False
    if path.suffix in SOURCES or path.name == "CMakeLists.txt":
        return True
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def test_every_source_names_its_licence():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, check=True, capture_output=True, text=True).stdout
    sources = [TOP / name for name in listed.split("\0") if name and is_source(TOP / name)]
    assert len(sources) > 500
    silent = [str(path.relative_to(TOP)) for path in sources
              if LINE not in "".join(path.read_text(errors="replace").splitlines(keepends=True)[:3])]
    assert silent == []
