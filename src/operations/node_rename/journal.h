// SPDX-License-Identifier: Apache-2.0
// The journal of a new name: it lets an interrupted run continue.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/files.h"
#include "json/value.h"

namespace node_rename {

inline constexpr std::string_view kJournalFile = "/var/lib/slipway/rename.json";

// A change to a new name that has begun on this node.
struct Journal {
  std::string from;
  std::string to;
  json::Value node;  // the Node to create; its predecessor may be deleted
};

// Throws base::Error(kInvalid), naming the file, for other content.
std::optional<Journal> LoadJournal(const host::Files& files);
void SaveJournal(host::Files& files, const Journal& journal);
void RemoveJournal(host::Files& files);

}  // namespace node_rename
