// SPDX-License-Identifier: Apache-2.0
// Allowed combinations of flags (reference: config-api.md §7).
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

namespace config {

// Returns those of the given flags that must not be combined with --config, sorted. Returns an
// empty list if --config was not given, or if all given flags may be combined with it. Names are
// without dashes.
std::vector<std::string> MixedArguments(std::span<const std::string> changed_flags);

// Throws base::Error(kUsage) if MixedArguments returns a flag.
void RequireUnmixedArguments(std::span<const std::string> changed_flags);

// Returns the ignored checks of the flag and of the configuration, in lower case. Throws
// base::Error(kUsage) if "all" is combined with single checks.
std::set<std::string> IgnoredPreflightErrors(std::span<const std::string> flag,
                                             std::span<const std::string> configured);

}  // namespace config
