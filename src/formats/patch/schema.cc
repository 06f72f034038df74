// SPDX-License-Identifier: Apache-2.0
#include "patch/schema.h"

#include <algorithm>
#include <span>

namespace patch {
namespace {

using List = MergeRule::List;

struct Row {
  std::string_view path;
  MergeRule rule;
};

constexpr MergeRule By(std::string_view key) { return {.list = List::kByKey, .key = key}; }
constexpr MergeRule kSet{.list = List::kAsSet};

constexpr Row kMetadata[] = {
    {"metadata.finalizers", kSet},
    {"metadata.ownerReferences", By("uid")},
};

constexpr Row kPod[] = {
    {"spec.containers", By("name")},
    {"spec.initContainers", By("name")},
    {"spec.ephemeralContainers", By("name")},
    {"spec.hostAliases", By("ip")},
    {"spec.imagePullSecrets", By("name")},
    {"spec.resourceClaims", {.list = List::kByKey, .key = "name", .retain_keys = true}},
    {"spec.schedulingGates", By("name")},
    {"spec.topologySpreadConstraints", By("topologyKey")},
    {"spec.volumes", {.list = List::kByKey, .key = "name", .retain_keys = true}},
    {"status.conditions", By("type")},
    {"status.hostIPs", By("ip")},
    {"status.podIPs", By("ip")},
};

// The rules for each of the three lists of containers.
constexpr Row kContainer[] = {
    {"env", By("name")},
    {"ports", By("containerPort")},
    {"volumeDevices", By("devicePath")},
    {"volumeMounts", By("mountPath")},
};

constexpr Row kDeployment[] = {
    {"spec.strategy", {.retain_keys = true}},
    {"status.conditions", By("type")},
};

constexpr Row kDaemonSet[] = {
    {"status.conditions", By("type")},
};

constexpr Row kNode[] = {
    {"spec.podCIDRs", kSet},
    {"status.addresses", By("type")},
    {"status.conditions", By("type")},
};

MergeRule Find(std::span<const Row> rows, std::string_view path) {
  const auto found = std::ranges::find(rows, path, &Row::path);
  return found == rows.end() ? MergeRule{} : found->rule;
}

MergeRule PodRuleAt(std::string_view path) {
  for (const std::string_view list :
       {"spec.containers.", "spec.initContainers.", "spec.ephemeralContainers."}) {
    if (path.starts_with(list)) {
      return Find(kContainer, path.substr(list.size()));
    }
  }
  return path.starts_with("metadata.") ? Find(kMetadata, path) : Find(kPod, path);
}

// Returns the rule for objects that create Pods from a template.
MergeRule WorkloadRuleAt(std::span<const Row> own, std::string_view path) {
  constexpr std::string_view kTemplate = "spec.template.";
  return path.starts_with(kTemplate) ? PodRuleAt(path.substr(kTemplate.size())) : Find(own, path);
}

}  // namespace

MergeRule RuleAt(Schema schema, std::string_view path) {
  const bool metadata = path.starts_with("metadata.");
  switch (schema) {
    case Schema::kPod:
      return PodRuleAt(path);
    case Schema::kDeployment:
      return WorkloadRuleAt(metadata ? std::span<const Row>(kMetadata) : kDeployment, path);
    case Schema::kDaemonSet:
      return WorkloadRuleAt(metadata ? std::span<const Row>(kMetadata) : kDaemonSet, path);
    case Schema::kNode:
      return Find(metadata ? std::span<const Row>(kMetadata) : kNode, path);
    case Schema::kKubeletConfiguration:
      break;
  }
  return {};
}

}  // namespace patch
