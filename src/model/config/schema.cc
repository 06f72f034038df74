// SPDX-License-Identifier: Apache-2.0
#include "config/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <string>
#include <utility>

#include "base/duration.h"
#include "base/error.h"
#include "base/number.h"
#include "config/quantity.h"
#include "config/texts.h"
#include "json/field_path.h"
#include "json/rfc3339.h"

namespace config {
namespace {

// The fields of the types, by name.
using Types = std::map<std::string_view, std::vector<SchemaRow>>;

// Adds the types of a file of schema/. A line without an indent names a type. An indented line is
// one of its fields, "name type". Lines that begin with "#" are comments.
void AddTypes(std::string_view text, Types& types) {
  std::vector<SchemaRow>* fields = nullptr;
  for (const auto part : std::views::split(text, '\n')) {
    std::string_view line(part.begin(), part.end());
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || line.starts_with('#')) {
      continue;
    }
    line.remove_prefix(indent);
    const std::size_t blank = line.find(' ');
    if (indent == 0) {
      fields = &types[line];
    } else {
      fields->push_back({.name = line.substr(0, blank), .type = line.substr(blank + 1)});
    }
  }
}

const Types& AllTypes() {
  static const Types kTypes = [] {
    Types types;
    for (const char* file : {"common", "kubelet", "kube_proxy", "object", "pod", "volume"}) {
      AddTypes(Text(file), types);
    }
    return types;
  }();
  return kTypes;
}

// A parsed row type.
struct FieldType {
  bool always = false;
  bool pointer = false;
  std::string_view base;
};

FieldType Parse(std::string_view type) {
  FieldType parsed{.base = type};
  if (parsed.base.starts_with('!')) {
    parsed.always = true;
    parsed.base.remove_prefix(1);
  }
  if (parsed.base.starts_with('*')) {
    parsed.pointer = true;
    parsed.base.remove_prefix(1);
  }
  return parsed;
}

std::string_view KindOf(const json::Value& value) {
  switch (value.type()) {
    case json::Value::value_t::null:
      return "null";
    case json::Value::value_t::boolean:
      return "boolean";
    case json::Value::value_t::string:
      return "string";
    case json::Value::value_t::array:
      return "list";
    case json::Value::value_t::object:
      return "map";
    default:
      return "number";
  }
}

struct Range {
  std::int64_t low;
  std::int64_t high;
};

class Conformer {
 public:
  explicit Conformer(json::DecodeProblems& problems) : problems_(problems) {}

  json::Value Value(const json::Value& in, std::string_view type, const std::string& path) {
    if (type.starts_with("[]")) {
      return List(in, type.substr(2), path);
    }
    if (type.starts_with("map[]")) {
      return Map(in, type.substr(5), path);
    }
    return std::islower(static_cast<unsigned char>(type.front())) != 0 ? Scalar(in, type, path)
                                                                       : Struct(in, type, path);
  }

 private:
  json::Value WrongType(const json::Value& in, const std::string& path, std::string_view wanted) {
    problems_.errors.Add(path, fmt::format("expected a {}, got a {}", wanted, KindOf(in)));
    return nullptr;
  }

  json::Value List(const json::Value& in, std::string_view element, const std::string& path) {
    if (in.is_null()) {
      return nullptr;
    }
    if (!in.is_array()) {
      return WrongType(in, path, "list");
    }
    json::Value out = json::Value::array();
    for (std::size_t i = 0; i < in.size(); ++i) {
      out.push_back(Value(in[i], element, json::ElementPath(path, i)));
    }
    return out;
  }

  json::Value Map(const json::Value& in, std::string_view element, const std::string& path) {
    if (in.is_null()) {
      return nullptr;
    }
    if (!in.is_object()) {
      return WrongType(in, path, "map");
    }
    json::Value out = json::Value::object();
    for (const auto& [key, member] : in.items()) {
      out[key] = Value(member, element, json::MemberPath(path, key));
    }
    return out;
  }

  json::Value Struct(const json::Value& in, std::string_view type, const std::string& path) {
    const json::Value empty = json::Value::object();
    if (!in.is_object() && !in.is_null()) {
      return WrongType(in, path, "map");
    }
    const json::Value& object = in.is_null() ? empty : in;
    const std::span<const SchemaRow> rows = RowsOf(type);
    for (const auto& [key, member] : object.items()) {
      if (std::ranges::find(rows, key, &SchemaRow::name) == rows.end()) {
        problems_.unknown.Add(json::MemberPath(path, key),
                              fmt::format("unknown field \"{}\"", json::MemberPath(path, key)));
      }
    }
    json::Value out = json::Value::object();
    for (const SchemaRow& row : rows) {
      Member(object, row, path, out);
    }
    return out;
  }

  void Member(const json::Value& object, const SchemaRow& row, const std::string& path,
              json::Value& out) {
    const FieldType type = Parse(row.type);
    const std::string key(row.name);
    const auto found = object.find(key);
    const bool given = found != object.end();
    if (!given || (type.pointer && found->is_null())) {
      if (type.always) {
        out[key] = type.pointer ? json::Value(nullptr) : Zero(type.base);
      }
      return;
    }
    // Kubernetes parses a Duration separately, and refuses null for "not set".
    if (found->is_null() && type.base == "dur") {
      WrongType(*found, json::MemberPath(path, key), "duration such as \"4m0s\"");
      return;
    }
    json::Value value = Value(*found, type.base, json::MemberPath(path, key));
    if (type.always || type.pointer || !IsZero(value)) {
      out[key] = std::move(value);
    }
  }

  json::Value Zero(std::string_view type) {
    json::DecodeProblems none;
    return type == "dur" ? json::Value("0s") : Conformer(none).Value(nullptr, type, "");
  }

  static bool IsZero(const json::Value& value) {
    return value.is_null() || value == json::Value(false) || value == json::Value("") ||
           value == json::Value(0) || ((value.is_array() || value.is_object()) && value.empty());
  }

  json::Value Scalar(const json::Value& in, std::string_view type, const std::string& path) {
    if (type == "bool") {
      return in.is_null()      ? json::Value(false)
             : in.is_boolean() ? in
                               : WrongType(in, path, "boolean");
    }
    if (type == "string") {
      return in.is_null() ? json::Value("") : in.is_string() ? in : WrongType(in, path, "string");
    }
    if (type == "float32" || type == "float64") {
      return Float(in, path, type == "float32");
    }
    if (type == "dur") {
      return Duration(in, path);
    }
    if (type == "timeordur") {
      return in.is_string() ? Duration(in, path) : Integer(in, path, kInt64);
    }
    if (type == "quantity") {
      return Quantity(in, path);
    }
    if (type == "time") {
      return Time(in, path);
    }
    if (type == "any") {
      return in;
    }
    if (type == "intorstring" && in.is_string()) {
      return in;
    }
    const bool narrow = type == "int32" || type == "intorstring";
    return Integer(in, path, narrow ? kInt32 : type == "uint32" ? kUint32 : kInt64);
  }

  json::Value Float(const json::Value& in, const std::string& path, bool single) {
    if (in.is_null()) {
      return 0;
    }
    if (!in.is_number()) {
      return WrongType(in, path, "number");
    }
    const double value = single ? Rounded(in.get<double>()) : in.get<double>();
    if (std::isinf(value)) {
      return WrongType(in, path, "number that 32 bits hold");
    }
    constexpr double kExact = 9007199254740992;  // 2^53
    return std::trunc(value) == value && std::abs(value) < kExact
               ? json::Value(static_cast<std::int64_t>(value))
               : json::Value(value);
  }

  // Rounds a number to 32 bits, as the shortest string that represents it.
  static double Rounded(double value) {
    const auto single = static_cast<float>(value);
    return std::isinf(single) ? std::numeric_limits<double>::infinity()
                              : std::stod(fmt::format("{}", single));
  }

  json::Value Duration(const json::Value& in, const std::string& path) {
    if (!in.is_string()) {
      return WrongType(in, path, "duration such as \"4m0s\"");
    }
    try {
      return base::FormatDuration(base::ParseDuration(in.get<std::string>()));
    } catch (const base::Error& error) {
      problems_.errors.Add(path, error.message());
      return nullptr;
    }
  }

  json::Value Time(const json::Value& in, const std::string& path) {
    const auto time = in.is_string() ? json::ParseRfc3339(in.get<std::string>()) : std::nullopt;
    return time ? json::Value(json::FormatRfc3339(*time)) : WrongType(in, path, "time");
  }

  json::Value Quantity(const json::Value& in, const std::string& path) {
    if (in.is_null()) {
      return "0";
    }
    const std::string text = in.is_string() ? in.get<std::string>() : json::Compact(in);
    const auto canonical = in.is_boolean() ? std::nullopt : CanonicalQuantity(text);
    if (canonical) {
      return *canonical;
    }
    return WrongType(in, path, "quantity such as \"100Mi\"");
  }

  json::Value Integer(const json::Value& in, const std::string& path, Range range) {
    if (in.is_null()) {
      return 0;
    }
    if (!in.is_number()) {
      return WrongType(in, path, "whole number");
    }
    // On its way from YAML to the field, Go formats the number as JSON. This form decides.
    const std::string text = json::Compact(in);
    const auto number = base::ParseNumber<std::int64_t>(text);
    if (!number || *number < range.low || *number > range.high) {
      problems_.errors.Add(path, fmt::format("{} is not a whole number between {} and {}", text,
                                             range.low, range.high));
      return nullptr;
    }
    return *number;
  }

  static constexpr Range kInt32{std::numeric_limits<std::int32_t>::min(),
                                std::numeric_limits<std::int32_t>::max()};
  static constexpr Range kUint32{0, std::numeric_limits<std::uint32_t>::max()};
  static constexpr Range kInt64{std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()};

  json::DecodeProblems& problems_;
};

}  // namespace

std::vector<std::string_view> TypeNames() {
  std::vector<std::string_view> names;
  std::ranges::copy(std::views::keys(AllTypes()), std::back_inserter(names));
  return names;
}

std::span<const SchemaRow> RowsOf(std::string_view type) {
  const auto found = AllTypes().find(type);
  return found == AllTypes().end() ? std::span<const SchemaRow>() : found->second;
}

json::Value Conform(const json::Value& in, std::string_view type, const std::string& path,
                    json::DecodeProblems& problems) {
  return Conformer(problems).Value(in, type, path);
}

}  // namespace config
