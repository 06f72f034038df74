// SPDX-License-Identifier: Apache-2.0
#include "doctor/report.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "json/value.h"

namespace doctor {
namespace {

using diagnosis::Severity;

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

std::string_view Verdict(const std::vector<Finding>& findings) {
  constexpr std::string_view kVerdicts[] = {"healthy", "warnings", "broken"};
  return kVerdicts[ExitStatus(findings)];
}

std::string Headline(const Facts& facts, const std::vector<Finding>& findings) {
  if (facts.role == Role::kNone) {
    return "This machine is no node of a cluster";
  }
  const auto count = [&](Severity severity) {
    return std::ranges::count(findings, severity, &Finding::severity);
  };
  const std::string who = fmt::format("This {}, {},", RoleName(facts.role), facts.node_name);
  const auto broken = count(Severity::kBroken);
  const auto warnings = count(Severity::kWarning);
  if (broken == 0 && warnings == 0) {
    return who + " is well";
  }
  const std::string what =
      broken > 0 ? fmt::format("is unwell: {} broken, {} to be warned of", broken, warnings)
                 : fmt::format("works, but there {} {} to be warned of",
                               warnings == 1 ? "is" : "are", warnings);
  return fmt::format("{} {}{}", who, what,
                     findings.size() > 1 ? "; the first finding may explain those after it" : "");
}

std::string Indented(const std::string& text, std::string_view indent) {
  return base::ReplaceAll(text, "\n", "\n" + std::string(indent));
}

std::string FindingText(const Finding& finding) {
  constexpr std::string_view kIndent = "            ";
  std::string text = fmt::format("\n{}: {}\n", diagnosis::Name(finding.severity), finding.what);
  if (!finding.evidence.empty()) {
    text += fmt::format("  evidence: {}\n", Indented(finding.evidence, kIndent));
  }
  text += fmt::format("  remedy:   {}\n", Indented(finding.remedy, kIndent));
  return text + fmt::format("  ({}, {})\n", finding.id, diagnosis::Name(finding.sure));
}

std::string List(std::string_view title, const std::vector<std::string>& lines) {
  return lines.empty() ? "" : fmt::format("\n{}:\n  {}\n", title, base::Join(lines, "\n  "));
}

}  // namespace

std::string TextOf(const Diagnosis& diagnosis) {
  const auto& [facts, findings] = diagnosis;
  std::string text = Headline(facts, findings) + "\n";
  for (const Finding& finding : findings) {
    text += FindingText(finding);
  }
  text += List("Looked at", facts.looked_at) + List("Could not see", facts.unseen);
  return base::Visible(text, "\n\t");
}

json::Ordered ObjectOf(const Diagnosis& diagnosis) {
  const auto& [facts, findings] = diagnosis;
  json::Ordered list = json::Ordered::array();
  for (const Finding& finding : findings) {
    list.push_back({{"id", finding.id},
                    {"severity", diagnosis::Name(finding.severity)},
                    {"culprit", finding.culprit},
                    {"what", finding.what},
                    {"evidence", finding.evidence},
                    {"remedy", finding.remedy},
                    {"sure", diagnosis::Name(finding.sure)}});
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
