// SPDX-License-Identifier: Apache-2.0
#include "fleet/objects.h"

#include <string_view>

#include "fleet/cluster_operation.h"
#include "json/value.h"

namespace fleet {
namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";

}  // namespace

bool ApplyObject(kube::Client& client, const json::Value& object) {
  const std::string name = ParseOperation(object).name;
  const kube::ObjectKey key{kClusterOperation, "", name};
  if (client.Find(key)) {
    client.Patch(key, kMergePatch, object);
    return false;
  }
  client.Create(kClusterOperation, object);
  return true;
}

void PauseObject(kube::Client& client, const std::string& name, bool paused) {
  client.Patch({kClusterOperation, "", name}, kMergePatch, {{"spec", {{"paused", paused}}}});
}

void DeleteObject(kube::Client& client, const std::string& name) {
  client.Delete({kClusterOperation, "", name});
}

std::vector<json::Value> CollectOperations(kube::Client& client) {
  return client.List(kClusterOperation, "");
}

json::Value ListOf(const std::vector<json::Value>& objects) {
  return {{"apiVersion", "operations.slipway/v1alpha1"},
          {"kind", "ClusterOperationList"},
          {"metadata", json::Value::object()},
          {"items", objects}};
}

std::vector<std::vector<std::string>> StatesOf(const std::vector<json::Value>& objects) {
  std::vector<std::vector<std::string>> rows = {{"OPERATION", "NODE", "STEP", "STATE", "MESSAGE"}};
  for (const json::Value& object : objects) {
    const std::string name = json::TextAt(object, {"metadata", "name"});
    rows.push_back({name, json::TextAt(object, {"status", "progress"}), "",
                    json::TextAt(object, {"status", "phase"}),
                    json::TextAt(object, {"status", "message"})});
    for (const json::Value& node : json::At(object, {"status", "nodes"})) {
      rows.push_back({name, json::TextAt(node, {"name"}), json::TextAt(node, {"step"}),
                      json::TextAt(node, {"stage"}), json::TextAt(node, {"message"})});
    }
  }
  return rows;
}

}  // namespace fleet
