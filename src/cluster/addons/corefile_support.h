// SPDX-License-Identifier: Apache-2.0
// The parts of a Corefile that the migration to another CoreDNS supports
// (github.com/coredns/deployment: "kubernetes/migration"; reference: preflight.md §5).
#pragma once

#include <string>
#include <vector>

#include "addons/corefile.h"
#include "addons/corefile_migration.h"

namespace addons {

// Returns the plugins and options that a version after `step.from`, up to `step.to`, does not
// support as far as the migration knows. Formats each entry as `plugin "x"` or `option "y" of
// plugin "x"`. Lists each entry once, in the order of the Corefile.
std::vector<std::string> UnsupportedParts(const Corefile& corefile, const CoreDnsStep& step);

}  // namespace addons
