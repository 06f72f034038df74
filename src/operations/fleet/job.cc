// SPDX-License-Identifier: Apache-2.0
#include "fleet/job.h"

#include "base/strings.h"
#include "fleet/facts.h"
#include "json/value.h"

namespace fleet {
namespace {

constexpr int kMostPods = 10;       // replacements of Pods that were killed
constexpr int kGraceSeconds = 600;  // kubeadm ends its current step
constexpr const char* kContainer = "kubeadm";

json::Value Container(const NodeTask& task, const JobSettings& settings) {
  json::Value command = json::Value::array({"/usr/bin/kubeadm", "fleet", "host-exec", "--"});
  for (const std::string& argument : task.arguments) {
    command.push_back(base::ReplaceAll(argument, "$", "$$"));  // the kubelet expands $(NAME)
  }
  return {{"name", kContainer},
          {"image", settings.image},
          {"imagePullPolicy", "IfNotPresent"},
          {"command", std::move(command)},
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"securityContext", {{"privileged", true}, {"runAsUser", 0}}}};
}

json::Value PodSpec(const NodeTask& task, const JobSettings& settings) {
  return {{"nodeName", task.node},
          {"restartPolicy", "Never"},
          {"hostPID", true},
          {"hostNetwork", true},
          {"automountServiceAccountToken", false},
          {"enableServiceLinks", false},
          {"priorityClassName", "system-node-critical"},
          {"terminationGracePeriodSeconds", kGraceSeconds},
          {"tolerations", json::Value::array({{{"operator", "Exists"}}})},
          {"containers", json::Value::array({Container(task, settings)})}};
}

json::Value FailurePolicy() {
  return {{"rules", json::Value::array({{{"action", "FailJob"},
                                         {"onExitCodes",
                                          {{"containerName", kContainer},
                                           {"operator", "In"},
                                           {"values", json::Value::array({1, 2})}}}}})}};
}

}  // namespace

json::Value JobFor(const ClusterOperation& operation, const NodeTask& task,
                   const JobSettings& settings) {
  const json::Value labels = {{kOperationLabel, operation.name}};
  json::Value metadata = {
      {"name", task.id},
      {"namespace", settings.name_space},
      {"labels", labels},
      {"annotations", {{kNodeAnnotation, task.node}, {kSpecAnnotation, operation.SpecHash()}}}};
  if (!operation.uid.empty()) {
    metadata["ownerReferences"] =
        json::Value::array({{{"apiVersion", "operations.slipway/v1alpha1"},
                             {"kind", kClusterOperation.kind},
                             {"name", operation.name},
                             {"uid", operation.uid},
                             {"controller", true}}});
  }
  const auto limit = std::chrono::ceil<std::chrono::seconds>(operation.spec.node_timeout);
  return {
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", std::move(metadata)},
      {"spec",
       {{"backoffLimit", kMostPods},
        {"activeDeadlineSeconds", limit.count()},
        {"podReplacementPolicy", "Failed"},
        {"podFailurePolicy", FailurePolicy()},
        {"template", {{"metadata", {{"labels", labels}}}, {"spec", PodSpec(task, settings)}}}}}};
}

json::Value NamespaceFor(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Namespace"},
          {"metadata",
           {{"name", name}, {"labels", {{"pod-security.kubernetes.io/enforce", "privileged"}}}}}};
}

}  // namespace fleet
