// SPDX-License-Identifier: Apache-2.0
// The journal of a change of this node's address.
#pragma once

#include <optional>
#include <string_view>

#include "engine/journal.h"
#include "engine/trial.h"
#include "host/files.h"
#include "node_identity/readdress/plan.h"

namespace readdress {

inline constexpr std::string_view kOperation = "node-readdress";  // engine::Operation::name
// A fact of the journal: static Pods must restart.
inline constexpr const char* kMovesPods = "movesPods";

// Returns whether the move can be rolled back. A new move (std::nullopt) can be rolled back. If a
// release without the engine started the move, it cannot be rolled back, because such a release
// made no backups of the files.
bool HasBackups(const std::optional<engine::Journal>& last);

// Parses the move in a journal's intent. Throws base::Error(kInvalid) if the intent is malformed.
Move MoveOf(const engine::Journal& journal);

// Loads the journal of the last move. Also reads the format of releases that did not have the
// engine yet. Throws base::Error(kInvalid), naming the file, if it is malformed.
std::optional<engine::Journal> LoadJournal(const host::Files& files);

// Returns the rollback timer of 'kubeadm node readdress --try'.
const engine::RollbackTimer& Timer();

}  // namespace readdress
