// SPDX-License-Identifier: Apache-2.0
// Checks whether CoreDNS can be upgraded, before any change (reference: preflight.md §5).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "checks/check.h"
#include "config/types.h"
#include "kube/client.h"

namespace upgrade {

// Returns the checks CoreDNSUnsupportedPlugins and CoreDNSMigration for an upgrade to CoreDNS
// `wanted` ("1.14.6"). The checks query the cluster; the client must outlive them.
std::vector<checks::Check> CoreDnsChecks(kube::Client& client, const std::string& wanted);

// Returns the version of CoreDNS ("1.14.6") to upgrade to. It comes from the configuration
// (dns.imageTag), else from the Kubernetes version that the user gave, else from the minor version
// after the cluster's.
std::string CoreDnsToCome(const config::ClusterConfiguration& config, const base::Version& cluster,
                          std::string_view wanted);

// The cluster's installed CoreDNS.
struct CoreDnsInUse {
  std::optional<std::string> version;   // "1.6.7"; std::nullopt if no image has a tag
  std::optional<std::string> corefile;  // std::nullopt without a ConfigMap
};

// Throws base::Error with the kinds of addons::FindCorefile and FindCoreDns. The version is queried
// only if a Corefile exists.
CoreDnsInUse GatherCoreDns(kube::Client& client);

// The running CoreDNS ("1.6.7"; std::nullopt if it is absent, or its image has no version) and the
// wanted one.
struct CoreDnsChange {
  std::optional<std::string> from;
  std::string to;
};

// The judgements of the two checks. Without a Corefile, or if the wanted CoreDNS runs already, they
// pass. JudgePlugins throws base::Error(kInvalid) for an unreadable Corefile or version;
// JudgeMigration returns such an error as its finding.
checks::Findings JudgePlugins(const CoreDnsChange& change,
                              const std::optional<std::string>& corefile);
checks::Findings JudgeMigration(const CoreDnsChange& change,
                                const std::optional<std::string>& corefile);

}  // namespace upgrade
