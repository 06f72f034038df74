// SPDX-License-Identifier: Apache-2.0
#include "reports/operator_keeper.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "kube/informer.h"
#include "kube/shape.h"
#include "reports/objects.h"

namespace reports {
namespace {

using base::Error;

constexpr kube::Resource kOperators{"config.openshift.io", "v1", "clusteroperators",
                                    "ClusterOperator", false};
constexpr std::string_view kOperatorName = "machine-approver";
// Limits the writes to one per second, in case the object changes all the time, or the server
// claims that it does.
constexpr std::chrono::seconds kBetweenWrites{1};
// The pause after a write with a transient failure, because the watch may not report the object
// again.
constexpr std::chrono::seconds kTryAgain{5};
// The interval between checks for a cluster that does not serve ClusterOperators yet.
constexpr std::chrono::seconds kLookAgain{30};

// Returns whether another client has changed, created or deleted the object: the watch then reports
// it.
bool ComesToWatch(const Error& error) {
  return error.kind() == Error::Kind::kConflict || error.kind() == Error::Kind::kAlreadyExists ||
         error.kind() == Error::Kind::kNotFound;
}

bool IsOurs(const json::Value& object) {
  return json::TextAt(object, {"metadata", "name"}) == kOperatorName;
}

}  // namespace

void OperatorKeeper::Run(const std::stop_token& stop) {
  const std::string selector = fmt::format("metadata.name={}", kOperatorName);
  while (!stop.stop_requested()) {
    bool there = false;
    try {
      kube::Informer informer(
          transport_, clock_,
          {.list = {.verb = kube::Verb::kList, .resource = kOperators, .field_selector = selector}},
          {.on_put =
               [&](const json::Value& object) {
                 if (IsOurs(object)) {
                   there = true;
                   Keep(object, stop);
                 }
               },
           .on_gone =
               [&](const std::string&, const std::string& name) {
                 if (name == kOperatorName) {
                   Keep({}, stop);
                 }
               },
           .on_synced =
               [&] {
                 if (!there) {
                   Keep({}, stop);
                 }
               },
           .on_error =
               [](const Error& error) {
                 base::LogWarning("ClusterOperator: {}", error.message());
               }});
      informer.Run(stop);
    } catch (const std::exception& error) {
      base::LogInfo(2, "there are no ClusterOperators: {}", error.what());
      clock_.Sleep(kLookAgain, stop);
    }
  }
}

void OperatorKeeper::Keep(const json::Value& object, const std::stop_token& stop) {
  while (!Write(object, stop) && clock_.Sleep(kTryAgain, stop)) {
  }
  clock_.Sleep(kBetweenWrites, stop);
}

bool OperatorKeeper::Write(json::Value object, const std::stop_token& stop) {
  try {
    if (object.is_null()) {
      object = transport_.Do({.verb = kube::Verb::kCreate,
                              .resource = kOperators,
                              .body = {{"apiVersion", "config.openshift.io/v1"},
                                       {"kind", "ClusterOperator"},
                                       {"metadata", {{"name", kOperatorName}}},
                                       {"spec", json::Value::object()}}},
                             stop);
    }
    kube::RequireShape(kOperators, object);
    json::Value status =
        OperatorStatus(json::At(object, {"status"}), options_.release_version, clock_.NowSeconds());
    if (status == json::At(object, {"status"})) {
      return true;
    }
    object["status"] = std::move(status);
    transport_.Do({.verb = kube::Verb::kUpdate,
                   .resource = kOperators,
                   .name = std::string(kOperatorName),
                   .body = std::move(object),
                   .subresource = "status"},
                  stop);
    metrics_.CountRequest("clusteroperator", true);
    return true;
  } catch (const Error& error) {
    metrics_.CountRequest("clusteroperator", false);
    base::LogWarning("cannot write the ClusterOperator: {}", error.message());
    return ComesToWatch(error);
  }
}

}  // namespace reports
