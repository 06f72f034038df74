// SPDX-License-Identifier: Apache-2.0
// The answer of an inventory that is queried: an HTTPS endpoint or a program.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "judgement/facts.h"

namespace inventories {

// The limits of an answer: its size in bytes, and its number of entries.
inline constexpr std::size_t kLargestAnswer = std::size_t{4} << 20;
inline constexpr std::size_t kMostEntries = 20'000;
// The longest time that an answer may be cached, whatever it says.
inline constexpr std::chrono::seconds kLongestAge = std::chrono::hours(1);

// The API version and kind of the JSON object.
inline constexpr std::string_view kAnswerVersion = "approver.slipway/v1alpha1";
inline constexpr std::string_view kAnswerKind = "Inventory";
inline constexpr std::string_view kQueryKind = "InventoryQuery";

// A parsed answer.
struct Answer {
  std::vector<judgement::Machine> entries;
  std::chrono::seconds max_age{0};  // how long it may be cached
};

// Parses the JSON object
//   {"apiVersion": "approver.slipway/v1alpha1", "kind": "Inventory", "maxAgeSeconds": 30,
//    "items": [{"hostname": "worker-1", "addresses": ["10.0.0.5"], "providerID": "…",
//               "use": "once", "createdAt": "2026-01-31T12:00:00Z"}]}
// with the entries of ReadEntries. Only answers of kExec may have maxAgeSeconds; it is bounded by
// kLongestAge. Throws base::Error(kInvalid) for anything else: text that is not JSON, unknown,
// missing or repeated fields, wrong types, too many entries.
Answer ReadAnswer(std::string_view text, judgement::Source source);

}  // namespace inventories
