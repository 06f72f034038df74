// SPDX-License-Identifier: Apache-2.0
#include "machine_update/updater.h"

#include <fmt/core.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/version.h"
#include "fleet/cluster_operation.h"
#include "fleet/status.h"
#include "json/rfc3339.h"
#include "machine_update/rules.h"
#include "machine_update/updated_machine.h"

namespace machine_update {
namespace {

using base::Error;
using Stage = UpdateState::Stage;

// The time within which an operator in the workload cluster reports the first state of an object.
// After its leader was killed, the next leader needs more than two minutes.
constexpr std::chrono::minutes kSilence{5};
constexpr std::string_view kInstall =
    "Install slipway-operator in the workload cluster: kubectl apply -k deploy/fleet";

[[noreturn]] void FailInstallation(std::string_view what) {
  throw Error(Error::Kind::kInvalid, fmt::format("{}. {}", what, kInstall));
}

// Creates the object. Throws base::Error(kInvalid) if the cluster does not know the kind, or not
// the field nodesOnly: an older operator would upgrade the whole cluster.
json::Value Create(kube::Client& workload, const json::Value& object) {
  const auto trial = kube::Found([&] {
    return workload.Raw({.verb = kube::Verb::kCreate,
                         .resource = fleet::kClusterOperation,
                         .body = object,
                         .dry_run = true});
  });
  if (!trial) {
    FailInstallation("the workload cluster does not know the kind ClusterOperation");
  }
  if (!json::At(*trial, {"spec", "upgrade", "nodesOnly"}).is_boolean()) {
    FailInstallation("the ClusterOperations of the workload cluster lack spec.upgrade.nodesOnly");
  }
  return workload.Create(fleet::kClusterOperation, object);
}

bool IsSilent(const json::Value& operation, std::chrono::system_clock::time_point now) {
  const auto created =
      json::ParseRfc3339(json::TextAt(operation, {"metadata", "creationTimestamp"}));
  return created && now - *created > kSilence;
}

UpdateState Failed(std::string message) {
  return {.stage = Stage::kFailed, .message = std::move(message)};
}

UpdateState Running(std::string message) {
  return {.stage = Stage::kRunning, .message = std::move(message)};
}

// Returns the state of an update by the status of its operation.
UpdateState StateOf(const json::Value& operation, std::chrono::system_clock::time_point now) {
  const std::string name = json::TextAt(operation, {"metadata", "name"});
  const std::string phase = json::TextAt(operation, {"status", "phase"});
  const std::string message = json::TextAt(operation, {"status", "message"});
  if (phase == fleet::ToString(fleet::Phase::kComplete)) {
    return {.stage = Stage::kDone, .message = fmt::format("ClusterOperation {} is complete", name)};
  }
  if (phase == fleet::ToString(fleet::Phase::kFailed)) {
    return Failed(
        fmt::format("ClusterOperation {0} has failed: {1}. Remove the cause, then delete "
                    "the operation to retry: kubectl delete clusteroperation {0}",
                    name, message));
  }
  if (phase.empty() && IsSilent(operation, now)) {
    return Failed(
        fmt::format("no operator works on ClusterOperation {} in the workload cluster. Is "
                    "deployment slipway-fleet/slipway-operator available? {}",
                    name, kInstall));
  }
  return Running(fmt::format("ClusterOperation {}: {}{}{}", name, phase.empty() ? "new" : phase,
                             message.empty() ? "" : ", ", message));
}

// Returns the reason why the node cannot be updated yet; "" if it can. A kubelet must not be newer
// than any API server.
std::string CheckOrder(const UpdatedMachine& machine, const UpdatedNode& node) {
  const auto cluster = base::Version::Parse(node.cluster_version);
  const auto wanted = base::Version::Parse(machine.version);
  if (cluster && wanted && *cluster < *wanted) {
    return fmt::format("waits until the cluster's configuration, now of {}, has version {}",
                       node.cluster_version, machine.version);
  }
  if (!machine.control_plane && !node.old_control_planes.empty()) {
    return fmt::format("waits for the control planes: {}",
                       base::Join(node.old_control_planes, ", "));
  }
  return "";
}

// Throws base::Error(kInvalid) if the operation would bring the node to another state than desired.
void RequireCovered(const UpdatedMachine& machine, const UpdatedNode& node,
                    const KubeletSource& kubelets) {
  const UpdateScope scope{.control_plane = machine.control_plane,
                          .upgrades_kubelets = kubelets.IsSet(),
                          .cluster_version = node.cluster_version};
  const std::string problem = CheckVersion(node.kubelet_version, machine.version, scope);
  if (!problem.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("node {} is not updated in place: {}", machine.node, problem));
  }
  if (node.cluster_version != machine.version) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("the configuration of the cluster has version {}, and the Machine {}",
                            node.cluster_version, machine.version));
  }
}

// Returns the state at the end. A kubelet of another version is a failure: the image may have only
// an older patch version.
UpdateState CheckEnd(UpdateState state, const UpdatedMachine& machine, kube::Client& workload) {
  if (state.stage != Stage::kDone) {
    return state;
  }
  const std::string runs = json::TextAt(workload.Get({kube::resources::kNode, "", machine.node}),
                                        {"status", "nodeInfo", "kubeletVersion"});
  return runs == machine.version
             ? state
             : Failed(fmt::format("{}, and the kubelet of node {} has version {} instead of {}. "
                                  "Does the image of --kubelet-image have this version?",
                                  state.message, machine.node, runs, machine.version));
}

}  // namespace

UpdateState Updater::Update(std::string_view name_space, std::string_view name) const {
  try {
    const UpdatedMachine machine = CollectMachine(deps_.management, name_space, name);
    if (!machine.updating) {
      return Failed("Cluster API does not wait for an update of this Machine");
    }
    return base::WithContext(fmt::format("cluster {}", machine.cluster),
                             [&] { return Advance(machine); });
  } catch (const Error& error) {
    const bool repeatable =
        kube::IsPassing(error) || error.kind() == Error::Kind::kAlreadyExists;  // a concurrent call
    return repeatable ? Running(error.message()) : Failed(error.message());
  }
}

std::string Updater::CollectVersionOf(std::string_view name_space, std::string_view cluster) const {
  kube::Client workload = Connect(name_space, cluster);
  return CollectClusterVersion(workload);
}

kube::Client Updater::Connect(std::string_view name_space, std::string_view cluster) const {
  return {deps_.connect(CollectKubeconfig(deps_.management, name_space, cluster)),
          deps_.clock,
          {.limit = std::chrono::milliseconds(0), .grace = std::chrono::milliseconds(0)}};
}

UpdateState Updater::Advance(const UpdatedMachine& machine) const {
  kube::Client workload = Connect(machine.name_space, machine.cluster);
  const std::string name = OperationNameOf(machine);
  if (const auto operation = workload.Find({fleet::kClusterOperation, "", name})) {
    return CheckEnd(StateOf(*operation, deps_.clock.Now()), machine, workload);
  }
  const UpdatedNode node = CollectNode(workload, machine.node);
  if (std::string reason = CheckOrder(machine, node); !reason.empty()) {
    return Running(std::move(reason));
  }
  RequireCovered(machine, node, deps_.kubelets);
  const json::Value operation = Create(workload, OperationFor(machine, node, deps_.kubelets));
  base::LogInfo(0, "created ClusterOperation {} for Machine {}/{} in cluster {}", name,
                machine.name_space, machine.name, machine.cluster);
  return StateOf(operation, deps_.clock.Now());
}

}  // namespace machine_update
