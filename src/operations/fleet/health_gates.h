// SPDX-License-Identifier: Apache-2.0
// Health gates: conditions of objects that must be True before an operation begins a further node.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "json/fields.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace fleet {

// One condition of one object.
struct HealthGate {
  std::string api_version;  // "apps/v1"
  std::string resource;     // the plural name, "deployments"
  std::string name_space;   // "": the object has none
  std::string name;
  std::string condition;  // the type of the condition, "Available"; "": Ready
  static std::span<const json::Field> Fields();
};

// Returns what is wrong with a gate: "resource: …"; "" if nothing is.
std::string ProblemOf(const HealthGate& gate);

// Returns why the gate is closed: "deployments default/web: Available is False: …"; "" if it is
// open. The gate is also closed while the object's status is that of an older generation.
std::string JudgeGate(const HealthGate& gate, const json::Value& object);

// Collects the objects of the gates, and returns why the first closed gate is closed; "" if all
// gates are open. An object that does not exist, or that the client may not get, closes its gate.
// Throws base::Error with the server's kind otherwise.
std::string CollectClosedGate(const std::vector<HealthGate>& gates, kube::Client& client);

}  // namespace fleet
