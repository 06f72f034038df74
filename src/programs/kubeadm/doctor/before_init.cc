// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/doctor/before_init.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>

#include "base/error.h"
#include "config_input/load.h"
#include "cri/runtime.h"
#include "preflight/checks.h"

namespace kubeadm {
namespace {

constexpr std::chrono::seconds kRuntimePatience{8};

std::vector<preflight::Check> Checks(host::Host& host) {
  const config::Init config =
      config_input::LoadInit(host, "", {}, config::CriSocketChoice::kDetect);
  std::vector<preflight::Check> checks = preflight::RootChecks(host);
  const preflight::Sources sources{.host = host, .connect = [](const std::string& endpoint) {
                                     return cri::Connect(endpoint, kRuntimePatience);
                                   }};
  std::ranges::move(preflight::InitChecks(sources, config), std::back_inserter(checks));
  return checks;
}

}  // namespace

diagnosis::Finding FindingOf(const preflight::Finding& complaint) {
  const bool refuses = complaint.severity == preflight::Severity::kError;
  return {.id = "before-init",
          .severity = refuses ? diagnosis::Severity::kWarning : diagnosis::Severity::kNote,
          .culprit = complaint.check,
          .what = fmt::format("init would {} {}: {}", refuses ? "refuse, for" : "warn of",
                              complaint.check, complaint.text),
          .remedy = fmt::format("see \"{}\" in docs/errors.md", complaint.check)};
}

std::vector<diagnosis::Finding> FindingsBeforeInit(host::Host& host) try {
  std::vector<diagnosis::Finding> findings;
  for (const preflight::Finding& complaint : preflight::RunChecks(Checks(host)).findings) {
    findings.push_back(FindingOf(complaint));
  }
  std::ranges::stable_sort(findings, std::ranges::greater{}, &diagnosis::Finding::severity);
  return findings;
} catch (const base::Error& error) {
  return {{.id = "before-init",
           .severity = diagnosis::Severity::kWarning,
           .culprit = "defaults of init",
           .what = "init would not begin: " + error.message(),
           .remedy = "give what is missing by a flag or a configuration file of init"}};
}

}  // namespace kubeadm
