// SPDX-License-Identifier: Apache-2.0
// Flags of the inventories `http`, `exec` and `dns`.
#pragma once

#include <vector>

#include "cli/flags.h"
#include "inventories/options.h"

namespace machine_approver {

// Returns the flags of the inventories `http`, `exec` and `dns`.
std::vector<cli::Flag> QueryFlags();

// Sets the options of `http`, `exec` and `dns` from QueryFlags and --inventory. Throws
// base::Error(kUsage) for flags that exclude or need each other, and for malformed URLs, paths,
// domains and servers. Throws base::Error(kInvalid) if --inventory-refresh or --inventory-timeout
// is out of range.
void SetQueries(const cli::Parsed& flags, inventories::InventoryOptions& options);

}  // namespace machine_approver
