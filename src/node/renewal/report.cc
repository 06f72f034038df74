// SPDX-License-Identifier: Apache-2.0
#include "renewal/report.h"

#include <fmt/format.h>

#include <cctype>

#include "base/strings.h"
#include "json/rfc3339.h"
#include "json/value.h"

namespace renewal {
namespace {

using certs::RenewalOutcome;

std::string Capitalized(std::string_view text) {
  std::string capitalized(text);
  capitalized.front() = static_cast<char>(std::toupper(capitalized.front()));
  return capitalized;
}

std::string_view WordFor(const RenewedRow& done) {
  if (!done.outcome) {
    return "notDue";
  }
  switch (*done.outcome) {
    case RenewalOutcome::kMissing:
      return "missing";
    case RenewalOutcome::kExternalCa:
      return "external";
    case RenewalOutcome::kRenewed:
      break;
  }
  return "renewed";
}

}  // namespace

std::string LineOf(const RenewedRow& done, bool planned) {
  const std::string_view name = done.row->long_name;
  if (!done.outcome) {
    return fmt::format("{} is valid until {}, not renewed", Capitalized(name),
                       json::FormatRfc3339(done.expires.value()));
  }
  switch (*done.outcome) {
    case RenewalOutcome::kMissing:
      return fmt::format("MISSING! {}", name);
    case RenewalOutcome::kExternalCa:
      return fmt::format("Detected external {} CA, {} cannot be renewed", done.row->ca, name);
    case RenewalOutcome::kRenewed:
      break;
  }
  return fmt::format("{} {}", Capitalized(name), planned ? "would be renewed" : "renewed");
}

std::vector<std::string> RestartLines(const RunResult& result) {
  std::vector<std::string> lines;
  for (const std::string& component : result.restarted) {
    lines.push_back(component + " would be restarted");
  }
  return lines;
}

std::string TextOf(const RunResult& result) {
  const auto renewed = result.RenewedNames();
  std::string line = "kubeadm certs auto-renew: ";
  line += renewed.empty() ? std::string("nothing to renew")
                          : fmt::format("renewed {}", fmt::join(renewed, ", "));
  if (!result.restarted.empty()) {
    line += "; restarted " + base::Join(result.restarted, ", ");
  }
  if (const RenewedRow* first = result.FirstToExpire()) {
    line += fmt::format("; next to expire: {} at {}", first->row->name,
                        json::FormatRfc3339(*first->expires));
  }
  return line + "\n";
}

json::Ordered ObjectOf(const RunResult& result) {
  json::Ordered list = json::Ordered::array();
  for (const RenewedRow& done : result.rows) {
    json::Ordered entry = {{"name", done.row->name}, {"outcome", WordFor(done)}};
    if (done.expires) {
      entry["expirationDate"] = json::FormatRfc3339(*done.expires);
    }
    list.push_back(std::move(entry));
  }
  return {{"kind", "CertificateRenewal"},
          {"apiVersion", "output.slipway/v1alpha1"},
          {"dryRun", result.planned},
          {"certificates", std::move(list)},
          {"restarted", result.restarted}};
}

}  // namespace renewal
