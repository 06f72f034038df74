// SPDX-License-Identifier: Apache-2.0
// Manual edits: finds them on a node, keeps them, or refuses a change because of them.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "config_change/adopt.h"
#include "config_change/drift.h"
#include "config_change/gather.h"
#include "host/files.h"
#include "node_input/patches.h"

namespace config_change {

// Compares the collected components. The result also has the notes and the unreadable parts of
// `gathered`.
Drift DriftOf(const Gathered& gathered);

// Collects the state of this node and the others.
Gathered CollectAll(const Sources& sources);

// Returns the differences that are manual edits.
std::vector<Difference> EditsOf(const std::vector<Component>& components);

// Throws base::Error(kOther), naming the edits, if a change would revert manual edits. Ignores
// deleted objects, because a change does not recreate them.
void RequireNoEdits(const Gathered& gathered);

// Returns the edits that an upgrade of this node reverts. Deleted objects are excluded.
std::vector<Difference> LostBy(const std::vector<Component>& components);

// Keeps only the edits whose component and field also occur in `others`.
void LeaveOut(std::vector<Difference>& edits, const std::vector<Difference>& others);

// Saves the present settings of each component that loses an edit, in a file (0600) in the
// directory: "kube-apiserver.yaml", "deployment-coredns.yaml". These are the settings on disk, or
// else the running settings.
void KeepInForce(const std::vector<Component>& components, const host::fs::path& directory,
                 host::Files& files);

// Returns the patches in kAdoptedPatches; std::nullopt if the directory does not exist.
std::optional<node_input::PatchSet> AdoptedPatches(const host::Files& files);

// Writes each patch into a new file (0600) of the directory, and creates a missing directory
// (0700). Returns the paths, in the order of the patches.
std::vector<host::fs::path> WritePatches(std::span<const NewPatch> patches,
                                         const host::fs::path& directory, host::Files& files);

}  // namespace config_change
