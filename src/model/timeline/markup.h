// SPDX-License-Identifier: Apache-2.0
// Markup: writes elements of SVG and HTML.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace timeline {

// Attribute of an element: a text, which is escaped, or a number of at most two decimals. A
// parameter, whose name is a literal.
struct Attribute {
  Attribute(std::string_view attribute, std::string_view text);
  Attribute(std::string_view attribute, const char* text)
      : Attribute(attribute, std::string_view(text)) {}
  Attribute(std::string_view attribute, double number);

  std::string_view name;
  std::string value;  // escaped
};
using Attributes = std::initializer_list<Attribute>;

// Markup is a text that grows by elements. Texts may be anything: what has a meaning in markup is
// escaped, and what XML cannot hold (control characters, broken UTF-8) becomes U+FFFD.
class Markup {
 public:
  // Open begins an element, Close ends the one of that name.
  void Open(std::string_view element, Attributes attributes = {});
  void Close(std::string_view element);
  // Empty is an element without content, Text one with a text in it.
  void Empty(std::string_view element, Attributes attributes);
  void Text(std::string_view element, Attributes attributes, std::string_view text);
  // Raw takes markup as it is.
  void Raw(std::string_view markup) { text_ += markup; }

  const std::string& text() const { return text_; }

 private:
  void Begin(std::string_view element, Attributes attributes);

  std::string text_;
};

// Escaped is a text as markup shows it.
std::string Escaped(std::string_view text);

}  // namespace timeline
