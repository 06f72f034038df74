// SPDX-License-Identifier: Apache-2.0
#include "requests/newest.h"

namespace requests {

using judgement::Csr;

void Newest::Add(const Csr& csr, const std::string& node) {
  made_[{node, csr.username}].emplace(csr.created, csr.name);
}

void Newest::Remove(const Csr& csr, const std::string& node) {
  const auto made = made_.find({node, csr.username});
  if (made == made_.end()) {
    return;
  }
  made->second.erase({csr.created, csr.name});
  if (made->second.empty()) {
    made_.erase(made);
  }
}

std::optional<std::string> Newest::After(const Csr& csr, const std::string& node) const {
  const auto made = made_.find({node, csr.username});
  if (made == made_.end()) {
    return {};
  }
  const auto& [created, name] = *made->second.rbegin();
  return created > csr.created ? std::optional(name) : std::nullopt;
}

}  // namespace requests
