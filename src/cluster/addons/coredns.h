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

// Reads the replicas and the image tag of the cluster's DNS Deployment. Throws
// base::Error(kInvalid) if the cluster has several DNS Deployments. If the API server refuses,
// throws base::Error with the server's kind.
InstalledCoreDns FindCoreDns(kube::Client& client);

// Returns the Corefile of the cluster's CoreDNS; std::nullopt if the ConfigMap does not exist.
// Throws base::Error(kInvalid) if the ConfigMap has no Corefile.
std::optional<std::string> FindCorefile(kube::Client& client);

// The result of ApplyCoreDns.
struct CoreDnsOutcome {
  enum class Corefile {
    kWritten,   // created, or replaced an earlier default after a backup
    kRetained,  // the user's own
    kMigrated,  // the user's own, migrated for this CoreDNS after a backup
    kFailed,    // the migration failed; nothing was changed
  } corefile = Corefile::kWritten;
  std::string problem;  // set with kFailed
  std::vector<node_input::AppliedPatch> patches;
};

// Options of ApplyCoreDns.
struct CoreDnsOptions {
  const node_input::PatchSet* patches = nullptr;
  std::function<void()> on_migrating;  // called before a Corefile is migrated; may be empty
};

// Installs or updates the addon. Throws base::Error(kInvalid) if the cluster has several DNS
// Deployments, the ConfigMap has no Corefile, or the migration does not know the running version of
// CoreDNS. Throws with the server's kind if the API server refuses.
CoreDnsOutcome ApplyCoreDns(kube::Client& client, const config::ClusterConfiguration& cluster,
                            const CoreDnsOptions& options);

}  // namespace addons
