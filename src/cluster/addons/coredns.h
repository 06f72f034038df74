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
#include "node_input/patches.h"

namespace addons {

// Replicas of CoreDNS in a new cluster. An upgrade keeps the number that the user has set since.
inline constexpr int kCoreDnsReplicas = 2;

// Build the addon's objects.
json::Value CoreDnsConfigMap(std::string_view corefile);
json::Value CoreDnsDeployment(const config::ClusterConfiguration& cluster, int replicas);
json::Value CoreDnsService(const config::ClusterConfiguration& cluster);

// All objects of the addon in printing order, and the patches that changed them.
struct CoreDnsManifestList {
  std::vector<json::Value> objects;
  std::vector<node_input::AppliedPatch> patches;
};
// Builds all objects of the addon, for users who install it themselves. `patches` may be null.
// Throws base::Error(kInvalid) if a patch does not apply.
CoreDnsManifestList CoreDnsManifests(const config::ClusterConfiguration& cluster,
                                     const node_input::PatchSet* patches);

// The CoreDNS that runs in the cluster.
struct InstalledCoreDns {
  int replicas;
  // The image tag as written, for example "v1.6.7". std::nullopt if the Deployment does not exist,
  // or if its image has only a digest.
  std::optional<std::string> tag;
  std::optional<std::string> version;  // "1.6.7"
};

// Reads the replicas and the image tag of the cluster's DNS Deployment. Without a Deployment,
// returns kCoreDnsReplicas and no tag. Throws base::Error(kInvalid) if the cluster has several DNS
// Deployments. Also throws the errors of kube::Client.
InstalledCoreDns FindCoreDns(kube::Client& client);

// Returns the Corefile of the cluster's CoreDNS; std::nullopt if the ConfigMap does not exist.
// Throws base::Error(kInvalid) if the ConfigMap has no Corefile.
std::optional<std::string> FindCorefile(kube::Client& client);

// The result of ApplyCoreDns.
struct CoreDnsOutcome {
  enum class Corefile {
    // Created, or replaced after a backup: it was empty or an earlier default.
    kWritten,
    // Not changed: it is the user's own Corefile, and needs no migration.
    kRetained,
    // Migrated for this CoreDNS after a backup: it was the user's own Corefile.
    kMigrated,
    // The migration failed. The Corefile and an existing Deployment are unchanged.
    kFailed,
  } corefile = Corefile::kWritten;
  std::string problem;  // set with kFailed
  std::vector<node_input::AppliedPatch> patches;
};

// Options of ApplyCoreDns.
struct CoreDnsOptions {
  const node_input::PatchSet* patches = nullptr;
  std::function<void()> on_migrating;  // called before a Corefile is migrated; may be empty
};

// Installs or updates the addon. If the Corefile cannot be migrated, the outcome is kFailed. Throws
// base::Error(kInvalid) if the cluster has several DNS Deployments or the ConfigMap has no
// Corefile. Also throws kInvalid if a patch does not apply, or another client changes the Corefile
// concurrently. Also throws the errors of kube::Client.
CoreDnsOutcome ApplyCoreDns(kube::Client& client, const config::ClusterConfiguration& cluster,
                            const CoreDnsOptions& options);

}  // namespace addons
