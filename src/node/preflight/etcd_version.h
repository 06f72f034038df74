// SPDX-License-Identifier: Apache-2.0
// The version of an external etcd (reference: preflight.md §3 row 26).
#pragma once

#include <stop_token>

#include "checks/finding.h"
#include "config/types.h"
#include "host/host.h"

namespace preflight {

// CheckExternalEtcd asks every endpoint for its version, all at once, with the certificates that
// the configuration names. What does not answer, or answers with a server's error, is asked three
// times more, every 5 s.
checks::Findings CheckExternalEtcd(host::Host& host, const config::ExternalEtcd& etcd,
                                   std::stop_token stop = {});

}  // namespace preflight
