# SPDX-License-Identifier: Apache-2.0
"""Kubernetes' e2e programs: lists of their tests and images, and runs of some of their tests."""

import dataclasses
import re
import subprocess
from pathlib import Path

import yaml

HOUR = 3600


@dataclasses.dataclass(frozen=True)
class Suite:
    """A test program of the module, and the cluster that it tests."""

    program: Path
    kubectl: Path
    kubeconfig: Path

    def run(self, names, directory, timeout=HOUR):
        """Runs the named tests in one process, or all tests if `names` is empty.

        Writes tests.txt, e2e.log and, if the tests end, junit_01.xml to `directory`. Returns False if they do not end
        in time.
        """
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "tests.txt").write_text("".join(f"{name}\n" for name in names))
        with open(directory / "e2e.log", "w", encoding="utf-8") as log:
            try:
                subprocess.run(
                    [*self._command(directory), *(f"--ginkgo.focus={focus(name)}" for name in names)],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=directory, timeout=timeout, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return False
        return True

    def _command(self, directory):
        return [
            self.program,
            f"--kubeconfig={self.kubeconfig}",
            f"--kubectl-path={self.kubectl}",
            "--provider=skeleton",
            "--disable-log-dump",
            f"--report-dir={directory}",
            "--ginkgo.v",
            "--ginkgo.no-color",
            "--ginkgo.timeout=24h",
            "--ginkgo.poll-progress-after=0",
        ]


def focus(name):
    """Returns the regular expression that selects one test. ginkgo searches for it in the suite's name followed by the
    test's name."""
    return f" {re.escape(name)}$"


def conformance_tests(program):
    """Returns the names of the conformance tests in the program's version, each with its file, in alphabetical
    order."""
    listed = yaml.safe_load(_printed(program, "--list-conformance-tests"))
    return {entry["codename"]: entry["file"] for entry in sorted(listed, key=lambda entry: entry["codename"])}


def all_tests(program):
    """Returns the names of all tests of the program."""
    printed = _printed(program, "--list-tests")
    return sorted(set(re.findall(r"^\s+\S+\.go:\d+: (.*\S)\s*$", printed, re.MULTILINE)))


def images(program):
    """Returns the references of the images that the tests deploy."""
    return sorted(line.strip() for line in _printed(program, "--list-images").splitlines() if ":" in line)


def _printed(program, flag):
    return subprocess.run([program, flag], capture_output=True, text=True, check=True, cwd="/").stdout
