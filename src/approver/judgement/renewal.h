// SPDX-License-Identifier: Apache-2.0
// Renewing a serving certificate on the strength of the one that the kubelet serves now.
#pragma once

#include <string>

#include "judgement/facts.h"

namespace judgement {

// RenewalProblem is why the certificate does not vouch for the request: it must be trusted, the
// node's, of the same common name, and have the same alternative names, each as often, in any order
// (DNS names with their letter case, addresses by value). Nothing when it vouches.
Problem RenewalProblem(const pki::Request& request, const CurrentCertificate& current,
                       const std::string& node);

// EgressProblem is the same, but addresses may be missing, or be among those that the node may
// leave the cluster by. A range that cannot be read is a problem.
Problem EgressProblem(const pki::Request& request, const CurrentCertificate& current,
                      const std::string& node, const Known<Egress>& egress);

}  // namespace judgement
