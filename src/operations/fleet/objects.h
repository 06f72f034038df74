// SPDX-License-Identifier: Apache-2.0
// Functions for clients of the operator: they write and list ClusterOperation objects.
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"
#include "kube/client.h"

namespace fleet {

// Creates the ClusterOperation, or changes the existing one by a merge patch. Returns whether it
// was created. Throws base::Error(kInvalid), before any change, for an invalid object. Throws the
// errors of kube::Client.
bool ApplyObject(kube::Client& client, const json::Value& object);

// Sets spec.paused. Throws the errors of kube::Client.
void PauseObject(kube::Client& client, const std::string& name, bool paused);

// Deletes the ClusterOperation. Throws the errors of kube::Client.
void DeleteObject(kube::Client& client, const std::string& name);

// Reads all ClusterOperations. Throws the errors of kube::Client.
std::vector<json::Value> CollectOperations(kube::Client& client);

// Returns a table: a row for each operation, followed by one for each of its nodes.
std::vector<std::vector<std::string>> StatesOf(const std::vector<json::Value>& objects);

// Returns the ClusterOperationList of the objects.
json::Value ListOf(const std::vector<json::Value>& objects);

}  // namespace fleet
