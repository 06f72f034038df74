// SPDX-License-Identifier: Apache-2.0
#include "doctor/before_init.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <expected>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "config/images.h"
#include "cri/runtime.h"
#include "node_input/config_facts.h"
#include "node_input/load_config.h"
#include "preflight/checks.h"

namespace doctor {
namespace {

constexpr std::chrono::seconds kRuntimePatience{8};

std::vector<checks::Check> Checks(host::Host& host, const config::Init& config) {
  std::vector<checks::Check> checks = preflight::RootChecks(host);
  const preflight::Sources sources{.host = host, .connect = [](const std::string& endpoint) {
                                     return cri::Connect(endpoint, kRuntimePatience);
                                   }};
  std::ranges::move(preflight::InitChecks(sources, config), std::back_inserter(checks));
  return checks;
}

// A replacement for a default of `init` that does not fit this machine. The remaining checks then
// run with the replacement.
struct Repair {
  std::string_view culprit;
  std::string_view remedy;
  // Applies the replacement to the flags. Returns whether it has changed them.
  bool (*apply)(host::Host& host, config::InitFlags& flags);
};
constexpr Repair kRepairs[] = {
    {"host name",
     "hostnamectl set-hostname NAME with a name of lower-case letters, digits and dashes, or "
     "--node-name",
     [](host::Host& /*host*/, config::InitFlags& flags) {
       return !std::exchange(flags.node.node_name, "node").has_value();
     }},
    {"container runtime", "say which by --cri-socket, or stop the runtime that should not be used",
     [](host::Host& host, config::InitFlags& flags) {
       const std::vector<std::string> sockets = node_input::CollectFacts(host).cri_sockets();
       return !sockets.empty() &&
              !std::exchange(flags.node.cri_socket, sockets.front()).has_value();
     }},
    {"address of the API server",
     "give an interface with a default route an address, or name one by "
     "--apiserver-advertise-address",
     [](host::Host& /*host*/, config::InitFlags& flags) {
       return !std::exchange(flags.apiserver_advertise_address, node_input::kAnyAddress)
                   .has_value();
     }}};

// The defaults of `init` on this machine, with replacements for those that do not fit.
struct Defaults {
  std::optional<config::Init> config;  // not set if no replacement helps
  config::InitFlags stand_ins;
  checks::Findings findings;
};

// The configuration with some replacements, or the reason why it is invalid.
using Loaded = std::expected<config::Init, std::string>;

Loaded Load(host::Host& host, const config::InitFlags& stand_ins) {
  try {
    return node_input::LoadInit(host, "", stand_ins, config::CriSocketChoice::kDetect);
  } catch (const base::Error& error) {
    return std::unexpected(error.message());
  }
}

// A repair with its replacements and their result.
struct Repaired {
  const Repair& repair;
  config::InitFlags stand_ins;
  Loaded loaded;
};

// Returns the first repair that solves the problem; the result may have another problem. Returns
// std::nullopt if no repair solves it.
std::optional<Repaired> FindRepair(host::Host& host, const config::InitFlags& stand_ins,
                                   const std::string& problem) {
  for (const Repair& repair : kRepairs) {
    config::InitFlags tried = stand_ins;
    if (!repair.apply(host, tried)) {
      continue;
    }
    Loaded loaded = Load(host, tried);
    if (loaded || loaded.error() != problem) {
      return Repaired{.repair = repair, .stand_ins = std::move(tried), .loaded = std::move(loaded)};
    }
  }
  return std::nullopt;
}

Defaults LoadDefaults(host::Host& host) {
  Defaults defaults;
  Loaded loaded = Load(host, defaults.stand_ins);
  while (!loaded) {
    std::optional<Repaired> repaired = FindRepair(host, defaults.stand_ins, loaded.error());
    defaults.findings.push_back(
        {.id = "before-init",
         .severity = checks::Severity::kWarning,
         .subject = std::string(repaired ? repaired->repair.culprit : "defaults of init"),
         .what = "init would not begin: " + loaded.error(),
         .remedy = std::string(repaired ? repaired->repair.remedy
                                        : "give the missing value by a flag or a configuration "
                                          "file of init")});
    if (!repaired) {
      return defaults;
    }
    defaults.stand_ins = std::move(repaired->stand_ins);
    loaded = std::move(repaired->loaded);
  }
  defaults.config = *std::move(loaded);
  return defaults;
}

// Returns whether the finding is about a replacement. A replacement is not a real name or address
// of this machine, so the finding does not matter.
bool IsOfStandIn(const checks::Finding& finding, const config::InitFlags& stand_ins) {
  return (stand_ins.node.node_name && finding.id == "Hostname") ||
         (stand_ins.apiserver_advertise_address &&
          finding.what.find(node_input::kAnyAddress) != std::string::npos);
}

}  // namespace

checks::Finding BeforeInit(const checks::Finding& finding) {
  const bool refuses = finding.severity == checks::Severity::kError;
  const std::string more = fmt::format("see \"{}\" in docs/errors.md", finding.id);
  return {.id = "before-init",
          .severity = refuses ? checks::Severity::kWarning : checks::Severity::kNote,
          .subject = finding.id,
          .what = fmt::format("init would {} {}: {}", refuses ? "refuse, for" : "warn of",
                              finding.id, finding.what),
          .remedy = finding.remedy.empty() ? more : fmt::format("{} ({})", finding.remedy, more)};
}

void CollectBeforeInit(host::Host& host, Facts& facts) {
  Defaults defaults = LoadDefaults(host);
  facts.obstacles = std::move(defaults.findings);
  if (!defaults.config) {
    return;
  }
  const std::string& socket = defaults.config->init.node_registration.cri_socket;
  CollectSuitability({.host = host,
                      .connect_runtime = [&] { return cri::Connect(socket, kRuntimePatience); },
                      .pause_image = config::PauseImage(defaults.config->cluster)},
                     facts);
  for (const checks::Finding& finding : checks::RunChecks(Checks(host, *defaults.config))) {
    if (!IsOfStandIn(finding, defaults.stand_ins)) {
      facts.of_init.push_back(BeforeInit(finding));
    }
  }
  facts.looked_at.emplace_back("speed of the disk, clock, processor, name servers");
  facts.looked_at.emplace_back("what init would check");
}

}  // namespace doctor
