// Lines that several phases say in the same words.
#pragma once

#include <string>
#include <vector>

#include "patches/patches.h"

namespace kubeadm {

// PatchesFoundLines tell what a folder of patches holds and what of it is passed over.
std::vector<std::string> PatchesFoundLines(const patches::PatchSet& patches);

// AppliedPatchLine tells of one patch that changed its target.
std::string AppliedPatchLine(const patches::AppliedPatch& applied);

}  // namespace kubeadm
