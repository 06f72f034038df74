// SPDX-License-Identifier: Apache-2.0
// The version of an external etcd (reference: preflight.md §3 row 26).
#pragma once

#include <stop_token>

#include "config/types.h"
#include "host/host.h"
#include "preflight/report.h"

namespace preflight {

// Queries every endpoint for its version, concurrently, with the certificates of the configuration.
// Endpoints without an answer, or with a server's error, are queried three times more, every 5 s.
Verdict CheckExternalEtcd(host::Host& host, const config::ExternalEtcd& etcd,
                          std::stop_token stop = {});

}  // namespace preflight
