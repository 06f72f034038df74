// SPDX-License-Identifier: Apache-2.0
// Look-ups in tables that have a row for each key.
#pragma once

#include <algorithm>
#include <iterator>
#include <ranges>
#include <stdexcept>

namespace base {

// Returns the first row whose projection equals `key`. Throws std::logic_error, as for any bug in
// this program, if the table has no such row. The rows must outlive the result.
template <std::ranges::forward_range Rows, typename Key, typename Projection>
decltype(auto) RowOf(Rows&& rows, const Key& key, Projection projection) {
  const auto row = std::ranges::find(rows, key, projection);
  if (row == std::ranges::end(rows)) {
    throw std::logic_error("a table lacks a row");
  }
  return *row;
}

}  // namespace base
