// SPDX-License-Identifier: Apache-2.0
#include "controller/approval.h"

#include <fmt/core.h>

#include "base/error.h"
#include "json/rfc3339.h"

namespace controller {
namespace {

using judgement::Condition;
using judgement::Csr;
using judgement::kNoTime;

constexpr std::string_view kApprovedReason = "NodeCSRApprove";
constexpr std::string_view kApprovedMessage =
    "This CSR was approved by the Node CSR Approver (cluster-machine-approver)";

json::Value ConditionJson(const Condition& condition) {
  json::Value json{{"type", condition.type}, {"status", condition.status}};
  const auto put = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      json[key] = value;
    }
  };
  put("reason", condition.reason);
  put("message", condition.message);
  if (condition.last_transition != kNoTime) {
    json["lastTransitionTime"] = json::FormatRfc3339(condition.last_transition);
  }
  return json;
}

}  // namespace

kube::Call ApprovalCall(const Csr& csr, std::chrono::sys_seconds now) {
  if (csr.resource_version.empty() || csr.uid.empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("request {} has no version or UID, so that another one of its "
                                  "name could be approved for it",
                                  csr.name));
  }
  const std::string time = json::FormatRfc3339(now);
  json::Value conditions = json::Value::array();
  for (const Condition& condition : csr.conditions) {
    conditions.push_back(ConditionJson(condition));
  }
  conditions.push_back({{"type", "Approved"},
                        {"status", "True"},
                        {"reason", kApprovedReason},
                        {"message", kApprovedMessage},
                        {"lastUpdateTime", time},
                        {"lastTransitionTime", time}});
  return {
      .verb = kube::Verb::kUpdate,
      .resource = kube::resources::kCsr,
      .name = csr.name,
      .body = {{"apiVersion", "certificates.k8s.io/v1"},
               {"kind", "CertificateSigningRequest"},
               {"metadata",
                {{"name", csr.name}, {"uid", csr.uid}, {"resourceVersion", csr.resource_version}}},
               {"status", {{"conditions", std::move(conditions)}}}},
      .subresource = "approval"};
}

}  // namespace controller
