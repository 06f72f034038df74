// SPDX-License-Identifier: Apache-2.0
#include "upgrade/health_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/duration.h"
#include "base/error.h"
#include "base/log.h"
#include "json/value.h"
#include "kube/objects.h"
#include "kube/wait.h"
#include "objects/leader.h"
#include "objects/mark.h"
#include "upgrade/job_trouble.h"

namespace upgrade {
namespace {

using base::Error;
using components::Component;
using std::chrono::milliseconds;

using Leaders = std::map<Component, std::optional<objects::Leader>>;

constexpr const char* kNamespace = "kube-system";
// Longer than the check's limit: the cluster removes the Job of a killed kubeadm.
constexpr int kJobSeconds = 65;
constexpr int kUser = 999;
// A Job takes at least a second; shorter intervals only cost requests.
constexpr milliseconds kAskEvery{250};

// Removes a Job at the end of a block, together with its Pods. By default, a deletion would keep
// them.
class Removal {
 public:
  Removal(kube::Client& client, const std::string& name) : client_(client), name_(name) {}
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;
  ~Removal() {
    try {
      client_.Raw({.verb = kube::Verb::kDelete,
                   .resource = kube::resources::kJob,
                   .name_space = kNamespace,
                   .name = name_,
                   .body = {{"apiVersion", "v1"},
                            {"kind", "DeleteOptions"},
                            {"propagationPolicy", "Background"}}});
    } catch (const std::exception& error) {
      base::LogWarning(
          "Job \"{}\" in namespace \"{}\" could not be removed; the cluster removes it {} s after "
          "its end: {}",
          name_, kNamespace, kJobSeconds, error.what());
    } catch (const base::Interrupted&) {
      base::LogInfo(1, "Job {} is left to the cluster", name_);
    }
  }

 private:
  kube::Client& client_;
  const std::string& name_;
};

// Returns the Job's Pods by their owner, because a kubelet may create mirror Pods with the Job's
// label.
std::vector<json::Value> PodsOf(kube::Client& client, const std::string& job) {
  std::vector<json::Value> pods = client.List(kube::resources::kPod, kNamespace,
                                              {.labels = "batch.kubernetes.io/job-name=" + job});
  std::erase_if(pods, [&](const json::Value& pod) {
    return !kube::IsOwnedBy(pod, kube::resources::kJob.kind, job);
  });
  return pods;
}

// Returns whether the Job's Pod has succeeded. A succeeded Pod shows that the cluster can run Pods.
// Only the Job's status is pending then; the controller manager updates it a second or two after
// the end of the Pod.
bool HasRun(kube::Client& client, const std::string& job) {
  try {
    return std::ranges::any_of(PodsOf(client, job), [](const json::Value& pod) {
      return json::TextAt(pod, {"status", "phase"}) == "Succeeded";
    });
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kForbidden) {
      throw;
    }
    return false;
  }
}

// Returns std::nullopt when the Job or its Pod has succeeded. Throws base::Error(kOther) if the Job
// has failed.
std::optional<kube::NotYet> AskJob(kube::Client& client, const std::string& name) {
  switch (EndOf(client.Get({kube::resources::kJob, kNamespace, name}))) {
    case JobEnd::kComplete:
      return std::nullopt;
    case JobEnd::kRunning:
      return HasRun(client, name) ? std::nullopt
                                  : std::optional(kube::NotYet{"it is not complete"});
    case JobEnd::kFailed:
      break;
  }
  throw Error(fmt::format("Job \"{}\" failed", name));
}

// Collects further information about a failed Job, if it is available.
JobTrouble FindTrouble(kube::Client& client, const std::string& job) {
  JobTrouble trouble;
  try {
    client.Retry("", [&] { trouble = TroubleOf(PodsOf(client, job)); });
    if (trouble.waits_for) {
      const std::string leader = DescribeLeader(client, *trouble.waits_for);
      trouble.text += leader.empty() ? "" : fmt::format(" ({})", leader);
    }
  } catch (const Error& error) {
    base::LogInfo(1, "no further information about Job {}: {}", job, error.message());
  }
  return trouble;
}

// Returns the present leaders. A user who may not read the Leases sees no leader, so only one Job
// is run.
Leaders FindLeaders(kube::Client& client) {
  Leaders leaders{{Component::kControllerManager, {}}, {Component::kScheduler, {}}};
  try {
    client.Retry("", [&] {
      for (auto& [component, leader] : leaders) {
        leader = objects::FindLeader(client, component);
      }
    });
  } catch (const Error& error) {
    base::LogInfo(1, "the Leases cannot be read: {}", error.message());
  }
  return leaders;
}

// The failure of a Job, the cause of its timeout, and the leaders at its start.
struct Failure {
  Error error;
  JobTrouble trouble = {};
  Leaders leaders;
};

std::optional<Failure> RunJob(const std::string& name, const JobRun& run) {
  const Removal removal(run.client, name);
  const Leaders leaders = FindLeaders(run.client);
  try {
    kube::WaitUntil(
        kube::PatientProbe([&](const std::stop_token&) { return AskJob(run.client, name); }),
        {.clock = run.clock, .most = kAskEvery, .limit = run.limits.end, .stop = run.stop});
    return std::nullopt;
  } catch (const Error& error) {
    const JobTrouble trouble = FindTrouble(run.client, name);
    const bool timed_out = error.kind() == Error::Kind::kTimeout;
    return Failure{
        .error = Error(error.kind(),
                       fmt::format("Job \"{}\" in namespace \"{}\", which tests whether the "
                                   "cluster can still run Pods, did not succeed: {}{}{}",
                                   name, kNamespace, error.message(),
                                   trouble.text.empty() ? "" : "; ", trouble.text)),
        .trouble = timed_out ? trouble : JobTrouble{},
        .leaders = leaders};
  }
}

// Returns true as soon as the component has another leader than at the start of the Job. Returns
// false without a Lease, if the Lease changes without another leader, or after the limit.
bool WaitForOtherLeader(Component component, const Leaders& before, milliseconds limit,
                        const JobRun& run) {
  const auto& then = before.at(component);
  const std::optional<objects::Leader> last = FindLeaders(run.client).at(component);
  std::optional<objects::Leader> now = last;
  const auto is_other = [&] {
    return now && !now->holder.empty() && (!then || then->holder != now->holder);
  };
  if (!last || is_other()) {
    return last.has_value();
  }
  base::LogWarning(
      "the Job of the health check waits for {}, which seems to have no leader; waiting up to {}",
      Name(component), base::FormatDuration(limit));
  try {
    kube::WaitUntil(kube::PatientProbe([&](const std::stop_token&) {
                      now = objects::FindLeader(run.client, component);
                      return now == last ? std::optional(kube::NotYet{"no new leader yet"})
                                         : std::nullopt;
                    }),
                    {.clock = run.clock, .most = kAskEvery, .limit = limit, .stop = run.stop});
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kTimeout) {
      throw;
    }
  }
  return is_other();
}

}  // namespace

json::Value HealthJob(const std::string& name, const std::string& image) {
  const json::Value security = {
      {"runAsUser", kUser}, {"runAsGroup", kUser}, {"runAsNonRoot", true}};
  const json::Value toleration = {{"key", objects::kControlPlaneLabel}, {"effect", "NoSchedule"}};
  const json::Value container = {
      {"name", "upgrade-health-check"}, {"image", image}, {"args", json::Value::array({"-v"})}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", {{"name", name}, {"namespace", kNamespace}}},
          {"spec",
           {{"backoffLimit", 0},
            {"ttlSecondsAfterFinished", kJobSeconds},
            {"activeDeadlineSeconds", kJobSeconds},
            {"template",
             {{"spec",
               {{"restartPolicy", "Never"},
                {"securityContext", security},
                {"tolerations", json::Value::array({toleration})},
                {"containers", json::Value::array({container})}}}}}}}};
}

JobEnd EndOf(const json::Value& job) {
  if (kube::FindCondition(job, "Complete") != nullptr) {
    return JobEnd::kComplete;
  }
  const json::Value* failed = kube::FindCondition(job, "Failed");
  return failed != nullptr && json::TextAt(*failed, {"status"}) == "True" ? JobEnd::kFailed
                                                                          : JobEnd::kRunning;
}

std::string StartHealthJob(const JobRun& run) {
  const auto now = std::chrono::floor<milliseconds>(run.clock.Now());
  const std::string name = fmt::format("upgrade-health-check-{}", now.time_since_epoch().count());
  run.client.Retry("the Job that tests the cluster's health could not be created",
                   [&] { run.client.Create(kube::resources::kJob, HealthJob(name, run.image)); });
  return name;
}

void WaitForHealthJob(const std::string& name, const JobRun& run) {
  const auto end = run.clock.Steady() + run.limits.end + run.limits.leader;
  bool was_late = false;
  for (std::string job = name;; job = StartHealthJob(run)) {
    const std::optional<Failure> failure = RunJob(job, run);
    if (!failure) {
      return;
    }
    const JobTrouble& trouble = failure->trouble;
    const auto left = std::chrono::floor<milliseconds>(end - run.clock.Steady());
    const bool again =
        left > milliseconds::zero() &&
        (trouble.waits_for ? WaitForOtherLeader(*trouble.waits_for, failure->leaders, left, run)
                           : trouble.kubelet_is_late && !std::exchange(was_late, true));
    if (!again) {
      throw failure->error;
    }
    base::LogWarning("{}: the Job of the health check is started once more", trouble.text);
  }
}

}  // namespace upgrade
