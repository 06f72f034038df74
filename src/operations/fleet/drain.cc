// SPDX-License-Identifier: Apache-2.0
#include "fleet/drain.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"
#include "fleet/facts.h"
#include "json/value.h"
#include "objects/mirror_pod.h"

namespace fleet {
namespace {

using base::Error;

constexpr std::string_view kMergePatch = "application/merge-patch+json";

const json::Value* FindController(const json::Value& pod) {
  for (const json::Value& owner : json::At(pod, {"metadata", "ownerReferences"})) {
    if (json::At(owner, {"controller"}) == true) {
      return &owner;
    }
  }
  return nullptr;
}

bool StaysOnNode(const json::Value& pod) {
  const std::string phase = json::TextAt(pod, {"status", "phase"});
  const json::Value* controller = FindController(pod);
  return phase == "Succeeded" || phase == "Failed" ||
         !json::At(pod, {"metadata", "annotations", objects::kMirrorAnnotation}).is_null() ||
         !json::At(pod, {"metadata", "labels", kOperationLabel}).is_null() ||
         (controller != nullptr && json::TextAt(*controller, {"kind"}) == "DaemonSet");
}

std::string NameOf(const json::Value& pod) {
  return fmt::format("{}/{}", json::TextAt(pod, {"metadata", "namespace"}),
                     json::TextAt(pod, {"metadata", "name"}));
}

bool IsTerminating(const json::Value& pod) {
  return !json::At(pod, {"metadata", "deletionTimestamp"}).is_null();
}

// Evicts the Pod. Returns why the Pod still exists.
std::string Evict(kube::Client& client, const json::Value& pod, const DrainRules& rules) {
  if (IsTerminating(pod)) {
    return "it is terminating";
  }
  const std::string name = json::TextAt(pod, {"metadata", "name"});
  const std::string name_space = json::TextAt(pod, {"metadata", "namespace"});
  json::Value eviction = {{"apiVersion", "policy/v1"},
                          {"kind", "Eviction"},
                          {"metadata", {{"name", name}, {"namespace", name_space}}}};
  if (rules.grace_period_seconds) {
    eviction["deleteOptions"]["gracePeriodSeconds"] = *rules.grace_period_seconds;
  }
  // With this precondition a new Pod of the same name, on another node, is not evicted.
  eviction["deleteOptions"]["preconditions"]["uid"] = json::TextAt(pod, {"metadata", "uid"});
  try {
    client.Raw({.verb = kube::Verb::kCreate,
                .resource = kube::resources::kPod,
                .name_space = name_space,
                .name = name,
                .body = std::move(eviction),
                .subresource = "eviction"});
  } catch (const Error& error) {
    switch (error.kind()) {
      case Error::Kind::kNotFound:
      case Error::Kind::kConflict:
        break;  // the Pod is gone already
      case Error::Kind::kUnavailable:
        return error.message();  // 429: the budget allows none now
      default:
        throw;
    }
  }
  return "it is terminating";
}

}  // namespace

DrainPlan PlanDrain(const std::vector<json::Value>& pods, bool force) {
  DrainPlan plan;
  for (const json::Value& pod : pods) {
    if (StaysOnNode(pod)) {
      continue;
    }
    if (!force && FindController(pod) == nullptr && !IsTerminating(pod)) {
      plan.orphans.push_back(NameOf(pod));
    }
    plan.pods.push_back(pod);
  }
  return plan;
}

void ApplyCordon(kube::Client& client, const Cordon& cordon) {
  json::Value annotations = {{kTaskAnnotation, cordon.task}, {kSinceAnnotation, cordon.time}};
  if (cordon.cordoned_before) {
    annotations[std::string(kBeforeAnnotation)] = "true";
  }
  client.Patch({kube::resources::kNode, "", cordon.node}, kMergePatch,
               {{"metadata", {{"annotations", std::move(annotations)}}},
                {"spec", {{"unschedulable", true}}}});
}

void RemoveCordon(kube::Client& client, std::string_view node, bool cordoned_before) {
  json::Value patch = {{"metadata",
                        {{"annotations",
                          {{kTaskAnnotation, nullptr},
                           {kSinceAnnotation, nullptr},
                           {kBeforeAnnotation, nullptr}}}}}};
  if (!cordoned_before) {
    patch["spec"]["unschedulable"] = nullptr;
  }
  client.Patch({kube::resources::kNode, "", node}, kMergePatch, patch);
}

std::vector<std::string> ApplyDrain(kube::Client& client, std::string_view node,
                                    const DrainRules& rules) {
  const std::string selector = fmt::format("spec.nodeName={}", node);
  const DrainPlan plan =
      PlanDrain(client.List(kube::resources::kPod, "", {.fields = selector}), rules.force);
  if (!plan.orphans.empty()) {
    throw Error(Error::Kind::kInvalid,
                fmt::format("no controller would replace {}: delete them, or set spec.drain.force",
                            base::Join(plan.orphans, ", ")));
  }
  std::vector<std::string> remaining;
  for (const json::Value& pod : plan.pods) {
    remaining.push_back(fmt::format("{}: {}", NameOf(pod), Evict(client, pod, rules)));
  }
  return remaining;
}

}  // namespace fleet
