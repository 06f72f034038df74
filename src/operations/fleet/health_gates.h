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

// Returns the defect of a gate: "resource: …"; "" for a valid gate.
std::string ProblemOf(const HealthGate& gate);

// Returns why the gate is closed: "deployments default/web: Available is False: …"; "" if it is
// open. The gate is also closed while the object's status is for an older generation of the object.
std::string JudgeGate(const HealthGate& gate, const json::Value& object);

// Reads the objects of the gates. Returns why the first closed gate is closed; "" if all gates are
// open. A gate is closed if its object does not exist, or if the client may not read it. Throws the
// other errors of kube::Client.
std::string CollectClosedGate(const std::vector<HealthGate>& gates, kube::Client& client);

}  // namespace fleet
