# SPDX-License-Identifier: Apache-2.0
"""Results of e2e tests: read from the reports of all runs, compared, and written as tables.

The directory of a cluster has one directory for each run of some tests. The reports in it are the only record. A run
that did not end has no report, and its tests are run again.
"""

import collections
import dataclasses
import re
import xml.etree.ElementTree as ElementTree

PASSED, FAILED, SKIPPED, NOT_RUN = "passed", "failed", "skipped", "not run"


@dataclasses.dataclass(frozen=True)
class Result:
    outcome: str
    seconds: float = 0
    message: str = ""


def of_run(directory):
    """Returns the results of one run by test name; empty if the run did not end."""
    report = directory / "junit_01.xml"
    if not report.exists():
        return {}
    chosen = set((directory / "tests.txt").read_text().splitlines())
    cases = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = re.sub(r"^\[It\] ", "", case.get("name"))
        if name != case.get("name") and (name in chosen or not chosen):
            cases[name] = _result(case)
    return cases


def _result(case):
    seconds = float(case.get("time"))
    for kind, outcome in (("failure", FAILED), ("error", FAILED), ("skipped", SKIPPED)):
        if (found := case.find(kind)) is not None:
            message = found.get("message") or (found.text or "").strip()
            return Result(outcome, seconds, message.removeprefix("skipped - ").strip())
    return Result(PASSED, seconds)


def of_cluster(directory):
    """Returns the results of all runs on a cluster: for each test name a list, the newest result last."""
    attempts = collections.defaultdict(list)
    for run in runs(directory):
        for name, result in of_run(run).items():
            attempts[name].append(result)
    return dict(attempts)


def runs(directory):
    """Returns the directories of a cluster's runs, the oldest first."""
    return sorted((path for path in directory.glob("run-*") if path.is_dir()), key=_number)


def new_run(directory):
    """Returns the directory of the next run, which does not exist yet."""
    return directory / f"run-{max([0, *map(_number, runs(directory))]) + 1}"


def _number(path):
    return int(path.name.removeprefix("run-"))


def last(attempts, name):
    return attempts[name][-1] if attempts.get(name) else Result(NOT_RUN)


def remaining(names, attempts, again=False):
    """Returns the tests that have no result yet; with `again` also the failed ones."""
    wanted = (NOT_RUN, FAILED) if again else (NOT_RUN,)
    return [name for name in names if last(attempts, name).outcome in wanted]


def batches(names, size):
    """Divides the tests into batches of at most `size` consecutive tests. One process runs a batch."""
    return [names[first : first + size] for first in range(0, len(names), size)]


@dataclasses.dataclass(frozen=True)
class Row:
    """The outcomes of a test on all clusters. `reason` is set if the test is skipped by name."""

    name: str
    outcomes: tuple
    reason: str = ""

    @property
    def area(self):
        found = re.match(r"\[([\w-]+)\]", self.name)
        return found.group(1) if found else "others"

    @property
    def only_ours_fails(self):
        ours, *others = (result.outcome for result in self.outcomes)
        return ours == FAILED and PASSED in others


def compared(names, clusters, skipped):
    """Returns a Row for each test. `clusters` has the attempts on each cluster, ours first. `skipped` has the reasons
    for skipped names."""
    return [
        Row(name, tuple(last(attempts, name) for attempts in clusters), skipped.get(name, ""))
        for name in names
    ]


def summary(rows, titles):
    """Returns a Markdown table with the number of tests by area, outcome and cluster."""
    outcomes = (PASSED, FAILED, SKIPPED, NOT_RUN)
    head = ["area", "tests", *(f"{title}: {outcome}" for title in titles for outcome in outcomes[:2])]
    lines = [_line(head), _line(["---"] * len(head))]
    areas = sorted({row.area for row in rows})
    for area, members in [*((area, [row for row in rows if row.area == area]) for area in areas), ("all", rows)]:
        counts = [
            sum(row.outcomes[place].outcome == outcome for row in members)
            for place in range(len(titles))
            for outcome in outcomes[:2]
        ]
        lines.append(_line([area, len(members), *counts]))
    return "\n".join(lines) + "\n"


def _line(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(rows, titles):
    """Returns all rows as tab-separated values."""
    lines = ["\t".join(["test", *titles, *(f"{title}: s" for title in titles), "why"])]
    for row in rows:
        outcomes = [result.outcome for result in row.outcomes]
        seconds = [f"{result.seconds:.0f}" for result in row.outcomes]
        why = row.reason or next((result.message for result in row.outcomes if result.outcome != PASSED), "")
        lines.append("\t".join([row.name, *outcomes, *seconds, " ".join(why.split())[:200]]))
    return "\n".join(lines) + "\n"


def write_report(directory, names, attempts):
    """Writes junit_01.xml and e2e.log of all runs on a cluster, in the form of CNCF's conformance programme."""
    suite = ElementTree.Element("testsuite", name="Kubernetes e2e suite")
    outcomes = [last(attempts, name).outcome for name in names]
    suite.set("tests", str(len(names)))
    suite.set("failures", str(outcomes.count(FAILED)))
    suite.set("skipped", str(len(names) - outcomes.count(FAILED) - outcomes.count(PASSED)))
    for name in names:
        result = last(attempts, name)
        case = ElementTree.SubElement(
            suite, "testcase", name=f"[It] {name}", classname="Kubernetes e2e suite", time=str(result.seconds)
        )
        if result.outcome == FAILED:
            ElementTree.SubElement(case, "failure", type="failed").text = result.message
        elif result.outcome != PASSED:
            ElementTree.SubElement(case, "skipped", message=result.message or result.outcome)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.ElementTree(root).write(directory / "junit_01.xml", encoding="utf-8", xml_declaration=True)
    with open(directory / "e2e.log", "wb") as log:
        for run in runs(directory):
            log.write((run / "e2e.log").read_bytes())
