// SPDX-License-Identifier: Apache-2.0
// Renewal of a serving certificate on the evidence of the kubelet's present one.
#pragma once

#include <string>

#include "judgement/facts.h"

namespace judgement {

// Returns why the certificate does not attest the request, std::nullopt if it does. It must be
// trusted, the node's, and of the same common name. It must have the same alternative names, each
// as often, in any order (DNS names case-sensitive, addresses by value).
Problem RenewalProblem(const pki::Request& request, const CurrentCertificate& current,
                       const std::string& node);

// The same, but addresses may be missing, or be among the node's egress addresses. A malformed
// range is a problem.
Problem EgressProblem(const pki::Request& request, const CurrentCertificate& current,
                      const std::string& node, const Known<Egress>& egress);

}  // namespace judgement
