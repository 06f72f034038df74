// SPDX-License-Identifier: Apache-2.0
// JSONPath templates in kubectl's dialect (kubernetes.io/docs/reference/kubectl/jsonpath).
//
//   {.items[0].name}  {['a','b']}  {..name}  {.items[1:3]}  {.items[?(@.kind=="x")].name}
//   {range .items[*]}{.name}{"\n"}{end}  {'text'}
//
// As in kubectl, "$" and "@" both are the current value, and members are sorted by name.
// A "." within a quoted name descends one level unless a backslash precedes it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/fwd.h"

namespace print {

// The maximum length of a template, in bytes, for JSONPath and Go templates. Command lines are
// always shorter; a file may not be.
inline constexpr std::size_t kLongestTemplate = std::size_t{256} << 10;

// The treatment of a field that an object lacks: an empty result, or an error.
enum class MissingKeys { kAllowed, kRefused };

// JsonPath is a parsed template.
class JsonPath {
 public:
  // Parses the template. Throws base::Error(kInvalid), e.g. "unclosed action", and for a text of
  // more than kLongestTemplate bytes.
  explicit JsonPath(std::string_view text);
  ~JsonPath();
  JsonPath(JsonPath&&) noexcept;
  JsonPath& operator=(JsonPath&&) noexcept;

  // Returns the template's text with the values of each expression, joined by spaces. Lists and
  // objects are compact JSON. Throws base::Error(kInvalid) for an index out of bounds, a comparison
  // of different types, and missing keys if they are refused. Throws kInvalid beyond 16 MiB of
  // output, too.
  std::string Text(const json::Value& value, MissingKeys missing) const;

  // Writes the values of each expression and literal as an indented JSON list.
  std::string JsonText(const json::Value& value, MissingKeys missing) const;

 private:
  struct Template;
  std::unique_ptr<const Template> template_;
};

}  // namespace print
