// SPDX-License-Identifier: Apache-2.0
#include "readdress/journal.h"

#include <fmt/core.h>

#include "base/error.h"

namespace readdress {
namespace {

host::fs::path Path() { return host::fs::path(kJournalFile); }

net::IpAddress AddressIn(const json::Value& json, const char* name) {
  return net::IpAddress::Parse(json.at(name).get<std::string>()).value();
}

}  // namespace

std::optional<Journal> LoadJournal(const host::Files& files) {
  const std::optional<std::string> text = files.Find(Path());
  if (!text) {
    return std::nullopt;
  }
  try {
    const json::Value json = json::Parse(*text);
    return Journal{.move = {.from = AddressIn(json, "from"), .to = AddressIn(json, "to")},
                   .directory = json.at("directory").get<std::string>(),
                   .moves_pods = json.value("movesPods", true),
                   .pods_serve = json.at("podsServe").get<bool>(),
                   .peers_know = json.at("peersKnow").get<bool>()};
  } catch (const std::exception& error) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} is no journal of a new address: {}; remove it if no change "
                                  "of this node's address is under way",
                                  kJournalFile, error.what()));
  }
}

void SaveJournal(host::Files& files, const Journal& journal) {
  const json::Value json = {
      {"from", journal.move.from.Text()},        {"to", journal.move.to.Text()},
      {"directory", journal.directory.string()}, {"movesPods", journal.moves_pods},
      {"podsServe", journal.pods_serve},         {"peersKnow", journal.peers_know}};
  files.MakeDirectories(Path().parent_path(), 0700);
  files.Write(Path(), json.dump(2) + "\n", {.mode = 0600});
}

void RemoveJournal(host::Files& files) { files.Remove(Path()); }

}  // namespace readdress
