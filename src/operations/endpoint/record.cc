// SPDX-License-Identifier: Apache-2.0
#include "endpoint/record.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "kube/objects.h"
#include "objects/node.h"

namespace endpoint {
namespace {

namespace resources = kube::resources;

std::string System() { return std::string(kube::kSystemNamespace); }

std::string MarkIn(const json::Value& node) {
  return json::TextAt(node, {"metadata", "annotations", kMark});
}

}  // namespace

std::optional<ChangeRecord> FindRecord(kube::Client& client) {
  std::optional<json::Value> object;
  client.Retry(fmt::format("could not read ConfigMap \"{}\"", kRecordName),
               [&] { object = client.Find({resources::kConfigMap, System(), kRecordName}); });
  if (!object) {
    return std::nullopt;
  }
  const json::Value& data = json::At(*object, {"data"});
  ChangeRecord record{.endpoint = json::TextAt(data, {"endpoint"}),
                      .previous = json::TextAt(data, {"previous"}),
                      .names = base::Fields(json::TextAt(data, {"names"})),
                      .switched = json::ParseRfc3339(json::TextAt(data, {"switched"}))};
  if (record.endpoint.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("ConfigMap kube-system/{} names no endpoint: remove it if no "
                                  "change of the endpoint is under way",
                                  kRecordName));
  }
  return record;
}

void PutRecord(kube::Client& client, const ChangeRecord& record) {
  client.CreateOrUpdate(
      resources::kConfigMap,
      kube::ConfigMap(
          {kube::kSystemNamespace, kRecordName},
          {{"endpoint", record.endpoint},
           {"previous", record.previous},
           {"names", fmt::format("{}", fmt::join(record.names, " "))},
           {"switched", record.switched ? json::FormatRfc3339(*record.switched) : ""}}));
}

void RemoveRecord(kube::Client& client, const ChangeRecord& record) {
  client.Retry(fmt::format("could not remove ConfigMap \"{}\"", kRecordName), [&] {
    const std::optional<ChangeRecord> found = FindRecord(client);
    if (found && found->endpoint != record.endpoint) {
      throw base::Error(base::Error::Kind::kConflict,
                        fmt::format("it records a change to {} that has begun since, and not the "
                                    "change to {}: run the command again",
                                    found->endpoint, record.endpoint));
    }
    if (found) {
      client.Delete({resources::kConfigMap, System(), kRecordName});
    }
  });
}

std::vector<NodeEndpoint> NodeStates(kube::Client& client) {
  std::vector<json::Value> nodes;
  client.Retry("could not list the nodes", [&] { nodes = client.List(resources::kNode, ""); });
  std::vector<NodeEndpoint> states;
  for (const json::Value& node : nodes) {
    states.push_back(
        {.name = json::TextAt(node, {"metadata", "name"}),
         .mark = MarkIn(node),
         .created = json::ParseRfc3339(json::TextAt(node, {"metadata", "creationTimestamp"}))
                        .value_or(std::chrono::sys_seconds{})});
  }
  return states;
}

std::string MarkOf(kube::Client& client, const std::string& node) {
  json::Value object;
  client.Retry(fmt::format("could not read node \"{}\"", node),
               [&] { object = client.Get({resources::kNode, "", node}); });
  return MarkIn(object);
}

void SetMark(kube::Client& client, const std::string& node, const std::string& endpoint) {
  objects::Annotate(client, node, kMark, endpoint);
}

}  // namespace endpoint
