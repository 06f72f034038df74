// SPDX-License-Identifier: Apache-2.0
// The arguments of a component: defaults and what the user makes of them. In v1 of the API an entry
// says how (reference: minors.md §1.2): it replaces the default of its name, or its value is put
// behind ("append") or before ("prepend") the default's. Without a default of that name these two
// have no effect. Of several entries of one name the last decides about the default.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "json/value.h"

namespace config {

// Replaces: the entry stands in the place of the default. Any method but the two above does.
bool Replaces(const Arg& entry);
// IsMergeMethod: a value that the API knows; "" replaces.
bool IsMergeMethod(std::string_view method);

// MergedValue is what the argument `name` with the default `base` has in the end.
std::string MergedValue(const Args& extra, std::string_view name, const std::string& base);

// MergedArgs is the defaults that are left, sorted by name, and behind them the entries that
// replace, in the order given; what these give twice stays twice.
Args MergedArgs(const Args& defaults, const Args& extra);

// MergeMethodPaths lists the entries of an object, encoded as v1, whose method v1beta4 cannot
// express: "apiServer.extraArgs[0]".
std::vector<std::string> MergeMethodPaths(const json::Value& object);

}  // namespace config
