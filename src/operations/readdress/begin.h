// SPDX-License-Identifier: Apache-2.0
// What a move is before it begins, and what comes after it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/value.h"
#include "net/ip_address.h"
#include "readdress/apply.h"
#include "readdress/gather.h"
#include "readdress/journal.h"
#include "readdress/plan.h"

namespace readdress {

// Asked is what the user says.
struct Asked {
  net::IpAddress to;
  std::optional<net::IpAddress> from;  // not set: what the node's own files say
};

// ChooseMove takes the previous address as the user says it, else as a run has it that was cut off,
// else as the node's files do. Throws base::Error: kUsage when nothing says it or the node has the
// new one already, kOther when another move was cut off here.
Move ChooseMove(const Asked& asked, const Node& node, const std::optional<Journal>& journal);

// FindObjects reads the cluster's objects if the API server here answers; `note` says why not.
std::vector<json::Value> FindObjects(const Node& node, const Move& move, const Engine& engine,
                                     std::string& note);

// TextOf is the whole plan for people.
std::string TextOf(const Plan& plan, const Move& move);

// NextStep is what is to be done on other nodes after the move; nothing: no more.
std::optional<std::string> NextStep(const Node& node, const Plan& plan, const Move& move);

}  // namespace readdress
