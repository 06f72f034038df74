// SPDX-License-Identifier: Apache-2.0
// Finds the available upgrades, from the cluster and the published versions (reference:
// upgrade-reset.md §2).
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
  std::string core_dns_tag = {};  // dns.imageTag; "" if it is not set
};

// The data sources. They must outlive the call.
struct PlanSources {
  kube::Client& client;
  config::Fetch fetch;                 // resolves labels of published versions
  const config::StoredConfig& stored;  // the cluster's stored configuration
};

// Finds the possible upgrades. Reports each version that it finds to `say`, and warns if the API
// servers have different versions. Throws base::Error(kUnavailable) if the cluster does not answer,
// and the errors of CollectRunning.
PlanView FindPlan(const PlanQuestion& question, const PlanSources& sources,
                  const base::ShowLine& say);

}  // namespace upgrade
