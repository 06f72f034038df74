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

// Reads the request, machines, nodes and the CA bundle, and judges as a controller with these
// settings does. The rules are in upstream's order. Writes no object. Throws base::Error with the
// client's kind if the request or its facts cannot be read.
Explanation Explain(const std::string& name, const controller::Settings& settings,
                    const controller::Clusters& clusters, host::Host& host);

}  // namespace controller
