// SPDX-License-Identifier: Apache-2.0
#include "static_pods/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

#include "base/duration.h"
#include "base/strings.h"
#include "base/threads.h"

namespace static_pods {
namespace {

using components::Component;

using base::Error;

// The interval of searches for a culprit. Each search starts a process and queries the runtime.
constexpr std::chrono::milliseconds kLookEvery{1'000};

// The time for which an observation must persist before it is reported. A kubelet that this program
// restarts is inactive for a moment, which needs no message.
constexpr std::chrono::milliseconds kTellAfter{2'000};

// All waits of one call.
class Waits {
 public:
  Waits(const std::vector<ComponentProbe>& probes, const WaitRequest& request)
      : probes_(probes), request_(request) {
    for (const ComponentProbe& probe : probes) {
      outcome_.components.push_back(
          {.name = probe.name, .url = probe.url, .problem = "not waited for"});
    }
  }

  WaitOutcome Run() {
    {
      const std::stop_callback forward(request_.stop, [this] { stop_.request_stop(); });
      base::Threads looking;
      looking.Add([this](const std::stop_token& stop) { LookWhileTriesHang(stop); });
      base::Threads threads;
      for (std::size_t i = 0; i < probes_.size(); ++i) {
        threads.Add([this, i] { WaitForOne(i); });
      }
      threads.Join();
    }
    if (request_.stop.stop_requested()) {
      throw base::Interrupted("interrupted while waiting for the control plane");
    }
    if (!outcome_.healthy() && !outcome_.diagnosis) {
      outcome_.diagnosis = LastLook();
    }
    return std::move(outcome_);
  }

 private:
  void WaitForOne(std::size_t index) {
    const auto begin = request_.clock.Steady();
    std::optional<std::string> problem;
    try {
      kube::WaitUntil(probes_[index].probe, {.clock = request_.clock,
                                             .limit = request_.limit,
                                             .stop = stop_.get_token(),
                                             .culprit = [this] { return Culprit(); },
                                             .culprit_every = kLookEvery});
    } catch (const Error& error) {
      problem = error.message();
    } catch (const base::Interrupted& interrupted) {  // by the user, or by another wait's diagnosis
      problem = interrupted.message();
    }
    End(index, request_.clock.Steady() - begin, std::move(problem));
  }

  void End(std::size_t index, std::chrono::nanoseconds took, std::optional<std::string> problem) {
    const std::lock_guard lock(mutex_);
    ComponentHealth& health = outcome_.components[index];
    health.took = took;
    health.problem = std::move(problem);
    if (health.healthy()) {
      healthy_.insert(health.name);
    }
    if (request_.on_end) {
      request_.on_end(health);
    }
  }

  // Polls the node independently of the probes: a server that accepts a connection and then stays
  // silent blocks a probe until its request times out. The pauses use real time, not the clock of
  // the waits.
  void LookWhileTriesHang(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any pause;
    const auto never = [] { return false; };
    while (true) {
      pause.wait_for(lock, stop, kLookEvery, never);
      if (stop.stop_requested()) {
        return;
      }
      Culprit();
    }
  }

  // Only one of the waits looks for a culprit at a time; the others keep probing.
  std::optional<Error> Culprit() {
    const std::unique_lock looking(looking_, std::try_to_lock);
    if (!looking || stop_.stop_requested()) {
      return std::nullopt;
    }
    auto diagnosis = Look();
    if (!diagnosis || diagnosis->sure != checks::Confidence::kCertain) {
      Tell(diagnosis);
      return std::nullopt;
    }
    Error error(diagnosis->Text());
    const std::lock_guard lock(mutex_);
    outcome_.diagnosis = std::move(diagnosis);
    stop_.request_stop();
    return error;
  }

  void Tell(const std::optional<checks::Finding>& likely) {
    if (!request_.on_likely) {
      return;
    }
    const std::lock_guard lock(mutex_);
    std::string seen = likely ? likely->subject + likely->evidence : "";
    if (seen != seen_) {
      seen_ = std::move(seen);
      seen_since_ = request_.clock.Steady();
    }
    if (likely && request_.clock.Steady() - seen_since_ >= kTellAfter &&
        told_.insert(seen_).second) {
      request_.on_likely(*likely);
    }
  }

  std::optional<checks::Finding> Look() {
    return request_.facts ? components::Diagnose(Facts()) : std::nullopt;
  }

  std::optional<checks::Finding> LastLook() {
    if (!request_.facts) {
      return std::nullopt;
    }
    std::vector<std::string> waited_for;
    for (const ComponentHealth& component : outcome_.components) {
      if (!component.healthy()) {
        waited_for.push_back(component.name);
      }
    }
    const components::ControlPlaneFacts facts = Facts();
    return components::Diagnose(facts).or_else(
        [&] { return components::NeverStarted(waited_for, facts); });
  }

  components::ControlPlaneFacts Facts() {
    components::ControlPlaneFacts facts = request_.facts();
    const std::lock_guard lock(mutex_);
    facts.healthy.insert(healthy_.begin(), healthy_.end());
    failures_.AddTo(facts);
    return facts;
  }

  const std::vector<ComponentProbe>& probes_;
  const WaitRequest& request_;
  std::stop_source stop_;
  std::mutex looking_;
  std::mutex mutex_;
  WaitOutcome outcome_;            // guarded by mutex_
  std::set<std::string> healthy_;  // guarded by mutex_
  std::set<std::string> told_;     // guarded by mutex_
  std::string seen_;               // guarded by mutex_: the last likely finding, or ""
  std::chrono::steady_clock::time_point seen_since_;  // guarded by mutex_
  components::FailureMemory failures_;                // guarded by mutex_
};

}  // namespace

std::vector<ComponentProbe> ProbesFor(const std::vector<ComponentEndpoint>& endpoints,
                                      const std::shared_ptr<kube::Transport>& transport) {
  std::vector<ComponentProbe> probes;
  for (const ComponentEndpoint& endpoint : endpoints) {
    const bool api_server = endpoint.component == Component::kApiServer;
    probes.push_back({.name = std::string(Name(endpoint.component)),
                      .url = endpoint.Url(),
                      .probe = api_server ? kube::PathProbe(transport, endpoint.path)
                                          : kube::UrlProbe(endpoint.Url())});
  }
  return probes;
}

bool WaitOutcome::healthy() const {
  return std::ranges::all_of(components, &ComponentHealth::healthy);
}

WaitOutcome WaitForComponents(const std::vector<ComponentProbe>& probes,
                              const WaitRequest& request) {
  return Waits(probes, request).Run();
}

void RequireHealthy(const WaitOutcome& outcome) {
  if (outcome.healthy()) {
    return;
  }
  std::vector<std::string> problems;
  for (const ComponentHealth& component : outcome.components) {
    if (!component.healthy()) {
      const std::string text = fmt::format(
          "{} is not healthy after {}", component.name,
          base::FormatDuration(std::chrono::round<std::chrono::milliseconds>(component.took)));
      // The diagnosis replaces the reasons of all components.
      problems.push_back(outcome.diagnosis ? text : text + ": " + *component.problem);
    }
  }
  std::string text = "could not bring up the control plane: " + base::Join(problems, "; ");
  if (outcome.diagnosis) {
    text += "\n" + outcome.diagnosis->Text();
  }
  throw Error(Error::Kind::kTimeout, text);
}

}  // namespace static_pods
