// SPDX-License-Identifier: Apache-2.0
// Lines that several phases print.
#pragma once

#include <string>
#include <vector>

#include "patches/patches.h"

namespace patches {

// Describe the files of a directory of patches, and the skipped ones.
std::vector<std::string> FoundLines(const PatchSet& patches);

// Reports one patch that changed its target.
std::string AppliedLine(const AppliedPatch& applied);

}  // namespace patches
