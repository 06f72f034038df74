// SPDX-License-Identifier: Apache-2.0
#include "fleet/cluster_operation.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/problems.h"
#include "base/strings.h"
#include "base/version.h"
#include "pki/crypto.h"

namespace fleet {
namespace {

using json::Describe;

constexpr std::size_t kLongestName = 40;  // names of Jobs begin with it
constexpr std::size_t kHashDigits = 16;

void Require(bool valid, base::Problems& problems, const std::string& path,
             const std::string& message) {
  if (!valid) {
    problems.Add(path, message);
  }
}

bool IsPeriod(std::string_view text) {
  return text.size() >= 2 && (text.ends_with('d') || text.ends_with('h')) &&
         std::ranges::all_of(text.substr(0, text.size() - 1),
                             [](char c) { return c >= '0' && c <= '9'; });
}

void CheckActions(const OperationSpec& spec, base::Problems& problems) {
  Require(spec.upgrade.has_value() != spec.renew_certificates.has_value(), problems, "spec",
          "exactly one of upgrade and renewCertificates must be set");
  if (spec.upgrade) {
    const std::string& version = spec.upgrade->version;
    Require(version.starts_with('v') && base::Version::Parse(version), problems,
            "spec.upgrade.version",
            base::InvalidValue(base::Quoted(version), "must be a version such as v1.37.2"));
  }
  if (spec.renew_certificates) {
    const std::string& period = spec.renew_certificates->if_expires_within;
    Require(period.empty() || IsPeriod(period), problems, "spec.renewCertificates.ifExpiresWithin",
            base::InvalidValue(base::Quoted(period), "must be a period such as 30d or 12h"));
  }
}

void CheckRules(const OperationSpec& spec, base::Problems& problems) {
  Require(spec.workers.max_unavailable >= 1, problems, "spec.workers.maxUnavailable",
          "must be at least 1");
  Require(spec.canary.nodes >= 0, problems, "spec.canary.nodes", "must not be negative");
  Require(spec.canary.soak.count() >= 0, problems, "spec.canary.soak", "must not be negative");
  Require(spec.drain.grace_period_seconds.value_or(0) >= 0, problems,
          "spec.drain.gracePeriodSeconds", "must not be negative");
  Require(spec.drain.timeout.count() > 0, problems, "spec.drain.timeout", "must be positive");
  Require(spec.node_timeout >= std::chrono::seconds(1), problems, "spec.nodeTimeout",
          "must be at least 1s");
}

}  // namespace

std::span<const json::Field> UpgradeAction::Fields() {
  static const json::Field fields[] = {
      Describe<&UpgradeAction::version>("version"),
      Describe<&UpgradeAction::kubelet_command>("kubeletCommand"),
      Describe<&UpgradeAction::ignore_preflight_errors>("ignorePreflightErrors"),
  };
  return fields;
}

std::span<const json::Field> RenewAction::Fields() {
  static const json::Field fields[] = {
      Describe<&RenewAction::if_expires_within>("ifExpiresWithin"),
  };
  return fields;
}

std::span<const json::Field> WorkerRules::Fields() {
  static const json::Field fields[] = {
      Describe<&WorkerRules::max_unavailable>("maxUnavailable"),
  };
  return fields;
}

std::span<const json::Field> CanaryRules::Fields() {
  static const json::Field fields[] = {
      Describe<&CanaryRules::nodes>("nodes"),
      Describe<&CanaryRules::soak>("soak"),
  };
  return fields;
}

std::span<const json::Field> DrainRules::Fields() {
  static const json::Field fields[] = {
      Describe<&DrainRules::enabled>("enabled"),
      Describe<&DrainRules::force>("force"),
      Describe<&DrainRules::grace_period_seconds>("gracePeriodSeconds"),
      Describe<&DrainRules::timeout>("timeout"),
  };
  return fields;
}

std::span<const json::Field> OperationSpec::Fields() {
  static const json::Field fields[] = {
      Describe<&OperationSpec::upgrade>("upgrade"),
      Describe<&OperationSpec::renew_certificates>("renewCertificates"),
      Describe<&OperationSpec::node_selector>("nodeSelector"),
      Describe<&OperationSpec::workers>("workers"),
      Describe<&OperationSpec::canary>("canary"),
      Describe<&OperationSpec::drain>("drain"),
      Describe<&OperationSpec::node_timeout>("nodeTimeout"),
      Describe<&OperationSpec::paused>("paused"),
  };
  return fields;
}

std::string ClusterOperation::Title() const {
  return spec.upgrade ? "upgrade to " + spec.upgrade->version : "renewal of certificates";
}

std::string ClusterOperation::SpecHash() const {
  OperationSpec running = spec;
  running.paused = false;
  return base::HexEncode(pki::Sha256(json::Compact(json::Encode(running)))).substr(0, kHashDigits);
}

ClusterOperation ParseOperation(const json::Value& object) {
  base::Problems problems;
  const std::string version =
      fmt::format("{}/{}", kClusterOperation.group, kClusterOperation.version);
  Require(json::TextAt(object, {"apiVersion"}) == version &&
              json::TextAt(object, {"kind"}) == kClusterOperation.kind,
          problems, "", fmt::format("must be a {} of {}", kClusterOperation.kind, version));
  problems.ThrowIfAny();

  ClusterOperation operation{.name = json::TextAt(object, {"metadata", "name"}),
                             .uid = json::TextAt(object, {"metadata", "uid"}),
                             .spec = {}};
  json::DecodeProblems found;
  json::Decode(json::At(object, {"spec"}), operation.spec, json::kAllVersions, found);
  for (const base::Problem& problem : found.errors.list()) {
    problems.Add("spec." + problem.path, problem.message);
  }
  for (const base::Problem& problem : found.unknown.list()) {
    problems.Add("spec", problem.message);  // it has the path
  }
  problems.ThrowIfAny();
  Require(base::IsDns1123Label(operation.name) && operation.name.size() <= kLongestName, problems,
          "metadata.name",
          fmt::format("must be a DNS label of at most {} characters", kLongestName));
  CheckActions(operation.spec, problems);
  CheckRules(operation.spec, problems);
  problems.ThrowIfAny();
  return operation;
}

}  // namespace fleet
