// SPDX-License-Identifier: Apache-2.0
#include "readdress/begin.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace readdress {

using base::Error;

Move ChooseMove(const Asked& asked, const Node& node, const std::optional<Journal>& journal) {
  std::optional<net::IpAddress> from = journal ? std::optional(journal->move.from) : node.address;
  if (asked.from) {
    from = asked.from;
  }
  if (!from) {
    throw Error(Error::Kind::kUsage,
                "nothing on this node says which address it had: give it by --from");
  }
  if (journal && (journal->move.from != *from || journal->move.to != asked.to)) {
    throw Error(
        fmt::format("the change from {} to {} was cut off here: finish it first, by "
                    "'kubeadm node readdress --to {}'",
                    journal->move.from.Text(), journal->move.to.Text(), journal->move.to.Text()));
  }
  if (*from == asked.to && !journal) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{} is the node's address already", asked.to.Text()));
  }
  return {.from = *from, .to = asked.to};
}

std::vector<json::Value> FindObjects(const Node& node, const Move& move, const Engine& engine,
                                     std::string& note) {
  for (const net::IpAddress& address : AddressesToAsk(node, move)) {
    try {
      kube::Client client = ClientFor(node, address, engine);
      return SearchObjects(client);
    } catch (const Error& error) {
      note = fmt::format("The cluster's objects are not searched now: {}\n", error.message());
    }
  }
  return {};
}

std::string TextOf(const Plan& plan, const Move& move) {
  std::string text = fmt::format("From {} to {}\n", move.from.Text(), move.to.Text());
  text += plan.occurrences.empty()
              ? std::string("Nothing names the old address\n")
              : "What names the old address, and what becomes of it:\n" + TextOf(plan.occurrences);
  if (!plan.unread.empty()) {
    text += "Not searched:\n" + TextOf(plan.unread);
  }
  return text;
}

std::optional<std::string> NextStep(const Node& node, const Plan& plan, const Move& move) {
  const bool named = std::ranges::any_of(
      plan.files, [](const FileChange& change) { return change.path.filename() == "admin.conf"; });
  if (!node.control_plane || !named) {
    return std::nullopt;
  }
  return fmt::format(
      "Nodes that reach the API server at {} are told on each of them: kubeadm node "
      "readdress --from {} --to {}",
      move.from.Text(), move.from.Text(), move.to.Text());
}

}  // namespace readdress
