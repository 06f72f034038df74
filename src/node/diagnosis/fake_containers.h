// Facts about containers for tests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "diagnosis/diagnosis.h"

namespace diagnosis {

// Ended is a container that failed of itself `exits` times.
inline ContainerFact Ended(const std::string& name, unsigned exits,
                           std::vector<std::string> lines = {},
                           const std::string& reason = "Error") {
  return {.name = name, .exits = exits, .exit_code = 1, .reason = reason, .last_lines = lines};
}

inline ContainerFact Running(const std::string& name) { return {.name = name, .running = true}; }

// With is a node that has these containers.
inline ControlPlaneFacts With(const std::vector<ContainerFact>& containers,
                              std::set<std::string> healthy = {}) {
  ControlPlaneFacts facts{.healthy = std::move(healthy)};
  for (const ContainerFact& container : containers) {
    facts.containers[container.name] = container;
  }
  return facts;
}

}  // namespace diagnosis
