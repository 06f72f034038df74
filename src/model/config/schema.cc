#include "config/schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

#include "base/duration.h"
#include "base/error.h"
#include "config/quantity.h"
#include "data/field_path.h"
#include "data/rfc3339.h"

namespace config {
namespace {

using data::Json;

// Types that more than one group uses.
constexpr SchemaRow kCommonRows[] = {
    {"LoggingConfiguration", "flushFrequency", "!timeordur"},
    {"LoggingConfiguration", "format", "string"},
    {"LoggingConfiguration", "options", "!FormatOptions"},
    {"LoggingConfiguration", "verbosity", "!uint32"},
    {"LoggingConfiguration", "vmodule", "[]VModuleItem"},
    {"FormatOptions", "json", "!JSONOptions"},
    {"FormatOptions", "text", "!TextOptions"},
    {"JSONOptions", "infoBufferSize", "!quantity"},
    {"JSONOptions", "splitStream", "bool"},
    {"TextOptions", "infoBufferSize", "!quantity"},
    {"TextOptions", "splitStream", "bool"},
    {"VModuleItem", "filePattern", "!string"},
    {"VModuleItem", "verbosity", "!uint32"},
    // core/v1 EnvVar
    {"EnvVar", "name", "!string"},
    {"EnvVar", "value", "string"},
    {"EnvVar", "valueFrom", "*EnvVarSource"},
    {"EnvVarSource", "configMapKeyRef", "*KeySelector"},
    {"EnvVarSource", "fieldRef", "*ObjectFieldSelector"},
    {"EnvVarSource", "fileKeyRef", "*FileKeySelector"},
    {"EnvVarSource", "resourceFieldRef", "*ResourceFieldSelector"},
    {"EnvVarSource", "secretKeyRef", "*KeySelector"},
    {"FileKeySelector", "key", "!string"},
    {"FileKeySelector", "optional", "*bool"},
    {"FileKeySelector", "path", "!string"},
    {"FileKeySelector", "volumeName", "!string"},
    {"KeySelector", "key", "!string"},
    {"KeySelector", "name", "string"},
    {"KeySelector", "optional", "*bool"},
    {"ObjectFieldSelector", "apiVersion", "string"},
    {"ObjectFieldSelector", "fieldPath", "!string"},
    {"ResourceFieldSelector", "containerName", "string"},
    {"ResourceFieldSelector", "divisor", "!quantity"},
    {"ResourceFieldSelector", "resource", "!string"},
};

std::array<std::span<const SchemaRow>, 6> AllRows() {
  return {kCommonRows, KubeletRows(), KubeProxyRows(), PodRows(), VolumeRows(), ObjectRows()};
}

const SchemaRow* FindRow(std::string_view owner, std::string_view name) {
  for (const auto rows : AllRows()) {
    for (const SchemaRow& row : rows) {
      if (row.owner == owner && row.name == name) {
        return &row;
      }
    }
  }
  return nullptr;
}

// FieldType is a row's type taken apart.
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

std::string_view KindOf(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "boolean";
    case Json::value_t::string:
      return "string";
    case Json::value_t::array:
      return "list";
    case Json::value_t::object:
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
  explicit Conformer(data::DecodeProblems& problems) : problems_(problems) {}

  Json Value(const Json& in, std::string_view type, const std::string& path) {
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
  Json WrongType(const Json& in, const std::string& path, std::string_view wanted) {
    problems_.errors.Add(path, fmt::format("expected a {}, got a {}", wanted, KindOf(in)));
    return nullptr;
  }

  Json List(const Json& in, std::string_view element, const std::string& path) {
    if (in.is_null()) {
      return nullptr;
    }
    if (!in.is_array()) {
      return WrongType(in, path, "list");
    }
    Json out = Json::array();
    for (std::size_t i = 0; i < in.size(); ++i) {
      out.push_back(Value(in[i], element, data::ElementPath(path, i)));
    }
    return out;
  }

  Json Map(const Json& in, std::string_view element, const std::string& path) {
    if (in.is_null()) {
      return Json::object();
    }
    if (!in.is_object()) {
      return WrongType(in, path, "map");
    }
    Json out = Json::object();
    for (const auto& [key, member] : in.items()) {
      out[key] = Value(member, element, data::MemberPath(path, key));
    }
    return out;
  }

  Json Struct(const Json& in, std::string_view type, const std::string& path) {
    const Json empty = Json::object();
    if (!in.is_object() && !in.is_null()) {
      return WrongType(in, path, "map");
    }
    const Json& object = in.is_null() ? empty : in;
    for (const auto& [key, member] : object.items()) {
      if (FindRow(type, key) == nullptr) {
        problems_.unknown.Add(data::MemberPath(path, key),
                              fmt::format("unknown field \"{}\"", data::MemberPath(path, key)));
      }
    }
    Json out = Json::object();
    for (const auto rows : AllRows()) {
      for (const SchemaRow& row : rows) {
        if (row.owner == type) {
          Member(object, row, path, out);
        }
      }
    }
    return out;
  }

  void Member(const Json& object, const SchemaRow& row, const std::string& path, Json& out) {
    const FieldType type = Parse(row.type);
    const std::string key(row.name);
    const auto found = object.find(key);
    const bool given = found != object.end();
    if (!given || (type.pointer && found->is_null())) {
      if (type.always) {
        out[key] = type.pointer ? Json(nullptr) : Zero(type.base);
      }
      return;
    }
    // Kubernetes' Duration has a reader of its own, which does not take null for "not set".
    if (found->is_null() && type.base == "dur") {
      WrongType(*found, data::MemberPath(path, key), "duration such as \"4m0s\"");
      return;
    }
    Json value = Value(*found, type.base, data::MemberPath(path, key));
    if (type.always || type.pointer || !IsZero(value)) {
      out[key] = std::move(value);
    }
  }

  Json Zero(std::string_view type) {
    data::DecodeProblems none;
    return type == "dur" ? Json("0s") : Conformer(none).Value(nullptr, type, "");
  }

  static bool IsZero(const Json& value) {
    return value.is_null() || value == Json(false) || value == Json("") || value == Json(0) ||
           ((value.is_array() || value.is_object()) && value.empty());
  }

  Json Scalar(const Json& in, std::string_view type, const std::string& path) {
    if (type == "bool") {
      return in.is_null() ? Json(false) : in.is_boolean() ? in : WrongType(in, path, "boolean");
    }
    if (type == "string") {
      return in.is_null() ? Json("") : in.is_string() ? in : WrongType(in, path, "string");
    }
    if (type == "float") {
      return Float(in, path);
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

  Json Float(const Json& in, const std::string& path) {
    if (in.is_null()) {
      return 0;
    }
    if (!in.is_number()) {
      return WrongType(in, path, "number");
    }
    const double value = in.get<double>();
    constexpr double kExact = 9007199254740992;  // 2^53
    return std::trunc(value) == value && std::abs(value) < kExact
               ? Json(static_cast<std::int64_t>(value))
               : Json(value);
  }

  Json Duration(const Json& in, const std::string& path) {
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

  Json Time(const Json& in, const std::string& path) {
    const auto time = in.is_string() ? data::ParseRfc3339(in.get<std::string>()) : std::nullopt;
    return time ? Json(data::FormatRfc3339(*time)) : WrongType(in, path, "time");
  }

  Json Quantity(const Json& in, const std::string& path) {
    if (in.is_null()) {
      return "0";
    }
    const std::string text = in.is_string() ? in.get<std::string>() : data::Compact(in);
    const auto canonical = in.is_boolean() ? std::nullopt : CanonicalQuantity(text);
    if (canonical) {
      return *canonical;
    }
    return WrongType(in, path, "quantity such as \"100Mi\"");
  }

  Json Integer(const Json& in, const std::string& path, Range range) {
    if (in.is_null()) {
      return 0;
    }
    if (!in.is_number()) {
      return WrongType(in, path, "whole number");
    }
    const double approximate = in.get<double>();
    // The greatest int64 is no double: as one it is 2^63, which is too much.
    constexpr double kInt64End = 9223372036854775808.0;
    const bool too_much =
        in.is_number_float()
            ? approximate >= kInt64End
            : in.is_number_unsigned() && !std::in_range<std::int64_t>(in.get<std::uint64_t>());
    if (std::trunc(approximate) != approximate || too_much ||
        approximate < static_cast<double>(range.low) ||
        approximate > static_cast<double>(range.high)) {
      problems_.errors.Add(path, fmt::format("{} is no whole number between {} and {}",
                                             data::Compact(in), range.low, range.high));
      return nullptr;
    }
    return in.is_number_float() ? Json(static_cast<std::int64_t>(approximate)) : in;
  }

  static constexpr Range kInt32{std::numeric_limits<std::int32_t>::min(),
                                std::numeric_limits<std::int32_t>::max()};
  static constexpr Range kUint32{0, std::numeric_limits<std::uint32_t>::max()};
  static constexpr Range kInt64{std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max()};

  data::DecodeProblems& problems_;
};

}  // namespace

std::vector<SchemaRow> RowsOf(std::string_view owner) {
  std::vector<SchemaRow> found;
  for (const auto rows : AllRows()) {
    std::ranges::copy_if(rows, std::back_inserter(found),
                         [&](const SchemaRow& row) { return row.owner == owner; });
  }
  return found;
}

Json Conform(const Json& in, std::string_view type, const std::string& path,
             data::DecodeProblems& problems) {
  return Conformer(problems).Value(in, type, path);
}

}  // namespace config
