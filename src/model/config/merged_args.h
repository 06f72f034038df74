// SPDX-License-Identifier: Apache-2.0
// The arguments of a component: the defaults, changed by the user's entries. In v1 an entry has a
// merge method (reference: minors.md §1.2): it replaces the default of the same name, or adds its
// value after ("append") or before ("prepend") the default's value. Without a default of that name,
// append and prepend have no effect. If several entries have one name, the last entry decides about
// the default.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/types.h"
#include "json/value.h"

namespace config {

// Returns whether the entry replaces the default: any method except append and prepend does.
bool Replaces(const Arg& entry);
// Returns whether the API knows the method. It also knows "", which replaces.
bool IsMergeMethod(std::string_view method);

// Returns the final value of argument `name` with the default `base`.
std::string MergedValue(const Args& extra, std::string_view name, const std::string& base);

// Returns the default arguments that are not replaced, sorted by name, then the replacing entries
// of `extra` in the given order. Repeated entries stay repeated.
Args MergedArgs(const Args& defaults, const Args& extra);

// Lists the arguments with a merge method that v1beta4 cannot express, in an object encoded as v1:
// "apiServer.extraArgs[0]".
std::vector<std::string> MergeMethodPaths(const json::Value& object);

}  // namespace config
