// SPDX-License-Identifier: Apache-2.0
// A list of entries that changes: a file, a ConfigMap.
#pragma once

#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/host.h"
#include "inventories/sink.h"

namespace inventories {

// WhileUnread is what becomes of requests while a list has not been read, or cannot be: where Nodes
// vouch for themselves, an entry also keeps others from its host's names.
enum class WhileUnread { kOthersVouch, kNobodyVouches };

// EntryList keeps in the sink what the list's text says. Not thread-safe.
class EntryList {
 public:
  // `source` is "file" or "configmap": Machine::source of its entries.
  EntryList(Sink& sink, std::string source, WhileUnread unread);

  // Take puts the entries of the text in place of those before. A text that cannot be read has
  // none, and the log says why.
  void Take(std::string_view text);
  // TakeNone is Take of an empty text where none has been taken yet.
  void TakeNone();

 private:
  void Tell(const std::optional<std::string>& problem);

  Sink& sink_;
  std::string source_;
  WhileUnread unread_;
  bool taken_ = false;
  std::set<std::string> names_;  // of the entries that are in the sink
};

// FollowFile takes the file's text in at once and after each change (host::WaitForFile), until
// asked to stop; a file that is not there has no entries. A text counts once it has kept still for
// kFileStill: an entry that is half written could lack its "use: once".
inline constexpr std::chrono::milliseconds kFileStill{100};
void FollowFile(host::Host& host, const std::string& path, EntryList& entries,
                const std::stop_token& stop);

}  // namespace inventories
