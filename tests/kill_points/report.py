# SPDX-License-Identifier: Apache-2.0
"""The tried points and their results, in a file that is the source of the table in docs/reliability.md."""

import fcntl

from cluster.hosts import PROJECT

REPORT = PROJECT / "build" / "kill-points.txt"


class Report:
    """Writes a line for each command and share. Lines of earlier runs stay."""

    def __init__(self, share=""):
        self.share = share

    def add(self, command, points, tried, failed):
        name = f"{command}{self.share}"
        REPORT.parent.mkdir(exist_ok=True)
        with open(REPORT, "a+", encoding="utf-8") as file:  # runs with other shares write to the file, too
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            lines = [line for line in file.read().splitlines() if not line.startswith(f"{name}\t")]
            lines.append(f"{name}\t{points} points\t{tried} tried\t{tried - failed} recovered")
            file.truncate(0)
            file.write("\n".join(sorted(lines)) + "\n")
