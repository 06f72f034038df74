# SPDX-License-Identifier: Apache-2.0
"""Every file is under the licence. Its first lines say so, or REUSE.toml does for files without such lines."""

import re
import subprocess
import tomllib

from docs.fences import TOP

LINE = "SPDX-License-" + "Identifier: Apache-2.0"  # in two parts, because tools would find the whole line here
IS_THE_LICENCE = {"LICENSE", "LICENSES/Apache-2.0.txt"}
# Files that can contain the line must contain it. No pattern of REUSE.toml may cover them.
MUST = re.compile(r"\.(cc|h|proto|go|py|sh|cmake|css|service|spec|j2|toml|yml)$|(^|/)(CMakeLists\.txt|dev)$|^(deploy|packaging)/.*\.yaml$")
MADE_OF_BYTES = re.compile(r"/testdata/|^fuzz/corpus/")


def tracked():
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=TOP, check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and not (TOP / name).is_symlink() and (TOP / name).is_file()]


def says_so(name):
    with open(TOP / name, encoding="utf-8", errors="replace") as file:
        return any(LINE in line for line in [file.readline() for _ in range(3)])


def expression(pattern):
    """Returns a regular expression for a glob of REUSE: ** matches anything, * anything without a slash."""
    parts = re.split(r"(\*\*|\*)", pattern)
    return "".join({"**": ".*", "*": "[^/]*"}.get(part, re.escape(part)) for part in parts)


def spoken_for():
    """Returns one regular expression for all files that REUSE.toml covers."""
    patterns = []
    for annotation in tomllib.loads((TOP / "REUSE.toml").read_text())["annotations"]:
        if "SPDX-License-Identifier" in annotation:
            assert annotation["SPDX-License-Identifier"] == "Apache-2.0"
            patterns += annotation["path"]
    assert all(any(re.fullmatch(expression(pattern), name) for name in tracked()) for pattern in patterns)
    return re.compile("|".join(expression(pattern) for pattern in patterns))


def test_every_file_is_under_the_licence():
    names = [name for name in tracked() if name not in IS_THE_LICENCE]
    assert len(names) > 2000
    others = spoken_for()
    silent = [name for name in names if not says_so(name)]
    assert [name for name in silent if not others.fullmatch(name)] == []
    assert [name for name in silent if MUST.search(name) and not MADE_OF_BYTES.search(name)] == []


def test_the_licence_has_the_paths_that_tools_expect():
    assert (TOP / "LICENSES/Apache-2.0.txt").read_text() == (TOP / "LICENSE").read_text()
