// SPDX-License-Identifier: Apache-2.0
#include "kubelet_recovery/plan.h"

#include <fmt/core.h>

#include "json/rfc3339.h"

namespace kubelet_recovery {
namespace {

std::string ProblemOf(const Found& found) {
  if (found.problem) {
    return *found.problem;
  }
  return found.unfinished ? "The certificate in kubelet.conf is good, and the kubelet may not have "
                            "it yet: an earlier run was cut off"
                          : "The kubelet's certificate is good";
}

}  // namespace

Plan PlanFor(const Found& found, bool force) {
  if (found.problem || force) {
    return Plan::kNewCertificate;
  }
  return found.unfinished ? Plan::kRestart : Plan::kNothing;
}

std::string TextOf(Plan plan, const Found& found, const Recovery& recovery) {
  if (plan == Plan::kRestart) {
    return fmt::format("{}\nThe kubelet of node {} would be restarted\n", ProblemOf(found),
                       found.node);
  }
  return fmt::format(
      "{}\nNode {} would get a certificate {}, and its kubelet be restarted\n", ProblemOf(found),
      found.node,
      recovery.source ? "from the cluster, by the token" : "signed by the CA on this node");
}

void Act(Plan plan, const Found& found, const Recovery& recovery) {
  if (plan == Plan::kNothing) {
    recovery.say(
        fmt::format("The kubelet's certificate is good until {}; --force makes a new one all the "
                    "same",
                    json::FormatRfc3339(found.until)));
    return;
  }
  if (plan == Plan::kNewCertificate) {
    recovery.say(fmt::format("{}; node {} gets a new one", ProblemOf(found), found.node));
    Install(found, Issue(found, recovery), recovery);
  } else {
    recovery.say(ProblemOf(found));
  }
  Restart(found, recovery);
  recovery.say("The kubelet works with its new certificate; its Pods went on");
}

}  // namespace kubelet_recovery
