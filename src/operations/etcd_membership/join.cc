// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/join.h"

#include <fmt/core.h>

#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "checks/finding.h"
#include "components/containers.h"
#include "components/diagnosis.h"
#include "components/table.h"
#include "etcd/health.h"
#include "etcd/serving.h"
#include "etcd_membership/applied.h"
#include "etcd_membership/join_rollback.h"
#include "etcd_membership/local_etcd.h"
#include "host/init_system.h"
#include "kube/wait.h"

namespace etcd_membership {
namespace {

using std::chrono::milliseconds;

constexpr components::Component kEtcd = components::Component::kEtcd;
constexpr const char* kWaitingForStart = "waiting for this node's etcd to start";

// Returns the error of a permanent failure of this node's etcd or of its environment; std::nullopt
// without one. `failures` contains the failures of the whole wait.
std::optional<base::Error> LocalCulprit(const JoiningNode& node,
                                        components::FailureMemory& failures) {
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(node.host);
  components::ControlPlaneFacts facts = components::CollectFacts({.host = node.host,
                                                                  .runtime = &node.runtime,
                                                                  .init_system = init_system.get(),
                                                                  .since = node.since,
                                                                  .etcd_data = node.data_dir});
  failures.AddTo(facts);
  const std::optional<checks::Finding> diagnosis = components::Diagnose(facts);
  if (diagnosis && diagnosis->sure == checks::Confidence::kCertain &&
      diagnosis->subject != "kube-apiserver") {
    return base::Error(base::Error::Kind::kOther, diagnosis->Text());
  }
  return std::nullopt;
}

// Kills etcd. An etcd that does not serve yet ignores SIGTERM, and its applied changes are already
// on disk.
void RestartEtcd(const JoiningNode& node) {
  for (const cri::Container& container : components::ContainersOf(kEtcd, node.runtime)) {
    if (container.state == cri::Container::State::kRunning) {
      base::LogInfo(1, "restarting etcd, which waits for the entry with its own name");
      components::EndContainer(container.id, std::chrono::seconds(0), node.runtime);
    }
  }
}

void SayLearning(const etcd::LearnerProgress& progress, const JoinSteps& steps) {
  if (!progress.started) {
    steps.progress(kWaitingForStart);
  } else if (progress.leader_applied > 0) {
    steps.progress(
        fmt::format("etcd has copied {} of {} changes", progress.applied, progress.leader_applied));
  }
}

void WaitForVote(etcd::Client& client, std::uint64_t id, const etcd::Waiting& waiting,
                 const JoiningNode& node, const JoinSteps& steps) {
  steps.progress(kWaitingForStart);
  etcd::WaitUntilServing(client, id, waiting,
                         {.applied = [&node] { return AppliedHere(node.host.files); },
                          .run = [&node] { RestartEtcd(node); }});
  etcd::PromoteWhenCaughtUp(client, id, waiting, [&](const etcd::LearnerProgress& progress) {
    SayLearning(progress, steps);
  });
  steps.progress({});
}

// Returns whether no data of a member exist. If this is true before the join, later data are the
// new member's.
bool HasNoMember(const host::Files& files, const host::fs::path& data_dir) {
  return !files.Exists(data_dir / kMemberDirectory);
}

}  // namespace

void Join(etcd::Client& client, const Joining& joining, const JoiningNode& node,
          const JoinSteps& steps) {
  const bool data_is_own = HasNoMember(node.host.files, node.data_dir);
  if (joining.replace_dead && data_is_own) {
    if (const auto dead = etcd::RemoveDead(client, joining.member, joining.waiting)) {
      base::LogWarning("the dead etcd member {} at {} was removed: this node takes its place",
                       joining.member.name, *dead);
    }
  }
  if (data_is_own && etcd::ForgetLost(client, joining.member.peer_url, joining.waiting)) {
    base::LogWarning(
        "the etcd member {}, a learner from an earlier join of this node whose data are gone, was "
        "removed",
        joining.member.peer_url);
  }
  components::FailureMemory failures;
  etcd::Waiting waiting = joining.waiting;
  waiting.culprit = [&] { return LocalCulprit(node, failures); };
  etcd::LearnerAddition addition(client, joining.member);
  try {
    const etcd::Joined joined = addition.Run(joining.waiting, steps.progress);
    steps.progress({});
    steps.start(joined);
    WaitForVote(client, joined.id, waiting, node, steps);
  } catch (...) {
    // Catches every error. Otherwise the other members would wait for this member forever.
    if (addition.MayBeMember()) {
      RollbackJoin(joining, node, data_is_own);
    }
    throw;
  }
  etcd::WaitForQuorum(client, waiting);
}

etcd::Waiting WaitingOn(host::Clock& clock, milliseconds limit, const std::stop_token& stop) {
  return {.now = [&clock] { return clock.Steady(); },
          .pause = [&clock, stop](milliseconds pause) { return clock.Sleep(pause, stop); },
          .limit = limit,
          .culprit = {}};
}

}  // namespace etcd_membership
