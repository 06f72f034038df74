// Objects that the approver writes.
#pragma once

#include <chrono>
#include <string>

#include "approver/facts.h"
#include "approver/judge.h"
#include "json/value.h"
#include "kube/client.h"

namespace approver {

// ApprovalCall is the one write of an approval: the request's conditions and ours, on the version
// that was judged, so that whoever else decided meanwhile is not overruled, and no other request of
// the name is approved. Throws base::Error(kInvalid) for one without version or UID.
kube::Call ApprovalCall(const Csr& csr, std::chrono::sys_seconds now);

// EventCall tells why a request is left pending. Its name is the same for the same reason, so that
// it is told once whichever process says it.
struct EventTarget {
  std::string name_space;  // where Events may be written
  std::string reporter;    // this process
};
kube::Call EventCall(const Csr& csr, const Verdict& verdict, const EventTarget& target,
                     std::chrono::sys_seconds now);

// LeaderEventCall tells that this process leads from now on, about its Lease.
kube::Call LeaderEventCall(const std::string& lease, const EventTarget& target,
                           std::chrono::system_clock::time_point now);

// OperatorStatus is the status that the ClusterOperator machine-approver shall have, from what it
// has (reference: approver.md §14). A condition's lastTransitionTime changes only with its status.
json::Value OperatorStatus(const json::Value& existing, const std::string& release_version,
                           std::chrono::sys_seconds now);

}  // namespace approver
