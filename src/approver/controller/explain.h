// SPDX-License-Identifier: Apache-2.0
// The verdict on one request, with facts collected only for it.
#pragma once

#include <string>

#include "controller/settings.h"
#include "host/host.h"
#include "judgement/judge.h"

namespace controller {

// A verdict and its request.
struct Explanation {
  judgement::Csr csr;
  judgement::Verdict verdict;
};

// Reads the request, the machines, the Nodes and the CA bundle. Judges as a controller with these
// settings does, in the same order of rules. Writes no object. If the request or one of its facts
// cannot be read, throws the errors of kube::Client, or of host::Files for the inventory file.
Explanation Explain(const std::string& name, const controller::Settings& settings,
                    const controller::Clusters& clusters, host::Host& host);

}  // namespace controller
