// SPDX-License-Identifier: Apache-2.0
// The world of one judgement as a JSON object: what `judge --input` reads.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "evidence/settle.h"
#include "json/value.h"
#include "judgement/judge.h"

namespace explain {

// JudgeOptions of a judgement that is made by files alone.
struct JudgeOptions {
  judgement::Policy policy;
  std::chrono::sys_seconds now;  // for certificates, unless the input has verifyTime
  std::chrono::milliseconds dial_timeout{5'000};
};

// JudgeInput judges one object with the members csr, machines, nodes, networks, hostSubnets,
// caBundle, config, faults, discovery, verifyTime, machinesRepeat, nodesRepeat (or one whose member
// "inputs" is that). The kubelet that the node's object names is really dialled. Throws
// base::Error(kInvalid) for an input of another form.
judgement::Verdict JudgeInput(const json::Value& input, const JudgeOptions& options);

// VerdictLine is {"decision", "reason", "rules": [{"rule", "passed", "compared"}]} in one line.
std::string VerdictLine(const judgement::Verdict& verdict);

// SplitInputs cuts a text into JSON objects: one object however it is laid out, a list of objects,
// or one object a line. Throws base::Error(kInvalid) naming the line.
std::vector<json::Value> SplitInputs(std::string_view text);

}  // namespace explain
