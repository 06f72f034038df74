# SPDX-License-Identifier: Apache-2.0
"""Go modules that the module proxy does not serve, assembled from packages of an older module that it serves.

k8s.io/apiextensions-api is new in v1.38. It is assembled from packages of k8s.io/apiextensions-apiserver v0.37, with other
import paths and without the conversions. While the proxy does not serve the module, a directory in the cache replaces it. The API
server of the set k8s-1.38 is therefore v1.38's with the CustomResourceDefinition types of v1.37. (The proxy lacks another
module, sigs.k8s.io/iptables-wrappers, too. The directory iptables-wrappers is its substitute.)
"""

import dataclasses
import hashlib
import json
import re
import subprocess
from pathlib import Path

from components.recipes import HERE


@dataclasses.dataclass(frozen=True)
class Assembled:
    """A module whose packages are copied from `source`, with rewritten import paths."""

    module: str
    source: str  # "MODULE@VERSION"
    packages: tuple  # directories, which are the same in both modules
    left_out: str  # a pattern of files that are not copied
    renamed: tuple = ()  # further pairs of an old and a new import path
    added: tuple = ()  # pairs of a file name and the file's content

    def key(self):
        return hashlib.sha256(repr(self).encode()).hexdigest()[:12]


NULL = "package {}\n\nvar nullLiteral = []byte(`null`)\n"
TYPES = "pkg/apis/apiextensions/"
MODULES = {
    "k8s-1.38": Assembled(
        module="k8s.io/apiextensions-api",
        source="k8s.io/apiextensions-apiserver@v0.37.2",
        packages=(TYPES + "v1", TYPES + "v1beta1", "pkg/client"),
        left_out=r"_test\.go$|clientset_test|(^|/)conversion\.go$|zz_generated\.conversion\.go$",
        renamed=(("sigs.k8s.io/structured-merge-diff/v6", "sigs.k8s.io/structured-merge-diff/v7"),),
        added=tuple((f"{TYPES}{version}/null.go", NULL.format(version)) for version in ("v1", "v1beta1")),
    ),
}


def _source_directory(source, environment):
    answer = subprocess.run(
        ["go", "mod", "download", "-json", source],
        capture_output=True, text=True, check=True, cwd="/", env={**environment, "GOFLAGS": ""},
    )
    return Path(json.loads(answer.stdout)["Dir"])


def _assemble(recipe, target, environment):
    old = _source_directory(recipe.source, environment)
    pairs = (
        *((f"{recipe.source.split('@')[0]}/{package}", f"{recipe.module}/{package}") for package in recipe.packages),
        *recipe.renamed,
    )
    for package in recipe.packages:
        for path in sorted((old / package).rglob("*.go")):
            name = path.relative_to(old)
            if re.search(recipe.left_out, str(name)):
                continue
            text = path.read_text()
            for before, after in pairs:
                text = text.replace(before, after)
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_text(text)
    for name, text in recipe.added:
        (target / name).write_text(text)
    (target / "go.mod").write_text(f"module {recipe.module}\n\ngo 1.27.0\n")


def arguments(directory, cache, environment):
    """Returns the arguments of `go build` for a directory with a go.mod; empty if the proxy serves all of its
    modules."""
    if directory not in MODULES:
        return []
    recipe = MODULES[directory]
    base = Path(cache) / "assembled" / f"{directory}-{recipe.key()}"
    if not (base / "module" / "go.mod").exists():
        _assemble(recipe, base / "module", environment)
    go_mod = (HERE / directory / "go.mod").read_text().replace("=> ../", f"=> {HERE}/")
    (base / "go.mod").write_text(f"{go_mod}\nreplace {recipe.module} => {base}/module\n")
    (base / "go.sum").write_text((HERE / directory / "go.sum").read_text())
    return ["-modfile", str(base / "go.mod")]
