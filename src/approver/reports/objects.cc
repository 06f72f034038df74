// SPDX-License-Identifier: Apache-2.0
#include "reports/objects.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "json/rfc3339.h"
#include "pki/crypto.h"

namespace reports {
namespace {

using judgement::Csr;
using judgement::Decision;
using judgement::Verdict;

constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestMessage = 1024;

// Returns the request's name with the reason, truncated to a valid name.
std::string EventName(const Csr& csr, std::string_view reason) {
  const std::string tail =
      "." + base::HexEncode(pki::Sha256(csr.uid + "/" + std::string(reason))).substr(0, 16);
  return csr.name.substr(0, kLongestName - tail.size()) + tail;
}

struct EventText {
  std::string name;
  json::Value involved;
  std::string_view type, reason;
  std::string message;
};

kube::Call NewEvent(EventText event, const EventTarget& target, const std::string& time) {
  const std::string message = json::WithValidUtf8(event.message.substr(0, kLongestMessage));
  return {.verb = kube::Verb::kCreate,
          .resource = kube::resources::kEvent,
          .name_space = target.name_space,
          .body = {{"apiVersion", "v1"},
                   {"kind", "Event"},
                   {"metadata", {{"name", event.name}, {"namespace", target.name_space}}},
                   {"involvedObject", std::move(event.involved)},
                   {"type", event.type},
                   {"reason", event.reason},
                   {"message", message},
                   {"source", {{"component", "cluster-machine-approver"}}},
                   {"reportingComponent", "cluster-machine-approver"},
                   {"reportingInstance", target.reporter},
                   {"firstTimestamp", time},
                   {"lastTimestamp", time},
                   {"count", 1}}};
}

struct ConditionRow {
  std::string_view type;
  std::string_view status;
};
constexpr std::array<ConditionRow, 4> kOperatorConditions = {{{"Available", "True"},
                                                              {"Degraded", "False"},
                                                              {"Progressing", "False"},
                                                              {"Upgradeable", "True"}}};

json::Value OperatorCondition(const ConditionRow& row, const std::string& version,
                              const json::Value& old, const std::string& now) {
  const bool same = json::TextAt(old, {"status"}) == row.status;
  const std::string since = json::TextAt(old, {"lastTransitionTime"});
  json::Value condition{{"type", row.type},
                        {"status", row.status},
                        {"reason", "AsExpected"},
                        {"lastTransitionTime", same && !since.empty() ? since : now}};
  if (row.type == "Available") {
    condition["message"] = "Cluster Machine Approver is available at " + version;
  }
  return condition;
}

}  // namespace

kube::Call EventCall(const Csr& csr, const Verdict& verdict, const EventTarget& target,
                     std::chrono::sys_seconds now) {
  return NewEvent({.name = EventName(csr, NameOf(verdict.reason)),
                   .involved = {{"apiVersion", "certificates.k8s.io/v1"},
                                {"kind", "CertificateSigningRequest"},
                                {"name", csr.name},
                                {"namespace", target.name_space},
                                {"uid", csr.uid}},
                   .type = verdict.decision == Decision::kRetry ? "Normal" : "Warning",
                   .reason = NameOf(verdict.reason),
                   .message = verdict.message},
                  target, json::FormatRfc3339(now));
}

kube::Call LeaderEventCall(const std::string& lease, const EventTarget& target,
                           std::chrono::system_clock::time_point now) {
  return NewEvent({.name = fmt::format("{}.{:x}", lease, now.time_since_epoch().count()),
                   .involved = {{"apiVersion", "coordination.k8s.io/v1"},
                                {"kind", "Lease"},
                                {"name", lease},
                                {"namespace", target.name_space}},
                   .type = "Normal",
                   .reason = "LeaderElection",
                   .message = target.reporter + " became leader"},
                  target, json::FormatRfc3339(std::chrono::floor<std::chrono::seconds>(now)));
}

json::Value OperatorStatus(const json::Value& existing, const std::string& release_version,
                           std::chrono::sys_seconds now) {
  json::Value status = existing.is_object() ? existing : json::Value::object();
  json::Value conditions = json::At(status, {"conditions"});
  if (!conditions.is_array()) {
    conditions = json::Value::array();
  }
  for (const ConditionRow& row : kOperatorConditions) {
    const auto old = std::ranges::find_if(conditions, [&](const json::Value& condition) {
      return json::TextAt(condition, {"type"}) == row.type;
    });
    json::Value wanted =
        OperatorCondition(row, release_version, old == conditions.end() ? json::Value() : *old,
                          json::FormatRfc3339(now));
    if (old == conditions.end()) {
      conditions.push_back(std::move(wanted));
    } else {
      *old = std::move(wanted);
    }
  }
  status["conditions"] = std::move(conditions);
  status["versions"] = json::Value::array(
      {{{"name", "operator"}, {"version", release_version.empty() ? "unknown" : release_version}}});
  status["relatedObjects"] = json::Value::array(
      {{{"group", ""}, {"resource", "namespaces"}, {"name", "openshift-cluster-machine-approver"}},
       {{"group", "certificates.k8s.io"},
        {"resource", "certificatesigningrequests"},
        {"name", ""}}});
  return status;
}

}  // namespace reports
