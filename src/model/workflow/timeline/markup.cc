// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/markup.h"

#include <fmt/core.h>

#include "json/value.h"

namespace timeline {
namespace {

std::string NumberText(double number) {
  std::string text = fmt::format("{:.2f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text;
}

std::string EscapedLetter(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
      return {letter};
    default:
      return static_cast<unsigned char>(letter) < ' ' ? "\uFFFD" : std::string{letter};
  }
}

}  // namespace

Attribute::Attribute(std::string_view attribute, std::string_view text)
    : name(attribute), value(Escaped(text)) {}

Attribute::Attribute(std::string_view attribute, double number)
    : name(attribute), value(NumberText(number)) {}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char letter : json::WithValidUtf8(text)) {
    escaped += EscapedLetter(letter);
  }
  return escaped;
}

void Markup::Begin(std::string_view element, Attributes attributes) {
  text_ += fmt::format("<{}", element);
  for (const Attribute& attribute : attributes) {
    text_ += fmt::format(" {}=\"{}\"", attribute.name, attribute.value);
  }
}

void Markup::Open(std::string_view element, Attributes attributes) {
  Begin(element, attributes);
  text_ += ">\n";
}

void Markup::Close(std::string_view element) { text_ += fmt::format("</{}>\n", element); }

void Markup::Empty(std::string_view element, Attributes attributes) {
  Begin(element, attributes);
  text_ += "/>\n";
}

void Markup::Text(std::string_view element, Attributes attributes, std::string_view text) {
  Begin(element, attributes);
  text_ += fmt::format(">{}</{}>\n", Escaped(text), element);
}

}  // namespace timeline
