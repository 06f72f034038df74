// SPDX-License-Identifier: Apache-2.0
// SubjectAltNames that follow from a configuration (reference: pki.md §3).
#pragma once

#include "certs/tree.h"
#include "config/types.h"
#include "pki/certificate.h"

namespace certs {

// Returns the alternative names of a certificate. DNS names come first, sorted; IP addresses follow
// in canonical form, in the order of the rule. Each occurs once. An entry of certSANs that is
// neither an IP address nor a DNS name (a left-most "*" label is allowed) is dropped with a
// warning. Throws base::Error(kInvalid) for an unusable service network, advertise address or
// control plane endpoint.
pki::SubjectAltNames AltNamesOf(const CertSpec& spec, const config::Init& config);

// Sorts and deduplicates the DNS names.
pki::SubjectAltNames Sorted(pki::SubjectAltNames names);

}  // namespace certs
