// SPDX-License-Identifier: Apache-2.0
#include "json/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "json/budget.h"
#include "json/number.h"

template class nlohmann::basic_json<>;
template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace json {
namespace {

[[noreturn]] void Fail(std::string_view text, std::size_t offset, std::string_view what) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  throw base::Error(base::Error::Kind::kInvalid,
                    fmt::format("line {}, column {}: {}", line,
                                std::max<std::size_t>(before.size() - line_start, 1), what));
}

base::Error Invalid(std::string message) {
  return {base::Error::Kind::kInvalid, std::move(message)};
}

// Returns the part of the library's message that follows its own position ("parse error at line 1,
// column 1: "). This part quotes the last token, which may have megabytes.
std::string Detail(std::string_view message) {
  constexpr std::size_t kShown = 300;
  constexpr std::string_view kColon = ": ";
  const std::size_t at = message.find(kColon, message.find("column "));
  const std::string_view detail =
      at == std::string_view::npos ? message : message.substr(at + kColon.size());
  return detail.size() <= kShown ? std::string(detail)
                                 : WithValidUtf8(detail.substr(0, kShown)) + "…";
}

// The longest string or number, in bytes. The library holds three copies of the current one before
// it calls us. An object may be one string of 3 MiB, an API server's limit, and each "<" in it is
// written with six characters.
constexpr std::size_t kLongestWord = std::size_t{20} << 20;

// Returns the offset after the string, number or name that begins at `begin`.
std::size_t WordEnd(std::string_view text, std::size_t begin) {
  if (text[begin] != '"') {
    return std::min(text.find_first_of("\"{}[]:, \t\r\n", begin + 1), text.size());
  }
  std::size_t at = text.find_first_of("\"\\", begin + 1);
  while (at < text.size() && text[at] == '\\') {
    at = text.find_first_of("\"\\", std::min(at + 2, text.size()));
  }
  return std::min(at, text.size() - 1) + 1;
}

void CheckWords(std::string_view text) {
  if (text.size() <= kLongestWord) {
    return;
  }
  constexpr std::string_view kBetween = "{}[]:, \t\r\n";
  for (std::size_t at = text.find_first_not_of(kBetween); at < text.size();) {
    const std::size_t end = WordEnd(text, at);
    if (end - at > kLongestWord) {
      Fail(text, at, fmt::format("a string or number of more than {} MiB", kLongestWord >> 20));
    }
    at = text.find_first_not_of(kBetween, end);
  }
}

// Builds a value from the parser's callbacks. The library's own builders have no budget, or scan a
// whole list again after each of its objects.
class Builder {
 public:
  Builder(std::string_view text, Budget& budget, std::span<const std::string_view> unread)
      : text_(text), budget_(budget), unread_(unread) {}

  Value Take() { return std::move(root_); }

  // The parser's callbacks; each returns whether to continue.
  bool null() { return Add(nullptr); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(std::int64_t value) { return Add(value); }
  bool number_unsigned(std::uint64_t value) { return Add(value); }
  bool number_float(double value, const std::string&) { return Add(value); }
  bool string(std::string& value) { return Add(std::move(value)); }
  bool binary(Value::binary_t&) { return false; }  // JSON lacks binary values
  bool start_object(std::size_t) { return Open(Value::object()); }
  bool start_array(std::size_t) { return Open(Value::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }

  bool key(std::string& name) {
    CheckDepth();
    if (!Skips()) {
      skipped_ = std::ranges::find(unread_, name) != unread_.end() ? depth_ : kNone;
      Spend(Skips() ? 0 : cost::kMember + name.size());
      name_ = std::move(name);
    }
    return true;
  }

  bool parse_error(std::size_t offset, const std::string&,
                   const nlohmann::detail::exception& error) {
    if (dynamic_cast<const Value::out_of_range*>(&error) != nullptr) {
      throw Invalid("a number is out of range");
    }
    Fail(text_, offset, Detail(error.what()));
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  // Returns whether the current member is skipped.
  bool Skips() const { return skipped_ != kNone; }

  void CheckDepth() const {
    if (depth_ > kMaxDepth) {
      throw Invalid(fmt::format("lists and objects are nested more than {} deep", kMaxDepth));
    }
  }

  void Spend(std::size_t bytes) {
    if (!budget_.Spend(bytes)) {
      throw Invalid(fmt::format("too much to be read: it would take more than {} MiB of memory",
                                budget_.total() >> 20));
    }
  }

  // Adds a value to its parent. An open list or object is the last element of its own parent.
  Value& Place(Value value) {
    if (open_.empty()) {
      return root_ = std::move(value);
    }
    Value& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return parent.back();
    }
    return parent[name_] = std::move(value);
  }

  bool Add(Value value) {
    CheckDepth();
    if (!Skips()) {
      Spend(cost::Of(value));
      Place(std::move(value));
    } else if (depth_ == skipped_) {
      skipped_ = kNone;
    }
    return true;
  }

  bool Open(Value value) {
    CheckDepth();
    ++depth_;
    if (!Skips()) {
      Spend(cost::kStructure);
      open_.push_back(&Place(std::move(value)));
    }
    return true;
  }

  bool Close() {
    --depth_;
    if (!Skips()) {
      open_.pop_back();
    } else if (depth_ == skipped_) {
      skipped_ = kNone;
    }
    return true;
  }

  std::string_view text_;
  Budget& budget_;
  std::span<const std::string_view> unread_;
  Value root_;
  std::vector<Value*> open_;     // the lists and objects around the current position
  std::size_t depth_ = 0;        // the current depth, including skipped lists and objects
  std::size_t skipped_ = kNone;  // the depth of the skipped member
  std::string name_;             // of the member whose value follows
};

// Returns the escape of a code point; std::nullopt if it is written as it is.
std::optional<std::string> EscapeOf(char32_t c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '<':
    case '>':
    case '&':
    case U'\u2028':
    case U'\u2029':
      return fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    default:
      return c < 0x20 ? std::optional(fmt::format("\\u{:04x}", static_cast<unsigned>(c)))
                      : std::nullopt;
  }
}

void WriteString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const auto c = base::DecodeUtf8(text);
    if (!c) {
      out += "\\ufffd";
      text.remove_prefix(1);
      continue;
    }
    if (const auto escape = EscapeOf(c->code_point)) {
      out += *escape;
    } else {
      out += text.substr(0, c->length);
    }
    text.remove_prefix(c->length);
  }
  out += '"';
}

// Writes any kind of value. Without `indent` writes one line.
template <typename Value>
class Writer {
 public:
  explicit Writer(std::optional<int> indent) : indent_(indent) {}

  std::string Write(const Value& value) {
    WriteValue(value, 0);
    return std::move(out_);
  }

 private:
  void WriteValue(const Value& value, std::size_t depth) {
    if (value.is_object() && !value.empty()) {
      WriteObject(value, depth);
    } else if (value.is_array() && !value.empty()) {
      WriteList(value, depth);
    } else if (value.is_string()) {
      WriteString(value.template get_ref<const std::string&>(), out_);
    } else if (value.is_number_float()) {
      out_ += FormatJsonNumber(value.template get<double>());
    } else {
      out_ += value.dump();
    }
  }

  void WriteObject(const Value& value, std::size_t depth) {
    std::string_view separator = "{";
    for (const auto& [key, member] : value.items()) {
      out_ += separator;
      NewLine(depth + 1);
      WriteString(key, out_);
      out_ += indent_ ? ": " : ":";
      WriteValue(member, depth + 1);
      separator = ",";
    }
    NewLine(depth);
    out_ += '}';
  }

  void WriteList(const Value& value, std::size_t depth) {
    std::string_view separator = "[";
    for (const auto& element : value) {
      out_ += separator;
      NewLine(depth + 1);
      WriteValue(element, depth + 1);
      separator = ",";
    }
    NewLine(depth);
    out_ += ']';
  }

  void NewLine(std::size_t depth) {
    if (indent_) {
      out_ += '\n';
      out_.append(depth * static_cast<std::size_t>(*indent_), ' ');
    }
  }

  std::optional<int> indent_;
  std::string out_;
};

}  // namespace

Value Parse(std::string_view text, Budget& budget, std::span<const std::string_view> unread) {
  CheckWords(text);
  Builder builder(text, budget, unread);
  Value::sax_parse(text, &builder);
  return builder.Take();
}

Value Parse(std::string_view text) {
  Budget budget;
  return Parse(text, budget);
}

Value TryParse(std::string_view text) {
  try {
    return Parse(text);
  } catch (const base::Error&) {
    return {};
  }
}

std::string Compact(const Value& value) { return Writer<Value>(std::nullopt).Write(value); }
std::string Compact(const Ordered& value) { return Writer<Ordered>(std::nullopt).Write(value); }
std::string Pretty(const Value& value, int indent) { return Writer<Value>(indent).Write(value); }
std::string Pretty(const Ordered& value, int indent) {
  return Writer<Ordered>(indent).Write(value);
}

Value Sorted(const Ordered& value) {
  if (value.is_object()) {
    Value result = Value::object();
    for (const auto& [key, member] : value.items()) {
      result[key] = Sorted(member);
    }
    return result;
  }
  if (value.is_array()) {
    Value result = Value::array();
    for (const Ordered& element : value) {
      result.push_back(Sorted(element));
    }
    return result;
  }
  return value;
}

const Value& At(const Value& value, std::initializer_list<std::string_view> path) {
  static const Value null;
  const Value* current = &value;
  for (const std::string_view name : path) {
    if (!current->is_object()) {
      return null;
    }
    const auto it = current->find(name);
    if (it == current->end()) {
      return null;
    }
    current = &*it;
  }
  return *current;
}

std::string TextAt(const Value& value, std::initializer_list<std::string_view> path) {
  const Value& found = At(value, path);
  return found.is_string() ? found.get<std::string>() : "";
}

std::string WithValidUtf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto c = base::DecodeUtf8(text);
    result += c ? text.substr(0, c->length) : "\xEF\xBF\xBD";
    text.remove_prefix(c ? c->length : 1);
  }
  return result;
}

std::string_view KindOf(const Value& value) {
  switch (value.type()) {
    case Value::value_t::boolean:
      return "boolean";
    case Value::value_t::number_integer:
    case Value::value_t::number_unsigned:
    case Value::value_t::number_float:
      return "number";
    case Value::value_t::string:
      return "string";
    case Value::value_t::array:
      return "list";
    case Value::value_t::object:
      return "object";
    default:
      return "null";
  }
}

}  // namespace json
