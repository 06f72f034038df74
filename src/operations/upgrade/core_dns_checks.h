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

// Returns the CoreDNS version ("1.14.6") that the upgrade installs: dns.imageTag of the
// configuration, if it is set. Otherwise, the CoreDNS version of the Kubernetes version `wanted`.
// If `wanted` is not a version, uses the minor version after the cluster's, as far as this kubeadm
// knows it.
std::string CoreDnsToCome(const config::ClusterConfiguration& config, const base::Version& cluster,
                          std::string_view wanted);

// The cluster's installed CoreDNS.
struct CoreDnsInUse {
  std::optional<std::string> version;   // "1.6.7"; std::nullopt if no image has a tag
  std::optional<std::string> corefile;  // std::nullopt without a ConfigMap
};

// Collects the Corefile and the version of CoreDNS. Queries the version only if a Corefile exists.
// Throws the errors of addons::FindCorefile and FindCoreDns.
CoreDnsInUse CollectCoreDns(kube::Client& client);

// The running and the wanted CoreDNS version ("1.6.7"). The running version is std::nullopt if
// CoreDNS is absent, or if its image has no version.
struct CoreDnsChange {
  std::optional<std::string> from;
  std::string to;
};

// JudgePlugins and JudgeMigration return the findings of the two checks. They return an empty list
// without a Corefile, or if the wanted CoreDNS runs already. JudgePlugins throws
// base::Error(kInvalid) for an unreadable Corefile or version; JudgeMigration returns such an error
// as a finding.
checks::Findings JudgePlugins(const CoreDnsChange& change,
                              const std::optional<std::string>& corefile);
checks::Findings JudgeMigration(const CoreDnsChange& change,
                                const std::optional<std::string>& corefile);

}  // namespace upgrade
