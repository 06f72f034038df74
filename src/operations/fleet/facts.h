// SPDX-License-Identifier: Apache-2.0
// The facts about the cluster from which the next actions of an operation are planned.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/cluster_operation.h"
#include "host/clock.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace fleet {

inline constexpr std::string_view kDefaultNamespace = "slipway-fleet";

// Labels of Jobs and their Pods.
inline constexpr std::string_view kOperationLabel = "operations.slipway/operation";
// Annotations of Jobs: the node, the operation's SpecHash, and the version that the cluster had
// when an upgrade began.
inline constexpr std::string_view kNodeAnnotation = "operations.slipway/node";
inline constexpr std::string_view kSpecAnnotation = "operations.slipway/spec";
inline constexpr std::string_view kFromAnnotation = "operations.slipway/from";
// Annotations of Nodes that an operation has cordoned: the id of its task, the time, and whether
// the Node had been cordoned before.
inline constexpr std::string_view kTaskAnnotation = "operations.slipway/task";
inline constexpr std::string_view kSinceAnnotation = "operations.slipway/cordoned-at";
inline constexpr std::string_view kBeforeAnnotation = "operations.slipway/was-cordoned";

struct FleetNode {
  std::string name;
  bool control_plane = false;
  bool ready = false;
  bool silent = false;  // its kubelet does not report to the API server
  bool cordoned = false;
  std::string task;                               // NodeTask::id of the task that has cordoned it
  std::optional<std::chrono::sys_seconds> since;  // start of that task's drain
  bool cordoned_before = false;                   // if true, it stays cordoned after the task
  std::map<std::string, std::string> labels;
};

// The Job of a task.
struct TaskJob {
  enum class State { kActive, kSucceeded, kFailed } state = State::kActive;
  std::string id;                                      // name of the Job: NodeTask::id
  std::string spec_hash;                               // of the operation that created it
  std::string from = {};                               // NodeTask::from
  std::string cause;                                   // why the Job failed; "" otherwise
  std::optional<std::chrono::sys_seconds> began = {};  // creation of the Job
  std::optional<std::chrono::sys_seconds> ended;
};

struct FleetFacts {
  std::vector<FleetNode> nodes;
  std::map<std::string, TaskJob> jobs;          // by id
  std::map<std::string, std::string> failures;  // causes of failed drains, by id of the task
  // The version of the cluster before an upgrade: the version in the annotation of its Jobs, or the
  // API server's version if it has no Jobs yet. "" for other operations.
  std::string from = {};
  std::chrono::sys_seconds now;
};

// Returns the node with that name. Throws base::Error(kNotFound) if `facts` has none. The result
// must not outlive `facts`.
const FleetNode& RequireNode(const FleetFacts& facts, std::string_view name);

// Decodes a Node, or a Job. A Job that is being deleted is active until it is gone.
FleetNode NodeFrom(const json::Value& node);
TaskJob JobFrom(const json::Value& job);

// Returns at most 1 KiB of a text from another source, as valid UTF-8.
std::string Shortened(std::string_view text);

// Returns the lines of a Pod's termination message that say why kubeadm failed: the lines of
// kubeadm's error. Without an error, returns the last line. The result is Shortened.
std::string CauseIn(std::string_view message);

// Lists the Nodes, and the operation's Jobs in `name_space`. For an upgrade without Jobs, also
// queries the API server's version. Throws the errors of kube::Client.
FleetFacts CollectFacts(const ClusterOperation& operation, kube::Client& client,
                        const host::Clock& clock, std::string_view name_space);

}  // namespace fleet
