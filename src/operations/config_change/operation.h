// SPDX-License-Identifier: Apache-2.0
// A change of this node's configuration as an operation of the engine.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/show_line.h"
#include "config_change/cluster_lease.h"
#include "config_change/gather.h"
#include "config_change/journal.h"
#include "config_change/plan.h"
#include "cri/runtime.h"
#include "engine/operation.h"

namespace config_change {

// Dependencies of a change. References must outlive it.
struct Deps {
  const Sources& sources;
  std::function<std::unique_ptr<cri::Runtime>(const std::string& socket)> connect_runtime;
  // The start of this process.
  std::chrono::sys_seconds start;            // new certificates are valid from this time
  std::chrono::milliseconds limit{300'000};  // for one component to become ready
  std::stop_token stop = {};
  base::ShowLine say;  // for lines before the first step
  // Owns the objects to which this struct refers. The steps of the operation need these objects
  // even after the caller has returned.
  std::shared_ptr<const void> owner = {};
};

// One change. It holds the ClusterLease from PrepareRun, PrepareResumed or PrepareRollback until
// its destruction. A worker whose change is not stored in the cluster takes no ClusterLease. The
// steps of the operation share the Change.
class Change : public std::enable_shared_from_this<Change> {
 public:
  Change(Before before, Plan plan, Deps deps)
      : before_(std::move(before)), plan_(std::move(plan)), deps_(std::move(deps)) {}
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  // Returns the operation. It changes certificates, static Pods (each group must serve before the
  // next is replaced) and the kubelet. Then it changes the stored configuration and the addons that
  // read it. If a step fails, the engine rolls the operation back. `intent` is the intent for the
  // journal.
  engine::Operation ToOperation(json::Value intent);

  // Throws base::Error(kInvalid) if the change cannot be on trial (encryption.h).
  void RequireTriable() const;

  // Takes the ClusterLease, which waits for a change by another node. Then checks the preconditions
  // and pulls missing images. Throws base::Error without a change: kConflict if the stored
  // configuration has changed since the plan was made, or if the kubelet would run a component
  // twice; kUnavailable if etcd would lose its majority; the errors of kubelet::RequireRunning and
  // control_plane::RequireImages.
  void PrepareRun();

  // Takes the ClusterLease in order to resume an interrupted run. If the API server does not
  // answer, continues without the ClusterLease, because the interrupted change may be the reason.
  void PrepareResumed(const engine::Journal& journal);

  // Checks the preconditions of a rollback on this node. Throws base::Error(kConflict), without a
  // change, if this node no longer matches the results of the change. For an interrupted change no
  // results are compared.
  void RequireReversible(const engine::Journal& journal) const;

  // Takes the ClusterLease for a rollback. Throws base::Error(kConflict) if the stored
  // configuration is no longer the configuration of the change. Also throws kConflict if the
  // rollback would remove encryption keys with which objects may have been encrypted
  // (encryption.h). If the cluster does not answer, possibly because of the change, this node is
  // rolled back first, without the ClusterLease. A later call then restores the stored
  // configuration, unless it has changed since.
  void PrepareRollback(const engine::Journal& journal);

 private:
  void ReissueCertificates(engine::StepContext& context) const;
  void ChangePods(engine::StepContext& context,
                  const std::vector<control_plane::PodChange>& group) const;
  void WaitForLeaders(engine::StepContext& context) const;
  void RestorePods(engine::StepContext& context) const;
  void ChangeKubelet(engine::StepContext& context) const;
  void StoreNew(engine::StepContext& context);
  void StoreOld(engine::StepContext& context);

  std::vector<engine::Step> PodSteps();
  bool Touches(components::Component component) const;
  bool TakesTurn() const;
  void HoldLease();
  // Takes the ClusterLease and returns the stored configuration. Returns std::nullopt, without the
  // ClusterLease, if the node needs none or if the API server does not answer.
  std::optional<config::StoredConfig> TakeLeaseIfServed(std::string_view otherwise);
  config::StoredConfig Stored() const;
  config::Init ConfigBefore() const;
  static_pods::RestartContext RestartBy(engine::StepContext& context, cri::Runtime& runtime,
                                        const config::Init& config) const;
  void RequireMajority(const config::Init& config, std::string_view consequence) const;
  void Store(const config::Init& config, engine::StepContext& context) const;
  void WaitForAddons(const config::Init& config, engine::StepContext& context) const;

  const Before before_;
  const Plan plan_;
  const Deps deps_;
  std::optional<ClusterLease> lease_;
  // In a resumed run: the stored configuration must be checked first.
  bool must_check_stored_ = false;
};

// Plans the rest of an interrupted change to the configuration `to`.
Plan PlanRest(const Recorded& recorded, const Sources& sources, const config::Init& to);

}  // namespace config_change
