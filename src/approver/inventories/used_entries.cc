// SPDX-License-Identifier: Apache-2.0
#include "inventories/used_entries.h"

#include <fmt/core.h>

#include <utility>

#include "kube/shape.h"

namespace inventories {
namespace {

using judgement::Machine;

// Returns the key of an entry in the ConfigMap. Host names are valid keys. A token's id alone does
// not identify its binding, because a newer token with another binding may have the same id.
std::string KeyIn(const Machine& entry) {
  const std::string source(entry.SourceName());
  return entry.source == judgement::Source::kTokens
             ? fmt::format("{}.{}.{}", source, entry.token_id,
                           entry.created.time_since_epoch().count())
             : source + "." + entry.name;
}

kube::Call CallFor(kube::Verb verb, const std::string& name_space, json::Value body) {
  return {.verb = verb,
          .resource = kube::resources::kConfigMap,
          .name_space = name_space,
          .name = verb == kube::Verb::kCreate ? "" : std::string(kUsedEntriesName),
          .body = std::move(body)};
}

std::optional<json::Value> FindMap(kube::Transport& transport, const std::string& name_space,
                                   const std::stop_token& stop) {
  return kube::Found([&] { return transport.Do(CallFor(kube::Verb::kGet, name_space, {}), stop); });
}

// Returns the user of the entry that the ConfigMap records.
std::optional<std::string> UserIn(const json::Value& map, const Machine& entry) {
  const std::string user = json::TextAt(map, {"data", KeyIn(entry)});
  return user.empty() ? std::nullopt : std::optional(user);
}

}  // namespace

std::optional<std::string> UsedBy(kube::Transport& transport, const std::string& name_space,
                                  const Machine& entry, const std::stop_token& stop) {
  return FindMap(transport, name_space, stop).and_then([&](const json::Value& map) {
    return UserIn(map, entry);
  });
}

std::string RecordUse(kube::Transport& transport, const std::string& name_space,
                      const Machine& entry, const std::string& user, const std::stop_token& stop) {
  const std::optional<json::Value> found = FindMap(transport, name_space, stop);
  json::Value map = found.value_or(
      json::Value{{"apiVersion", "v1"},
                  {"kind", "ConfigMap"},
                  {"metadata", {{"name", kUsedEntriesName}, {"namespace", name_space}}}});
  kube::RequireShape(kube::resources::kConfigMap, map);
  if (auto before = UserIn(map, entry)) {
    return *std::move(before);
  }
  map["data"][KeyIn(entry)] = user;
  const kube::Verb verb = found ? kube::Verb::kUpdate : kube::Verb::kCreate;
  transport.Do(CallFor(verb, name_space, std::move(map)), stop);
  return user;
}

}  // namespace inventories
