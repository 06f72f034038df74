// SPDX-License-Identifier: Apache-2.0
// Keys and certificate signing requests for an external CA (reference: pki.md §7).
#pragma once

#include <vector>

#include "certs/create.h"

namespace certs {

// RequestPath is <dir>/<base_name>.csr.
host::fs::path RequestPath(const host::fs::path& dir, std::string_view base_name);

// NewCertificateRequests writes <base>.key and <base>.csr (both 0600) of every leaf of the tree
// into the certificates directory, those of etcd also when it is external, and returns the rows in
// order. The requests carry subject and names. Throws base::Error(kAlreadyExists), before anything
// is written, when one of the files is there.
std::vector<const CertSpec*> NewCertificateRequests(const Context& context);

}  // namespace certs
