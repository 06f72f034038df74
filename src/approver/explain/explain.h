// SPDX-License-Identifier: Apache-2.0
// The verdict on one request, with facts gathered for it alone.
#pragma once

#include <string>

#include "controller/settings.h"
#include "host/host.h"
#include "judgement/judge.h"

namespace explain {

// Explanation is a verdict and the request that it is about.
struct Explanation {
  judgement::Csr csr;
  judgement::Verdict verdict;
};

// Explain reads the request, machines, nodes and the CA bundle, and judges as the controller with
// these settings does, in upstream's order. Nothing is written. Throws base::Error when the request
// or what it is judged by cannot be read.
Explanation Explain(const std::string& name, const controller::Settings& settings,
                    const controller::Clusters& clusters, host::Host& host);

}  // namespace explain
