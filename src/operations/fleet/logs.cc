// SPDX-License-Identifier: Apache-2.0
#include "fleet/logs.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "fleet/cluster_operation.h"
#include "fleet/facts.h"
#include "json/value.h"

namespace fleet {
namespace {

using base::Error;

constexpr std::size_t kMostBytes = 1 << 20;

void RequireName(bool valid, std::string_view what, const std::string& name) {
  if (!valid) {
    throw Error(Error::Kind::kUsage,
                fmt::format("{} is not the name of {}", base::Quoted(name), what));
  }
}

std::string CreationOf(const json::Value& pod) {
  return json::TextAt(pod, {"metadata", "creationTimestamp"});
}

TaskLog LogOf(const json::Value& pod, kube::Client& client, const std::string& name_space) {
  TaskLog log{.node = json::TextAt(pod, {"spec", "nodeName"}),
              .pod = json::TextAt(pod, {"metadata", "name"}),
              .text = {},
              .problem = {}};
  if (!base::IsDns1123Subdomain(log.pod)) {  // the name is a part of the request's path
    log.problem = "its name is malformed";
    return log;
  }
  try {
    log.text =
        client.GetPath(fmt::format("/api/v1/namespaces/{}/pods/{}/log", name_space, log.pod));
    if (log.text.size() > kMostBytes) {
      log.text.erase(0, log.text.size() - kMostBytes);
    }
  } catch (const Error& error) {
    log.problem = error.message();
  }
  return log;
}

}  // namespace

std::vector<TaskLog> CollectLogs(kube::Client& client, const LogQuery& query) {
  RequireName(IsOperationName(query.operation), "an operation", query.operation);
  RequireName(base::IsDns1123Label(query.name_space), "a namespace", query.name_space);
  RequireName(query.node.empty() || base::IsDns1123Subdomain(query.node), "a node", query.node);
  std::vector<json::Value> pods =
      client.List(kube::resources::kPod, query.name_space,
                  {.labels = fmt::format("{}={}", kOperationLabel, query.operation),
                   .fields = query.node.empty() ? "" : "spec.nodeName=" + query.node});
  std::ranges::stable_sort(pods, {}, CreationOf);
  std::vector<TaskLog> logs;
  for (const json::Value& pod : pods) {
    logs.push_back(LogOf(pod, client, query.name_space));
  }
  return logs;
}

}  // namespace fleet
