# SPDX-License-Identifier: Apache-2.0
"""Renders samples as a table."""

import dataclasses
import os
import platform
import statistics
from pathlib import Path


@dataclasses.dataclass
class Row:
    """One quantity of one case. `upstream[i]` and `ours[i]` were measured one directly after the other."""

    title: str
    unit: str
    upstream: list
    ours: list
    target: float | None = None
    failure: str = ""

    @property
    def ratio(self):
        return statistics.median(self.ours) / statistics.median(self.upstream)

    @property
    def met(self):
        """True if the ratio is within the target, else False; None without a target."""
        if self.failure:
            return False
        return None if self.target is None else self.ratio <= self.target

    def cells(self):
        if self.failure:
            return [self.title, "", "", self.failure, self._target(), "**no**"]
        pairs = [ours / upstream for ours, upstream in zip(self.ours, self.upstream, strict=True)]
        verdict = {True: "yes", False: "**no**", None: ""}[self.met]
        ratio = f"{self.ratio:.2f} ({min(pairs):.2f}–{max(pairs):.2f})"
        return [
            self.title,
            self._spread(self.upstream),
            self._spread(self.ours),
            ratio,
            self._target(),
            verdict,
        ]

    def _target(self):
        return "" if self.target is None else f"≤ {self.target:.2f}"

    def _spread(self, samples):
        middle, low, high = (
            _number(value) for value in (statistics.median(samples), min(samples), max(samples))
        )
        return f"{middle} {self.unit} ({low}–{high})"


HEADINGS = ["measured", "upstream v1.37.2", "ours", "ours ÷ upstream", "target", "met"]


def _number(value):
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


@dataclasses.dataclass
class Kept:
    """A row of the previous page, for a case that was not measured this time."""

    line: list

    def cells(self):
        return self.line


def kept(page, rows, titles):
    """Returns the rows in the order of `titles`: the new measurement, or else the row of the previous page."""
    cells = (
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in page.partition(APPROVER)[0].splitlines()
        if line.startswith("| ")
    )
    old = {line[0]: Kept([*line, "", ""][: len(HEADINGS)]) for line in cells}
    new = {row.title: row for row in rows}
    return [row for title in titles if (row := new.get(title, old.get(title)))]


def table(rows):
    """Returns the rows as a Markdown table that is also readable as plain text."""
    lines = [HEADINGS, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]

    def join(cells):
        return (
            "| "
            + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            + " |"
        )

    return "\n".join(
        [
            join(HEADINGS),
            join(["-" * width for width in widths]),
            *(join(line) for line in lines[1:]),
        ]
    )


def machine():
    """Returns a description of this machine without its name."""
    facts = Path("/proc/cpuinfo").read_text()
    model = next(
        (
            line.split(":")[1].strip()
            for line in facts.splitlines()
            if line.startswith("model name")
        ),
        "",
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    kernel = platform.release().split("-")[0]
    return f"{os.cpu_count()} processors ({model}), {memory:.0f} GiB of memory, Linux {kernel}"


# The sections from here on are measured by bench/approver and written by hand.
APPROVER = "\n## cluster-machine-approver\n"


def page(rows, runs, fresh_runs, before=""):
    """Returns the page; `before` is the previous page."""
    _, heading, approver = before.partition(APPROVER)
    return _kubeadm(rows, runs, fresh_runs) + heading + approver


def _kubeadm(rows, runs, fresh_runs):
    return f"""# Benchmarks

This page compares Slipway's kubeadm ("ours") with upstream's v1.37.2. Both were measured in one session,
alternating (upstream, ours, ours, upstream, …), so that noise of the machine affects both equally.

{table(rows)}

The values are medians of {runs} runs: three times as many for start-up, {fresh_runs} or more for commands that need
a fresh host. The least and the greatest value are in brackets. The ratio is that of the pairs of runs. Time is the
wall time of the process, memory its greatest resident set. Everything runs on a host of the test bench
(tests/cluster): namespaces of this machine with containerd and all images. For `init` the host is recreated,
outside the timing, for every run. `init` mostly waits until the kubelet, etcd and the API server have started,
which takes the same time for both programs. Upstream's kubeadm created the settled cluster. Right after `init`,
each program joins a node to the cluster that it created itself. There, no certificate is signed before the
controller manager is the leader and has begun to sign. That is seven seconds after upstream's `init`. Five of them
pass while the ServiceAccounts of the controllers are created; our `init` has created these accounts before.

Machine: {machine()}.

Reproduce: `./dev bench` (as root); one case only: `./dev bench --case start`.
"""
