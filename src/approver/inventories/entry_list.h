// SPDX-License-Identifier: Apache-2.0
// The changing list of entries of one inventory: a file, a ConfigMap, an HTTPS endpoint or a
// program.
#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"
#include "inventories/sink.h"

namespace inventories {

// Selects whether other inventories may attest while a list is unread or malformed. If Nodes attest
// themselves, other inventories must wait: an entry also protects its host's names from other
// Nodes.
enum class WhileUnread { kOthersAttest, kNoneAttests };

// Keeps the entries of the list in the sink. Not thread-safe.
class EntryList {
 public:
  // `source` is the source of all entries: kFile, kConfigMap, kHttp or kExec.
  EntryList(Sink& sink, judgement::Source source, WhileUnread unread);

  // Replaces the previous entries by the entries of the content. If the content is malformed, logs
  // the reason and removes all entries.
  void Take(std::string_view text);
  // Replaces the previous entries.
  void TakeEntries(std::vector<judgement::Machine> entries);
  // Removes all entries, because the list cannot be read. Logs the reason if it differs from the
  // last reason. The reason may contain any characters.
  void TakeProblem(std::string_view reason);
  // Takes an empty list, unless a list or a problem has been taken before.
  void TakeNone();

 private:
  void Tell(const std::optional<std::string>& problem);
  void Replace(std::vector<judgement::Machine> entries);

  Sink& sink_;
  judgement::Source source_;
  std::string name_;  // of the source
  WhileUnread unread_;
  bool taken_ = false;
  std::string logged_;           // the last logged reason; empty after a valid list
  std::set<std::string> names_;  // of the entries that are in the sink
};

// Reads the file at once and after each change (host::WaitForFile), until a stop request. A missing
// file has no entries. Content is used only after it has not changed for kFileStill, because a
// half-written entry could lack its "use: once".
inline constexpr std::chrono::milliseconds kFileStill{100};
void FollowFile(host::Host& host, const std::string& path, EntryList& entries,
                const std::stop_token& stop);

}  // namespace inventories
