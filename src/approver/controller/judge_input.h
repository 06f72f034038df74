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
  std::chrono::sys_seconds now;  // for certificates, unless the input has verifyTime
  std::chrono::milliseconds dial_timeout{5'000};
};

// Judges one object with the members csr, machines, nodes, networks, hostSubnets, caBundle, config,
// faults, discovery, verifyTime, machinesRepeat, nodesRepeat. These members may also be in a member
// "inputs". Connects to the real kubelet at the address in the node's object. Throws
// base::Error(kInvalid) for an input of another form.
judgement::Verdict JudgeInput(const json::Value& input, const JudgeOptions& options);

// Returns {"decision", "reason", "rules": [{"rule", "passed", "compared"}]} in one line.
std::string VerdictLine(const judgement::Verdict& verdict);

// Splits an input into JSON objects: one object in any layout, a list of objects, or one object a
// line. Throws base::Error(kInvalid) naming the line.
std::vector<json::Value> SplitInputs(std::string_view text);

}  // namespace controller
