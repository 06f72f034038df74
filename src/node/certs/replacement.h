// SPDX-License-Identifier: Apache-2.0
// The content of a replacement certificate. Internal to this library.
#pragma once

#include <string>
#include <vector>

#include "certs/renewal.h"
#include "pki/certificate.h"

namespace certs {

// The new certificate, and its differences from the old one.
struct Replacement {
  pki::Subject subject;
  pki::SubjectAltNames alt_names;
  std::vector<pki::ExtendedKeyUsage> usages;
  std::vector<std::string> changes;  // phrases for the user; empty if the new one is a copy
};

// Takes usages and subject from the tables and names from the node's configuration. If one of
// `authorities` signed the old certificate, the new one also gets the old one's names and groups,
// because users put them there. In this case a serving certificate also keeps its common name, and
// the certificate of admin.conf or super-admin.conf its user. Without RenewalContext::node all
// names stay unchanged. If another CA signed the old certificate, the names come from
// RenewalContext::given_node. Without given_node the old names stay if the row permits them.
// `chain` is the old certificate's file; empty: unreadable.
//
// Throws base::Error(kInvalid) if neither source has a common name or the names.
Replacement PlanReplacement(const Renewable& row, const std::vector<pki::Certificate>& chain,
                            const std::vector<pki::Certificate>& authorities,
                            const RenewalContext& context);

}  // namespace certs
