// SPDX-License-Identifier: Apache-2.0
// Functions for clients of the operator: they write and list ClusterOperation objects.
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"
#include "kube/client.h"

namespace fleet {

// Creates the ClusterOperation, or changes the existing one by a merge patch. Returns whether it
// was created. Throws base::Error(kInvalid), before any change, for an invalid object; otherwise
// with the server's kind.
bool ApplyObject(kube::Client& client, const json::Value& object);

// Sets spec.paused. Throws base::Error with the server's kind.
void PauseObject(kube::Client& client, const std::string& name, bool paused);

// Deletes the ClusterOperation. Throws base::Error with the server's kind.
void DeleteObject(kube::Client& client, const std::string& name);

// Reads all ClusterOperations. Throws base::Error with the server's kind.
std::vector<json::Value> CollectOperations(kube::Client& client);

// Returns a table: a row for each operation, followed by one for each of its nodes.
std::vector<std::vector<std::string>> StatesOf(const std::vector<json::Value>& objects);

// Returns the ClusterOperationList of the objects.
json::Value ListOf(const std::vector<json::Value>& objects);

}  // namespace fleet
