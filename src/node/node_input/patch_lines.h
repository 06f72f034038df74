// SPDX-License-Identifier: Apache-2.0
// Lines that several phases print.
#pragma once

#include <string>
#include <vector>

#include "node_input/patches.h"

namespace node_input {

// Return the lines about the files of a directory of patches, skipped ones included.
std::vector<std::string> FoundLines(const PatchSet& patches);

// Returns the line about one patch that changed its target.
std::string AppliedLine(const AppliedPatch& applied);

}  // namespace node_input
