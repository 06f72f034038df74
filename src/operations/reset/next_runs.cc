// SPDX-License-Identifier: Apache-2.0
#include "reset/next_runs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "config/defaults.h"
#include "config/paths.h"
#include "preflight/checks.h"

namespace reset {
namespace {

using checks::Check;

bool DependsOnReset(const Check& check) {
  constexpr std::array<std::string_view, 3> kKinds{"FileAvailable-", "DirAvailable-", "Port-"};
  return std::ranges::any_of(kKinds, [&](auto kind) { return check.id.starts_with(kind); });
}

NextRun Checked(std::string_view command, std::vector<Check> checks) {
  std::erase_if(checks, [](const Check& check) { return !DependsOnReset(check); });
  checks::Findings errors = checks::RunChecks(checks);
  std::erase_if(errors, [](const checks::Finding& finding) {
    return finding.severity != checks::Severity::kError;
  });
  return {.command = command, .errors = std::move(errors)};
}

}  // namespace

std::vector<NextRun> CheckNextRuns(const Teardown& teardown) {
  const preflight::Sources sources{.host = teardown.host, .connect = {}};
  config::Init init;
  init.init.local_api_endpoint.bind_port = config::kDefaultBindPort;
  init.cluster.certificates_dir = teardown.config.certificates_dir;
  init.cluster.etcd.local.emplace();
  init.cluster.etcd.local->data_dir =
      teardown.etcd_data.value_or(fs::path(config::kDefaultEtcdDataDir)).string();
  const config::JoinConfiguration worker{
      .ca_cert_path = (fs::path(teardown.config.certificates_dir) / "ca.crt").string()};
  std::vector<Check> control_plane =
      preflight::JoinControlPlaneChecks(sources, init, preflight::Certificates::kDownloaded);
  config::JoinConfiguration member;
  member.control_plane.emplace();
  std::ranges::move(preflight::JoinChecks(sources, member), std::back_inserter(control_plane));
  return {Checked("init", preflight::InitChecks(sources, init)),
          Checked("join", preflight::JoinChecks(sources, worker)),
          Checked("join --control-plane", std::move(control_plane))};
}

}  // namespace reset
