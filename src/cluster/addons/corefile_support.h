// SPDX-License-Identifier: Apache-2.0
// Which parts of a Corefile can be carried along to our CoreDNS with a clear conscience
// (github.com/coredns/deployment: "kubernetes/migration"; reference: preflight.md §5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "addons/corefile.h"

namespace addons {

// UnsupportedParts names the plugins and options that the migration does not know in one of the
// versions after CoreDNS `from` ("1.6.7") up to ours: `plugin "x"`, `option "y" of plugin "x"`,
// each once, in the order of the Corefile.
std::vector<std::string> UnsupportedParts(const Corefile& corefile, std::string_view from);

}  // namespace addons
