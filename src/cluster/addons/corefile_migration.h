// SPDX-License-Identifier: Apache-2.0
// Bringing a user's own Corefile along when CoreDNS itself is replaced by a newer one
// (github.com/coredns/deployment: "kubernetes/migration"; reference: kubelet.md §7).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "addons/corefile.h"

namespace addons {

// KnownCoreDnsVersions are the versions whose changes are known, up to ours.
std::span<const std::string_view> KnownCoreDnsVersions();

// CheckMigrationPath throws base::Error(kInvalid) when CoreDNS `from` ("1.6.7") is none of the
// versions whose changes are known, or is newer than ours.
void CheckMigrationPath(std::string_view from);

// NeedsMigration tells whether something in the Corefile was removed since CoreDNS `from`, or a
// default was added that it lacks. Other deprecations are left alone.
bool NeedsMigration(const Corefile& corefile, std::string_view from);

// Migrated is the Corefile for our CoreDNS.
Corefile Migrated(Corefile corefile, std::string_view from);

}  // namespace addons
