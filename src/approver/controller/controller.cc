// SPDX-License-Identifier: Apache-2.0
#include "controller/controller.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "controller/thread_group.h"
#include "kube/lead_while_held.h"
#include "kube/leader_election.h"
#include "reports/objects.h"
#include "reports/operator_keeper.h"

namespace controller {

Controller::Controller(Settings settings, Clusters clusters, host::Host& host)
    : settings_(std::move(settings)),
      clusters_(std::move(clusters)),
      host_(host),
      events_target_{.name_space = settings_.leader.name_space,
                     .reporter = settings_.leader.identity},
      events_(*clusters_.workload, events_target_, metrics_),
      audit_(settings_.audit_sink
                 ? std::make_optional<reports::AuditLog>(settings_.audit_sink, metrics_)
                 : std::nullopt),
      agenda_({.bootstrap_tokens = settings_.policy.bootstrap_tokens,
               .nodes_attest = settings_.inventories.nodes},
              host.clock),
      shadow_(settings_.shadow
                  ? std::make_optional<Shadow>(agenda_, metrics_, settings_.policy.bootstrap_tokens)
                  : std::nullopt),
      watches_(settings_, *clusters_.workload, host.clock,
               {.agenda = agenda_, .shadow = shadow_ ? &*shadow_ : nullptr, .metrics = &metrics_},
               readiness_),
      inventory_(settings_, clusters_, host, agenda_, readiness_),
      judging_(settings_,
               {.clusters = clusters_,
                .clock = host.clock,
                .agenda = agenda_,
                .reports = {.metrics = metrics_,
                            .events = events_,
                            .shadow = shadow_ ? &*shadow_ : nullptr,
                            .audit = audit_ ? &*audit_ : nullptr},
                .confirm = [this](const judgement::Machine& entry, const std::stop_token& stop) {
                  return inventory_.Confirms(entry, stop);
                }}) {}

std::string Controller::MetricsText() {
  const requests::Limits limits = agenda_.LimitsNow();
  metrics_.SetPending(limits.pending, limits.most);
  metrics_.SetQueued(agenda_.queued());
  return metrics_.Text();
}

void Controller::Run(const std::stop_token& stop) {
  ThreadGroup group(stop, host_.clock);
  watches_.Start(group);
  inventory_.Start(group);
  group.Add("events", [this](const std::stop_token& ends) { events_.Run(ends); });
  if (settings_.leader.elect) {
    LeadElected(stop);
  } else {
    Lead(stop);
  }
}

void Controller::LeadElected(const std::stop_token& stop) {
  const LeaderSettings& lease = settings_.leader;
  kube::LeaderElector elector(*clusters_.workload, host_.clock,
                              {.name_space = lease.name_space,
                               .name = lease.name,
                               .identity = lease.identity,
                               .lease_duration = lease.lease_duration,
                               .renew_deadline = lease.renew_deadline,
                               .retry_period = lease.retry_period});
  metrics_.SetLeader(lease.name, false);
  if (!elector.Acquire(stop)) {
    return;
  }
  base::LogInfo(0, "{} leads", lease.identity);
  metrics_.SetLeader(lease.name, true);
  events_.Say(reports::LeaderEventCall(lease.name, events_target_, host_.clock.Now()));
  if (!kube::LeadWhileHeld(elector, [this](const std::stop_token& lost) { Lead(lost); }, stop)) {
    throw base::Error(fmt::format("the lease {}/{} is lost", lease.name_space, lease.name));
  }
}

void Controller::Lead(const std::stop_token& stop) {
  if (!readiness_.Wait(stop)) {
    return;
  }
  agenda_.Begin();
  ThreadGroup group(stop, host_.clock);
  judging_.Start(group);
  if (settings_.keep_status) {
    group.Add("ClusterOperator", [this](const std::stop_token& ends) {
      reports::OperatorKeeper(*clusters_.workload, host_.clock, metrics_,
                              {.release_version = settings_.release_version})
          .Run(ends);
    });
  }
  group.Wait();
}

}  // namespace controller
