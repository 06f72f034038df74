// SPDX-License-Identifier: Apache-2.0
#include "controller/controller.h"

#include <fmt/core.h>

#include <exception>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "controller/thread_group.h"
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
      agenda_({.bootstrap_tokens = settings_.policy.bootstrap_tokens,
               .nodes_vouch = settings_.inventories.nodes},
              host.clock),
      watches_(settings_, *clusters_.workload, host.clock, agenda_, readiness_),
      inventory_(settings_, clusters_, host, agenda_, readiness_),
      judging_(settings_, clusters_, host.clock, agenda_,
               {.metrics = metrics_, .events = events_}) {}

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
  if (!LeadWhileHeld(elector, stop)) {
    throw base::Error(fmt::format("the lease {}/{} is lost", lease.name_space, lease.name));
  }
}

bool Controller::LeadWhileHeld(kube::LeaderElector& elector, const std::stop_token& stop) {
  // also after a failure of the leader: an idle process must not hold the lease
  std::stop_source ends;
  const std::stop_callback passes_on(stop, [&] { ends.request_stop(); });
  std::exception_ptr failure;
  const auto lead = [&](const std::stop_token& lost) {
    try {
      Lead(lost);
    } catch (...) {
      failure = std::current_exception();
      ends.request_stop();
    }
  };
  bool held = true;
  try {
    const std::jthread leading(lead);
    held = elector.Keep(ends.get_token());
  } catch (...) {
    failure = std::current_exception();
  }
  if (held) {
    elector.Release();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
  return held;
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
