# SPDX-License-Identifier: Apache-2.0
"""The operator's alerts, dashboard and runbook name only metrics and headings that exist."""

import json
import re

import yaml

from docs.fences import TOP

MONITORING = TOP / "deploy/fleet/monitoring"
METRIC = re.compile(r"\b(?:slipway_operat|leader_election_)\w+")
NAMES = set(re.findall(r'Head\(\s*"(\w+)"', (TOP / "src/operations/fleet/metrics.cc").read_text()))


def rules():
    [group] = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["spec"]["groups"]
    return group["rules"]


def expressions():
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    queries = [item["query"] for item in dashboard["templating"]["list"] if item["type"] == "query"]
    return [rule["expr"] for rule in rules()] + panels + queries


def unknown(expression):
    """Returns the metrics in an expression that the program lacks; the expression itself if it names no metric."""
    names = set(METRIC.findall(expression))
    return names - NAMES if names else {expression}


def test_an_unknown_metric_is_seen():
    assert unknown("max(slipway_operations) / 2") == set()
    assert unknown("sum(slipway_operation_seconds)") == {"slipway_operation_seconds"}
    assert unknown("up == 0") == {"up == 0"}


def test_metrics_of_alerts_and_dashboard_exist():
    assert len(expressions()) >= 12
    assert [expression for expression in expressions() if unknown(expression)] == []


def test_each_metric_is_shown():
    assert len(NAMES) == 5
    assert NAMES == {name for expression in expressions() for name in METRIC.findall(expression)}


def test_each_alert_has_an_entry_in_the_runbook():
    headings = re.findall(r"^## (\w+)$", (TOP / "docs/fleet-runbook.md").read_text(), re.MULTILINE)
    assert headings == [rule["alert"] for rule in rules()]
    for rule in rules():
        assert rule["annotations"]["runbook"] == f"docs/fleet-runbook.md#{rule['alert'].lower()}"
        assert {"summary", "description"} <= set(rule["annotations"])
