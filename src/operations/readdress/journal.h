// SPDX-License-Identifier: Apache-2.0
// The journal of a move: by it a run that was cut off is gone on with.
#pragma once

#include <optional>
#include <string_view>

#include "host/files.h"
#include "readdress/address.h"

namespace readdress {

inline constexpr std::string_view kJournalFile = "/var/lib/slipway/readdress.json";

// Journal is a move that has begun on this node.
struct Journal {
  Move move;
  host::fs::path directory;  // of the copies of what was replaced
  bool moves_pods = true;    // the static Pods begin again
  bool pods_serve = false;   // at the new address
  bool peers_know = false;   // etcd has the member's new peer URL
};

// LoadJournal throws base::Error(kInvalid), naming the file, when it holds something else.
std::optional<Journal> LoadJournal(const host::Files& files);
void SaveJournal(host::Files& files, const Journal& journal);
void RemoveJournal(host::Files& files);

}  // namespace readdress
