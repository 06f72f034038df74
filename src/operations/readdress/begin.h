// SPDX-License-Identifier: Apache-2.0
// Preparation of a move, and the instructions after it.
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

// The user's options.
struct Asked {
  net::IpAddress to;
  std::optional<net::IpAddress> from;  // not set: by the node's own files
};

// Returns the previous address: the user's, else that of an interrupted run, else that of the
// node's files. Throws base::Error: kUsage without one or if the node has the new one already,
// kOther after another interrupted move here.
Move ChooseMove(const Asked& asked, const Node& node, const std::optional<Journal>& journal);

// Reads the cluster's objects if the API server here answers; otherwise `note` receives the reason.
std::vector<json::Value> FindObjects(const Node& node, const Move& move, const Engine& engine,
                                     std::string& note);

// Returns the whole plan for humans.
std::string TextOf(const Plan& plan, const Move& move);

// Returns instructions for other nodes after the move; std::nullopt if none are left.
std::optional<std::string> NextStep(const Node& node, const Plan& plan, const Move& move);

}  // namespace readdress
