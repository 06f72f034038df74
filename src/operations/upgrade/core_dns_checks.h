// SPDX-License-Identifier: Apache-2.0
// Whether CoreDNS can be brought along, asked before anything is changed (reference: preflight.md
// §5).
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

// CoreDnsChecks are CoreDNSUnsupportedPlugins and CoreDNSMigration before an upgrade that brings
// the CoreDNS `wanted` ("1.14.6"). They ask the cluster; the client outlives them.
std::vector<checks::Check> CoreDnsChecks(kube::Client& client, const std::string& wanted);

// CoreDnsToCome is the CoreDNS ("1.14.6") that the configuration chooses (dns.imageTag), else that
// of the version that the user asks about, else of the minor after the cluster's.
std::string CoreDnsToCome(const config::ClusterConfiguration& config, const base::Version& cluster,
                          std::string_view wanted);

// CoreDnsInUse is what the cluster resolves names with.
struct CoreDnsInUse {
  std::optional<std::string> version;   // "1.6.7"; nothing when no image tells
  std::optional<std::string> corefile;  // nothing when there is no ConfigMap
};

// GatherCoreDns throws base::Error like addons::FindCorefile and FindCoreDns. The version is asked
// for only where there is a Corefile.
CoreDnsInUse GatherCoreDns(kube::Client& client);

// CoreDnsChange is which CoreDNS runs ("1.6.7"; nothing when none does, or its image does not tell)
// and which is to come.
struct CoreDnsChange {
  std::optional<std::string> from;
  std::string to;
};

// JudgePlugins and JudgeMigration are the judgements of the two checks. Nothing is wrong without a
// Corefile, or where the wanted CoreDNS runs already. JudgePlugins throws base::Error(kInvalid) for
// a Corefile or a version that cannot be read; JudgeMigration returns that as its finding.
checks::Findings JudgePlugins(const CoreDnsChange& change,
                              const std::optional<std::string>& corefile);
checks::Findings JudgeMigration(const CoreDnsChange& change,
                                const std::optional<std::string>& corefile);

}  // namespace upgrade
