# SPDX-License-Identifier: Apache-2.0
"""What was tried and what came of it, in a file that the table of docs/reliability.md is made from."""

from cluster.hosts import PROJECT

REPORT = PROJECT / "build" / "kill-points.txt"


class Report:
    """A line for each command; those of other commands stay from earlier runs."""

    def add(self, command, points, tried, failed):
        lines = REPORT.read_text().splitlines() if REPORT.exists() else []
        lines = [line for line in lines if not line.startswith(f"{command}\t")]
        lines.append(f"{command}\t{points} points\t{tried} tried\t{tried - failed} recovered")
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text("\n".join(sorted(lines)) + "\n")
