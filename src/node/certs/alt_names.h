// SPDX-License-Identifier: Apache-2.0
// SubjectAltNames that follow from a configuration (reference: pki.md §3).
#pragma once

#include "certs/tree.h"
#include "config/types.h"
#include "pki/certificate.h"

namespace certs {

// AltNamesOf are the names a certificate is to be valid for: DNS names sorted and each once,
// addresses in their canonical form, each once, in the order of the rule. An entry of certSANs
// that is neither an address nor a DNS name (a left-most "*" label allowed) is warned of and left
// out. Throws base::Error(kInvalid) for a service network, an advertise address or a control plane
// endpoint that cannot be used.
pki::SubjectAltNames AltNamesOf(const CertSpec& spec, const config::Init& config);

// Sorted are the same names with the DNS names in their order, and each once.
pki::SubjectAltNames Sorted(pki::SubjectAltNames names);

}  // namespace certs
