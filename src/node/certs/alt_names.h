// SPDX-License-Identifier: Apache-2.0
// SubjectAltNames that follow from a configuration (reference: pki.md §3).
#pragma once

#include "certs/tree.h"
#include "config/types.h"
#include "pki/certificate.h"

namespace certs {

// Returns the names of a certificate: the DNS names sorted, and the addresses in canonical form, in
// the order of the rule. No name or address is repeated. Drops an entry of certSANs that is neither
// an address nor a DNS name (a left-most "*" label allowed), with a warning. Throws
// base::Error(kInvalid) for an unusable service network, advertise address or control plane
// endpoint.
pki::SubjectAltNames AltNamesOf(const CertSpec& spec, const config::Init& config);

// Sorts and deduplicates the DNS names.
pki::SubjectAltNames Sorted(pki::SubjectAltNames names);

}  // namespace certs
