// SPDX-License-Identifier: Apache-2.0
#include "fleet/facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "base/error.h"
#include "base/strings.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "kube/objects.h"
#include "objects/mirror_pod.h"
#include "objects/node.h"

namespace fleet {
namespace {

constexpr std::size_t kLongestText = 1024;  // bytes
constexpr std::string_view kEllipsis = "…";

std::string Annotation(const json::Value& object, std::string_view name) {
  return json::TextAt(object, {"metadata", "annotations", name});
}

bool HasCondition(const json::Value& object, std::string_view type) {
  const json::Value* condition = kube::FindCondition(object, type);
  return condition != nullptr && json::TextAt(*condition, {"status"}) == "True";
}

// Returns whether the kubelet has not renewed its status within the controller manager's grace
// period (kubernetes.io/docs/reference/node/node-status).
bool IsSilent(const json::Value& node) {
  const json::Value* ready = kube::FindCondition(node, "Ready");
  return ready != nullptr && json::TextAt(*ready, {"status"}) == "Unknown";
}

// Returns the message of the container that was the last to end among the Job's Pods; "" if none
// has ended.
std::string TerminationMessage(kube::Client& client, std::string_view name_space,
                               const std::string& job) {
  std::string newest;
  std::string message;
  const std::string label = "batch.kubernetes.io/job-name=" + job;
  for (const json::Value& pod : client.List(kube::resources::kPod, name_space, {.labels = label})) {
    for (const json::Value& status : json::At(pod, {"status", "containerStatuses"})) {
      const std::string ended = json::TextAt(status, {"state", "terminated", "finishedAt"});
      if (ended > newest) {
        newest = ended;
        message = json::TextAt(status, {"state", "terminated", "message"});
      }
    }
  }
  return message;
}

std::string WholeCauseIn(std::string_view message) {
  const std::vector<std::string> lines = base::Lines(base::Trim(message));
  const auto error =
      std::ranges::find_if(lines, [](const auto& line) { return line.starts_with("error: "); });
  if (error == lines.end()) {
    return lines.empty() ? "" : lines.back();
  }
  std::string cause = error->substr(error->find(' ') + 1);
  for (const std::string& line : std::ranges::subrange(error + 1, lines.end())) {
    if (!line.starts_with(' ')) {
      break;
    }
    cause += "\n" + line;
  }
  return cause;
}

// Returns the version of the API server; "" if its answer has no version.
std::string ServerVersion(kube::Client& client) {
  const auto text = kube::Found([&] { return client.GetPath("/version"); });
  return json::TextAt(json::TryParse(text.value_or("")), {"gitVersion"});
}

}  // namespace

const FleetNode& RequireNode(const FleetFacts& facts, std::string_view name) {
  const auto found = std::ranges::find(facts.nodes, name, &FleetNode::name);
  if (found == facts.nodes.end()) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("the operation has work for node \"{}\", but the cluster has no "
                                  "Node of that name",
                                  name));
  }
  return *found;
}

FleetNode NodeFrom(const json::Value& node) {
  FleetNode result{.name = json::TextAt(node, {"metadata", "name"}),
                   .control_plane = objects::IsControlPlane(node),
                   .ready = objects::IsReady(node),
                   .silent = IsSilent(node),
                   .cordoned = json::At(node, {"spec", "unschedulable"}) == true,
                   .task = Annotation(node, kTaskAnnotation),
                   .since = json::ParseRfc3339(Annotation(node, kSinceAnnotation)),
                   .cordoned_before = !Annotation(node, kBeforeAnnotation).empty(),
                   .labels = {}};
  for (const auto& [name, value] : json::At(node, {"metadata", "labels"}).items()) {
    if (value.is_string()) {
      result.labels[name] = value.get<std::string>();
    }
  }
  return result;
}

TaskJob JobFrom(const json::Value& job) {
  TaskJob result{.id = json::TextAt(job, {"metadata", "name"}),
                 .spec_hash = Annotation(job, kSpecAnnotation),
                 .from = Annotation(job, kFromAnnotation),
                 .cause = {},
                 .began = json::ParseRfc3339(json::TextAt(job, {"metadata", "creationTimestamp"})),
                 .ended = {}};
  if (!json::At(job, {"metadata", "deletionTimestamp"}).is_null()) {
    return result;  // its Pod may still run
  }
  if (HasCondition(job, "Complete")) {
    result.state = TaskJob::State::kSucceeded;
    result.ended = json::ParseRfc3339(json::TextAt(job, {"status", "completionTime"}));
  } else if (HasCondition(job, "Failed")) {
    result.state = TaskJob::State::kFailed;
    result.cause = json::TextAt(*kube::FindCondition(job, "Failed"), {"message"});
  }
  return result;
}

std::string Shortened(std::string_view text) {
  if (text.size() <= kLongestText) {
    return json::WithValidUtf8(text);
  }
  std::size_t end = kLongestText - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;  // back to the first byte of a character
  }
  return json::WithValidUtf8(text.substr(0, end)).append(kEllipsis);
}

std::string CauseIn(std::string_view message) { return Shortened(WholeCauseIn(message)); }

FleetFacts CollectFacts(const ClusterOperation& operation, kube::Client& client,
                        const host::Clock& clock, std::string_view name_space) {
  FleetFacts facts{.nodes = {}, .jobs = {}, .failures = {}, .now = clock.NowSeconds()};
  for (const json::Value& node : client.List(kube::resources::kNode, "")) {
    facts.nodes.push_back(NodeFrom(node));
  }
  const std::string label = fmt::format("{}={}", kOperationLabel, operation.name);
  for (const json::Value& object :
       client.List(kube::resources::kJob, name_space, {.labels = label})) {
    TaskJob job = JobFrom(object);
    if (job.state == TaskJob::State::kFailed) {
      if (const std::string cause = CauseIn(TerminationMessage(client, name_space, job.id));
          !cause.empty()) {
        job.cause = cause;
      }
    }
    if (!job.from.empty()) {
      facts.from = job.from;
    }
    facts.jobs[job.id] = std::move(job);
  }
  if (operation.spec.upgrade && facts.from.empty()) {
    facts.from = ServerVersion(client);
  }
  return facts;
}

}  // namespace fleet
