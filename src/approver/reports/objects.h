// SPDX-License-Identifier: Apache-2.0
// Objects that the approver writes.
#pragma once

#include <chrono>
#include <string>

#include "json/value.h"
#include "judgement/facts.h"
#include "judgement/judge.h"
#include "kube/client.h"

namespace reports {

// The namespace and reporter of Events that say why requests are left pending. Events with the same
// request and reason have the same name. So only one of them is written, whichever process reports
// it.
struct EventTarget {
  std::string name_space;  // the namespace of Events
  std::string reporter;    // this process
};
kube::Call EventCall(const judgement::Csr& csr, const judgement::Verdict& verdict,
                     const EventTarget& target, std::chrono::sys_seconds now);

// Returns the API call that writes an Event about the Lease: this process is now the leader.
kube::Call LeaderEventCall(const std::string& lease, const EventTarget& target,
                           std::chrono::system_clock::time_point now);

// Returns the required status of the ClusterOperator machine-approver, given its present one
// (reference: approver.md §14). A condition's lastTransitionTime changes only with its status.
json::Value OperatorStatus(const json::Value& existing, const std::string& release_version,
                           std::chrono::sys_seconds now);

}  // namespace reports
