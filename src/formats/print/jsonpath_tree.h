// SPDX-License-Identifier: Apache-2.0
// The parsed form of JSONPath templates; only jsonpath_*.cc include this.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "json/value.h"

namespace print::jsonpath {

struct Step;
using Path = std::vector<Step>;

struct Field {
  std::string name;
};
struct Wildcard {};   // ".*"
struct Recursive {};  // ".."
// Slice is [begin:end:step]. An index is a slice with one element.
struct Slice {
  std::optional<std::int64_t> begin;
  std::optional<std::int64_t> end;
  std::optional<std::int64_t> step;
  bool index = false;
};
// Selects the elements for which the comparison is true. Without an operator, selects the elements
// in which `left` finds a value.
struct Filter {
  std::shared_ptr<const Path> left;
  std::string comparison;
  std::shared_ptr<const Path> right;
};
struct Union {
  std::vector<Path> parts;
};
struct Literal {
  json::Value value;
};

struct Step : std::variant<Field, Wildcard, Recursive, Slice, Filter, Union, Literal> {
  using variant::variant;
};

// A literal, an expression, or a range over an expression's values.
struct Item {
  enum class Kind { kText, kPath, kRange } kind = Kind::kText;
  std::string text;
  Path path;
  std::vector<Item> body;
};

std::vector<Item> Parse(std::string_view text);

}  // namespace print::jsonpath
