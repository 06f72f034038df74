// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "json/number.h"
#include "json/value.h"
#include "print/gotemplate_tree.h"

namespace print::gotemplate {
namespace {

constexpr int kWidest = 1'000'000;

// Spec is one format specification, such as "%-08.3f".
struct Spec {
  bool left = false;
  bool zero = false;
  bool plus = false;
  bool blank = false;
  int width = 0;
  int precision = -1;
  char verb = 'v';
};

std::string_view TypeName(const json::Value& value) {
  switch (value.type()) {
    case json::Value::value_t::null:
      return "<nil>";
    case json::Value::value_t::boolean:
      return "bool";
    case json::Value::value_t::string:
      return "string";
    case json::Value::value_t::object:
      return "map[string]interface {}";
    case json::Value::value_t::array:
      return "[]interface {}";
    case json::Value::value_t::number_float:
      return "float64";
    default:
      return "int";
  }
}

std::string Wrong(const Spec& spec, const json::Value& value) {
  if (value.is_null()) {
    return fmt::format("%!{}(<nil>)", spec.verb);
  }
  return fmt::format("%!{}({}={})", spec.verb, TypeName(value), Shown(value));
}

// Returns the offset after the first `count` code points.
std::size_t RuneEnd(std::string_view text, int count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) {
    const auto c = base::DecodeUtf8(text.substr(at));
    at += c ? c->length : 1;
  }
  return at;
}

int RuneCount(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string Padded(std::string text, const Spec& spec) {
  const int missing = spec.width - RuneCount(text);
  if (missing <= 0) {
    return text;
  }
  const auto count = static_cast<std::size_t>(missing);
  if (spec.left) {
    return text + std::string(count, ' ');
  }
  if (!spec.zero) {
    return std::string(count, ' ') + text;
  }
  const bool sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  return text.insert(sign ? 1 : 0, count, '0');
}

std::string WithSign(std::string number, const Spec& spec) {
  if (number[0] != '-' && (spec.plus || spec.blank)) {
    number.insert(0, spec.plus ? "+" : " ");
  }
  return number;
}

std::string UpperHex(std::string_view text) {
  std::string hex;
  for (const char c : text) {
    hex += fmt::format("{:02X}", static_cast<unsigned char>(c));
  }
  return hex;
}

std::string Text(const std::string& text, const Spec& spec) {
  std::string cut = spec.precision < 0 ? text : text.substr(0, RuneEnd(text, spec.precision));
  switch (spec.verb) {
    case 's':
    case 'v':
      return cut;
    case 'q':
      return base::Quoted(cut);
    case 'x':
      return base::HexEncode(cut);
    case 'X':
      return UpperHex(cut);
    default:
      return Wrong(spec, text);
  }
}

std::string Integer(std::int64_t value, const Spec& spec) {
  switch (spec.verb) {
    case 'd':
    case 'v':
      return WithSign(fmt::format("{}", value), spec);
    case 'x':
      return WithSign(fmt::format("{:x}", value), spec);
    case 'X':
      return WithSign(fmt::format("{:X}", value), spec);
    case 'o':
      return WithSign(fmt::format("{:o}", value), spec);
    case 'b':
      return WithSign(fmt::format("{:b}", value), spec);
    case 'c':
      return base::EncodeUtf8(value >= 0 && value <= 0x10FFFF ? static_cast<char32_t>(value)
                                                              : U'\uFFFD');
    default:
      return Wrong(spec, value);
  }
}

std::string Float(double value, const Spec& spec) {
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.verb) {
    case 'e':
      return WithSign(fmt::format("{:.{}e}", value, precision), spec);
    case 'f':
    case 'F':
      return WithSign(fmt::format("{:.{}f}", value, precision), spec);
    case 'g':
    case 'v':
      return WithSign(spec.precision < 0 ? json::FormatGeneralNumber(value)
                                         : fmt::format("{:.{}g}", value, spec.precision),
                      spec);
    default:
      return Wrong(spec, value);
  }
}

std::string Value(const json::Value& value, const Spec& spec) {
  if (spec.verb == 'T') {
    return std::string(TypeName(value));
  }
  switch (value.type()) {
    case json::Value::value_t::string:
      return Text(value.get<std::string>(), spec);
    case json::Value::value_t::number_integer:
    case json::Value::value_t::number_unsigned:
      return Integer(value.get<std::int64_t>(), spec);
    case json::Value::value_t::number_float:
      return Float(value.get<double>(), spec);
    case json::Value::value_t::boolean:
      return spec.verb == 't' || spec.verb == 'v' ? Shown(value) : Wrong(spec, value);
    case json::Value::value_t::null:
      return spec.verb == 'v' ? "<nil>" : Wrong(spec, value);
    default:
      return spec.verb == 'v' || spec.verb == 's' ? Shown(value) : Wrong(spec, value);
  }
}

// Parses the part after a "%".
class SpecReader {
 public:
  explicit SpecReader(std::string_view& rest) : rest_(rest) {}

  Spec Read() {
    Spec spec;
    while (ReadFlag(spec)) {
    }
    spec.width = ReadNumber();
    if (!rest_.empty() && rest_.front() == '.') {
      rest_.remove_prefix(1);
      spec.precision = ReadNumber();
    }
    if (rest_.empty()) {
      Fail("%!(NOVERB)");
    }
    spec.verb = rest_.front();
    if (std::string_view("vsqdtxXobceEfFgGT%").find(spec.verb) == std::string_view::npos) {
      Fail(fmt::format("%{} is not supported", spec.verb));
    }
    rest_.remove_prefix(1);
    return spec;
  }

 private:
  [[noreturn]] static void Fail(const std::string& what) {
    throw base::Error(base::Error::Kind::kInvalid, what);
  }

  bool ReadFlag(Spec& spec) {
    bool* flag = nullptr;
    switch (rest_.empty() ? '\0' : rest_.front()) {
      case '-':
        flag = &spec.left;
        break;
      case '0':
        flag = &spec.zero;
        break;
      case '+':
        flag = &spec.plus;
        break;
      case ' ':
        flag = &spec.blank;
        break;
      default:
        return false;
    }
    *flag = true;
    rest_.remove_prefix(1);
    return true;
  }

  int ReadNumber() {
    int number = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      number = number * 10 + (rest_.front() - '0');
      if (number > kWidest) {
        Fail("the width is too large");
      }
      rest_.remove_prefix(1);
    }
    return number;
  }

  std::string_view& rest_;
};

}  // namespace

std::string Printf(const std::string& format, std::span<const json::Value> arguments) {
  std::string out;
  std::size_t next = 0;
  for (std::string_view rest = format; !rest.empty();) {
    const std::size_t percent = std::min(rest.find('%'), rest.size());
    Append(out, rest.substr(0, percent));
    rest.remove_prefix(percent);
    if (rest.empty()) {
      break;
    }
    rest.remove_prefix(1);
    const Spec spec = SpecReader(rest).Read();
    if (spec.verb == '%') {
      Append(out, "%");
    } else if (next < arguments.size()) {
      Append(out, Padded(Value(arguments[next++], spec), spec));
    } else {
      Append(out, fmt::format("%!{}(MISSING)", spec.verb));
    }
  }
  for (std::size_t i = next; i < arguments.size(); ++i) {
    Append(out, fmt::format("{}{}={}{}", i == next ? "%!(EXTRA " : ", ", TypeName(arguments[i]),
                            Shown(arguments[i]), i + 1 == arguments.size() ? ")" : ""));
  }
  return out;
}

}  // namespace print::gotemplate
