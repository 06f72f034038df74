// The controller's other duty: the ClusterOperator that says it is there.
#include <fmt/core.h>

#include "approver/controller.h"
#include "approver/objects.h"
#include "base/error.h"
#include "base/log.h"
#include "kube/wait.h"

namespace approver {
namespace {

using base::Error;
using data::Json;

constexpr kube::Resource kOperators{"config.openshift.io", "v1", "clusteroperators",
                                    "ClusterOperator", false};
constexpr std::string_view kOperatorName = "machine-approver";

}  // namespace

void Controller::KeepOperator(const std::stop_token& stop) {
  const std::string selector = fmt::format("metadata.name={}", kOperatorName);
  while (!stop.stop_requested()) {
    bool there = false;
    try {
      kube::Informer informer(
          *clusters_.workload,
          {.list = {.verb = kube::Verb::kList, .resource = kOperators, .field_selector = selector}},
          {.on_put =
               [&](const Json& object) {
                 there = true;
                 WriteOperator(object, stop);
               },
           .on_gone = [&](const std::string&, const std::string&) { WriteOperator({}, stop); },
           .on_synced =
               [&] {
                 if (!there) {
                   WriteOperator({}, stop);
                 }
               },
           .on_error =
               [](const Error& error) {
                 base::LogWarning("ClusterOperator: {}", error.message());
               }});
      informer.Run(stop);
    } catch (const Error& error) {
      base::LogInfo(2, "there are no ClusterOperators: {}", error.message());
      kube::Pause(std::chrono::seconds(30), stop);
    }
  }
}

void Controller::WriteOperator(const Json& object, const std::stop_token& stop) {
  kube::Transport& workload = *clusters_.workload;
  try {
    Json whole = object;
    if (whole.is_null()) {
      whole = workload.Do({.verb = kube::Verb::kCreate,
                           .resource = kOperators,
                           .body = {{"apiVersion", "config.openshift.io/v1"},
                                    {"kind", "ClusterOperator"},
                                    {"metadata", {{"name", kOperatorName}}},
                                    {"spec", Json::object()}}},
                          stop);
    }
    Json status = OperatorStatus(data::At(whole, {"status"}), settings_.release_version, Now());
    if (status == data::At(whole, {"status"})) {
      return;
    }
    whole["status"] = std::move(status);
    workload.Do({.verb = kube::Verb::kUpdate,
                 .resource = kOperators,
                 .name = std::string(kOperatorName),
                 .body = std::move(whole),
                 .subresource = "status"},
                stop);
    metrics_.CountRequest("clusteroperator", true);
  } catch (const Error& error) {
    metrics_.CountRequest("clusteroperator", false);
    base::LogWarning("cannot write the ClusterOperator: {}", error.message());
  }
}

}  // namespace approver
