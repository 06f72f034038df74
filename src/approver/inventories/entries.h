// SPDX-License-Identifier: Apache-2.0
// Inventories that are not Machines: entries in a file or a ConfigMap.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "judgement/facts.h"

namespace inventories {

// ReadEntries reads a list of machines, YAML or JSON:
//   - hostname: worker-1          # the node's name
//     addresses: [10.0.0.5, worker-1.example.com]
//     providerID: aws:///x/i-1    # kept for people
//     use: once                   # or "standing", the default
// Throws base::Error(kInvalid) for unknown keys, wrong types, a missing or repeated hostname.
std::vector<judgement::Machine> ReadEntries(std::string_view text, judgement::Source source);

// Reads the entries of a parsed list, as ReadEntries does. Entries of kHttp and kExec may also have
// createdAt, an RFC 3339 time, which becomes Machine::created.
std::vector<judgement::Machine> EntriesOf(const json::Value& list, judgement::Source source);

// Returns whether two entries of one inventory are equal in name, addresses, use, creation time and
// provider id.
bool SameEntry(const judgement::Machine& a, const judgement::Machine& b);

}  // namespace inventories
