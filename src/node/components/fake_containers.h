// SPDX-License-Identifier: Apache-2.0
// Facts about containers for tests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "components/facts.h"

namespace components {

// A container that failed by itself `count` times, each time with these last lines.
inline ContainerFact Ended(const std::string& name, unsigned count,
                           const std::vector<std::string>& lines = {},
                           const std::string& reason = "Error") {
  ContainerFact fact{.name = name};
  for (unsigned i = 0; i < count; ++i) {
    fact.failures.push_back(
        {.id = name + std::to_string(i), .reason = reason, .last_lines = lines});
  }
  return fact;
}

inline ContainerFact Running(const std::string& name) { return {.name = name, .running = true}; }

// Returns a node with these containers.
inline ControlPlaneFacts With(const std::vector<ContainerFact>& containers,
                              std::set<std::string> healthy = {}) {
  ControlPlaneFacts facts{.healthy = std::move(healthy)};
  for (const ContainerFact& container : containers) {
    facts.containers[container.name] = container;
  }
  return facts;
}

}  // namespace components
