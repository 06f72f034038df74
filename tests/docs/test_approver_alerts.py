# SPDX-License-Identifier: Apache-2.0
"""The approver's alerts, dashboard and runbook name only metrics and headings that exist."""

import json
import re

import yaml

from docs.fences import TOP

MONITORING = TOP / "deploy/approver/monitoring"
METRIC = re.compile(r"\b(?:mapi|machine_approver|leader_election)_\w+")
SOURCE = "".join(
    file.read_text() for library in ("approver/reports", "programs/machine_approver") for file in (TOP / "src" / library).glob("*.cc"))


def rules():
    [group] = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["spec"]["groups"]
    return group["rules"]


def expressions():
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    variables = [item["query"] for item in dashboard["templating"]["list"]]
    return [rule["expr"] for rule in rules()] + panels + variables


def unknown(expression):
    """Returns the metrics in an expression that the program lacks."""
    names = {re.sub(r"_bucket$", "", name) for name in METRIC.findall(expression)}
    return {name for name in names if f'"{name}"' not in SOURCE}


def test_an_unknown_metric_is_seen():
    assert unknown("rate(machine_approver_judgement_seconds_bucket[1m])") == set()
    assert unknown("sum(machine_approver_verdicts_total)") == {"machine_approver_verdicts_total"}


def test_metrics_of_alerts_and_dashboard_exist():
    assert len(expressions()) > 15
    assert [expression for expression in expressions() if unknown(expression)] == []


def test_each_alert_has_an_entry_in_the_runbook():
    headings = re.findall(r"^## (\w+)$", (TOP / "docs/approver-runbook.md").read_text(), re.MULTILINE)
    assert headings == [rule["alert"] for rule in rules()]
    for rule in rules():
        assert rule["annotations"]["runbook"] == f"docs/approver-runbook.md#{rule['alert'].lower()}"
        assert {"summary", "description"} <= set(rule["annotations"])
