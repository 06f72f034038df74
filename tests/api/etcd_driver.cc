// SPDX-License-Identifier: Apache-2.0
// Calls the etcd library for the tests of this directory: `etcd_driver CA CERTIFICATE KEY
// ENDPOINT[,ENDPOINT…] COMMAND [ARGUMENT…]`, one JSON value a line on standard output. An error is
// {"kind": …, "message": …} and exit status 1.
#include <algorithm>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/strings.h"
#include "etcd/answers.h"
#include "etcd/health.h"
#include "etcd/membership.h"
#include "json/value.h"

namespace {

constexpr std::pair<base::Error::Kind, const char*> kKinds[] = {
    {base::Error::Kind::kInvalid, "invalid"},
    {base::Error::Kind::kNotFound, "not found"},
    {base::Error::Kind::kAlreadyExists, "already exists"},
    {base::Error::Kind::kConflict, "conflict"},
    {base::Error::Kind::kForbidden, "forbidden"},
    {base::Error::Kind::kUnauthorized, "unauthorized"},
    {base::Error::Kind::kTimeout, "timeout"},
    {base::Error::Kind::kUnavailable, "unavailable"},
};

constexpr const char* kFound[] = {"added", "not started", "learner", "voter"};
constexpr const char* kRemovals[] = {"removed", "absent", "only member"};
constexpr const char* kRefusals[] = {
    "",          "peer URL exists", "too many learners", "not enough started",
    "unhealthy", "not in sync",     "not a learner",     "not found",
    "compacted"};

void Print(const json::Value& value) { std::cout << json::Compact(value) << std::endl; }

void Say(const std::string& text) { Print({{"report", text}}); }

etcd::Waiting For(const std::string& milliseconds) {
  return {.now = [] { return std::chrono::steady_clock::now(); },
          .pause =
              [](etcd::milliseconds duration) {
                std::this_thread::sleep_for(duration);
                return true;
              },
          .limit = etcd::milliseconds(std::stoi(milliseconds))};
}

json::Value ToJson(const etcd::MemberHealth& each) {
  return {
      {"id", etcd::HexId(each.member.id)},    {"name", each.member.name},
      {"learner", each.member.learner},       {"peer_urls", each.member.peer_urls},
      {"problem", each.problem.value_or("")}, {"version", each.status ? each.status->version : ""}};
}

using Words = std::vector<std::string>;
using Command = std::function<void(etcd::Client&, const Words&)>;

void Health(etcd::Client& client, const Words&) {
  const etcd::Health health = etcd::ClusterHealth(client);
  json::Value members = json::Value::array();
  for (const etcd::MemberHealth& each : health.members) {
    members.push_back(ToJson(each));
  }
  Print({{"members", members},
         {"quorum", health.HasQuorum()},
         {"leader", health.Leader() == nullptr ? "" : health.Leader()->member.name},
         {"explanation", etcd::Explain(health).value_or("")}});
}

void Promote(etcd::Client& client, const Words& words) {
  etcd::PromoteWhenCaughtUp(client, std::stoull(words.at(0), nullptr, 16), For(words.at(1)),
                            [](const etcd::LearnerProgress& each) {
                              Print({{"started", each.started},
                                     {"applied", each.applied},
                                     {"leader_applied", each.leader_applied}});
                            });
}

const std::map<std::string, Command>& Commands() {
  static const std::map<std::string, Command> commands = {
      {"health", Health},
      // NAME PEER_URL MILLISECONDS
      {"add",
       [](etcd::Client& client, const Words& words) {
         const auto joined =
             etcd::AddLearner(client, {words.at(0), words.at(1)}, For(words.at(2)), Say);
         Print({{"found", kFound[static_cast<int>(joined.found)]},
                {"id", etcd::HexId(joined.id)},
                {"initial_cluster", joined.initial_cluster}});
       }},
      // ID MILLISECONDS
      {"promote", Promote},
      // ID, once
      {"promote-now",
       [](etcd::Client& client, const Words& words) {
         const auto refusal = client.Promote(std::stoull(words.at(0), nullptr, 16));
         Print({{"refusal", kRefusals[static_cast<int>(refusal)]}});
       }},
      // PEER_URL MILLISECONDS
      {"remove",
       [](etcd::Client& client, const Words& words) {
         const auto removal =
             etcd::RemoveMember(client, {.peer_url = words.at(0)}, For(words.at(1)), Say);
         Print({{"removal", kRemovals[static_cast<int>(removal)]}});
       }},
      // PEER_URL MILLISECONDS
      {"undo",
       [](etcd::Client& client, const Words& words) {
         const etcd::Undone undone = etcd::UndoAdd(client, words.at(0), For(words.at(1)));
         Print({{"undone", undone == etcd::Undone::kRemoved},
                {"votes", undone == etcd::Undone::kVotes}});
       }},
  };
  return commands;
}

int Fail(const base::Error& error) {
  const auto row =
      std::ranges::find_if(kKinds, [&](const auto& pair) { return pair.first == error.kind(); });
  Print({{"kind", row == std::end(kKinds) ? "other" : row->second}, {"message", error.message()}});
  return 1;
}

std::string Content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void Run(const Words& words) {
  const auto client = etcd::Connect({.endpoints = base::Split(words.at(3), ','),
                                     .ca_pem = Content(words.at(0)),
                                     .certificate_pem = Content(words.at(1)),
                                     .key_pem = Content(words.at(2))});
  Commands().at(words.at(4))(*client, {words.begin() + 5, words.end()});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Run({argv + 1, argv + argc});
    return 0;
  } catch (const base::Error& error) {
    return Fail(error);
  }
}
