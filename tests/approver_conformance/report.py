# SPDX-License-Identifier: Apache-2.0
"""The results of the conformance suite as JSON, Markdown and JUnit's XML."""

import dataclasses
import json
from xml.etree import ElementTree


@dataclasses.dataclass(frozen=True)
class Result:
    """The outcome of one case: `approved`, `denied`, `pending`, or `refused` by the API server."""

    case: object
    outcome: str
    detail: str = ""

    @property
    def expected(self):
        return "approved" if self.case.honest else "pending, denied or refused"

    @property
    def right(self):
        return (self.outcome == "approved") == self.case.honest


def as_json(results):
    rows = [{"id": result.case.id, "rule": result.case.rule, "source": result.case.source,
             "honest": result.case.honest, "expected": result.expected, "outcome": result.outcome,
             "right": result.right, "detail": result.detail} for result in results]
    wrong = [result for result in results if not result.right]
    return json.dumps({"apiVersion": "conformance.slipway/v1alpha1", "kind": "ApproverConformance",
                       "cases": len(results), "wrong": len(wrong),
                       "approvedHostile": sum(not result.case.honest for result in wrong), "results": rows}, indent=2)


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def as_markdown(results):
    wrong = [result for result in results if not result.right]
    hostile = sum(not result.case.honest for result in wrong)
    lines = ["# Conformance of a CSR approver", "",
             f"{len(results)} cases, {len(wrong)} wrong: {hostile} hostile requests approved, "
             f"{len(wrong) - hostile} honest requests not approved.", "",
             "| case | rule | source | expected | outcome | |", "| --- | --- | --- | --- | --- | --- |"]
    for result in sorted(results, key=lambda each: each.right):
        row = (result.case.id, result.case.rule, result.case.source, result.expected, result.outcome,
               "right" if result.right else "**wrong**")
        lines.append("| " + " | ".join(map(cell, row)) + " |")
    return "\n".join(lines) + "\n"


def as_junit(results):
    suite = ElementTree.Element("testsuite", name="approver-conformance", tests=str(len(results)),
                                failures=str(sum(not result.right for result in results)))
    for result in results:
        kind, _, name = result.case.id.partition("/")
        test = ElementTree.SubElement(suite, "testcase", classname=kind, name=name)
        if not result.right:
            failure = ElementTree.SubElement(test, "failure",
                                             message=f"{result.outcome}, expected {result.expected}")
            failure.text = f"{result.case.rule} ({result.case.source})"
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"
