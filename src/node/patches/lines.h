// SPDX-License-Identifier: Apache-2.0
// Lines that several phases say in the same words.
#pragma once

#include <string>
#include <vector>

#include "patches/patches.h"

namespace patches {

// FoundLines tell what a directory of patches holds and which files are skipped.
std::vector<std::string> FoundLines(const PatchSet& patches);

// AppliedLine reports one patch that changed its target.
std::string AppliedLine(const AppliedPatch& applied);

}  // namespace patches
