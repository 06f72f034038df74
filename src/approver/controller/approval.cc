// SPDX-License-Identifier: Apache-2.0
#include "controller/approval.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "kube/shape.h"

namespace controller {
namespace {

constexpr std::string_view kApprovedReason = "NodeCSRApprove";
constexpr std::string_view kApprovedMessage =
    "This CSR was approved by the Node CSR Approver (cluster-machine-approver)";

std::string VersionOf(const json::Value& object) {
  return json::TextAt(object, {"metadata", "resourceVersion"});
}

std::string UidOf(const json::Value& object) { return json::TextAt(object, {"metadata", "uid"}); }

}  // namespace

kube::Call ApprovalCall(json::Value object, std::chrono::sys_seconds now) {
  kube::RequireShape(kube::resources::kCsr, object);
  std::string name = json::TextAt(object, {"metadata", "name"});
  if (VersionOf(object).empty() || UidOf(object).empty()) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("request {} has no version or UID: another request of the same "
                                  "name could be approved instead",
                                  name));
  }
  const std::string time = json::FormatRfc3339(now);
  object["apiVersion"] = "certificates.k8s.io/v1";
  object["kind"] = "CertificateSigningRequest";
  object["status"]["conditions"].push_back({{"type", "Approved"},
                                            {"status", "True"},
                                            {"reason", kApprovedReason},
                                            {"message", kApprovedMessage},
                                            {"lastUpdateTime", time},
                                            {"lastTransitionTime", time}});
  return {.verb = kube::Verb::kUpdate,
          .resource = kube::resources::kCsr,
          .name = std::move(name),
          .body = std::move(object),
          .subresource = "approval"};
}

}  // namespace controller
