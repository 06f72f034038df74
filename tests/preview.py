#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the built kubeadm with upstream's kubeadm of the next minor version, case by case.

Takes the recorded cases next to the checkout, and raises each Kubernetes version in them by one minor version.
Upstream's kubeadm of the preview records these cases, and some changed cases (preview_variants.py), in a temporary
directory. Ours is then compared with these records. tests/preview.tsv must list exactly the cases in which the two
differ, each with its reason.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

from components import recipes, store
from preview_variants import variants

TOP = pathlib.Path(__file__).resolve().parent.parent
CORPUS = TOP.parent / "shared/compat-1.37"
DIFFERENCES = TOP / "tests/preview.tsv"
TABLE = TOP / "src/model/releases/table.h"

VERSION = re.compile(r"(?<![\d.])1\.([34]\d)\.(\d+)(?![\d.])")  # other numbers of this form are CoreDNS versions
LABEL = re.compile(r"(?<![\w.-])((?:stable|latest)-1)\.(\d\d)(?![\d.])")


def rows(table):
    """Maps each minor version to the fields of its row: version, etcd, core_dns."""
    found = {}
    for row in re.findall(r"Release\{(.*?)\}", table, re.DOTALL):
        fields = dict(re.findall(r'\.(\w+) = "([^"]*)"', row))
        found[int(fields["version"].split(".")[1])] = fields
    return found


def raised(text, table, newest):
    """Returns the text of a case with each Kubernetes version raised by one minor version, and with the images of
    `newest`."""
    def later(match):
        minor, plain = int(match[1]), f"v{match[0]}"
        if plain == table.get(minor, {}).get("version") and minor + 1 in table:
            return table[minor + 1]["version"].removeprefix("v")
        return f"1.{minor + 1}.{match[2]}"

    text = LABEL.sub(lambda match: f"{match[1]}.{int(match[2]) + 1}", VERSION.sub(later, text))
    for image in ("etcd", "core_dns"):
        old, new = (table[minor][image].removeprefix("v") for minor in (newest - 1, newest))
        text = text.replace(old, new)
    return text


def raise_cases(source, target, table, newest):
    for case in sorted(source.glob("*/case.yaml")):
        copy = target / case.parent.name
        shutil.copytree(case.parent, copy, ignore=shutil.ignore_patterns("expected.json"))
        (copy / "case.yaml").write_text(raised(case.read_text(), table, newest))
    made = variants({case.name: yaml.safe_load((case / "case.yaml").read_text()) for case in target.iterdir()})
    for name, case in made.items():
        (target / name).mkdir()
        (target / name / "case.yaml").write_text(yaml.safe_dump(case, sort_keys=False))


def run(cases, kubeadm, *words):
    """Returns the number of agreeing cases, the other cases, and the runner's output."""
    done = subprocess.run([sys.executable, CORPUS / "compat.py", "--kubeadm", kubeadm, "--cases", cases, *words],
                          capture_output=True, text=True, check=False)
    match = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)
    if not match:
        sys.exit(f"the runner did not finish:\n{done.stdout}{done.stderr}")
    return int(match[1]), set(re.findall(r"^FAIL +([\w.-]+)", done.stdout, re.M)), done.stdout


def expected():
    lines = [line.split("\t") for line in DIFFERENCES.read_text().splitlines() if line and not line.startswith("#")]
    return {name for name, _ in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kubeadm", default=TOP / "build/bin/kubeadm")
    parser.add_argument("--upstream", default=store.release_directory(recipes.LAST_RELEASE) / "upstream/kubeadm")
    parser.add_argument("--only", action="append", default=[], help="cases with a name like this GLOB")
    arguments = parser.parse_args()
    only = [word for glob in arguments.only for word in ("--only", glob)]
    table = rows(TABLE.read_text())
    with tempfile.TemporaryDirectory() as directory:
        cases = pathlib.Path(directory)
        raise_cases(CORPUS / "cases", cases, table, max(table))
        run(cases, arguments.upstream, "--record", *only)
        agreeing, differing, text = run(cases, arguments.kubeadm, *only)
    print(f"{agreeing} of {agreeing + len(differing)} cases agree with upstream's {table[max(table)]['version']}")
    unknown, stale = differing - expected(), expected() - differing
    if unknown:
        print(text)
        sys.exit("not in tests/preview.tsv: " + ", ".join(sorted(unknown)))
    if stale and not only:
        sys.exit("no longer different: " + ", ".join(sorted(stale)))


if __name__ == "__main__":
    main()
