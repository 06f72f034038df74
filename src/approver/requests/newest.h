// SPDX-License-Identifier: Apache-2.0
// The latest pending request of a node's user. A kubelet creates a new key and a new request when
// it restarts or has waited for a quarter of an hour. It waits only for its latest request.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "judgement/facts.h"

namespace requests {

// Newest is not thread-safe.
class Newest {
 public:
  // Adds a pending request for `node`, a folded name.
  void Add(const judgement::Csr& csr, const std::string& node);
  // Reverts one Add with the same arguments.
  void Remove(const judgement::Csr& csr, const std::string& node);
  // Returns the name of the user's latest request for the node, if it was created after this
  // request. A request of the same second does not count as newer.
  std::optional<std::string> After(const judgement::Csr& csr, const std::string& node) const;

 private:
  // Maps (node, user) to the (creation, name) of each pending request.
  std::map<std::pair<std::string, std::string>, std::set<std::pair<judgement::Time, std::string>>>
      made_;
};

}  // namespace requests
