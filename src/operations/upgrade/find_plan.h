// SPDX-License-Identifier: Apache-2.0
// Which upgrades there are: the cluster and the published versions asked, the answer put together
// (reference: upgrade-reset.md §2).
#pragma once

#include <string>

#include "base/show_line.h"
#include "config/kubernetes_version.h"
#include "kube/client.h"
#include "upgrade/offers.h"
#include "upgrade/plan_report.h"

namespace upgrade {

// The user's options.
struct PlanQuestion {
  Unstable allowed = {};
  std::string wanted = {};  // OfferRequest::wanted
  EtcdUpgrade etcd = EtcdUpgrade::kYes;
  std::string core_dns_tag = {};  // dns.imageTag, "" where it is not set
};

// The data sources. They must outlive the call.
struct PlanSources {
  kube::Client& client;
  config::Fetch fetch;                 // of the labels of published versions
  const config::StoredConfig& stored;  // what the cluster keeps of itself
};

// FindPlan tells `say` each version that it finds, and warns of API servers that differ. Throws
// base::Error(kUnavailable) when the cluster does not answer, or with the kinds of GatherRunning.
PlanView FindPlan(const PlanQuestion& question, const PlanSources& sources,
                  const base::ShowLine& say);

}  // namespace upgrade
