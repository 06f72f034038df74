// SPDX-License-Identifier: Apache-2.0
#include "node_identity/readdress/journal.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "net/ip_address.h"
#include "workflow/state_file.h"

namespace readdress {
namespace {

using base::Error;

// A fact of the journal: a release without the engine started the move, and made no backups.
constexpr const char* kWithoutBackups = "withoutBackups";

constexpr workflow::StateFile kEarlierJournal{
    .path = "/var/lib/slipway/readdress.json",
    .refusal =
        "{} is not a journal of a new address: {}; remove it if no change of this node's "
        "address is under way"};

// Converts the journal of a release that did not have the engine yet. Its backups have another
// layout, so the move can be resumed but not rolled back. The journal does not say whether files
// and certificates are complete; both steps are idempotent.
engine::Journal FromEarlierRelease(const json::Value& json) {
  std::vector<engine::StepRecord> steps;
  const bool moves_pods = json.value("movesPods", true);
  if (json.at("podsServe").get<bool>()) {
    steps.push_back(
        {.id = moves_pods ? "control-plane" : "kubelet", .state = engine::StepState::kDone});
  }
  if (json.at("peersKnow").get<bool>()) {
    steps.push_back({.id = "etcd-peers", .state = engine::StepState::kDone});
  }
  engine::Journal journal{.operation = std::string(kOperation),
                          .id = "earlier-release",
                          .state = engine::State::kApplying,
                          .intent = {{"from", json.at("from")}, {"to", json.at("to")}},
                          .facts = {{kMovesPods, moves_pods}, {kWithoutBackups, true}},
                          .directory = {},
                          .steps = std::move(steps),
                          .files = {}};
  MoveOf(journal);  // throws if the addresses are malformed
  return journal;
}

}  // namespace

bool HasBackups(const std::optional<engine::Journal>& last) {
  return !last || !json::At(last->facts, {kWithoutBackups}).is_boolean();
}

Move MoveOf(const engine::Journal& journal) {
  const auto address = [&](const char* name) {
    const std::string text = json::TextAt(journal.intent, {name});
    const auto parsed = net::IpAddress::Parse(text);
    if (!parsed) {
      throw Error(Error::Kind::kInvalid,
                  fmt::format("{}: {} is not an IP address",
                              engine::JournalPath(kOperation).string(), base::Quoted(text)));
    }
    return *parsed;
  };
  return {.from = address("from"), .to = address("to")};
}

std::optional<engine::Journal> LoadJournal(const host::Files& files) {
  return engine::LoadJournal(files, kOperation, {kEarlierJournal, FromEarlierRelease});
}

const engine::RollbackTimer& Timer() {
  static const engine::RollbackTimer timer{.operation = std::string(kOperation),
                                           .command = "node",
                                           .load = LoadJournal,
                                           .earlier_files = {std::string(kEarlierJournal.path)}};
  return timer;
}

}  // namespace readdress
