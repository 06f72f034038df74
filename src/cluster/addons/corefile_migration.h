// SPDX-License-Identifier: Apache-2.0
// Migration of a user's own Corefile when CoreDNS itself is upgraded
// (github.com/coredns/deployment: "kubernetes/migration"; reference: kubelet.md §7).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "addons/corefile.h"

namespace addons {

// The versions whose changes are known, from the oldest to the newest.
std::span<const std::string_view> KnownCoreDnsVersions();

// The upgrade from one version of CoreDNS ("1.6.7") to another.
struct CoreDnsStep {
  std::string_view from;
  std::string_view to;
};

// Throws base::Error(kInvalid) if one of the two versions is not known, or if the step is a
// downgrade.
void CheckMigrationPath(const CoreDnsStep& step);

// Returns whether a part of the Corefile is removed by the step, or a default is added that it
// lacks. Other deprecations are ignored.
bool NeedsMigration(const Corefile& corefile, const CoreDnsStep& step);

// Returns the Corefile for the step's second version.
Corefile Migrated(Corefile corefile, const CoreDnsStep& step);

}  // namespace addons
