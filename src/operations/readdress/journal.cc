// SPDX-License-Identifier: Apache-2.0
#include "readdress/journal.h"

#include "base/error.h"
#include "base/strings.h"
#include "json/value.h"
#include "state_files/state_file.h"

namespace readdress {
namespace {

constexpr state_files::StateFile kFile{
    .path = kJournalFile,
    .refusal =
        "{} is not a journal of a new address: {}; remove it if no change of this node's "
        "address is under way"};

net::IpAddress AddressIn(const json::Value& json, const char* name) {
  const std::string text = json.at(name).get<std::string>();
  const auto address = net::IpAddress::Parse(text);
  if (!address) {
    throw base::Error(base::Quoted(text) + " is not an IP address");
  }
  return *address;
}

}  // namespace

std::optional<Journal> LoadJournal(const host::Files& files) {
  return state_files::LoadStateFile(files, kFile, [](const json::Value& json) {
    return Journal{.move = {.from = AddressIn(json, "from"), .to = AddressIn(json, "to")},
                   .directory = json.at("directory").get<std::string>(),
                   .moves_pods = json.value("movesPods", true),
                   .pods_serve = json.at("podsServe").get<bool>(),
                   .peers_know = json.at("peersKnow").get<bool>()};
  });
}

void SaveJournal(host::Files& files, const Journal& journal) {
  state_files::SaveStateFile(files, kJournalFile,
                             {{"from", journal.move.from.Text()},
                              {"to", journal.move.to.Text()},
                              {"directory", journal.directory.string()},
                              {"movesPods", journal.moves_pods},
                              {"podsServe", journal.pods_serve},
                              {"peersKnow", journal.peers_know}});
}

void RemoveJournal(host::Files& files) { files.Remove(kJournalFile); }

}  // namespace readdress
