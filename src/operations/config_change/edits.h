// SPDX-License-Identifier: Apache-2.0
// Edits made by hand, found on a node, kept, or in the way.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "config_change/adopt.h"
#include "config_change/drift.h"
#include "config_change/gather.h"
#include "host/files.h"
#include "patches/patches.h"

namespace config_change {

// DriftOf is what was gathered, compared, with its notes.
Drift DriftOf(const Gathered& gathered);

// GatherAll is this node and the others.
Gathered GatherAll(const Sources& sources);

// EditsOf are the differences that somebody has made by hand.
std::vector<Difference> EditsOf(const std::vector<Component>& components);

// RequireNoEdits throws base::Error that names the edits that a change would undo; deleted objects
// stay deleted.
void RequireNoEdits(const Gathered& gathered);

// LostBy are those of the edits that an upgrade of this node takes back. Objects that were deleted
// are not among them.
std::vector<Difference> LostBy(const std::vector<Component>& components);

// LeaveOut takes out of the edits what `others` have not: fields that are as they should be there.
void LeaveOut(std::vector<Difference>& edits, const std::vector<Difference>& others);

// KeepInForce writes what is in force of each component that loses an edit to a file of its own
// (0600) in the directory: "kube-apiserver.yaml", "deployment-coredns.yaml".
void KeepInForce(const std::vector<Component>& components, const host::fs::path& directory,
                 host::Files& files);

// AdoptedPatches are those of kAdoptedPatches; nothing when there is no such directory.
std::optional<patches::PatchSet> AdoptedPatches(const host::Files& files);

// WritePatches puts each into a new file (0600) of the directory, which is made (0700) when it is
// missing. Returns their paths, in the order of the patches.
std::vector<host::fs::path> WritePatches(std::span<const NewPatch> patches,
                                         const host::fs::path& directory, host::Files& files);

}  // namespace config_change
