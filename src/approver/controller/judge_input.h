// SPDX-License-Identifier: Apache-2.0
// The facts of one judgement as a JSON object: the input of `judge --input`.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "evidence/settle.h"
#include "json/value.h"
#include "judgement/judge.h"

namespace controller {

// Options of a judgement from files alone.
struct JudgeOptions {
  judgement::Policy policy;
  // The present time. A verifyTime in the input replaces it for the check of certificates.
  std::chrono::sys_seconds now;
  std::chrono::milliseconds dial_timeout{5'000};
};

// Judges one object. Its members, which may also be in a member "inputs", are: csr, csrs, machines,
// nodes, networks, hostSubnets, caBundle, config, faults, discovery, verifyTime, machinesRepeat,
// nodesRepeat, managementCluster, noOpenShiftAPIs. Connects to the real kubelet at the address in
// the node's object. Throws base::Error(kInvalid) if the input is not an object or its verifyTime
// is malformed.
judgement::Verdict JudgeInput(const json::Value& input, const JudgeOptions& options);

// Returns {"decision", "reason", "rules": [{"rule", "passed", "compared"}]} in one line.
std::string VerdictLine(const judgement::Verdict& verdict);

// Splits an input into JSON objects: one object in any layout, a list of objects, or one object a
// line. Throws base::Error(kInvalid) naming the line.
std::vector<json::Value> SplitInputs(std::string_view text);

}  // namespace controller
