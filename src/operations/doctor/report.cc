// SPDX-License-Identifier: Apache-2.0
#include "doctor/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "base/wrap.h"
#include "json/value.h"

namespace doctor {
namespace {

using checks::Severity;

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kWorker:
      return "worker";
    case Role::kControlPlane:
      return "control-plane node";
    case Role::kNone:
      break;
  }
  return "machine";
}

std::string_view Verdict(const Findings& findings) {
  constexpr std::string_view kVerdicts[] = {"healthy", "warnings", "broken"};
  return kVerdicts[ExitStatus(findings)];
}

std::string Headline(const Facts& facts, const Findings& findings) {
  if (facts.role == Role::kNone) {
    return "This machine is not a node of a cluster";
  }
  const auto count = [&](Severity severity) {
    return std::ranges::count(findings, severity, &Finding::severity);
  };
  const std::string who = fmt::format("This {}, {},", RoleName(facts.role), facts.node_name);
  const auto broken = count(Severity::kError);
  const auto warnings = count(Severity::kWarning);
  if (broken == 0 && warnings == 0) {
    return who + " is healthy";
  }
  const std::string what =
      broken > 0 ? fmt::format("is unwell: {} broken, {} to be warned of", broken, warnings)
                 : fmt::format("works, but there {} {} to be warned of",
                               warnings == 1 ? "is" : "are", warnings);
  return fmt::format("{} {}{}", who, what,
                     findings.size() > 1 ? "; the first finding may explain those after it" : "");
}

// Returns the label and the text. The further lines of the text are aligned below its first line.
// On a terminal, long lines are wrapped.
std::string Labelled(std::string_view label, const std::string& text, std::size_t columns) {
  const std::string margin(label.size(), ' ');
  std::vector<std::string> lines = base::Split(text, '\n');
  if (columns != 0) {
    const std::size_t width = base::PageWidth(columns) - margin.size();
    std::vector<std::string> cut;
    for (const std::string& line : lines) {
      std::ranges::move(line.size() <= width ? std::vector{line} : base::Wrap(line, width),
                        std::back_inserter(cut));
    }
    lines = std::move(cut);
  }
  return fmt::format("{}{}\n", label, base::Join(lines, "\n" + margin));
}

std::string FindingText(const Finding& finding, std::size_t columns) {
  std::string text =
      "\n" + Labelled(fmt::format("{}: ", checks::Name(finding.severity)), finding.what, columns);
  if (!finding.evidence.empty()) {
    text += Labelled("  evidence: ", finding.evidence, columns);
  }
  text += Labelled("  remedy:   ", finding.remedy, columns);
  return text + fmt::format("  ({}, {})\n", finding.id, checks::Name(finding.sure));
}

std::string List(std::string_view title, const std::vector<std::string>& lines,
                 std::size_t columns) {
  std::string text = lines.empty() ? "" : fmt::format("\n{}:\n", title);
  for (const std::string& line : lines) {
    text += Labelled("  ", line, columns);
  }
  return text;
}

}  // namespace

std::string TextOf(const Diagnosis& diagnosis) {
  const auto& [facts, findings, columns] = diagnosis;
  std::string text = Labelled("", Headline(facts, findings), columns);
  for (const Finding& finding : findings) {
    text += FindingText(finding, columns);
  }
  text +=
      List("Looked at", facts.looked_at, columns) + List("Could not see", facts.unseen, columns);
  return text;
}

json::Ordered ObjectOf(const Diagnosis& diagnosis) {
  const Facts& facts = diagnosis.facts;
  const Findings& findings = diagnosis.findings;
  json::Ordered list = json::Ordered::array();
  for (const Finding& finding : findings) {
    list.push_back({{"id", finding.id},
                    {"severity", checks::Name(finding.severity)},
                    {"culprit", finding.subject},
                    {"what", finding.what},
                    {"evidence", finding.evidence},
                    {"remedy", finding.remedy},
                    {"sure", checks::Name(finding.sure)}});
  }
  return {{"kind", "Diagnosis"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"node", facts.node_name.empty() ? facts.machine.hostname : facts.node_name},
          {"role", RoleName(facts.role)},
          {"verdict", Verdict(findings)},
          {"findings", std::move(list)},
          {"lookedAt", facts.looked_at},
          {"couldNotSee", facts.unseen}};
}

}  // namespace doctor
