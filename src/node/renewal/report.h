// SPDX-License-Identifier: Apache-2.0
// What a run of renewal tells: a line as each certificate is done, a line for a log, an object.
#pragma once

#include <string>
#include <vector>

#include "json/fwd.h"
#include "renewal/run.h"

namespace renewal {

// LineOf tells what came of a row.
std::string LineOf(const RenewedRow& done, const ReportWords& words);

// RestartLines has a line for each component that a plan restarts.
std::vector<std::string> RestartLines(const RunResult& result);

// TextOf is one line for a log: what was done, and what expires first now.
std::string TextOf(const RunResult& result);

// ObjectOf is a CertificateRenewal of output.slipway/v1alpha1.
json::Ordered ObjectOf(const RunResult& result);

}  // namespace renewal
