// SPDX-License-Identifier: Apache-2.0
// The results of a change, and whether they still exist: a rollback must not revert later changes.
#pragma once

#include <string>
#include <vector>

#include "config/load.h"
#include "config_change/record.h"
#include "host/files.h"

namespace config_change {

// The hash is equal for configurations with equal texts.
std::string HashOf(const config::StoredConfig& stored);

// Records the files that the change has written: certificates, static Pods, the kubelet's
// configuration.
void NoteWritten(Change& change, const host::Files& files);

// Returns the differences of this node from the state after the change, a sentence each.
std::vector<std::string> ChangedSince(const Change& change, const host::Files& files);

// Returns whether the cluster still stores the change's configuration; also true if the change
// stored none, or if that is unknown.
bool IsStoredAsLeft(const Change& change, const config::StoredConfig& now);

}  // namespace config_change
