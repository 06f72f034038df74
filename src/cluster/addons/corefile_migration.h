// SPDX-License-Identifier: Apache-2.0
// Bringing a user's own Corefile along when CoreDNS itself is replaced by a newer one
// (github.com/coredns/deployment: "kubernetes/migration"; reference: kubelet.md §7).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "addons/corefile.h"

namespace addons {

// KnownCoreDnsVersions are the versions whose changes are known, from the oldest to the newest.
std::span<const std::string_view> KnownCoreDnsVersions();

// CoreDnsStep is the way from one version of CoreDNS ("1.6.7") to another.
struct CoreDnsStep {
  std::string_view from;
  std::string_view to;
};

// CheckMigrationPath throws base::Error(kInvalid) when the changes of one of the two versions are
// not known, or when the step goes to an older version.
void CheckMigrationPath(const CoreDnsStep& step);

// NeedsMigration tells whether something in the Corefile was removed on the step, or a default was
// added that it lacks. Other deprecations are left alone.
bool NeedsMigration(const Corefile& corefile, const CoreDnsStep& step);

// Migrated is the Corefile for the step's second version.
Corefile Migrated(Corefile corefile, const CoreDnsStep& step);

}  // namespace addons
