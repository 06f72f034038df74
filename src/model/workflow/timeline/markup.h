// SPDX-License-Identifier: Apache-2.0
// Markup: writes elements of SVG and HTML.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace timeline {

// An attribute of an element. Its value is a string, which is escaped, or a number, written with at
// most two decimals. Used only as a parameter; its name must be a literal.
struct Attribute {
  Attribute(std::string_view attribute, std::string_view text);
  Attribute(std::string_view attribute, const char* text)
      : Attribute(attribute, std::string_view(text)) {}
  Attribute(std::string_view attribute, double number);

  std::string_view name;
  std::string value;  // escaped
};
using Attributes = std::initializer_list<Attribute>;

// A string to which elements are appended. Texts may contain any character. Markup characters are
// escaped. Characters that XML cannot contain (control characters, broken UTF-8) become U+FFFD.
class Markup {
 public:
  // Open begins an element. Close ends the element of that name.
  void Open(std::string_view element, Attributes attributes = {});
  void Close(std::string_view element);
  // Empty writes an element without content, Text one with text.
  void Empty(std::string_view element, Attributes attributes);
  void Text(std::string_view element, Attributes attributes, std::string_view text);
  // Appends markup unchanged.
  void Raw(std::string_view markup) { text_ += markup; }

  const std::string& text() const { return text_; }

 private:
  void Begin(std::string_view element, Attributes attributes);

  std::string text_;
};

// Escapes a string for markup.
std::string Escaped(std::string_view text);

}  // namespace timeline
