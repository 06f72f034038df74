// SPDX-License-Identifier: Apache-2.0
// The version of an external etcd (reference: preflight.md §3 row 26).
#pragma once

#include <stop_token>

#include "checks/finding.h"
#include "config/types.h"
#include "host/host.h"

namespace preflight {

// Queries every endpoint for its version, all concurrently, with the certificates of the
// configuration. An endpoint without an answer, or with a server's error, gets three more attempts,
// every 5 s.
checks::Findings CheckExternalEtcd(host::Host& host, const config::ExternalEtcd& etcd,
                                   std::stop_token stop = {});

}  // namespace preflight
