// SPDX-License-Identifier: Apache-2.0
// Which of a node's pending requests is its user's latest. A kubelet that is started again, or has
// waited for a quarter of an hour, makes a new key and a new request, and waits for that one only.
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
  // Add takes in a pending request for the node (FoldedName).
  void Add(const judgement::Csr& csr, const std::string& node);
  // Remove takes back one Add of the same.
  void Remove(const judgement::Csr& csr, const std::string& node);
  // After is the latest of the user's for the node that was made after this one, by its name; of
  // the same second none is later.
  std::optional<std::string> After(const judgement::Csr& csr, const std::string& node) const;

 private:
  // (node, user) → (creation, name)
  std::map<std::pair<std::string, std::string>, std::set<std::pair<judgement::Time, std::string>>>
      made_;
};

}  // namespace requests
