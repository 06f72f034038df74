// SPDX-License-Identifier: Apache-2.0
#include "node_rename/journal.h"

#include <fmt/core.h>

#include "base/error.h"

namespace node_rename {
namespace {

host::fs::path Path() { return host::fs::path(kJournalFile); }

}  // namespace

std::optional<Journal> LoadJournal(const host::Files& files) {
  const std::optional<std::string> text = files.Find(Path());
  if (!text) {
    return std::nullopt;
  }
  try {
    const json::Value json = json::Parse(*text);
    return Journal{.from = json.at("from").get<std::string>(),
                   .to = json.at("to").get<std::string>(),
                   .node = json.at("node")};
  } catch (const std::exception& error) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} is no journal of a new name: {}; remove it if no change of "
                                  "this node's name is under way",
                                  kJournalFile, error.what()));
  }
}

void SaveJournal(host::Files& files, const Journal& journal) {
  const json::Value json = {{"from", journal.from}, {"to", journal.to}, {"node", journal.node}};
  files.MakeDirectories(Path().parent_path(), 0700);
  files.Write(Path(), json.dump(2) + "\n", {.mode = 0600});
}

void RemoveJournal(host::Files& files) { files.Remove(Path()); }

}  // namespace node_rename
