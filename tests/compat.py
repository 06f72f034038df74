#!/usr/bin/env python3
"""Hold the built kubeadm against the recorded behaviour of upstream's, when it lies beside us.

Each area has the share of cases that must pass; a case that fails on purpose stands in
docs/parity.md with its reason.
"""
import argparse
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
RUNNER = TOP.parent / "shared/compat/compat.py"

# Cases in which we differ on purpose: each has its row, with the reason, in docs/parity.md. They are
# not counted, and must go on failing: a row that is no longer true has to go.
ON_PURPOSE = {"completion-fish"}

# Area → share of its other cases that must pass. Four of join's compare the rest of life of a CA that
# expires on a fixed day with that of the day of their recording.
WANTED = {"init": 0.95, "join": 0.85, "external": 0.95, "patches": 0.95, "preflight": 1,
          "config": 0.95,
          "token": 1, "version": 1, "completion": 1, "certs": 1, "kubeconfig": 1,
          "reset": 1, "upgrade": 1, "cli": 0.95, "help": 1}


def run(area, kubeadm):
    """How many cases agree, which do not, and what the runner printed."""
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
    for area, share in WANTED.items():
        good, bad, text = run(area, kubeadm)
        differing |= bad & ON_PURPOSE
        bad -= ON_PURPOSE
        passed, failed = passed + good, failed + len(bad)
        print(f"{area:16} {good:4} of {good + len(bad):4}")
        for name in sorted(bad):
            print(f"  FAIL {name}")
        if good < share * (good + len(bad)):
            short.append(area)
            print(text)
    print(f"{passed} cases agree with upstream, {failed} do not, {len(differing)} differ on purpose")
    if short:
        sys.exit("below the share wanted: " + ", ".join(short))
    if differing != ON_PURPOSE:
        sys.exit("no longer different: " + ", ".join(sorted(ON_PURPOSE - differing)))


if __name__ == "__main__":
    main()
