// SPDX-License-Identifier: Apache-2.0
// Migration of a user's own Corefile when CoreDNS itself is upgraded
// (github.com/coredns/deployment: "kubernetes/migration"; reference: kubelet.md §7).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "addons/corefile.h"

namespace addons {

// Returns the versions of CoreDNS that the migration knows, from the oldest to the newest.
std::span<const std::string_view> KnownCoreDnsVersions();

// The upgrade from one version of CoreDNS ("1.6.7") to another.
struct CoreDnsStep {
  std::string_view from;
  std::string_view to;
};

// Checks that the migration supports the step. Throws base::Error(kInvalid) if either version is
// unknown, or if the step is a downgrade.
void CheckMigrationPath(const CoreDnsStep& step);

// Returns whether the step removes a part of the Corefile, or adds a default that the Corefile
// lacks. Ignores other deprecations.
bool NeedsMigration(const Corefile& corefile, const CoreDnsStep& step);

// Returns the Corefile migrated to the version `step.to`.
Corefile Migrated(Corefile corefile, const CoreDnsStep& step);

}  // namespace addons
