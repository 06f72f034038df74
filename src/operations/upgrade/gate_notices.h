// What a user should know of the feature gates that a cluster's configuration sets (reference:
// config-api.md §8).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace upgrade {

// GateNotices is a sentence for each gate that is going or that this kubeadm does not know; by
// name.
std::vector<std::string> GateNotices(const std::map<std::string, bool>& gates);

}  // namespace upgrade
