#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the built kubeadm with the recorded behaviour of upstream's kubeadm. Skipped if the records are not next to
the checkout.

Every case must agree, except for deliberate differences, which docs/parity.md lists with their reasons. Of all recorded
cases, 98 % must agree; deliberate differences count as agreeing.
"""
import argparse
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
RUNNER = TOP.parent / "shared/compat-1.37/compat.py"

ENOUGH = 0.98  # share of all cases

# Deliberate differences, each with a row and a reason in docs/parity.md. These cases must fail, so that stale rows are
# noticed and removed.
ON_PURPOSE = {
    "completion-fish",
    "config-migrate-leading-comment",
    "config-images-config-etcd-tag", "config-images-etcd-older", "config-images-old-version",
    "config-images-older-minor", "config-validate-version-old", "init-dry-run-images",
    "init-etcd-image-version",
    "init-certs-dry-run-leaf",
    "upgrade-node-no-instance-config",
    "v1-stored-append",
}

# The areas that are compared. Every case in them that is not listed above must agree.
AREAS = ["init", "join", "external", "patches", "preflight", "config", "token", "version",
         "completion", "certs", "kubeconfig", "reset", "upgrade", "cli", "help", "v1"]


def run(area, kubeadm):
    """Returns the number of agreeing cases, the other cases, and the runner's output."""
    done = subprocess.run([sys.executable, RUNNER, "--kubeadm", kubeadm, "--only", area + "*"],
                          capture_output=True, text=True, check=False)
    match = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)
    if not match:
        sys.exit(f"{area}: the runner did not finish:\n{done.stdout}{done.stderr}")
    return int(match[1]), set(re.findall(r"^FAIL +([\w.-]+)", done.stdout, re.M)), done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kubeadm", default=TOP / "build/bin/kubeadm")
    kubeadm = parser.parse_args().kubeadm
    passed = failed = 0
    short = []
    differing = set()
    for area in AREAS:
        good, bad, text = run(area, kubeadm)
        differing |= bad & ON_PURPOSE
        bad -= ON_PURPOSE
        passed, failed = passed + good, failed + len(bad)
        print(f"{area:16} {good:4} of {good + len(bad):4}")
        for name in sorted(bad):
            print(f"  FAIL {name}")
        if bad:
            short.append(area)
            print(text)
    counted = passed + failed + len(differing)
    agreeing = passed / counted
    print(f"{passed} of {counted} cases agree with upstream ({agreeing:.2%}), {failed} do not, "
          f"{len(differing)} differ on purpose")
    if short:
        sys.exit("not as recorded: " + ", ".join(short))
    if differing != ON_PURPOSE:
        sys.exit("no longer different: " + ", ".join(sorted(ON_PURPOSE - differing)))
    if agreeing < ENOUGH:
        sys.exit(f"only {agreeing:.2%} of all recorded cases agree: {ENOUGH:.0%} are wanted")


if __name__ == "__main__":
    main()
