// SPDX-License-Identifier: Apache-2.0
// Fields: one run-time table per struct that drives decoding, encoding, migration, printing and
// JSON Schema (design: "one struct, one table per API type").
//
//   struct Networking {
//     std::string pod_subnet;
//     static std::span<const Field> Fields();   // in the .cc:
//   };
//   std::span<const Field> Networking::Fields() {
//     static const Field fields[] = {
//         Describe<&Networking::pod_subnet>("podSubnet"),
//     };
//     return fields;
//   }
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/problems.h"
#include "json/value.h"

namespace json {

// A bit mask of the API versions in which a field exists; the API group defines the bits (see
// config/versions.h).
using Versions = unsigned;
inline constexpr Versions kAllVersions = ~0U;

struct Field;

// Type-erased access to one C++ type.
struct Type {
  enum class Kind {
    kBool,
    kInt32,
    kInt64,
    kString,
    kDuration,  // base::Duration, a Go duration string
    kTime,      // std::chrono::sys_seconds, RFC 3339
    kEnum,      // an enum of type std::int32_t, the name of its value
    kJson,      // Value, passed through
    kList,
    kMap,       // string keys
    kOptional,  // absent or null is "not set"
    kStruct
  } kind;
  const Type* (*element)() = nullptr;  // list, map, optional
  // Appends to a list, inserts into a map, engages an optional; returns the new element.
  void* (*add)(void* self, const std::string& key) = nullptr;
  std::size_t (*size)(const void* self) = nullptr;
  // The key (maps only) and address of element i.
  std::pair<std::string_view, const void*> (*at)(const void* self, std::size_t i) = nullptr;
  std::span<const Field> (*fields)() = nullptr;  // struct
  // Names of an enum's values, which are 0, 1, 2 …
  std::span<const std::string_view> (*names)() = nullptr;
  // Empties a list before it is decoded: a list in the input replaces the previous one. Null for
  // other types: as in Go, maps and structs are merged instead.
  void (*clear)(void* self) = nullptr;
};

// One row of a struct's table; its strings are literals.
struct Field {
  std::string_view name;  // as in the API; empty for an inlined struct
  const Type* (*type)() = nullptr;
  void* (*in)(void* self) = nullptr;
  Versions versions = kAllVersions;
  // The field is written even if it has the zero value (no Go "omitempty").
  bool always = false;
  std::string_view help;  // one line for `config explain` and the schema

  Field Always() const {
    Field copy = *this;
    copy.always = true;
    return copy;
  }
  Field In(Versions v) const {
    Field copy = *this;
    copy.versions = v;
    return copy;
  }
  Field Help(std::string_view text) const {
    Field copy = *this;
    copy.help = text;
    return copy;
  }
};

template <typename T>
struct TypeFor {
  static const Type* Get() {
    static const Type type{.kind = Type::Kind::kStruct,
                           .fields = [] { return std::span<const Field>(T::Fields()); }};
    return &type;
  }
};

template <Type::Kind kKind>
struct ScalarType {
  static const Type* Get() {
    static const Type type{.kind = kKind};
    return &type;
  }
};
// A type of the tables counts as an enum if it has type std::int32_t and the values 0, 1, 2 ….
// `EnumNames(E)`, found by argument-dependent lookup, returns their names.
template <typename E>
  requires std::is_enum_v<E> && std::is_same_v<std::underlying_type_t<E>, std::int32_t>
struct TypeFor<E> {
  static const Type* Get() {
    static const Type type{.kind = Type::Kind::kEnum, .names = [] {
                             return std::span<const std::string_view>(EnumNames(E{}));
                           }};
    return &type;
  }
};
template <>
struct TypeFor<bool> : ScalarType<Type::Kind::kBool> {};
template <>
struct TypeFor<std::int32_t> : ScalarType<Type::Kind::kInt32> {};
template <>
struct TypeFor<std::int64_t> : ScalarType<Type::Kind::kInt64> {};
template <>
struct TypeFor<std::string> : ScalarType<Type::Kind::kString> {};
template <>
struct TypeFor<base::Duration> : ScalarType<Type::Kind::kDuration> {};
template <>
struct TypeFor<std::chrono::sys_seconds> : ScalarType<Type::Kind::kTime> {};
template <>
struct TypeFor<Value> : ScalarType<Type::Kind::kJson> {};

template <typename T>
struct TypeFor<std::vector<T>> {
  using Self = std::vector<T>;
  static const Type* Get() {
    static const Type type{
        .kind = Type::Kind::kList,
        .element = TypeFor<T>::Get,
        .add = [](void* self, const std::string&) -> void* {
          return &static_cast<Self*>(self)->emplace_back();
        },
        .size = [](const void* self) { return static_cast<const Self*>(self)->size(); },
        .at =
            [](const void* self, std::size_t i) {
              return std::pair<std::string_view, const void*>{
                  {}, &(*static_cast<const Self*>(self))[i]};
            },
        .clear = [](void* self) { static_cast<Self*>(self)->clear(); }};
    return &type;
  }
};

template <typename T>
struct TypeFor<std::map<std::string, T>> {
  using Self = std::map<std::string, T>;
  static const Type* Get() {
    static const Type type{
        .kind = Type::Kind::kMap,
        .element = TypeFor<T>::Get,
        .add = [](void* self, const std::string& key) -> void* {
          return &(*static_cast<Self*>(self))[key];
        },
        .size = [](const void* self) { return static_cast<const Self*>(self)->size(); },
        .at =
            [](const void* self, std::size_t i) {
              const auto it = std::next(static_cast<const Self*>(self)->begin(),
                                        static_cast<std::ptrdiff_t>(i));
              return std::pair<std::string_view, const void*>{it->first, &it->second};
            }};
    return &type;
  }
};

template <typename T>
struct TypeFor<std::optional<T>> {
  using Self = std::optional<T>;
  static const Type* Get() {
    static const Type type{
        .kind = Type::Kind::kOptional,
        .element = TypeFor<T>::Get,
        .add = [](void* self, const std::string&) -> void* {
          return &static_cast<Self*>(self)->emplace();
        },
        .size =
            [](const void* self) {
              return static_cast<std::size_t>(static_cast<const Self*>(self)->has_value());
            },
        .at =
            [](const void* self, std::size_t) {
              return std::pair<std::string_view, const void*>{{},
                                                              &**static_cast<const Self*>(self)};
            }};
    return &type;
  }
};

template <auto kMember>
struct MemberOf;
template <typename C, typename T, T C::* kMember>
struct MemberOf<kMember> {
  using Member = T;
  static void* In(void* self) { return &(static_cast<C*>(self)->*kMember); }
};

// Returns the row of an ordinary field.
template <auto kMember>
constexpr Field Describe(std::string_view name) {
  return {.name = name,
          .type = TypeFor<typename MemberOf<kMember>::Member>::Get,
          .in = MemberOf<kMember>::In};
}

// Returns the row of a field that is read and written in the form of `type`, for example in the
// shape of an older version.
template <auto kMember>
constexpr Field DescribeAs(std::string_view name, const Type* (*type)()) {
  return {.name = name, .type = type, .in = MemberOf<kMember>::In};
}

// Inline puts the rows of a member struct among the rows of its owner (Go's `json:",inline"`).
template <auto kMember>
constexpr Field Inline() {
  return Describe<kMember>("");
}

// The problems of a decoding. Problems that only a strict reader refuses are separate.
struct DecodeProblems {
  base::Problems errors;  // wrong types, values out of range
  // Fields that do not exist in the version: `unknown field "a.b[0].c"`.
  base::Problems unknown;
};

// Decodes a JSON value into `out`. Null leaves a field unchanged; in a list or map it is the zero
// value. Names are case-sensitive. A number without a fraction is an integer, however it is
// written. Adds every problem with its path.
void DecodeInto(const Value& in, const Type& type, void* out, Versions version,
                DecodeProblems& problems);

template <typename T>
void Decode(const Value& in, T& out, Versions version, DecodeProblems& problems) {
  DecodeInto(in, *TypeFor<T>::Get(), &out, version, problems);
}

// Returns the decoded struct. Throws base::Error(kInvalid) with every problem, unknown fields
// included.
template <typename T>
T DecodeStrictly(const Value& in) {
  T out;
  DecodeProblems problems;
  Decode(in, out, kAllVersions, problems);
  problems.errors.Append(problems.unknown);
  problems.errors.ThrowIfAny();
  return out;
}

// Returns the JSON value of a struct. Omits, unless marked Always, the values that Go's omitempty
// omits: false, 0, "", an empty list or map, an unset optional, JSON null. Structs, durations,
// times and set optionals are always written. In a field marked Always, an unset optional is
// written as null and an empty list as [].
Value EncodeFrom(const Type& type, const void* in, Versions version);

template <typename T>
Value Encode(const T& in, Versions version = kAllVersions) {
  return EncodeFrom(*TypeFor<T>::Get(), &in, version);
}

}  // namespace json
