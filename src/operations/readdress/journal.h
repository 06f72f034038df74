// SPDX-License-Identifier: Apache-2.0
// The journal of a move: it lets an interrupted run continue.
#pragma once

#include <optional>
#include <string_view>

#include "host/files.h"
#include "readdress/address.h"

namespace readdress {

inline constexpr std::string_view kJournalFile = "/var/lib/slipway/readdress.json";

// A move that has begun on this node.
struct Journal {
  Move move;
  host::fs::path directory;  // of the copies of replaced files
  bool moves_pods = true;    // the static Pods are restarted
  bool pods_serve = false;   // at the new address
  bool peers_know = false;   // etcd has the member's new peer URL
};

// Throws base::Error(kInvalid), naming the file, for other content.
std::optional<Journal> LoadJournal(const host::Files& files);
void SaveJournal(host::Files& files, const Journal& journal);
void RemoveJournal(host::Files& files);

}  // namespace readdress
