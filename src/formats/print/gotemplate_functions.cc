// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/strings.h"
#include "json/number.h"
#include "json/value.h"
#include "print/gotemplate_tree.h"

namespace print::gotemplate {
namespace {

using Arguments = std::span<const json::Value>;

[[noreturn]] void Fail(const std::string& what) {
  throw base::Error(base::Error::Kind::kInvalid, what);
}

bool Equal(const json::Value& a, const json::Value& b) {
  if (a.is_structured() || b.is_structured()) {
    Fail("lists and maps cannot be compared");
  }
  if (!a.is_null() && !b.is_null() && json::KindOf(a) != json::KindOf(b)) {
    Fail(fmt::format("incompatible types for comparison: {} and {}", json::KindOf(a),
                     json::KindOf(b)));
  }
  return a == b;
}

bool Less(const json::Value& a, const json::Value& b) {
  if (!a.is_primitive() || a.is_null() || a.is_boolean()) {
    Fail("invalid type for comparison");
  }
  if (json::KindOf(a) != json::KindOf(b)) {
    Fail(fmt::format("incompatible types for comparison: {} and {}", json::KindOf(a),
                     json::KindOf(b)));
  }
  return a < b;
}

json::Value EqualsAny(Arguments a) {
  return std::ranges::any_of(a.subspan(1),
                             [&](const json::Value& other) { return Equal(a[0], other); });
}

std::size_t Position(const json::Value& index, std::size_t limit) {
  if (!index.is_number_integer()) {
    Fail(fmt::format("a {} is not an index", json::KindOf(index)));
  }
  const auto position = index.get<std::int64_t>();
  if (position < 0 || std::cmp_greater(position, limit)) {
    Fail(fmt::format("index out of range: {}", position));
  }
  return static_cast<std::size_t>(position);
}

json::Value Element(const json::Value& value, const json::Value& index) {
  if (value.is_object()) {
    if (!index.is_string()) {
      Fail(fmt::format("a {} is not a key", json::KindOf(index)));
    }
    return json::At(value, {index.get_ref<const std::string&>()});
  }
  if (value.is_null()) {
    Fail("index of nil");
  }
  if (!value.is_array() && !value.is_string()) {
    Fail(fmt::format("cannot index a {}", json::KindOf(value)));
  }
  const std::size_t size =
      value.is_array() ? value.size() : value.get_ref<const std::string&>().size();
  const std::size_t position = Position(index, size);
  if (position == size) {
    Fail(fmt::format("index out of range: {}", position));
  }
  if (value.is_array()) {
    return value[position];
  }
  return static_cast<unsigned char>(value.get_ref<const std::string&>()[position]);
}

json::Value Index(Arguments a) {
  json::Value value = a[0];
  for (const json::Value& index : a.subspan(1)) {
    value = Element(value, index);
  }
  return value;
}

json::Value Length(Arguments a) {
  if (a[0].is_string()) {
    return a[0].get_ref<const std::string&>().size();
  }
  if (!a[0].is_structured()) {
    Fail(fmt::format("len of a {}", json::KindOf(a[0])));
  }
  return a[0].size();
}

json::Value Slice(Arguments a) {
  if (!a[0].is_string() && !a[0].is_array()) {
    Fail(fmt::format("slice of a {}", json::KindOf(a[0])));
  }
  const std::size_t size = Length(a.first(1)).get<std::size_t>();
  const std::size_t begin = a.size() > 1 ? Position(a[1], size) : 0;
  const std::size_t end = a.size() > 2 ? Position(a[2], size) : size;
  if (begin > end) {
    Fail(fmt::format("invalid slice index: {} > {}", begin, end));
  }
  if (a[0].is_string()) {
    return a[0].get_ref<const std::string&>().substr(begin, end - begin);
  }
  return std::vector<json::Value>(a[0].begin() + static_cast<std::ptrdiff_t>(begin),
                                  a[0].begin() + static_cast<std::ptrdiff_t>(end));
}

json::Value Print(Arguments a) {
  std::string text;
  for (std::size_t i = 0; i < a.size(); ++i) {
    Append(text, i > 0 && !a[i].is_string() && !a[i - 1].is_string() ? " " : "");
    Append(text, Shown(a[i]));
  }
  return text;
}

json::Value PrintLine(Arguments a) {
  std::string text;
  for (std::size_t i = 0; i < a.size(); ++i) {
    Append(text, i > 0 ? " " : "");
    Append(text, Shown(a[i]));
  }
  return text + "\n";
}

json::Value PrintFormatted(Arguments a) {
  if (!a[0].is_string()) {
    Fail("printf wants a format");
  }
  return Printf(a[0].get<std::string>(), a.subspan(1));
}

json::Value DecodeBase64(Arguments a) {
  if (!a[0].is_string()) {
    Fail("base64decode wants a string");
  }
  return json::WithValidUtf8(base::Base64Decode(a[0].get<std::string>()));
}

json::Value Exists(Arguments a) {
  json::Value value = a[0];
  for (const json::Value& index : a.subspan(1)) {
    const bool member = value.is_object() && index.is_string() &&
                        value.contains(index.get_ref<const std::string&>());
    const bool element = value.is_array() && index.is_number_integer() &&
                         std::cmp_less(index.get<std::int64_t>(), value.size()) &&
                         index.get<std::int64_t>() >= 0;
    if (!member && !element) {
      return false;
    }
    value = Element(value, index);
  }
  return true;
}

struct Function {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  json::Value (*call)(Arguments);
};

constexpr std::size_t kAny = 1000;

// "and" and "or" are listed only for their names and numbers of arguments.
constexpr Function kFunctions[] = {
    {"and", 1, kAny, nullptr},
    {"base64decode", 1, 1, DecodeBase64},
    {"eq", 2, kAny, EqualsAny},
    {"exists", 1, kAny, Exists},
    {"ge", 2, 2, [](Arguments a) -> json::Value { return !Less(a[0], a[1]); }},
    {"gt", 2, 2, [](Arguments a) -> json::Value { return Less(a[1], a[0]); }},
    {"index", 1, kAny, Index},
    {"le", 2, 2, [](Arguments a) -> json::Value { return !Less(a[1], a[0]); }},
    {"len", 1, 1, Length},
    {"lt", 2, 2, [](Arguments a) -> json::Value { return Less(a[0], a[1]); }},
    {"ne", 2, 2, [](Arguments a) -> json::Value { return !Equal(a[0], a[1]); }},
    {"not", 1, 1, [](Arguments a) -> json::Value { return !IsTrue(a[0]); }},
    {"or", 1, kAny, nullptr},
    {"print", 0, kAny, Print},
    {"printf", 1, kAny, PrintFormatted},
    {"println", 0, kAny, PrintLine},
    {"slice", 1, 3, Slice},
};

}  // namespace

bool IsFunction(std::string_view name) {
  return std::ranges::find(kFunctions, name, &Function::name) != std::end(kFunctions);
}

json::Value Call(const std::string& name, const std::vector<json::Value>& arguments) {
  const auto* const function = std::ranges::find(kFunctions, name, &Function::name);
  if (arguments.size() < function->least || arguments.size() > function->most) {
    Fail(fmt::format("wrong number of args for {}: want {}{} got {}", name,
                     function->most == function->least ? "" : "at least ", function->least,
                     arguments.size()));
  }
  if (function->call == nullptr) {
    return arguments.back();
  }
  try {
    return function->call(arguments);
  } catch (base::Error& error) {
    error.Prepend(fmt::format("error calling {}", name));
    throw;
  }
}

void Append(std::string& text, std::string_view more) {
  if (text.size() + more.size() > kLongestText) {
    Fail(fmt::format("a text is longer than {} MiB", kLongestText >> 20));
  }
  text += more;
}

bool IsTrue(const json::Value& value) {
  switch (value.type()) {
    case json::Value::value_t::null:
      return false;
    case json::Value::value_t::boolean:
      return value.get<bool>();
    case json::Value::value_t::string:
      return !value.get_ref<const std::string&>().empty();
    case json::Value::value_t::object:
    case json::Value::value_t::array:
      return !value.empty();
    default:
      return value.get<double>() != 0;
  }
}

std::string Shown(const json::Value& value) {
  if (value.is_null()) {
    return "<nil>";
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_float()) {
    return json::FormatGeneralNumber(value.get<double>());
  }
  if (value.is_primitive()) {
    return value.dump();
  }
  std::vector<std::string> texts;
  for (const auto& [key, member] : value.items()) {
    texts.push_back((value.is_object() ? key + ":" : "") + Shown(member));
  }
  return (value.is_object() ? "map[" : "[") + base::Join(texts, " ") + "]";
}

}  // namespace print::gotemplate
