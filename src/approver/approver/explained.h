// Pending requests that the inventory explains: the ones that can stop approvals by their number.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

#include "approver/judge.h"
#include "approver/pending_times.h"

namespace approver {

// Known is what the inventories have of a name.
struct Known {
  bool machine = false;  // a Machine or entry is called so (InternalDNS)
  bool owner = false;    // a Machine's nodeRef or an entry names the node
  bool node = false;     // there is such a Node
};

// MayBeVouchedFor is whether anybody could vouch for a request of that kind for the name: for a
// client there must be a machine and no Node, for a server the Node or its owner.
bool MayBeVouchedFor(RequestKind kind, const Known& known);

// Explained counts each node once a kind, however many requests it has: what one requester makes of
// them is no sign that many machines ask. Requests for names that nobody has are nobody's and do
// not count. Not thread-safe.
class Explained {
 public:
  // Add and Remove are for each request that has hope; `node` is folded.
  void Add(const std::string& node, RequestKind kind, Seconds created, const Known& known);
  void Remove(const std::string& node, RequestKind kind, Seconds created);
  // Update is for a change of what is known of a node.
  void Update(const std::string& node, const Known& known);
  // RecentAt is how many nodes' newest requests are recent.
  std::size_t RecentAt(Seconds now) const { return counted_.RecentAt(now); }

 private:
  struct Requests {
    PendingTimes times;
    bool counts = false;             // MayBeVouchedFor
    std::optional<Seconds> counted;  // with this time in counted_
  };
  struct Waiting {
    std::array<Requests, 2> kinds;  // by RequestKind
    std::size_t requests = 0;
  };
  void Recount(Requests& requests);

  std::unordered_map<std::string, Waiting> waiting_;  // by node
  PendingTimes counted_;
};

}  // namespace approver
