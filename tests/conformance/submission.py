# SPDX-License-Identifier: Apache-2.0
"""The files that CNCF's conformance programme requires: e2e.log, junit_01.xml, PRODUCT.yaml and README.md.

The first two come from the runs on our cluster. The others are templates, in which the submitter replaces the parts in
angle brackets.
"""

import shutil

from conformance import results

INVALID = "NOT VALID for a submission: {passed} of {all} conformance tests passed; the programme asks for all."
PRODUCT = """# {verdict}
vendor: <vendor>
name: Slipway kubeadm
version: v{release}
website_url: <https://...>
repo_url: <https://...>
documentation_url: <https://...>
product_logo_url: <https://....svg>
type: installer
description: kubeadm in C++, a drop-in replacement for upstream's
contact_email_address: <address>
"""
README = """# Reproduce the results for Kubernetes v{release}

{verdict}

1. Clone the repository of `PRODUCT.yaml` on a Debian 12 or 13 machine, as root, with Go installed.
2. `./dev test conformance --cluster ours`
3. `build/conformance/{release}/conformance/submission` has `e2e.log` and `junit_01.xml`.
"""


def write(cluster, names, attempts, release):
    """Writes the files into `cluster`/../submission, from the reports of our cluster's runs."""
    passed = sum(results.last(attempts, name).outcome == results.PASSED for name in names)
    verdict = "All conformance tests passed."
    if passed < len(names):
        verdict = INVALID.format(passed=passed, all=len(names))
    directory = cluster.parent / "submission"
    directory.mkdir(exist_ok=True)
    for name in ("e2e.log", "junit_01.xml"):
        shutil.copy(cluster / name, directory / name)
    for name, text in (("PRODUCT.yaml", PRODUCT), ("README.md", README)):
        (directory / name).write_text(text.format(verdict=verdict, release=release))
