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

std::vector<std::vector<std::string>> CollectStates(kube::Client& client) {
  std::vector<std::vector<std::string>> rows = {{"OPERATION", "NODE", "STATE", "MESSAGE"}};
  for (const json::Value& object : client.List(kClusterOperation, "")) {
    const std::string name = json::TextAt(object, {"metadata", "name"});
    rows.push_back({name, json::TextAt(object, {"status", "progress"}),
                    json::TextAt(object, {"status", "phase"}),
                    json::TextAt(object, {"status", "message"})});
    for (const json::Value& node : json::At(object, {"status", "nodes"})) {
      rows.push_back({name, json::TextAt(node, {"name"}), json::TextAt(node, {"stage"}),
                      json::TextAt(node, {"message"})});
    }
  }
  return rows;
}

}  // namespace fleet
