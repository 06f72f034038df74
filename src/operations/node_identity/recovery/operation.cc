// SPDX-License-Identifier: Apache-2.0
#include "node_identity/recovery/operation.h"

#include <fmt/core.h>

#include <utility>

#include "json/value.h"

namespace kubelet_recovery {
namespace {

constexpr const char* kCertificate = "certificate";  // a step
constexpr const char* kNode = "node";                // a field of the intent

}  // namespace

Plan PlanFor(const Found& found, bool force, const std::optional<engine::Journal>& interrupted) {
  const bool has_new = found.unfinished && interrupted && interrupted->HasDone(kCertificate);
  if (found.problem || (force && !has_new)) {
    return Plan::kNewCertificate;
  }
  return found.unfinished ? Plan::kRestart : Plan::kNothing;
}

std::string ReasonOf(const Found& found) {
  if (found.problem) {
    return *found.problem;
  }
  return found.unfinished ? "The certificate in kubelet.conf is good, and the kubelet may not have "
                            "it yet: an earlier run was interrupted"
                          : "The kubelet's certificate is good";
}

std::string ToString(Plan plan, const Found& found, const std::optional<TokenSource>& source) {
  if (plan == Plan::kRestart) {
    return fmt::format("{}\nThe kubelet of node {} would be restarted\n", ReasonOf(found),
                       found.node);
  }
  return fmt::format("{}\nNode {} would get a certificate {}, and its kubelet be restarted\n",
                     ReasonOf(found), found.node,
                     source ? "from the cluster, by the token" : "signed by the CA on this node");
}

engine::Operation PlanOperation(Plan plan, const Found& found,
                                std::shared_ptr<const std::optional<NewCredentials>> credentials) {
  engine::Operation operation{.name = std::string(kOperation),
                              .tag = "recover",
                              .intent = {{kNode, found.node}},
                              .facts = json::Value::object(),
                              .steps = {}};
  if (plan == Plan::kNewCertificate) {
    operation.steps.push_back(
        {.id = kCertificate,
         .line = "write the new certificate to kubelet.conf",
         .apply = [found, credentials = std::move(credentials)](engine::StepContext& context) {
           Install(found, credentials->value(), context);
         }});
  }
  if (plan != Plan::kNothing) {
    operation.steps.push_back(
        {.id = "kubelet",
         .line = "restart the kubelet, and wait until it reports to the cluster",
         .apply = [node = found.node](engine::StepContext& context) { Restart(node, context); }});
  }
  return operation;
}

std::optional<engine::Journal> JournalFor(Plan plan, const Found& found,
                                          std::optional<engine::Journal> interrupted) {
  const bool begins_anew = interrupted && plan != Plan::kNothing &&
                           (json::TextAt(interrupted->intent, {kNode}) != found.node ||
                            (plan == Plan::kNewCertificate && interrupted->HasDone(kCertificate)));
  return begins_anew ? std::nullopt : std::move(interrupted);
}

}  // namespace kubelet_recovery
