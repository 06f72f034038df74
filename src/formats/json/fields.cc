// SPDX-License-Identifier: Apache-2.0
#include "json/fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/strings.h"
#include "json/field_path.h"
#include "json/rfc3339.h"

namespace json {
namespace {

using Kind = Type::Kind;

// Decodes JSON values of one version, and collects the problems.
class Decoder {
 public:
  Decoder(Versions version, DecodeProblems& problems) : version_(version), problems_(problems) {}

  void Read(const Value& in, const Type& type, void* out, const std::string& path) {
    if (in.is_null()) {
      return;
    }
    switch (type.kind) {
      case Kind::kBool:
        return ReadBool(in, out, path);
      case Kind::kInt32:
        return ReadInteger<std::int32_t>(in, out, path);
      case Kind::kInt64:
        return ReadInteger<std::int64_t>(in, out, path);
      case Kind::kString:
        return ReadString(in, out, path);
      case Kind::kDuration:
        return ReadDuration(in, out, path);
      case Kind::kTime:
        return ReadTime(in, out, path);
      case Kind::kEnum:
        return ReadEnum(in, type, out, path);
      case Kind::kJson:
        *static_cast<Value*>(out) = in;
        return;
      case Kind::kList:
        return ReadList(in, type, out, path);
      case Kind::kMap:
        return ReadMap(in, type, out, path);
      case Kind::kOptional:
        return Read(in, *type.element(), Engage(type, out), path);
      case Kind::kStruct:
        return ReadStruct(in, type, out, path);
    }
  }

 private:
  void WrongType(const Value& in, const std::string& path, std::string_view wanted) {
    problems_.errors.Add(path, fmt::format("expected a {}, got a {}", wanted, KindOf(in)));
  }

  void ReadBool(const Value& in, void* out, const std::string& path) {
    if (!in.is_boolean()) {
      return WrongType(in, path, "boolean");
    }
    *static_cast<bool*>(out) = in.get<bool>();
  }

  void ReadString(const Value& in, void* out, const std::string& path) {
    if (!in.is_string()) {
      return WrongType(in, path, "string");
    }
    *static_cast<std::string*>(out) = in.get<std::string>();
  }

  template <typename Integer>
  void ReadInteger(const Value& in, void* out, const std::string& path) {
    if (!in.is_number()) {
      return WrongType(in, path, "whole number");
    }
    if (const auto value = Whole<Integer>(in)) {
      *static_cast<Integer*>(out) = *value;
      return;
    }
    problems_.errors.Add(path, fmt::format("{} is not a whole number between {} and {}",
                                           Compact(in), std::numeric_limits<Integer>::min(),
                                           std::numeric_limits<Integer>::max()));
  }

  template <typename Integer>
  static std::optional<Integer> Whole(const Value& in) {
    if (in.is_number_float()) {
      const double value = in.get<double>();
      // 2^63 is a valid double, but out of range for int64.
      const double limit = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
      if (value != std::trunc(value) || value < -limit || value >= limit) {
        return std::nullopt;
      }
      return static_cast<Integer>(value);
    }
    if (in.is_number_unsigned()) {
      const auto value = in.get<std::uint64_t>();
      return std::in_range<Integer>(value) ? std::optional(static_cast<Integer>(value))
                                           : std::nullopt;
    }
    const auto value = in.get<std::int64_t>();
    return std::in_range<Integer>(value) ? std::optional(static_cast<Integer>(value))
                                         : std::nullopt;
  }

  void ReadDuration(const Value& in, void* out, const std::string& path) {
    if (!in.is_string()) {
      return WrongType(in, path, "duration such as \"4m0s\"");
    }
    try {
      *static_cast<base::Duration*>(out) = base::ParseDuration(in.get<std::string>());
    } catch (const base::Error& error) {
      problems_.errors.Add(path, error.message());
    }
  }

  void ReadTime(const Value& in, void* out, const std::string& path) {
    if (!in.is_string()) {
      return WrongType(in, path, "time such as \"2026-01-31T23:59:59Z\"");
    }
    const auto text = in.get<std::string>();
    const auto time = ParseRfc3339(text);
    if (!time) {
      problems_.errors.Add(path, fmt::format("{} is not a time such as \"2026-01-31T23:59:59Z\"",
                                             base::Quoted(text)));
      return;
    }
    *static_cast<std::chrono::sys_seconds*>(out) = *time;
  }

  void ReadEnum(const Value& in, const Type& type, void* out, const std::string& path) {
    if (!in.is_string()) {
      return WrongType(in, path, "string");
    }
    const std::span<const std::string_view> names = type.names();
    const auto name = std::ranges::find(names, in.get_ref<const std::string&>());
    if (name == names.end()) {
      problems_.errors.Add(path, fmt::format("unknown value {}: expected one of {}", Compact(in),
                                             fmt::join(names, ", ")));
      return;
    }
    *static_cast<std::int32_t*>(out) = static_cast<std::int32_t>(name - names.begin());
  }

  void ReadList(const Value& in, const Type& type, void* out, const std::string& path) {
    if (!in.is_array()) {
      return WrongType(in, path, "list");
    }
    if (type.clear != nullptr) {
      type.clear(out);
    }
    std::size_t i = 0;
    for (const Value& element : in) {
      Read(element, *type.element(), type.add(out, ""), ElementPath(path, i++));
    }
  }

  void ReadMap(const Value& in, const Type& type, void* out, const std::string& path) {
    if (!in.is_object()) {
      return WrongType(in, path, "map");
    }
    for (const auto& [key, member] : in.items()) {
      Read(member, *type.element(), type.add(out, key), MemberPath(path, key));
    }
  }

  static void* Engage(const Type& type, void* out) {
    return type.size(out) > 0 ? const_cast<void*>(type.at(out, 0).second) : type.add(out, "");
  }

  void ReadStruct(const Value& in, const Type& type, void* out, const std::string& path) {
    if (!in.is_object()) {
      return WrongType(in, path, "map");
    }
    for (const auto& [key, member] : in.items()) {
      const std::string at = MemberPath(path, key);
      if (const Target target = Find(type, out, key); target.type != nullptr) {
        Read(member, *target.type, target.out, at);
      } else {
        problems_.unknown.Add(at, fmt::format("unknown field \"{}\"", at));
      }
    }
  }

  struct Target {
    const Type* type = nullptr;
    void* out = nullptr;
  };

  Target Find(const Type& type, void* out, std::string_view name) const {
    for (const Field& field : type.fields()) {
      const Target target = Match(field, out, name);
      if ((field.versions & version_) != 0 && target.type != nullptr) {
        return target;
      }
    }
    return {};
  }

  // Returns the field itself or, for an inlined struct, its field with that name.
  Target Match(const Field& field, void* out, std::string_view name) const {
    if (field.name.empty()) {
      return Find(*field.type(), field.in(out), name);
    }
    return field.name == name ? Target{field.type(), field.in(out)} : Target{};
  }

  Versions version_;
  DecodeProblems& problems_;
};

template <typename T>
const T& As(const void* in) {
  return *static_cast<const T*>(in);
}

// Follows Go's omitempty: a struct, and so a duration or time, is always written.
bool Omittable(const Type& type, const void* in) {
  switch (type.kind) {
    case Kind::kBool:
      return !As<bool>(in);
    case Kind::kEnum:
      return false;
    case Kind::kInt32:
      return As<std::int32_t>(in) == 0;
    case Kind::kInt64:
      return As<std::int64_t>(in) == 0;
    case Kind::kString:
      return As<std::string>(in).empty();
    case Kind::kJson:
      return As<Value>(in).is_null();
    case Kind::kList:
    case Kind::kMap:
    case Kind::kOptional:
      return type.size(in) == 0;
    case Kind::kDuration:
    case Kind::kTime:
    case Kind::kStruct:
      return false;
  }
  return false;
}

void EncodeStruct(const Type& type, const void* in, Versions version, Value& out) {
  for (const Field& field : type.fields()) {
    if ((field.versions & version) == 0) {
      continue;
    }
    const void* member = field.in(const_cast<void*>(in));
    if (field.name.empty()) {
      EncodeStruct(*field.type(), member, version, out);
    } else if (field.always || !Omittable(*field.type(), member)) {
      out[field.name] = EncodeFrom(*field.type(), member, version);
    }
  }
}

Value EncodeList(const Type& type, const void* in, Versions version) {
  Value list = Value::array();
  for (std::size_t i = 0; i < type.size(in); ++i) {
    list.push_back(EncodeFrom(*type.element(), type.at(in, i).second, version));
  }
  return list;
}

Value EncodeMap(const Type& type, const void* in, Versions version) {
  Value map = Value::object();
  for (std::size_t i = 0; i < type.size(in); ++i) {
    const auto [key, element] = type.at(in, i);
    map[key] = EncodeFrom(*type.element(), element, version);
  }
  return map;
}

}  // namespace

void DecodeInto(const Value& in, const Type& type, void* out, Versions version,
                DecodeProblems& problems) {
  Decoder(version, problems).Read(in, type, out, "");
}

Value EncodeFrom(const Type& type, const void* in, Versions version) {
  switch (type.kind) {
    case Kind::kBool:
      return As<bool>(in);
    case Kind::kInt32:
      return As<std::int32_t>(in);
    case Kind::kInt64:
      return As<std::int64_t>(in);
    case Kind::kString:
      return As<std::string>(in);
    case Kind::kDuration:
      return base::FormatDuration(As<base::Duration>(in));
    case Kind::kEnum:
      return std::string(type.names()[static_cast<std::size_t>(As<std::int32_t>(in))]);
    case Kind::kTime:
      return FormatRfc3339(As<std::chrono::sys_seconds>(in));
    case Kind::kJson:
      return As<Value>(in);
    case Kind::kList:
      return EncodeList(type, in, version);
    case Kind::kMap:
      return EncodeMap(type, in, version);
    case Kind::kOptional:
      return type.size(in) == 0 ? Value()
                                : EncodeFrom(*type.element(), type.at(in, 0).second, version);
    case Kind::kStruct: {
      Value object = Value::object();
      EncodeStruct(type, in, version, object);
      return object;
    }
  }
  return {};
}

}  // namespace json
