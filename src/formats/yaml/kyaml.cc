// SPDX-License-Identifier: Apache-2.0
#include "yaml/kyaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "json/number.h"
#include "json/value.h"
#include "yaml/scalar.h"

namespace yaml {
namespace {

bool IsPlainKeyCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Returns whether a YAML reader could take the key for a boolean, null or number. Ignores case.
bool ReadsAsSomethingElse(std::string_view key) {
  constexpr std::string_view kWords[] = {"y",   "n",    "t",     "f",    "yes", "no",  "on",
                                         "off", "true", "false", "null", "nan", "inf", "infinity"};
  if (std::ranges::find(kWords, base::ToLower(key)) != std::end(kWords)) {
    return true;
  }
  std::string digits(key);
  std::erase(digits, '_');
  return !digits.empty() && NeedsQuotes(digits);
}

// Returns whether a code point must be escaped: controls, unusual spaces, private use.
bool IsInvisible(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x00, 0x08},     {0x0A, 0x1F},     {0x7F, 0xA0},     {0xAD, 0xAD},
      {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F}, {0x3000, 0x3000},
      {0xE000, 0xF8FF}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xE0000, 0x10FFFF}};
  return std::ranges::any_of(
      kRanges, [c](const auto& range) { return c >= range.first && c <= range.second; });
}

std::string Escape(char32_t c) {
  constexpr std::pair<char32_t, const char*> kNamed[] = {
      {0x00, "\\0"},   {0x07, "\\a"},   {0x08, "\\b"}, {0x0A, "\\n"}, {0x0B, "\\v"},
      {0x0C, "\\f"},   {0x0D, "\\r"},   {0x1B, "\\e"}, {0x85, "\\N"}, {0xA0, "\\_"},
      {0x2028, "\\L"}, {0x2029, "\\P"}, {'"', "\\\""}, {'\\', "\\\\"}};
  for (const auto& [code_point, escape] : kNamed) {
    if (code_point == c) {
      return escape;
    }
  }
  if (!IsInvisible(c)) {
    return base::EncodeUtf8(c);
  }
  const auto number = static_cast<unsigned>(c);
  return c <= 0xFF     ? fmt::format("\\x{:02x}", number)
         : c <= 0xFFFF ? fmt::format("\\u{:04x}", number)
                       : fmt::format("\\U{:08x}", number);
}

std::string Escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto c = base::DecodeUtf8(text).value_or(base::DecodedCodePoint{U'\uFFFD', 1});
    result += Escape(c.code_point);
    text.remove_prefix(c.length);
  }
  return result;
}

// Returns whether a key needs no quotes. It must not contain a character that any reader takes for
// a line break or an unusual space.
bool IsPlainKey(std::string_view key) {
  return !key.empty() && IsPlainKeyCharacter(key.front()) && IsPlainKeyCharacter(key.back()) &&
         std::ranges::all_of(
             key,
             [](char c) { return IsPlainKeyCharacter(c) || c == '-' || c == '.' || c == '/'; }) &&
         !ReadsAsSomethingElse(key) && Escaped(key) == key;
}

// The maximum length of an implicit key, in characters (YAML 1.2.2, 7.4.2). Quotes and escapes
// count.
constexpr std::ptrdiff_t kLongestSimpleKey = 1024;

// Counts the code points of valid UTF-8: all bytes except continuation bytes.
std::ptrdiff_t CodePoints(std::string_view text) {
  return std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

class Writer {
 public:
  std::string Write(const json::Ordered& value) {
    out_ = "---\n";
    Value(value, 0);
    return std::move(out_) + "\n";
  }

 private:
  void Value(const json::Ordered& value, std::size_t depth) {
    if (value.is_object()) {
      Object(value, depth);
    } else if (value.is_array()) {
      List(value, depth);
    } else if (value.is_string()) {
      String(value.get_ref<const std::string&>(), depth);
    } else if (value.is_number_float()) {
      out_ += json::FormatJsonNumber(value.get<double>());
    } else {
      out_ += value.dump();
    }
  }

  void Object(const json::Ordered& object, std::size_t depth) {
    if (object.empty()) {
      out_ += "{}";
      return;
    }
    out_ += "{\n";
    for (const auto& [key, member] : object.items()) {
      Indent(depth + 1);
      const std::string written = IsPlainKey(key) ? key : "\"" + Escaped(key) + "\"";
      // A reader searches only kLongestSimpleKey characters for the colon of a key. "?" announces a
      // longer key.
      out_ += CodePoints(written) > kLongestSimpleKey ? "? " : "";
      out_ += written + ": ";
      Value(member, depth + 1);
      out_ += ",\n";
    }
    Indent(depth);
    out_ += '}';
  }

  // A list of only lists and objects adds no indentation.
  void List(const json::Ordered& list, std::size_t depth) {
    if (list.empty()) {
      out_ += "[]";
      return;
    }
    if (std::ranges::all_of(list, [](const auto& element) { return element.is_structured(); })) {
      const char* separator = "[";
      for (const json::Ordered& element : list) {
        out_ += separator;
        Value(element, depth);
        separator = ", ";
      }
      out_ += ']';
      return;
    }
    out_ += "[\n";
    for (const json::Ordered& element : list) {
      Indent(depth + 1);
      Value(element, depth + 1);
      out_ += ",\n";
    }
    Indent(depth);
    out_ += ']';
  }

  // Writes a string of several lines as several lines. Before each line is a space, or a backslash
  // if the line itself begins with a space or a tab. A backslash at the end of the line removes the
  // real line end.
  void String(std::string_view text, std::size_t depth) {
    if (text.find('\n') == text.npos) {
      out_ += "\"" + Escaped(text) + "\"";
      return;
    }
    out_ += "\"\\\n";
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      Indent(depth + 1);
      out_ += text.front() == ' ' || text.front() == '\t' ? '\\' : ' ';
      out_ += Escaped(text.substr(0, end)) + "\\\n";
      text.remove_prefix(end);
    }
    Indent(depth + 1);
    out_ += '"';
  }

  void Indent(std::size_t depth) { out_.append(2 * depth, ' '); }

  std::string out_;
};

}  // namespace

std::string EmitKyaml(const json::Ordered& value) { return Writer().Write(value); }

}  // namespace yaml
