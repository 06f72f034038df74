// SPDX-License-Identifier: Apache-2.0
// JSONPath templates as kubectl has them (kubernetes.io/docs/reference/kubectl/jsonpath): text with
// expressions in braces.
//
//   {.items[0].name}  {['a','b']}  {..name}  {.items[1:3]}  {.items[?(@.kind=="x")].name}
//   {range .items[*]}{.name}{"\n"}{end}  {'text'}
//
// As in kubectl, "$" and "@" both are the current value, a "." within a quoted name goes one level
// down unless a backslash stands before it, and members come sorted by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/fwd.h"

namespace templates {

// kLongestTemplate is the longest template, in bytes, in this language and in that of GoTemplate.
// What is given on a command line is always shorter; a file of it might not be.
inline constexpr std::size_t kLongestTemplate = std::size_t{256} << 10;

// MissingKeys says what becomes of a field that an object lacks.
enum class MissingKeys { kAllowed, kRefused };

// JsonPath is a parsed template.
class JsonPath {
 public:
  // Throws base::Error(kInvalid), e.g. "unclosed action", and for a text of more than
  // kLongestTemplate bytes.
  explicit JsonPath(std::string_view text);
  ~JsonPath();
  JsonPath(JsonPath&&) noexcept;
  JsonPath& operator=(JsonPath&&) noexcept;

  // Text puts the values of each expression, joined by blanks, between the template's texts. Lists
  // and objects are compact JSON. Throws base::Error(kInvalid) for an index out of bounds, a
  // comparison of different types, missing keys if they are refused, and more than 16 MiB of text.
  std::string Text(const json::Value& value, MissingKeys missing) const;

  // JsonText writes each expression's and each text's values as an indented JSON list.
  std::string JsonText(const json::Value& value, MissingKeys missing) const;

 private:
  struct Template;
  std::unique_ptr<const Template> template_;
};

}  // namespace templates
