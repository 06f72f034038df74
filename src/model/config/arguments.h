// SPDX-License-Identifier: Apache-2.0
// What a command line may combine (reference: config-api.md §7).
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

namespace config {

// MixedArguments lists, sorted, those of the flags given that exclude --config; empty when --config
// was not given or may be combined with all of them. Names are without dashes.
std::vector<std::string> MixedArguments(std::span<const std::string> changed_flags);

// RefuseMixedArguments throws base::Error(kUsage) unless that list is empty.
void RefuseMixedArguments(std::span<const std::string> changed_flags);

// IgnoredPreflightErrors is the union of flag and configuration, in lower case. Throws
// base::Error(kUsage) when single checks stand beside "all".
std::set<std::string> IgnoredPreflightErrors(std::span<const std::string> flag,
                                             std::span<const std::string> configured);

}  // namespace config
