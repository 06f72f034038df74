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

// EventCall tells why a request is left pending. Its name is the same for the same reason, so that
// it is told once whichever process says it.
struct EventTarget {
  std::string name_space;  // where Events may be written
  std::string reporter;    // this process
};
kube::Call EventCall(const judgement::Csr& csr, const judgement::Verdict& verdict,
                     const EventTarget& target, std::chrono::sys_seconds now);

// LeaderEventCall tells that this process leads from now on, about its Lease.
kube::Call LeaderEventCall(const std::string& lease, const EventTarget& target,
                           std::chrono::system_clock::time_point now);

// OperatorStatus is the status that the ClusterOperator machine-approver must have, from what it
// has (reference: approver.md §14). A condition's lastTransitionTime changes only with its status.
json::Value OperatorStatus(const json::Value& existing, const std::string& release_version,
                           std::chrono::sys_seconds now);

}  // namespace reports
