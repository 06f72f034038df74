// SPDX-License-Identifier: Apache-2.0
#include "upgrade/core_dns_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "addons/coredns.h"
#include "addons/corefile.h"
#include "addons/corefile_migration.h"
#include "addons/corefile_support.h"
#include "base/error.h"
#include "base/strings.h"
#include "config/images.h"
#include "releases/releases.h"

namespace upgrade {
namespace {

using checks::Findings;
using checks::Refuse;

bool NothingToMigrate(const CoreDnsChange& change, const std::optional<std::string>& corefile) {
  return !corefile || change.from == change.to;
}

// Returns the version of the running CoreDNS. Throws base::Error(kInvalid) if it is unknown
// although a Corefile exists.
const std::string& RequireVersion(const std::optional<std::string>& version) {
  if (!version) {
    throw base::Error(base::Error::Kind::kInvalid,
                      "ConfigMap \"coredns\" is there, but no Deployment in namespace "
                      "\"kube-system\" with label k8s-app=kube-dns and an image with a version");
  }
  return *version;
}

// Throws base::Error if the Corefile is unreadable, or if the migration does not support this
// change of version.
void TryMigration(const CoreDnsChange& change, const std::string& corefile) {
  const std::string& version = RequireVersion(change.from);
  const addons::CoreDnsStep step{.from = version, .to = change.to};
  addons::CheckMigrationPath(step);
  addons::Migrated(addons::Corefile::Parse(corefile), step).Text();
}

}  // namespace

Findings JudgePlugins(const CoreDnsChange& change, const std::optional<std::string>& corefile) {
  if (NothingToMigrate(change, corefile)) {
    return {};
  }
  const std::string& from = RequireVersion(change.from);
  const addons::CoreDnsStep step{.from = from, .to = change.to};
  addons::CheckMigrationPath(step);
  const std::vector<std::string> parts =
      addons::UnsupportedParts(addons::Corefile::Parse(*corefile), step);
  if (parts.empty()) {
    return {};
  }
  return {Refuse(fmt::format(
      "the Corefile of CoreDNS (ConfigMap \"coredns\" in namespace \"kube-system\") has parts that "
      "kubeadm cannot migrate from {} to {}: {}. See whether they still work with the new version; "
      "if so, upgrade with --ignore-preflight-errors=CoreDNSUnsupportedPlugins: they are left as "
      "they are",
      from, change.to, base::Join(parts, ", ")))};
}

Findings JudgeMigration(const CoreDnsChange& change, const std::optional<std::string>& corefile) {
  if (NothingToMigrate(change, corefile)) {
    return {};
  }
  try {
    TryMigration(change, *corefile);
  } catch (const base::Error& error) {
    return {Refuse("CoreDNS would stay as it is: " + error.message())};
  }
  return {};
}

std::string CoreDnsToCome(const config::ClusterConfiguration& config, const base::Version& cluster,
                          std::string_view wanted) {
  const base::Version target = base::Version::ParseGeneric(wanted).value_or(base::Version{
      .major = cluster.major,
      .minor = std::max(cluster.minor, std::min(cluster.minor + 1, releases::Newest().minor))});
  config::ClusterConfiguration upgraded;
  upgraded.kubernetes_version = target.TextWithV();
  upgraded.dns = config.dns;
  return config::CoreDnsVersion(upgraded);
}

CoreDnsInUse CollectCoreDns(kube::Client& client) {
  CoreDnsInUse in_use{.version = {}, .corefile = addons::FindCorefile(client)};
  if (in_use.corefile) {
    in_use.version = addons::FindCoreDns(client).version;
  }
  return in_use;
}

std::vector<checks::Check> CoreDnsChecks(kube::Client& client, const std::string& wanted) {
  using Judge = Findings (*)(const CoreDnsChange&, const std::optional<std::string>&);
  const auto check = [&client, &wanted](std::string id, Judge judge) {
    return checks::Check{.id = std::move(id),
                         .judge = [&client, wanted, judge](const std::stop_token&) {
                           const CoreDnsInUse in_use = CollectCoreDns(client);
                           return judge({.from = in_use.version, .to = wanted}, in_use.corefile);
                         }};
  };
  return {check("CoreDNSUnsupportedPlugins", JudgePlugins),
          check("CoreDNSMigration", JudgeMigration)};
}

}  // namespace upgrade
