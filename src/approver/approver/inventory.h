// Inventories that are no Machines: entries in a file or a ConfigMap.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "approver/decode.h"
#include "approver/facts.h"

namespace approver {

// kEntryRank is the rank of entries among what vouches (MachineKey): after all Machines.
inline constexpr int kEntryRank = 1000;

// ReadEntries reads a list of machines, YAML or JSON:
//   - hostname: worker-1          # the node's name
//     addresses: [10.0.0.5, worker-1.example.com]
//     providerID: aws:///x/i-1    # kept for people
//     use: once                   # or "standing", the default
// Throws base::Error(kInvalid) for unknown keys, wrong types, a missing or repeated hostname.
std::vector<Machine> ReadEntries(std::string_view text, std::string_view source);

// EntryOfNode is a Node that vouches for its own addresses in serving certificates, within the
// rules of node_rules.h.
Machine EntryOfNode(const Node& node);

// EntryAllowed is a name that a bootstrap token's owner may get a client certificate for, and
// nothing else.
Machine EntryAllowed(const std::string& name);

}  // namespace approver
