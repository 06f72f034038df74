# SPDX-License-Identifier: Apache-2.0
"""Reports of runs are read, resumed and compared, without a cluster."""

import xml.etree.ElementTree as ElementTree

import pytest

from conformance import results, skipped, submission, suite

REPORT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites><testsuite name="Kubernetes e2e suite">
<testcase name="[ReportBeforeSuite]" status="passed" time="0.1"></testcase>
<testcase name="[It] [sig-node] Pods should run [Conformance]" status="passed" time="12.5"></testcase>
<testcase name="[It] [sig-node] Pods should stop [Conformance]" status="failed" time="300">
<failure message="" type="failed">[FAILED] timed out
at pods.go</failure></testcase>
<testcase name="[It] [sig-apps] Job [Conformance]" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
<testcase name="[It] [sig-cli] not chosen" status="skipped" time="0"><skipped message="skipped"></skipped></testcase>
</testsuite></testsuites>
"""
RUN, STOP, JOB = "[sig-node] Pods should run [Conformance]", "[sig-node] Pods should stop [Conformance]", "[sig-apps] Job [Conformance]"
NAMES = [RUN, STOP, JOB]


@pytest.fixture
def cluster(tmp_path):
    """The directory of a cluster, with one run of three tests."""
    add_run(tmp_path, NAMES, REPORT)
    return tmp_path


def add_run(directory, names, report=None):
    run = results.new_run(directory)
    run.mkdir(parents=True)
    (run / "tests.txt").write_text("".join(f"{name}\n" for name in names))
    (run / "e2e.log").write_text(f"log of {run.name}\n")
    if report:
        (run / "junit_01.xml").write_text(report)


def outcomes(cluster):
    attempts = results.of_cluster(cluster)
    return {name: [result.outcome for result in found] for name, found in attempts.items()}


def test_reads_the_chosen_tests_of_a_report(cluster):
    assert outcomes(cluster) == {RUN: ["passed"], STOP: ["failed"], JOB: ["skipped"]}
    assert results.of_cluster(cluster)[STOP][0].message.startswith("[FAILED] timed out")
    assert results.of_cluster(cluster)[RUN][0].seconds == 12.5


def test_run_without_chosen_tests_has_all_of_its_report(tmp_path):
    add_run(tmp_path, [], REPORT)
    assert len(outcomes(tmp_path)) == 4


def test_interrupted_run_leaves_its_tests_to_the_next(cluster):
    more = "[sig-auth] tokens [Conformance]"
    add_run(cluster, [more])
    attempts = results.of_cluster(cluster)
    assert results.remaining([*NAMES, more], attempts) == [more]
    assert results.remaining([*NAMES, more], attempts, again=True) == [STOP, more]
    assert results.new_run(cluster).name == "run-3"


def test_newest_attempt_counts(cluster):
    add_run(cluster, [STOP], REPORT.replace("<failure", "<system-out").replace("</failure", "</system-out"))
    assert outcomes(cluster)[STOP] == ["failed", "passed"]
    assert results.last(results.of_cluster(cluster), STOP).outcome == "passed"


def test_tenth_run_follows_the_ninth(tmp_path):
    for _ in range(11):
        add_run(tmp_path, [])
    assert [run.name for run in results.runs(tmp_path)][-2:] == ["run-10", "run-11"]


def test_row_tells_whether_only_ours_fails(cluster):
    passed = {STOP: [results.Result("passed")], RUN: [results.Result("passed")]}
    rows = results.compared(NAMES, [results.of_cluster(cluster), passed], {JOB: "no such device"})
    assert [row.name for row in rows if row.only_ours_fails] == [STOP]
    assert results.compared([STOP], [passed, results.of_cluster(cluster)], {})[0].only_ours_fails is False
    assert rows[2].reason == "no such device"


def test_summary_counts_each_area(cluster):
    attempts = results.of_cluster(cluster)
    lines = results.summary(results.compared(NAMES, [attempts, {}], {}), ("ours", "upstream")).splitlines()
    assert lines[0] == "| area | tests | ours: passed | ours: failed | upstream: passed | upstream: failed |"
    assert "| sig-node | 2 | 1 | 1 | 0 | 0 |" in lines
    assert lines[-1] == "| all | 3 | 1 | 1 | 0 | 0 |"


def test_table_has_a_line_for_each_test(cluster):
    table = results.table(results.compared(NAMES, [results.of_cluster(cluster), {}], {}), ("ours", "upstream"))
    assert table.splitlines()[2].split("\t") == [STOP, "failed", "not run", "300", "0", "[FAILED] timed out at pods.go"]


def test_report_has_each_test_once(cluster):
    add_run(cluster, [STOP], REPORT)
    results.write_report(cluster, NAMES, results.of_cluster(cluster))
    found = ElementTree.parse(cluster / "junit_01.xml").getroot().find("testsuite")
    assert [case.get("name") for case in found.iter("testcase")] == [f"[It] {name}" for name in NAMES]
    assert (found.get("tests"), found.get("failures"), found.get("skipped")) == ("3", "1", "1")
    assert (cluster / "e2e.log").read_text() == "log of run-1\nlog of run-2\n"


def test_focus_selects_by_the_whole_name():
    assert suite.focus("[a] b (c)") == r" \[a\]\ b\ \(c\)$"


def test_tests_of_what_kubeadm_sets_up_begin():
    names = ["[sig-storage] a", "[sig-node] b", "[sig-network] c"]
    assert sorted(names, key=skipped.order) == ["[sig-network] c", "[sig-node] b", "[sig-storage] a"]


def test_submission_says_that_it_is_not_valid_until_all_tests_passed(cluster):
    ours = cluster / "ours"
    add_run(ours, NAMES, REPORT)
    attempts = results.of_cluster(ours)
    results.write_report(ours, NAMES, attempts)
    submission.write(ours, NAMES, attempts, "1.37")
    assert "NOT VALID for a submission: 1 of 3" in (cluster / "submission" / "PRODUCT.yaml").read_text()
    assert (cluster / "submission" / "junit_01.xml").exists()
    submission.write(ours, [RUN], attempts, "1.37")
    assert "NOT VALID" not in (cluster / "submission" / "README.md").read_text()
