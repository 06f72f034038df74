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

// Returns why the certificate does not attest the request, as RenewalProblem does, but with other
// rules for addresses. The request may lack addresses of the certificate, and may have the node's
// egress addresses. A malformed egress range is a problem.
Problem EgressProblem(const pki::Request& request, const CurrentCertificate& current,
                      const std::string& node, const Known<Egress>& egress);

}  // namespace judgement
