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

// kCoreDnsReplicas are those of a new cluster; a number that somebody has chosen since is kept.
inline constexpr int kCoreDnsReplicas = 2;

// The objects. `key` is the ConfigMap's key that the Pods use as Corefile.
json::Value CoreDnsConfigMap(std::string_view corefile);
json::Value CoreDnsDeployment(const config::ClusterConfiguration& cluster, int replicas);
json::Value CoreDnsService(const config::ClusterConfiguration& cluster);

// CoreDnsManifests are all objects as a user would install them, in the order in which they are
// printed, and which of the `patches` (may be null) changed them. Throws base::Error(kInvalid) for
// patches that do not fit.
struct CoreDnsManifestList {
  std::vector<json::Value> objects;
  std::vector<patches::AppliedPatch> patches;
};
CoreDnsManifestList CoreDnsManifests(const config::ClusterConfiguration& cluster,
                                     const patches::PatchSet* patches);

// InstalledCoreDns is the addon as it runs.
struct InstalledCoreDns {
  int replicas;
  // Of its image, as it is written: "v1.6.7"; nothing when there is no deployment, or only a
  // digest.
  std::optional<std::string> tag;
  std::optional<std::string> version;  // the tag without its v
};

// FindCoreDns asks the cluster. Throws base::Error(kInvalid) when there are several deployments.
InstalledCoreDns FindCoreDns(kube::Client& client);

// FindCorefile is what the cluster's CoreDNS is configured by; nothing when there is no ConfigMap.
// Throws base::Error(kInvalid) when the ConfigMap holds none.
std::optional<std::string> FindCorefile(kube::Client& client);

// CoreDnsOutcome is what applying did.
struct CoreDnsOutcome {
  enum class Corefile {
    kWritten,   // none was there, or an earlier default, which is kept beside it
    kRetained,  // the user's own
    kMigrated,  // the user's own, changed for this CoreDNS; the old one is kept beside it
    kFailed,    // it could not be migrated: neither it nor the running CoreDNS was touched
  } corefile = Corefile::kWritten;
  std::string problem;  // of kFailed
  std::vector<patches::AppliedPatch> patches;
};

// CoreDnsOptions of ApplyCoreDns.
struct CoreDnsOptions {
  const patches::PatchSet* patches = nullptr;
  std::function<void()> on_migrating;  // called before a Corefile is migrated; may be empty
};

// ApplyCoreDns brings the addon into the cluster or up to date. Throws base::Error(kInvalid) when
// there are several DNS deployments, the ConfigMap has no Corefile, or the running CoreDNS is of a
// version that nobody knows how to migrate from.
CoreDnsOutcome ApplyCoreDns(kube::Client& client, const config::ClusterConfiguration& cluster,
                            const CoreDnsOptions& options);

}  // namespace addons
