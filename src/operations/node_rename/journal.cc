// SPDX-License-Identifier: Apache-2.0
#include "node_rename/journal.h"

#include "state_files/state_file.h"

namespace node_rename {
namespace {

constexpr state_files::StateFile kFile{
    .path = kJournalFile,
    .refusal =
        "{} is not a journal of a new name: {}; remove it if no change of this node's name is "
        "under way"};

}  // namespace

std::optional<Journal> LoadJournal(const host::Files& files) {
  return state_files::LoadStateFile(files, kFile, [](const json::Value& json) {
    return Journal{.from = json.at("from").get<std::string>(),
                   .to = json.at("to").get<std::string>(),
                   .node = json.at("node")};
  });
}

void SaveJournal(host::Files& files, const Journal& journal) {
  state_files::SaveStateFile(files, kJournalFile,
                             {{"from", journal.from}, {"to", journal.to}, {"node", journal.node}});
}

void RemoveJournal(host::Files& files) { files.Remove(kJournalFile); }

}  // namespace node_rename
