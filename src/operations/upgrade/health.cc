// SPDX-License-Identifier: Apache-2.0
#include "upgrade/health.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "kube/wait.h"
#include "node_objects/mark.h"
#include "node_objects/node.h"
#include "static_pods/static_pod.h"

namespace upgrade {
namespace {

using preflight::Verdict;

constexpr const char* kNamespace = "kube-system";
// Longer than the check waits: the cluster tidies up after a kubeadm that was killed.
constexpr int kJobSeconds = 65;
constexpr int kUser = 999;
// A Job takes a second at best; asking more often than this only costs.
constexpr std::chrono::milliseconds kAskJobEvery{500};

const json::Value* FindCondition(const json::Value& object, std::string_view type) {
  const json::Value& conditions = json::At(object, {"status", "conditions"});
  if (!conditions.is_array()) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(
      conditions, [&](const json::Value& each) { return json::TextAt(each, {"type"}) == type; });
  return found == conditions.end() ? nullptr : &*found;
}

std::string WaitingReason(const json::Value& pod) {
  const json::Value& statuses = json::At(pod, {"status", "containerStatuses"});
  if (!statuses.is_array() || statuses.empty()) {
    return "";
  }
  const std::string reason = json::TextAt(statuses[0], {"state", "waiting", "reason"});
  const std::string message = json::TextAt(statuses[0], {"state", "waiting", "message"});
  return message.empty() ? reason : reason + ": " + message;
}

bool HasSchedulableNode(kube::Client& client) {
  const json::Value list = client.Raw({.verb = kube::Verb::kList,
                                       .resource = kube::resources::kNode,
                                       .field_selector = "spec.unschedulable=false",
                                       .limit = 1});
  const json::Value& items = json::At(list, {"items"});
  return items.is_array() && !items.empty();
}

std::vector<json::Value> PodsOf(kube::Client& client, const std::string& job) {
  return client.List(kube::resources::kPod, kNamespace, "batch.kubernetes.io/job-name=" + job);
}

// Jobs leave their Pods behind unless they are told not to.
void RemoveJob(kube::Client& client, const std::string& name) {
  try {
    client.Raw({.verb = kube::Verb::kDelete,
                .resource = kube::resources::kJob,
                .name_space = kNamespace,
                .name = name,
                .body = {{"apiVersion", "v1"},
                         {"kind", "DeleteOptions"},
                         {"propagationPolicy", "Background"}}});
  } catch (const base::Error& error) {
    base::LogWarning(
        "Job \"{}\" in namespace \"{}\" could not be removed, the cluster does so {} s "
        "after its end: {}",
        name, kNamespace, kJobSeconds, error.message());
  }
}

// Nothing when the Job is complete. Throws when it never will be.
std::optional<kube::NotYet> AskJob(kube::Client& client, const std::string& name) {
  switch (EndOf(client.Get(kube::resources::kJob, kNamespace, name))) {
    case JobEnd::kComplete:
      return std::nullopt;
    case JobEnd::kRunning:
      return kube::NotYet{"its Pod has not ended"};
    case JobEnd::kFailed:
      break;
  }
  throw base::Error(fmt::format("Job \"{}\" failed", name));
}

// What else is known of a Job that did not end well; only a help.
std::string Trouble(kube::Client& client, const std::string& job) {
  try {
    const std::string trouble = PodsTrouble(PodsOf(client, job));
    return trouble.empty() ? "" : "; " + trouble;
  } catch (const base::Error&) {
    return "";
  }
}

void WaitForJob(const HealthInput& input, const std::string& name, const std::stop_token& stop) {
  try {
    kube::WaitUntil(
        kube::PatientProbe([&](const std::stop_token&) { return AskJob(input.client, name); }),
        {.clock = input.host.clock, .most = kAskJobEvery, .limit = input.job_limit, .stop = stop});
  } catch (const base::Error& error) {
    throw base::Error(
        error.kind(),
        fmt::format("Job \"{}\" in namespace \"{}\", which tests whether the cluster can still run "
                    "something, did not end well: {}{}",
                    name, kNamespace, error.message(), Trouble(input.client, name)));
  }
}

Verdict CreateJob(const HealthInput& input, const std::stop_token& stop) {
  bool schedulable = false;
  input.client.Retry("the nodes cannot be listed",
                     [&] { schedulable = HasSchedulableNode(input.client); });
  if (!schedulable) {
    base::LogWarning("check CreateJob is left out: no node takes new Pods");
    return {};
  }
  const auto now = std::chrono::floor<std::chrono::milliseconds>(input.host.clock.Now());
  const std::string name = fmt::format("upgrade-health-check-{}", now.time_since_epoch().count());
  input.client.Retry("the Job that tests the cluster's health could not be created", [&] {
    input.client.Create(kube::resources::kJob, HealthJob(name, input.pause_image));
  });
  input.perform(
      fmt::format("[dryrun] Would wait until Job \"{}\" is complete, and remove it", name), [&] {
        try {
          WaitForJob(input, name, stop);
        } catch (const base::Error&) {
          RemoveJob(input.client, name);
          throw;
        }
        RemoveJob(input.client, name);
      });
  return {};
}

Verdict ControlPlaneNodesReady(const HealthInput& input) {
  std::vector<json::Value> nodes;
  input.client.Retry("the nodes of the control plane cannot be listed", [&] {
    nodes = input.client.List(kube::resources::kNode, "",
                              std::string(node_objects::kControlPlaneLabel) + "=");
  });
  const std::vector<std::string> names = NotReady(nodes);
  return names.empty() ? Verdict{}
                       : Verdict::Error("nodes of the control plane are not Ready: " +
                                        base::Join(names, ", "));
}

Verdict StaticPodManifest(const HealthInput& input) {
  std::vector<std::string> problems;
  for (const components::Component component : components::kControlPlane) {
    const std::string path = components::ManifestPath(component).string();
    input.perform(fmt::format("[dryrun] Would check that {} exists", path), [&] {
      // The kubelet may have ended the Pod of one that it cannot read: without a scheduler no Job
      // would end, and its time-out would hide why.
      try {
        if (!static_pods::ReadManifest(input.host.files, component)) {
          problems.push_back(path + " is missing");
        }
      } catch (const base::Error& error) {
        problems.push_back(error.message());
      }
    });
  }
  return problems.empty()
             ? Verdict{}
             : Verdict::Error("not all of the control plane is defined on this machine: " +
                              base::Join(problems, "; "));
}

}  // namespace

json::Value HealthJob(const std::string& name, const std::string& image) {
  const json::Value security = {
      {"runAsUser", kUser}, {"runAsGroup", kUser}, {"runAsNonRoot", true}};
  const json::Value toleration = {{"key", node_objects::kControlPlaneLabel},
                                  {"effect", "NoSchedule"}};
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
  if (FindCondition(job, "Complete") != nullptr) {
    return JobEnd::kComplete;
  }
  const json::Value* failed = FindCondition(job, "Failed");
  return failed != nullptr && json::TextAt(*failed, {"status"}) == "True" ? JobEnd::kFailed
                                                                          : JobEnd::kRunning;
}

std::string PodsTrouble(const std::vector<json::Value>& pods) {
  for (const json::Value& pod : pods) {
    const std::string name = json::TextAt(pod, {"metadata", "name"});
    if (const std::string reason = WaitingReason(pod); !reason.empty()) {
      return fmt::format("Pod {} waits: {}", name, reason);
    }
    const json::Value* scheduled = FindCondition(pod, "PodScheduled");
    if (scheduled != nullptr && json::TextAt(*scheduled, {"status"}) == "False") {
      return fmt::format("Pod {} finds no node: {}", name, json::TextAt(*scheduled, {"message"}));
    }
  }
  return "";
}

std::vector<std::string> NotReady(const std::vector<json::Value>& nodes) {
  std::vector<std::string> names;
  for (const json::Value& node : nodes) {
    if (!node_objects::IsReady(node)) {
      names.push_back(json::TextAt(node, {"metadata", "name"}));
    }
  }
  return names;
}

std::vector<preflight::Check> StateChecks(const HealthInput& input) {
  return {{.name = "ControlPlaneNodesReady",
           .run = [input](const std::stop_token&) { return ControlPlaneNodesReady(input); }},
          {.name = "StaticPodManifest",
           .run = [input](const std::stop_token&) { return StaticPodManifest(input); }}};
}

std::vector<preflight::Check> JobChecks(const HealthInput& input) {
  return {{.name = "CreateJob",
           .run = [input](const std::stop_token& stop) { return CreateJob(input, stop); }}};
}

}  // namespace upgrade
