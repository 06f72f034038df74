# SPDX-License-Identifier: Apache-2.0
"""Builds Go programs: finds a suitable toolchain, or prints what to install."""

import hashlib
import os
import re
import subprocess

from components import assembled
from components.recipes import HERE

OLDEST = (1, 21)  # the first version that can download the toolchain of a go.mod


class ToolchainError(RuntimeError):
    pass


def parse_version(text):
    """Parses "go version go1.26.8 linux/amd64", or the line "go 1.26.0" of a go.mod, as (1, 26)."""
    found = re.search(r"\bgo ?(\d+)\.(\d+)", text)
    if not found:
        raise ToolchainError(f"cannot tell the version of Go from {text!r}")
    return int(found.group(1)), int(found.group(2))


def installed_version():
    try:
        answer = subprocess.run(
            ["go", "version"], capture_output=True, text=True, check=True, cwd="/"
        )
    except FileNotFoundError:
        raise ToolchainError(_advice("Go is not installed")) from None
    return parse_version(answer.stdout)


def _advice(problem):
    return (
        f"{problem}. The components need Go {OLDEST[0]}.{OLDEST[1]} or newer (it fetches the exact"
        " one by itself): apt-get install -t bookworm-backports golang-go,"
        " or unpack a release from https://go.dev/dl/ and put its bin directory into PATH"
    )


def environment(go_mod, installed):
    """Returns the environment variables for building a module with the installed version of Go."""
    if installed < OLDEST:
        raise ToolchainError(_advice(f"Go {installed[0]}.{installed[1]} is too old"))
    result = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false"}
    if installed < parse_version(go_mod):
        result["GOTOOLCHAIN"] = "auto"
    return result


def key(program):
    """Returns the program's cache key. It contains a hash of the Go modules, the recipe and our own sources."""
    digest = hashlib.sha256()
    directory = HERE / program.directory
    for path in sorted([directory / "go.mod", directory / "go.sum", *directory.glob("*.go")]):
        digest.update(path.read_bytes())
    if program.directory in assembled.MODULES:
        digest.update(assembled.MODULES[program.directory].key().encode())
    digest.update(
        repr((program.package, program.tags, program.linker_flags(), os.uname().machine)).encode()
    )
    return f"{program.name}-{program.version}-{digest.hexdigest()[:12]}"


def build(program, output, cache):
    """Builds the program as the file `output`. Modules that the proxy does not serve are assembled in `cache`."""
    variables = environment(program.go_mod(), installed_version())
    if program.c:
        variables["CGO_ENABLED"] = "1"
    verb = ["test", "-c"] if program.test else ["build"]
    command = ["go", *verb, "-ldflags", program.linker_flags(), "-o", str(output)]
    command += assembled.arguments(program.directory, cache, variables)
    if program.tags:
        command += ["-tags", program.tags]
    subprocess.run(
        [*command, program.package],
        cwd=HERE / program.directory,
        env=variables,
        check=True,
    )
