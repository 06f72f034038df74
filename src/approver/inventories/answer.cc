// SPDX-License-Identifier: Apache-2.0
#include "inventories/answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/strings.h"
#include "inventories/entries.h"
#include "json/unique.h"
#include "json/value.h"

namespace inventories {
namespace {

using base::Error;
using judgement::Source;

[[noreturn]] void Wrong(const std::string& what) { throw Error(Error::Kind::kInvalid, what); }

void RequireText(const json::Value& object, std::string_view key, std::string_view want) {
  const std::string text = json::TextAt(object, {key});
  if (text != want) {
    Wrong(fmt::format("{} must be {}, is {}", key, want, base::Quoted(text)));
  }
}

std::chrono::seconds ReadMaxAge(const json::Value& value) {
  if (!value.is_number_unsigned()) {
    Wrong("maxAgeSeconds must be a whole number of seconds, 0 or more");
  }
  const auto longest = static_cast<std::uint64_t>(kLongestAge.count());
  return std::chrono::seconds(std::min(value.get<std::uint64_t>(), longest));
}

void RequireKnownFields(const json::Value& object, Source source) {
  for (const auto& [key, value] : object.items()) {
    const bool known = key == "apiVersion" || key == "kind" || key == "items" ||
                       (key == "maxAgeSeconds" && source == Source::kExec);
    if (!known) {
      Wrong("unknown field " + base::Quoted(key));
    }
  }
}

}  // namespace

Answer ReadAnswer(std::string_view text, Source source) {
  const json::Value object = json::Parse(text);
  if (!object.is_object()) {
    Wrong(fmt::format("the answer must be an object, is a {}", json::KindOf(object)));
  }
  json::RequireUniqueMembers(text);
  RequireKnownFields(object, source);
  RequireText(object, "apiVersion", kAnswerVersion);
  RequireText(object, "kind", kAnswerKind);
  const json::Value& items = json::At(object, {"items"});
  if (!items.is_array()) {
    Wrong("items must be a list");
  }
  if (items.size() > kMostEntries) {
    Wrong(fmt::format("items must have at most {} entries, has {}", kMostEntries, items.size()));
  }
  Answer answer{.entries = EntriesOf(items, source)};
  if (const auto age = object.find("maxAgeSeconds"); age != object.end()) {
    answer.max_age = ReadMaxAge(*age);
  }
  return answer;
}

}  // namespace inventories
