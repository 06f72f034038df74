// SPDX-License-Identifier: Apache-2.0
#include "fleet/job.h"

#include <fmt/core.h>

#include <span>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "fleet/facts.h"
#include "fleet/on_host.h"
#include "json/value.h"
#include "kube/objects.h"
#include "otlp/collector.h"

namespace fleet {
namespace {

constexpr int kMostPods = 10;       // replacements of Pods that were killed
constexpr int kGraceSeconds = 600;  // for kubeadm to complete its current step
constexpr const char* kContainer = "kubeadm";
constexpr const char* kKeyVariable = "CERTIFICATE_KEY";
constexpr const char* kKeyEntry = "key";

// Returns variables whose values are in a Secret. Variables that the Secret lacks stay unset.
json::Value EnvironmentFrom(const std::string& secret, std::span<const std::string_view> names) {
  json::Value variables = json::Value::array();
  for (const std::string_view name : names) {
    variables.push_back(
        {{"name", name},
         {"valueFrom", {{"secretKeyRef", {{"name", secret}, {"key", name}, {"optional", true}}}}}});
  }
  return variables;
}

// Adds the variables with which kubeadm on the node reports its spans as children of the task's
// span.
void AddTrace(const std::string& traceparent, const JobSettings& settings, json::Value& container) {
  json::Value& variables = container["env"];
  variables.push_back({{"name", otlp::kTraceparentVariable}, {"value", traceparent}});
  for (const auto& [name, value] : settings.traces.environment) {
    variables.push_back({{"name", name}, {"value", base::ReplaceAll(value, "$", "$$")}});
  }
}

// Returns the image of the operation's Jobs.
const std::string& ImageOf(const ClusterOperation& operation, const JobSettings& settings) {
  const auto& upgrade = operation.spec.upgrade;
  return upgrade && !upgrade->kubelet_image.empty() ? upgrade->kubelet_image : settings.image;
}

json::Value Container(const NodeTask& task, const std::string& image) {
  json::Value command = json::Value::array({"/usr/bin/kubeadm", "fleet", "host-exec", "--"});
  for (const std::string& argument : task.arguments) {
    command.push_back(base::ReplaceAll(argument, "$", "$$"));  // the kubelet expands $(NAME)
  }
  if (task.takes_key) {  // the kubelet expands the variable
    command.push_back(fmt::format("--certificate-key=$({})", kKeyVariable));
  }
  return {{"name", kContainer},
          {"image", image},
          {"imagePullPolicy", "IfNotPresent"},
          {"command", std::move(command)},
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"securityContext", {{"privileged", true}, {"runAsUser", 0}}}};
}

json::Value PodSpec(const ClusterOperation& operation, const NodeTask& task,
                    const JobSettings& settings) {
  json::Value container = Container(task, ImageOf(operation, settings));
  if (operation.spec.backup && !operation.spec.backup->credentials_secret.empty()) {
    container["env"] = EnvironmentFrom(operation.spec.backup->credentials_secret, kS3Variables);
  }
  if (operation.spec.recover && !operation.spec.recover->token_secret.empty()) {
    container["env"] = EnvironmentFrom(operation.spec.recover->token_secret, kTokenVariables);
  }
  if (task.takes_key) {
    container["env"] = json::Value::array(
        {{{"name", kKeyVariable},
          {"valueFrom",
           {{"secretKeyRef", {{"name", KeySecretName(operation)}, {"key", kKeyEntry}}}}}}});
  }
  return {{"nodeName", task.node},
          {"restartPolicy", "Never"},
          {"hostPID", true},
          {"hostNetwork", true},
          {"automountServiceAccountToken", false},
          {"enableServiceLinks", false},
          {"priorityClassName", "system-node-critical"},
          {"terminationGracePeriodSeconds", kGraceSeconds},
          {"tolerations", json::Value::array({{{"operator", "Exists"}}})},
          {"containers", json::Value::array({std::move(container)})}};
}

// Makes the operation's object the owner. An operation from a file has no object, and adds no
// owner.
void AddOwner(const ClusterOperation& operation, json::Value& metadata) {
  if (!operation.uid.empty()) {
    metadata["ownerReferences"] =
        json::Value::array({{{"apiVersion", "operations.slipway/v1alpha1"},
                             {"kind", kClusterOperation.kind},
                             {"name", operation.name},
                             {"uid", operation.uid},
                             {"controller", true}}});
  }
}

// Returns the value of TRACEPARENT for a task; "" without traces.
std::string TraceparentOf(const ClusterOperation& operation, const NodeTask& task,
                          const TraceSettings& settings) {
  return settings.environment.empty()
             ? ""
             : otlp::ToTraceparent(ContextOf(ContextOf(operation, settings), task.node, task.step));
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
  if (!task.from.empty()) {
    metadata["annotations"][std::string(kFromAnnotation)] = task.from;
  }
  json::Value pod = PodSpec(operation, task, settings);
  if (const std::string traceparent = TraceparentOf(operation, task, settings.traces);
      !traceparent.empty()) {
    metadata["annotations"][std::string(kTraceAnnotation)] = traceparent;
    AddTrace(traceparent, settings, pod["containers"][0]);
  }
  AddOwner(operation, metadata);
  const auto limit = std::chrono::ceil<std::chrono::seconds>(operation.spec.node_timeout);
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata", std::move(metadata)},
          {"spec",
           {{"backoffLimit", kMostPods},
            {"activeDeadlineSeconds", limit.count()},
            {"podReplacementPolicy", "Failed"},
            {"podFailurePolicy", FailurePolicy()},
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", std::move(pod)}}}}}};
}

std::string KeySecretName(const ClusterOperation& operation) {
  return operation.name + "-certificate-key";
}

json::Value KeySecretFor(const ClusterOperation& operation, const JobSettings& settings,
                         const std::string& key) {
  json::Value secret = kube::Secret(
      {.name_space = settings.name_space, .name = KeySecretName(operation)}, {{kKeyEntry, key}});
  AddOwner(operation, secret["metadata"]);
  return secret;
}

json::Value NamespaceFor(const std::string& name) {
  return {{"apiVersion", "v1"},
          {"kind", "Namespace"},
          {"metadata",
           {{"name", name}, {"labels", {{"pod-security.kubernetes.io/enforce", "privileged"}}}}}};
}

}  // namespace fleet
