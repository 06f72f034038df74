// SPDX-License-Identifier: Apache-2.0
#include "fleet/cluster_operation.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/problems.h"
#include "base/strings.h"
#include "base/version.h"
#include "pki/crypto.h"

namespace fleet {
namespace {

using json::Describe;

constexpr std::size_t kLongestName = 40;  // names of Jobs begin with it
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kLongestTraceparent = 256;
constexpr std::size_t kLongestImage = 512;
constexpr std::size_t kLargestSpec = 65'536;  // bytes; more than all fields at their limits
constexpr std::string_view kS3 = "s3://";
constexpr std::string_view kKubernetes = "kubernetes";
constexpr std::string_view kServiceAccount = "sa";
constexpr std::array<std::string_view, 4> kAuthorities = {kKubernetes, "etcd", "front-proxy",
                                                          kServiceAccount};
constexpr std::chrono::minutes kTokenLife{71};  // `certs rotate-ca` waits for 70
constexpr std::chrono::minutes kUsualDropAfter{75};

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

// The rule is that of the CustomResourceDefinition.
bool IsImage(std::string_view text) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return text.size() <= kLongestImage && is_letter_or_digit(text.front()) &&
         std::ranges::all_of(text, [&](char c) {
           return is_letter_or_digit(c) || std::string_view("._:/@-").contains(c);
         });
}

void CheckUpgrade(const UpgradeAction& upgrade, base::Problems& problems) {
  const std::string& version = upgrade.version;
  Require(version.starts_with('v') && base::Version::Parse(version), problems,
          "spec.upgrade.version",
          base::InvalidValue(base::Quoted(version), "must be a version such as v1.37.2"));
  Require(upgrade.kubelet_command.empty() || upgrade.kubelet_image.empty(), problems,
          "spec.upgrade", "set kubeletCommand or kubeletImage, not both");
  const std::string& image = upgrade.kubelet_image;
  Require(image.empty() || IsImage(image), problems, "spec.upgrade.kubeletImage",
          base::InvalidValue(base::Quoted(image), "must be the reference of an image"));
}

void CheckRenewal(const RenewAction& renewal, base::Problems& problems) {
  const std::string& period = renewal.if_expires_within;
  Require(period.empty() || IsPeriod(period), problems, "spec.renewCertificates.ifExpiresWithin",
          base::InvalidValue(base::Quoted(period), "must be a period such as 30d or 12h"));
}

void CheckConfig(const ConfigAction& change, base::Problems& problems) {
  Require(!change.set.empty(), problems, "spec.configApply.set", "must have at least one value");
  for (const std::string& setting : change.set) {
    const std::size_t end = setting.find('=');
    Require(end != std::string::npos && end > 0, problems, "spec.configApply.set",
            base::InvalidValue(base::Quoted(setting), "must be path=value"));
  }
}

void CheckRotation(const RotateAction& rotation, base::Problems& problems) {
  Require(std::ranges::contains(kAuthorities, rotation.authority), problems,
          "spec.rotateCA.authority",
          base::InvalidValue(base::Quoted(rotation.authority),
                             "must be kubernetes, etcd, front-proxy or sa"));
  Require(rotation.DropAfter().count() >= 0, problems, "spec.rotateCA.dropAfter",
          "must not be negative");
  Require(rotation.authority != kServiceAccount || rotation.DropAfter() >= kTokenLife, problems,
          "spec.rotateCA.dropAfter",
          "must be at least 71m for sa: Pods use their old tokens for that time");
}

void CheckBackup(const BackupAction& backup, base::Problems& problems) {
  const bool s3 = backup.destination.starts_with(kS3);
  Require(s3 || backup.destination.starts_with('/'), problems, "spec.backup.destination",
          base::InvalidValue(base::Quoted(backup.destination),
                             "must be an absolute path or s3://BUCKET/PREFIX/"));
  Require(!backup.recipients.empty(), problems, "spec.backup.recipients",
          "must have at least one age public key");
  for (const std::string& recipient : backup.recipients) {
    Require(recipient.starts_with("age1"), problems, "spec.backup.recipients",
            base::InvalidValue(base::Quoted(recipient), "must begin with age1"));
  }
  const std::string& secret = backup.credentials_secret;
  Require(secret.empty() || (s3 && base::IsDns1123Subdomain(secret)), problems,
          "spec.backup.credentialsSecret",
          "must be the name of a Secret, and needs a destination in S3");
}

void CheckRecovery(const RecoverAction& recovery, base::Problems& problems) {
  const std::string& secret = recovery.token_secret;
  Require(secret.empty() || base::IsDns1123Subdomain(secret), problems, "spec.recover.tokenSecret",
          base::InvalidValue(base::Quoted(secret), "must be the name of a Secret"));
}

void CheckActions(const OperationSpec& spec, base::Problems& problems) {
  const int actions =
      static_cast<int>(spec.upgrade.has_value()) +
      static_cast<int>(spec.renew_certificates.has_value()) +
      static_cast<int>(spec.config_apply.has_value()) +
      static_cast<int>(spec.rotate_ca.has_value()) + static_cast<int>(spec.backup.has_value()) +
      static_cast<int>(spec.reboot.has_value()) + static_cast<int>(spec.recover.has_value());
  Require(actions == 1, problems, "spec",
          "exactly one of upgrade, renewCertificates, configApply, rotateCA, backup, reboot and "
          "recover must be set");
  if (spec.upgrade) {
    CheckUpgrade(*spec.upgrade, problems);
  }
  if (spec.renew_certificates) {
    CheckRenewal(*spec.renew_certificates, problems);
  }
  if (spec.config_apply) {
    CheckConfig(*spec.config_apply, problems);
  }
  if (spec.rotate_ca) {
    CheckRotation(*spec.rotate_ca, problems);
  }
  if (spec.backup) {
    CheckBackup(*spec.backup, problems);
  }
  if (spec.recover) {
    CheckRecovery(*spec.recover, problems);
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
  for (std::size_t i = 0; i < spec.maintenance_windows.size(); ++i) {
    const std::string problem = ProblemOf(spec.maintenance_windows[i]);
    Require(problem.empty(), problems, fmt::format("spec.maintenanceWindows[{}]", i), problem);
  }
  for (std::size_t i = 0; i < spec.health_gates.size(); ++i) {
    const std::string problem = ProblemOf(spec.health_gates[i]);
    Require(problem.empty(), problems, fmt::format("spec.healthGates[{}]", i), problem);
  }
  Require(spec.rollback != Rollback::kNode || spec.upgrade, problems, "spec.rollback",
          "must be none, except for an upgrade");
  Require(spec.node_timeout >= std::chrono::seconds(1), problems, "spec.nodeTimeout",
          "must be at least 1s");
}

}  // namespace

std::span<const json::Field> UpgradeAction::Fields() {
  static const json::Field fields[] = {
      Describe<&UpgradeAction::version>("version"),
      Describe<&UpgradeAction::kubelet_command>("kubeletCommand"),
      Describe<&UpgradeAction::kubelet_image>("kubeletImage"),
      Describe<&UpgradeAction::ignore_preflight_errors>("ignorePreflightErrors"),
      Describe<&UpgradeAction::allow_experimental_upgrades>("allowExperimentalUpgrades"),
      Describe<&UpgradeAction::nodes_only>("nodesOnly"),
  };
  return fields;
}

std::span<const json::Field> RenewAction::Fields() {
  static const json::Field fields[] = {
      Describe<&RenewAction::if_expires_within>("ifExpiresWithin"),
  };
  return fields;
}

std::span<const json::Field> ConfigAction::Fields() {
  static const json::Field fields[] = {
      Describe<&ConfigAction::set>("set"),
  };
  return fields;
}

std::span<const json::Field> RotateAction::Fields() {
  static const json::Field fields[] = {
      Describe<&RotateAction::authority>("authority"),
      Describe<&RotateAction::drop_after>("dropAfter"),
  };
  return fields;
}

base::Duration RotateAction::DropAfter() const {
  const bool has_clients = authority == kKubernetes || authority == kServiceAccount;
  return drop_after.value_or(has_clients ? base::Duration(kUsualDropAfter) : base::Duration(0));
}

std::span<const json::Field> BackupAction::Fields() {
  static const json::Field fields[] = {
      Describe<&BackupAction::destination>("destination"),
      Describe<&BackupAction::recipients>("recipients"),
      Describe<&BackupAction::credentials_secret>("credentialsSecret"),
  };
  return fields;
}

std::span<const json::Field> RebootAction::Fields() {
  static const json::Field fields[] = {
      Describe<&RebootAction::if_required>("ifRequired"),
  };
  return fields;
}

std::span<const json::Field> RecoverAction::Fields() {
  static const json::Field fields[] = {
      Describe<&RecoverAction::force>("force"),
      Describe<&RecoverAction::token_secret>("tokenSecret"),
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
      Describe<&OperationSpec::config_apply>("configApply"),
      Describe<&OperationSpec::rotate_ca>("rotateCA"),
      Describe<&OperationSpec::backup>("backup"),
      Describe<&OperationSpec::reboot>("reboot"),
      Describe<&OperationSpec::recover>("recover"),
      Describe<&OperationSpec::node_selector>("nodeSelector"),
      Describe<&OperationSpec::workers>("workers"),
      Describe<&OperationSpec::canary>("canary"),
      Describe<&OperationSpec::drain>("drain"),
      Describe<&OperationSpec::maintenance_windows>("maintenanceWindows"),
      Describe<&OperationSpec::health_gates>("healthGates"),
      Describe<&OperationSpec::node_timeout>("nodeTimeout"),
      Describe<&OperationSpec::rollback>("rollback"),
      Describe<&OperationSpec::paused>("paused"),
  };
  return fields;
}

std::span<const std::string_view> EnumNames(Rollback /*rollback*/) {
  static constexpr std::array<std::string_view, 2> kNames = {"none", "node"};
  return kNames;
}

bool ClusterOperation::Drains() const {
  return spec.drain.enabled.value_or(spec.upgrade || spec.reboot);
}

std::string ClusterOperation::Title() const {
  if (spec.upgrade) {
    return "upgrade to " + spec.upgrade->version;
  }
  if (spec.config_apply) {
    return "configuration " + base::Join(spec.config_apply->set, " ");
  }
  if (spec.rotate_ca) {
    return "rotation of authority " + spec.rotate_ca->authority;
  }
  if (spec.backup) {
    return "backup to " + spec.backup->destination;
  }
  if (spec.recover) {
    return "recovery of kubelets";
  }
  return spec.reboot ? "restart of the hosts" : "renewal of certificates";
}

std::string_view ClusterOperation::Action() const {
  const std::pair<bool, std::string_view> actions[] = {
      {spec.upgrade.has_value(), "upgrade"},    {spec.config_apply.has_value(), "configApply"},
      {spec.rotate_ca.has_value(), "rotateCA"}, {spec.backup.has_value(), "backup"},
      {spec.recover.has_value(), "recover"},    {spec.reboot.has_value(), "reboot"}};
  const auto* found = std::ranges::find_if(actions, [](const auto& entry) { return entry.first; });
  return found == std::ranges::end(actions) ? "renewCertificates" : found->second;
}

std::string ClusterOperation::SpecHash() const {
  OperationSpec running = spec;
  running.paused = false;
  running.rollback.reset();
  return base::HexEncode(pki::Sha256(json::Compact(json::Encode(running)))).substr(0, kHashDigits);
}

bool IsOperationName(std::string_view name) {
  return base::IsDns1123Label(name) && name.size() <= kLongestName;
}

json::Value WithoutUnusedParts(const json::Value& object) {
  json::Value kept = json::Value::object();
  for (const char* name : {"apiVersion", "kind", "status"}) {
    kept[name] = json::At(object, {name});
  }
  for (const char* name :
       {"name", "uid", "generation", "creationTimestamp", "deletionTimestamp", "finalizers"}) {
    kept["metadata"][name] = json::At(object, {"metadata", name});
  }
  if (const std::string traceparent =
          json::TextAt(object, {"metadata", "annotations", kTraceAnnotation});
      !traceparent.empty() && traceparent.size() <= kLongestTraceparent) {
    kept["metadata"]["annotations"][std::string(kTraceAnnotation)] = traceparent;
  }
  const json::Value& spec = json::At(object, {"spec"});
  if (json::Compact(spec).size() <= kLargestSpec) {
    kept["spec"] = spec;
  }
  return kept;
}

ClusterOperation ParseOperation(const json::Value& object) {
  base::Problems problems;
  const std::string version =
      fmt::format("{}/{}", kClusterOperation.group, kClusterOperation.version);
  Require(json::TextAt(object, {"apiVersion"}) == version &&
              json::TextAt(object, {"kind"}) == kClusterOperation.kind,
          problems, "", fmt::format("must be a {} of {}", kClusterOperation.kind, version));
  Require(json::At(object, {"spec"}).is_object(), problems, "spec",
          fmt::format("must be an object of at most {} bytes", kLargestSpec));
  problems.ThrowIfAny();

  ClusterOperation operation{
      .name = json::TextAt(object, {"metadata", "name"}),
      .uid = json::TextAt(object, {"metadata", "uid"}),
      .spec = {},
      .traceparent = json::TextAt(object, {"metadata", "annotations", kTraceAnnotation})};
  json::DecodeProblems found;
  json::Decode(json::At(object, {"spec"}), operation.spec, json::kAllVersions, found);
  for (const base::Problem& problem : found.errors.list()) {
    problems.Add("spec." + problem.path, problem.message);
  }
  for (const base::Problem& problem : found.unknown.list()) {
    problems.Add("spec", problem.message);  // the message contains the path
  }
  problems.ThrowIfAny();
  Require(IsOperationName(operation.name), problems, "metadata.name",
          fmt::format("must be a DNS label of at most {} characters", kLongestName));
  CheckActions(operation.spec, problems);
  CheckRules(operation.spec, problems);
  problems.ThrowIfAny();
  return operation;
}

}  // namespace fleet
