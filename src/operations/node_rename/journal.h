// SPDX-License-Identifier: Apache-2.0
// The journal of a new name: by it a run that was cut off is gone on with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/files.h"
#include "json/value.h"

namespace node_rename {

inline constexpr std::string_view kJournalFile = "/var/lib/slipway/rename.json";

// Journal is a new name that has begun on this node.
struct Journal {
  std::string from;
  std::string to;
  json::Value node;  // the Node that is to be made; its predecessor may be gone
};

// LoadJournal throws base::Error(kInvalid), naming the file, when it holds something else.
std::optional<Journal> LoadJournal(const host::Files& files);
void SaveJournal(host::Files& files, const Journal& journal);
void RemoveJournal(host::Files& files);

}  // namespace node_rename
