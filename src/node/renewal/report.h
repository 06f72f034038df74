// SPDX-License-Identifier: Apache-2.0
// The output of a run of renewal: a line per certificate, a line for a log, an object.
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"
#include "renewal/run.h"

namespace renewal {

// Describes the result of a row.
std::string LineOf(const RenewedRow& done, bool planned);

// Returns a line for each component that a plan restarts.
std::vector<std::string> RestartLines(const RunResult& result);

// Returns one line for a log: the renewed certificates, and the one that expires first now.
std::string TextOf(const RunResult& result);

// Returns a CertificateRenewal of output.slipway/v1alpha1.
json::Ordered ObjectOf(const RunResult& result);

}  // namespace renewal
