// SPDX-License-Identifier: Apache-2.0
// Keys and certificate signing requests for an external CA (reference: pki.md §7).
#pragma once

#include <vector>

#include "certs/create.h"

namespace certs {

// RequestPath is <dir>/<base_name>.csr.
host::fs::path RequestPath(const host::fs::path& dir, std::string_view base_name);

// Throws base::Error(kAlreadyExists) if a key or a request of a leaf of the tree exists.
void RequireNoRequests(const Context& context);

// Writes <base>.key and <base>.csr (both 0600) of every leaf of the tree into the certificates
// directory, including etcd's leaves if etcd is external. The requests contain the subject and the
// alternative names. Keeps an existing key and writes the request for this key. Returns the rows in
// order. Throws base::Error(kInvalid) for an unreadable key.
std::vector<const CertSpec*> WriteCertificateRequests(const Context& context);

}  // namespace certs
