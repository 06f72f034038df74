// SPDX-License-Identifier: Apache-2.0
// Memory limits for untrusted input. A few megabytes of text can expand to gigabytes when parsed:
// by aliases, by brackets, by long names.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "json/value.h"

namespace json {

// The memory limit of one parsed input. An API object has less than 3 MiB of text (the API server's
// limit of a request). It takes 10 to 20 MiB of memory, as does a configuration.
inline constexpr std::size_t kMostMemory = std::size_t{64} << 20;

// The memory that values take in the containers of Value. The numbers are accurate to a few bytes,
// and rather too high than too low.
namespace cost {
inline constexpr std::size_t kScalar = 32;     // a slot in a list, which doubles when it grows
inline constexpr std::size_t kStructure = 64;  // a slot, with the object or list it points to
// The tree node of one member of an object.
inline constexpr std::size_t kMember = 96;
// The fields of a string, without its characters.
inline constexpr std::size_t kText = 48;
inline constexpr std::size_t kPosition = 96;  // a node of yaml::Document's positions
inline constexpr std::size_t kProblem = 128;  // an entry of base::Problems
// Returns the cost of a value with everything in it, to be charged for a copy.
std::size_t Of(const Value& value);
}  // namespace cost

// The remaining memory. Inputs that are kept together share one budget.
class Budget {
 public:
  explicit Budget(std::size_t bytes = kMostMemory) : total_(bytes), left_(bytes) {}

  // Subtracts `bytes`. Returns false, and spends all that is left, if less than `bytes` is left.
  [[nodiscard]] bool Spend(std::size_t bytes) {
    const bool enough = bytes <= left_;
    left_ -= enough ? bytes : left_;
    return enough;
  }
  std::size_t total() const { return total_; }

 private:
  std::size_t total_;
  std::size_t left_;
};

// Parses JSON like Parse in json/value.h, but charges the caller's budget. Members with a name in
// `unread`, at any depth, are not read and cost nothing.
Value Parse(std::string_view text, Budget& budget, std::span<const std::string_view> unread = {});

}  // namespace json
