// SPDX-License-Identifier: Apache-2.0
// The parts of a Corefile that the migration to another CoreDNS supports
// (github.com/coredns/deployment: "kubernetes/migration"; reference: preflight.md §5).
#pragma once

#include <string>
#include <vector>

#include "addons/corefile.h"
#include "addons/corefile_migration.h"

namespace addons {

// Returns the plugins and options that the migration does not know in one of the versions of the
// step after the first: `plugin "x"`, `option "y" of plugin "x"`, each once, in the order of the
// Corefile.
std::vector<std::string> UnsupportedParts(const Corefile& corefile, const CoreDnsStep& step);

}  // namespace addons
