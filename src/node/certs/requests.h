// SPDX-License-Identifier: Apache-2.0
// Keys and certificate signing requests for an external CA (reference: pki.md §7).
#pragma once

#include <vector>

#include "certs/create.h"

namespace certs {

// RequestPath is <dir>/<base_name>.csr.
host::fs::path RequestPath(const host::fs::path& dir, std::string_view base_name);

// RefuseExistingRequests throws base::Error(kAlreadyExists) when a key or a request of a leaf of
// the tree is there.
void RefuseExistingRequests(const Context& context);

// WriteCertificateRequests writes <base>.key and <base>.csr (both 0600) of every leaf of the tree
// into the certificates directory, those of etcd also when it is external, and returns the rows in
// order. The requests carry subject and names. A key that is there is kept, and the request is of
// it. Throws base::Error(kInvalid) for one that cannot be read.
std::vector<const CertSpec*> WriteCertificateRequests(const Context& context);

}  // namespace certs
