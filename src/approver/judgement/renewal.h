// SPDX-License-Identifier: Apache-2.0
// Renewal of a serving certificate on the evidence of the kubelet's present one.
#pragma once

#include <string>

#include "judgement/facts.h"

namespace judgement {

// Returns why the certificate does not attest the request; std::nullopt if it does. The certificate
// must be trusted, belong to the node, and have the request's common name. It must have the same
// alternative names, each the same number of times, in any order. DNS names are compared
// case-sensitively, addresses by value.
Problem RenewalProblem(const pki::Request& request, const CurrentCertificate& current,
                       const std::string& node);

// Does the same, but the request may lack addresses of the certificate, and may have addresses in
// the node's egress ranges. A malformed range is a problem.
Problem EgressProblem(const pki::Request& request, const CurrentCertificate& current,
                      const std::string& node, const Known<Egress>& egress);

}  // namespace judgement
