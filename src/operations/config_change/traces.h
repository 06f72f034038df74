// SPDX-License-Identifier: Apache-2.0
// What a change has left, and whether it is still so: who takes a change back must not take back
// what came after it.
#pragma once

#include <string>
#include <vector>

#include "config/load.h"
#include "config_change/record.h"
#include "host/files.h"

namespace config_change {

// HashOf is the same for configurations that say the same in the same words.
std::string HashOf(const config::StoredConfig& stored);

// NoteWritten remembers the files that the change has written: certificates, static Pods, the
// kubelet's configuration.
void NoteWritten(Change& change, const host::Files& files);

// ChangedSince tells what on this node is no longer as the change has left it, a sentence each.
std::vector<std::string> ChangedSince(const Change& change, const host::Files& files);

// IsStoredAsLeft: the cluster stores what the change has stored; true as well where it has stored
// nothing, or that is not known.
bool IsStoredAsLeft(const Change& change, const config::StoredConfig& now);

}  // namespace config_change
