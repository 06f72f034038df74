// SPDX-License-Identifier: Apache-2.0
// The DNS addon (reference: phases.md §1.6, kubelet.md §7).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/types.h"
#include "json/value.h"
#include "kube/client.h"
#include "patches/patches.h"

namespace addons {

// The replicas of a new cluster; a number that a user has chosen since is kept.
inline constexpr int kCoreDnsReplicas = 2;

// The objects. `key` is the ConfigMap's key that the Pods use as Corefile.
json::Value CoreDnsConfigMap(std::string_view corefile);
json::Value CoreDnsDeployment(const config::ClusterConfiguration& cluster, int replicas);
json::Value CoreDnsService(const config::ClusterConfiguration& cluster);

// Returns all objects as a user would install them, in printing order, and the `patches` (may be
// null) that changed them. Throws base::Error(kInvalid) for patches that do not apply.
struct CoreDnsManifestList {
  std::vector<json::Value> objects;
  std::vector<patches::AppliedPatch> patches;
};
CoreDnsManifestList CoreDnsManifests(const config::ClusterConfiguration& cluster,
                                     const patches::PatchSet* patches);

// The installed addon.
struct InstalledCoreDns {
  int replicas;
  // The tag of its image as written: "v1.6.7"; std::nullopt without a deployment, or with only a
  // digest.
  std::optional<std::string> tag;
  std::optional<std::string> version;  // the tag without its v
};

// Reads the cluster. Throws base::Error(kInvalid) if there are several deployments.
InstalledCoreDns FindCoreDns(kube::Client& client);

// Returns the Corefile of the cluster's CoreDNS; std::nullopt without a ConfigMap. Throws
// base::Error(kInvalid) if the ConfigMap has no Corefile.
std::optional<std::string> FindCorefile(kube::Client& client);

// The result of applying.
struct CoreDnsOutcome {
  enum class Corefile {
    kWritten,   // created, or replaced an earlier default, which is kept as a backup
    kRetained,  // the user's own
    kMigrated,  // the user's own, migrated for this CoreDNS; the old one is kept as a backup
    kFailed,    // the migration failed: neither it nor the running CoreDNS was changed
  } corefile = Corefile::kWritten;
  std::string problem;  // of kFailed
  std::vector<patches::AppliedPatch> patches;
};

// CoreDnsOptions of ApplyCoreDns.
struct CoreDnsOptions {
  const patches::PatchSet* patches = nullptr;
  std::function<void()> on_migrating;  // called before a Corefile is migrated; may be empty
};

// Installs or updates the addon. Throws base::Error(kInvalid) if there are several DNS deployments,
// the ConfigMap has no Corefile, or the version of the running CoreDNS is unknown to the migration.
CoreDnsOutcome ApplyCoreDns(kube::Client& client, const config::ClusterConfiguration& cluster,
                            const CoreDnsOptions& options);

}  // namespace addons
