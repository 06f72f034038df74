// SPDX-License-Identifier: Apache-2.0
// The answer of an inventory that is queried: an HTTPS endpoint or a program.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "judgement/facts.h"

namespace inventories {

// The maximum size of an answer in bytes, and the maximum number of its entries.
inline constexpr std::size_t kLargestAnswer = std::size_t{4} << 20;
inline constexpr std::size_t kMostEntries = 20'000;
// The longest time that an answer may be cached, whatever its own limit is.
inline constexpr std::chrono::seconds kLongestAge = std::chrono::hours(1);

// The apiVersion of queries and answers, and their kinds.
inline constexpr std::string_view kAnswerVersion = "approver.slipway/v1alpha1";
inline constexpr std::string_view kAnswerKind = "Inventory";
inline constexpr std::string_view kQueryKind = "InventoryQuery";
inline constexpr std::string_view kDocumentQueryKind = "DocumentQuery";
// The exit status with which a program refuses a document.
inline constexpr int kRefusedStatus = 3;

// A parsed answer.
struct Answer {
  std::vector<judgement::Machine> entries;
  std::chrono::seconds max_age{0};  // how long it may be cached
};

// Parses the JSON object
//   {"apiVersion": "approver.slipway/v1alpha1", "kind": "Inventory", "maxAgeSeconds": 30,
//    "items": [{"hostname": "worker-1", "addresses": ["10.0.0.5"], "providerID": "…",
//               "use": "once", "createdAt": "2026-01-31T12:00:00Z"}]}
// with items that EntriesOf reads. Only answers of kExec may have maxAgeSeconds; it is bounded by
// kLongestAge. Throws base::Error(kInvalid) for anything else: text that is not JSON, unknown,
// missing or repeated fields, wrong types, too many entries.
Answer ReadAnswer(std::string_view text, judgement::Source source);

}  // namespace inventories
